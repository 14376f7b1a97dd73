import {
  type CommandArguments,
  Fields,
  GRANULARITIES,
  type Granularity,
  isBucketsName,
  type TimeseriesOptions,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';

const known = new Set(['timeField', 'metaField', 'granularity', 'bucketMaxSpanSeconds', 'bucketRoundingSeconds']);

// biome-ignore format: a list
const incompatible = ['autoIndexId', 'capped', 'size', 'max', 'validator', 'validationLevel', 'validationAction', 'viewOn',
  'pipeline', 'encryptedFields', 'clusteredIndex', 'changeStreamPreAndPostImages', 'idIndex', 'temp', 'flags'];

/** A year. Upstream: timeseries.idl, bucketMaxSpanSeconds. */
const MAX_SPAN_SECONDS = 31_536_000;

/**
 * The `timeseries` of `create`, checked and with its defaults. Errors: InvalidOptions 72 for options that do not go
 * together, BadValue 2 for an unknown granularity, 51024 for a span out of range, 40414 without `timeField`.
 * Upstream: create_command.cpp; timeseries_options.cpp, validateAndSetBucketingParameters.
 */
export function timeseriesArguments(args: CommandArguments): TimeseriesOptions {
  for (const name of incompatible) {
    // So buckets are listed, and whoever copies them repeats it.
    if (name === 'clusteredIndex' && isBucketsName(args.collection) && args.strictBool(name)) continue;
    if (args.has(name)) throw invalid(`a time series has no option '${name}'`);
  }
  const fields = new Fields(args.requiredDocument('timeseries'), 'create.timeseries');
  fields.allow(known);
  const timeField = fields.requiredString('timeField');
  const metaField = fields.string('metaField');
  const granularity = granularityIn(fields);
  const span = spanIn(fields, 'bucketMaxSpanSeconds');
  const rounding = spanIn(fields, 'bucketRoundingSeconds');
  checkNames(args.ns, timeField, metaField);
  if (granularity !== undefined || (span === undefined && rounding === undefined)) {
    const implied = granularity ?? 'seconds';
    checkImplied(implied, span, rounding);
    return { timeField, metaField, granularity: implied, bucketMaxSpanSeconds: GRANULARITIES[implied].spanSeconds };
  }
  return { timeField, metaField, ...customSpan(span, rounding) };
}

/** How long buckets last where no granularity says it. Unit: seconds. */
export interface CustomSpan {
  readonly bucketMaxSpanSeconds: number;
  readonly bucketRoundingSeconds: number;
}

/** Undefined if it is not named. Throws BadValue 2 for an unknown one. */
export function granularityIn(fields: Fields): Granularity | undefined {
  const granularity = fields.string('granularity');
  if (granularity === undefined || Object.hasOwn(GRANULARITIES, granularity)) return granularity as Granularity;
  throw new CommandError(
    'BadValue',
    `Enumeration value '${granularity}' for field '${fields.path}.granularity' is not a valid value.`,
  );
}

/** Throws 51024 outside of 1 second to a year. */
export function spanIn(fields: Fields, name: 'bucketMaxSpanSeconds' | 'bucketRoundingSeconds'): number | undefined {
  const seconds = fields.int32(name);
  if (seconds === undefined || (seconds >= 1 && seconds <= MAX_SPAN_SECONDS)) return seconds;
  const bound = seconds < 1 ? '>= 1' : `<= ${MAX_SPAN_SECONDS}`;
  throw new CommandError(51024, `BSON field '${name}' value must be ${bound}, actual value '${seconds}'`);
}

/**
 * Beside a granularity the span may be said again, but the rounding may not.
 * Throws InvalidOptions 72. Upstream: timeseries_options.cpp, validateAndSetBucketingParameters.
 */
export function checkImplied(granularity: Granularity, span: number | undefined, rounding: number | undefined): void {
  const { spanSeconds } = GRANULARITIES[granularity];
  if (span !== undefined && span !== spanSeconds) {
    throw invalid(
      `Timeseries 'bucketMaxSpanSeconds' must be ${spanSeconds}, the default of its granularity, or left out`,
    );
  }
  if (rounding !== undefined) throw invalid("'bucketRoundingSeconds' has no place beside a granularity");
}

/** A span of buckets of one's own. Throws InvalidOptions 72 unless both are given and equal. */
export function customSpan(span: number | undefined, rounding: number | undefined): CustomSpan {
  if (span === undefined || rounding === undefined) {
    throw invalid("'bucketMaxSpanSeconds' and 'bucketRoundingSeconds' come together or not at all");
  }
  if (span !== rounding) {
    throw invalid("'bucketRoundingSeconds' has to be what 'bucketMaxSpanSeconds' is");
  }
  return { bucketMaxSpanSeconds: span, bucketRoundingSeconds: rounding };
}

function checkNames(ns: string, timeField: string, metaField: string | undefined): void {
  if (timeField.includes('.')) throw notTopLevel(ns, 'timeField');
  if (timeField === '_id') throw invalid('\'timeField\' cannot be "_id"');
  if (metaField === '_id') throw invalid('\'metaField\' cannot be "_id"');
  if (metaField === timeField) throw invalid("'metaField' and 'timeField' have to be two fields");
  if (metaField?.includes('.')) throw notTopLevel(ns, 'metaField');
  if ([timeField, metaField].some((name) => name?.includes('\0'))) {
    throw new CommandError('BadValue', "'timeField' and 'metaField' cannot have null bytes");
  }
}

function notTopLevel(ns: string, name: string): CommandError {
  return invalid(`${ns}: '${name}' has to be a field at the top, without a '.'`);
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}
