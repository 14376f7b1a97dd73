import { BsonType, type BsonValue, BsonWriter, CommandError, readString } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf } from '../fields/values.ts';
import { NULL } from './builtValues.ts';
import { compileComputed, isCall } from './expressions.ts';
import { type Gather, outputOf } from './groupStages.ts';
import type { MingoWorld } from './mingoSpec.ts';
import { runMingoStage } from './mingoStages.ts';
import { documentOf, type Stage } from './stages.ts';

/**
 * `$bucketAuto`: buckets of about the same number of documents. Boundaries by `granularity` are computed by mingo, as doubles.
 * Errors: Location40239 to 40246, 40257 to 40261. Upstream: document_source_bucket_auto.cpp.
 */
export function bucketAutoStage(stage: Stage, world: MingoWorld): Gather {
  const fields = new Fields(documentOf(stage), '$bucketAuto');
  for (const name of fields.names) {
    if (['groupBy', 'buckets', 'output', 'granularity'].includes(name)) continue;
    throw new CommandError(40245, `Unrecognized option to $bucketAuto: ${name}`);
  }
  const groupBy = fields.rawValue('groupBy');
  if (groupBy && !isPathOrCall(groupBy)) {
    throw new CommandError(40239, "The $bucketAuto 'groupBy' field must be a $-prefixed path or an expression object");
  }
  const count = bucketCount(fields);
  const output = fields.rawValue('output');
  if (output && output.type !== BsonType.object) {
    throw new CommandError(40244, "The $bucketAuto 'output' field must be an object");
  }
  const granularity = fields.rawValue('granularity');
  if (!groupBy || count === undefined) {
    throw new CommandError(40246, "$bucketAuto requires 'groupBy' and 'buckets' to be specified");
  }
  const key = compileComputed(groupBy, world);
  const accumulators = outputOf(output && bytesOf(output), world);
  if (granularity) checkGranularity(granularity);
  return (documents) => {
    const keyed = documents.map((document) => ({ document, key: key(document) ?? NULL }));
    if (granularity) {
      keyed.forEach((each) => {
        checkGranular(each.key);
      });
      return idFirst(runMingoStage(stage, documents, world), accumulators);
    }
    keyed.sort((a, b) => compareValues(a.key, b.key, world.collator));
    return bucketsOf(keyed, count, world).map(({ min, max, members }) => {
      const writer = new BsonWriter();
      writer.beginDocument('_id');
      writer.rawValue('min', min);
      writer.rawValue('max', max);
      writer.endDocument();
      for (const [name, accumulator] of accumulators) writer.rawValue(name, accumulator(members));
      return writer.finish();
    });
  };
}

function isPathOrCall(value: BsonValue): boolean {
  return value.type === BsonType.string ? /^\$./s.test(readString(value)) : isCall(value);
}

function bucketCount(fields: Fields): number | undefined {
  const buckets = fields.rawValue('buckets');
  if (!buckets) return undefined;
  if (!isNumeric(buckets.type))
    throw new CommandError(40241, "The $bucketAuto 'buckets' field must be a numeric value");
  const count = numberOf(buckets);
  if ((count | 0) !== count) {
    throw new CommandError(40242, "The $bucketAuto 'buckets' field must be representable as a 32-bit integer");
  }
  if (count <= 0) {
    throw new CommandError(40243, `The $bucketAuto 'buckets' field must be greater than 0, but found: ${count}`);
  }
  return count;
}

interface Keyed {
  readonly document: Uint8Array;
  readonly key: BsonValue;
}

interface Bucket {
  readonly min: BsonValue;
  readonly max: BsonValue;
  readonly members: readonly Uint8Array[];
}

/** Equal keys stay together; a bucket ends where the next one begins, the last one with its own greatest key. */
function bucketsOf(keyed: readonly Keyed[], count: number, { collator }: MingoWorld): Bucket[] {
  const size = Math.max(1, Math.round(keyed.length / count));
  const buckets: Bucket[] = [];
  for (let start = 0; start < keyed.length && buckets.length < count; ) {
    let end = buckets.length === count - 1 ? keyed.length : Math.min(start + size, keyed.length);
    const first = keyed[start]?.key ?? NULL;
    let last = keyed[end - 1]?.key ?? NULL;
    for (; end < keyed.length; end++) {
      const before = last;
      last = keyed[end]?.key ?? NULL;
      if (compareValues(last, before, collator) !== 0) break;
    }
    buckets.push({ min: first, max: last, members: keyed.slice(start, end).map(({ document }) => document) });
    start = end;
  }
  return buckets;
}

/** Upstream: granularity_rounder_preferred_numbers.cpp, granularity_rounder_powers_of_two.cpp. */
const granularities: ReadonlySet<string> = new Set(['R5', 'R10', 'R20', 'R40', 'R80', '1-2-5', 'E6', 'E12', 'E24', 'E48', 'E96', 'E192', 'POWERSOF2']); // biome-ignore format: one line

function checkGranularity(granularity: BsonValue): void {
  if (granularity.type !== BsonType.string) {
    throw new CommandError(40261, "The $bucketAuto 'granularity' field must be a string");
  }
  const name = readString(granularity);
  if (!granularities.has(name)) throw new CommandError(40257, `Unknown rounding granularity '${name}'`);
}

function checkGranular(key: BsonValue): void {
  const only = "$bucketAuto can specify a 'granularity' with";
  if (!isNumeric(key.type)) throw new CommandError(40258, `${only} numeric boundaries only`);
  const number = numberOf(key);
  if (Number.isNaN(number)) throw new CommandError(40259, `${only} numeric boundaries only, but found a NaN`);
  if (number < 0) throw new CommandError(40260, `${only} non-negative numbers only`);
}

function idFirst(
  documents: readonly Uint8Array[],
  accumulators: readonly (readonly [string, unknown])[],
): Uint8Array[] {
  return documents.map((document) => {
    const fields = new Fields(document, '$bucketAuto');
    const writer = new BsonWriter(document.length);
    for (const name of ['_id', ...accumulators.map(([accumulated]) => accumulated)]) {
      writer.rawValue(name, fields.rawValue(name) ?? NULL);
    }
    return writer.finish();
  });
}
