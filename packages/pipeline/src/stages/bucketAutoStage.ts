import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  readString,
} from '@replsim/protocol';
import { compareValues, looksAtDocument } from '@replsim/query';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf } from '../fields/values.ts';
import { NULL } from './builtValues.ts';
import { compileComputed, type ExpressionWorld, isCall } from './expressions.ts';
import { type Rounder, rounderNamed } from './granularity.ts';
import { type Gather, outputOf } from './groupStages.ts';
import { sortInTurns } from './sortInTurns.ts';
import { documentOf, type Stage } from './stages.ts';
import { mapped } from './work.ts';
import type { PipelineWorld } from './world.ts';

/**
 * `$bucketAuto`: buckets of about the same number of documents, whose boundaries are those of a `granularity` if it has one.
 * Errors: Location40239 to 40246, 40257 to 40261, 4544714. Upstream: document_source_bucket_auto.cpp.
 */
export function bucketAutoStage(stage: Stage, world: PipelineWorld): Gather {
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
  if (output) checkConstantNumbers(bytesOf(output));
  const accumulators = outputOf(output && bytesOf(output), world);
  const rounder = granularity && rounderOf(granularity);
  return function* (documents) {
    const { collator, meter } = world;
    const unsorted = yield* mapped(documents, (document) => ({ document, key: key(document) ?? NULL }), meter);
    if (rounder) for (const each of unsorted) checkGranular(each.key);
    const keyed = yield* sortInTurns(unsorted, (a, b) => compareValues(a.key, b.key, collator), meter);
    const buckets = rounder ? roundedBuckets(keyed, count, rounder) : bucketsOf(keyed, count, world);
    const made: Uint8Array[] = [];
    for (const { min, max, members } of buckets) {
      const writer = new BsonWriter();
      writer.beginDocument('_id');
      writer.rawValue('min', min);
      writer.rawValue('max', max);
      writer.endDocument();
      for (const [name, accumulator] of accumulators) writer.rawValue(name, yield* accumulator(members));
      made.push(writer.finish());
    }
    return made;
  };
}

function isPathOrCall(value: BsonValue): boolean {
  return value.type === BsonType.string ? /^\$./s.test(readString(value)) : isCall(value);
}

/** Before there are buckets, nothing can say how many values an accumulator keeps of one. Errors: Location4544714. */
function checkConstantNumbers(output: Uint8Array): void {
  for (const field = new ElementCursor(output); field.next(); ) {
    if (field.type !== BsonType.object) continue;
    const call = new ElementCursor(output, field.offset);
    if (!call.next() || call.type !== BsonType.object || !call.name.endsWith('N')) continue;
    const n = findField(output, NUMBER, call.offset);
    if (n && looksAtDocument(n)) throw new CommandError(4544714, "Can't refer to the group key in $bucketAuto");
  }
}

const NUMBER = encodeName('n');

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
function bucketsOf(keyed: readonly Keyed[], count: number, { collator }: ExpressionWorld): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = 0; start < keyed.length; ) {
    let end = endOf(keyed, start, count, buckets.length);
    const first = keyed[start]?.key ?? NULL;
    let last = keyed[end - 1]?.key ?? NULL;
    for (; end < keyed.length; end++) {
      const before = last;
      last = keyed[end]?.key ?? NULL;
      if (compareValues(last, before, collator) !== 0) break;
    }
    buckets.push({ min: first, max: last, members: membersOf(keyed, start, end) });
    start = end;
  }
  return buckets;
}

/** Up to its greatest key rounded up; each begins where the one before it ends, the first with its least key rounded down. */
function roundedBuckets(keyed: readonly Keyed[], count: number, rounder: Rounder): Bucket[] {
  const buckets: Bucket[] = [];
  for (let start = 0; start < keyed.length; ) {
    let end = endOf(keyed, start, count, buckets.length);
    const greatest = keyed[end - 1]?.key ?? NULL;
    const boundary = rounder.up(greatest);
    for (; end < keyed.length; end++) {
      const next = keyed[end]?.key ?? NULL;
      if (compareValues(next, boundary) >= 0 && compareValues(next, greatest) !== 0) break;
    }
    const next = keyed[end];
    const min = buckets.at(-1)?.max ?? rounder.down(keyed[start]?.key ?? NULL);
    // Zero is no boundary above zero.
    const max = numberOf(boundary) === 0 && next ? rounder.down(next.key) : boundary;
    buckets.push({ min, max, members: membersOf(keyed, start, end) });
    start = end;
  }
  return buckets;
}

/** Where a bucket ends as far as numbers of documents go; the last one takes all that is left. */
function endOf(keyed: readonly Keyed[], start: number, count: number, before: number): number {
  if (before === count - 1) return keyed.length;
  return Math.min(start + Math.max(1, Math.round(keyed.length / count)), keyed.length);
}

function membersOf(keyed: readonly Keyed[], start: number, end: number): Uint8Array[] {
  return keyed.slice(start, end).map(({ document }) => document);
}

function rounderOf(granularity: BsonValue): Rounder {
  if (granularity.type === BsonType.string) return rounderNamed(readString(granularity));
  throw new CommandError(40261, "The $bucketAuto 'granularity' field must be a string");
}

function checkGranular(key: BsonValue): void {
  const only = "$bucketAuto can specify a 'granularity' with";
  if (!isNumeric(key.type)) throw new CommandError(40258, `${only} numeric boundaries only`);
  const number = numberOf(key);
  if (Number.isNaN(number)) throw new CommandError(40259, `${only} numeric boundaries only, but found a NaN`);
  if (number < 0) throw new CommandError(40260, `${only} non-negative numbers only`);
}
