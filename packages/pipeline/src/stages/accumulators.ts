import { BsonType, type BsonValue, CommandError, ElementCursor, sayIfKnown } from '@replsim/protocol';
import {
  ACCUMULATOR_NAMES,
  type Collator,
  compareValues,
  compileKeyedSort,
  deviationOf,
  type Expression,
  extremeOf,
  type KeyedSort,
  meanOf,
  mergedDocuments,
  readQuantiles,
  readTruncated,
  sumOf,
} from '@replsim/query';
import { valueKeys } from '@replsim/storage';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf } from '../fields/values.ts';
import { arrayValue, built, isNullish, NULL } from './builtValues.ts';
import { compileComputed, type ExpressionWorld } from './expressions.ts';
import { documentsInOrder, sortInTurns } from './sortInTurns.ts';
import { mapped, type Work } from './work.ts';
import type { PipelineWorld } from './world.ts';

/** What accumulators see beside their documents, and where their work is counted. */
type AccumulatorWorld = ExpressionWorld & Pick<PipelineWorld, 'meter'>;

/** What an accumulator makes of the documents of one group. */
export type Accumulator = (documents: readonly Uint8Array[]) => Work<BsonValue>;

/** Computes one value of each document's. */
type OfValues = (values: readonly (BsonValue | undefined)[], collator: Collator | undefined) => BsonValue;

/** Accumulators that know no other. */
const ofValues: ReadonlyMap<string, OfValues> = new Map<string, OfValues>([
  ['$sum', sumOf],
  ['$avg', meanOf],
  ['$min', (values, collator) => extremeOf(values, -1, collator)],
  ['$max', (values, collator) => extremeOf(values, 1, collator)],
  ['$first', (values) => values[0] ?? NULL],
  ['$last', (values) => values.at(-1) ?? NULL],
  ['$push', (values) => arrayValue(values.filter((value) => value !== undefined))],
  ['$addToSet', distinct],
  ['$mergeObjects', mergedDocuments],
  ['$stdDevPop', (values) => deviationOf(values, 0)],
  ['$stdDevSamp', (values) => deviationOf(values, 1)],
]);

/** By operator: where it is given no object. */
const quantiles: ReadonlyMap<string, number> = new Map([
  ['$median', 7436100],
  ['$percentile', 7429703],
]);
const ofSeveral: ReadonlySet<string> = new Set(['$firstN', '$lastN', '$minN', '$maxN']);
const ofSorted: ReadonlySet<string> = new Set(['$top', '$bottom', '$topN', '$bottomN']);

/**
 * Compiles `{ $operator: argument }` of a group. Errors: Location40234 for what is no accumulator, 40238 for several,
 * 15952 for an unknown one. Upstream: accumulation_statement.cpp.
 */
export function compileAccumulator(field: string, spec: BsonValue, world: AccumulatorWorld): Accumulator {
  const cursor = spec.type === BsonType.object ? new ElementCursor(spec.bytes, spec.offset) : undefined;
  if (!cursor?.next()) throw new CommandError(40234, `The field '${field}' must be an accumulator object`);
  const operator = cursor.name;
  const argument = cursor.value();
  if (cursor.next()) throw new CommandError(40238, `The field '${field}' must specify one accumulator`);
  const combine = ofValues.get(operator);
  if (combine) {
    const expression = compileComputed(argument, world);
    return function* (documents) {
      return combine(yield* mapped(documents, expression, world.meter), world.collator);
    };
  }
  if (operator === '$count') {
    checkCount(argument);
    return countDocuments;
  }
  if (ofSeveral.has(operator)) return several(operator, argument, world);
  if (ofSorted.has(operator)) return sorted(operator, argument, world);
  if (quantiles.has(operator)) return quantile(operator, argument, world);
  if (operator === '$accumulator') {
    throw new CommandError('CommandNotSupported', `${operator} runs JavaScript, which replsim does not`);
  }
  if (operator.startsWith('$'))
    throw new CommandError(15952, sayIfKnown(`unknown group operator '${operator}'`, operator, ACCUMULATOR_NAMES));
  throw new CommandError(40234, `The field '${field}' must be an accumulator object`);
}

const QUANTILE_FIELDS = new Set(['input', 'method', 'p']);
const MEDIAN_FIELDS = new Set(['input', 'method']);

/**
 * Upstream: accumulator_percentile.idl, and accumulator_percentile.cpp. Errors: Location7429703 and 7436100, IDLFailedToParse 40414,
 * 40415, those of `readQuantiles`.
 */
function quantile(operator: string, argument: BsonValue, world: AccumulatorWorld): Accumulator {
  if (argument.type !== BsonType.object) {
    throw new CommandError(quantiles.get(operator) ?? 'BadValue', `specification of ${operator} must be an object`);
  }
  const fields = new Fields(bytesOf(argument), operator);
  fields.allow(operator === '$percentile' ? QUANTILE_FIELDS : MEDIAN_FIELDS);
  if (!fields.has('input')) fields.missing('input');
  if (operator === '$percentile' && !fields.has('p')) fields.missing('p');
  if (!fields.has('method')) fields.missing('method');
  const { input, ofGroup } = readQuantiles(operator, argument, (value) => compileComputed(value, world));
  return function* (documents) {
    return ofGroup(yield* mapped(documents, input, world.meter));
  };
}

/** The same in a stage that groups, where a list of arguments is refused: Location40237. Windows take one for an array. */
export function compileGroupAccumulator(field: string, spec: BsonValue, world: AccumulatorWorld): Accumulator {
  const accumulator = compileAccumulator(field, spec, world);
  const cursor = new ElementCursor(spec.bytes, spec.offset);
  if (cursor.next() && ofValues.has(cursor.name) && cursor.value().type === BsonType.array)
    throw new CommandError(40237, `The ${cursor.name} accumulator is a unary operator`);
  return accumulator;
}

function distinct(values: readonly (BsonValue | undefined)[], collator: Collator | undefined): BsonValue {
  const keyOf = valueKeys(collator);
  const met = new Map<string, BsonValue>();
  for (const value of values) {
    if (!value) continue;
    const key = keyOf(value);
    if (!met.has(key)) met.set(key, value);
  }
  return arrayValue([...met.values()]);
}

function checkCount(argument: BsonValue): void {
  if (argument.type !== BsonType.object || argument.size !== 5) {
    throw new CommandError('TypeMismatch', 'the accumulator $count takes an empty object');
  }
}

/** `{ $count: {} }`: how many documents there are. */
export function* countDocuments(documents: readonly Uint8Array[]): Work<BsonValue> {
  return built((writer) => writer.int32('v', documents.length));
}

/** What `$firstN` and its like are given. */
export interface Several {
  readonly input: Expression;
  readonly most: number;
}

/** Reads `{ input, n }`. Upstream: accumulator_multi.cpp. */
export function readSeveral(operator: string, argument: BsonValue, world: AccumulatorWorld): Several {
  const fields = argumentsOf(operator, argument, 5787900, { known: OF_SEVERAL, unknown: 5787901 });
  const n = fields.value('n') ?? lacks(5787906, operator, 'n');
  const input = compileComputed(fields.value('input') ?? lacks(5787907, operator, 'input'), world);
  return { input, most: numberOfResults(operator, n, world) };
}

function several(operator: string, argument: BsonValue, world: AccumulatorWorld): Accumulator {
  const { input, most } = readSeveral(operator, argument, world);
  return function* (documents) {
    const values = yield* mapped(documents, (document) => input(document) ?? NULL, world.meter);
    if (operator === '$firstN') return arrayValue(values.slice(0, most));
    if (operator === '$lastN') return arrayValue(values.slice(-most));
    const sign = operator === '$minN' ? 1 : -1;
    const ordered = yield* sortInTurns(
      values.filter((value) => !isNullish(value)),
      (a, b) => sign * compareValues(a, b, world.collator),
      world.meter,
    );
    return arrayValue(ordered.slice(0, most));
  };
}

/** What `$top` and its like are given. */
export interface Sorted {
  readonly order: KeyedSort;
  readonly output: Expression;
  /** Undefined: one, which is not in an array. */
  readonly most: number | undefined;
}

/** Reads `{ sortBy, output, n? }`. */
export function readSorted(operator: string, argument: BsonValue, world: AccumulatorWorld): Sorted {
  const isMany = operator.endsWith('N');
  const known = isMany ? OF_SORTED : OF_FIRST;
  const fields = argumentsOf(operator, argument, 5788001, { known, unknown: 5788002 });
  const count = isMany ? (fields.value('n') ?? lacks(5788003, operator, 'n')) : undefined;
  const made = fields.value('output') ?? lacks(5788004, operator, 'output');
  if (!fields.has('sortBy')) lacks(5788005, operator, 'sortBy');
  const order = compileKeyedSort(fields.requiredDocument('sortBy'), world.collator);
  const output: Expression = compileComputed(made, world);
  return { order, output, most: count && numberOfResults(operator, count, world) };
}

function sorted(operator: string, argument: BsonValue, world: AccumulatorWorld): Accumulator {
  const { order, output, most } = readSorted(operator, argument, world);
  const n = most ?? 1;
  return function* (documents) {
    const ordered = yield* documentsInOrder(documents, order, world.meter);
    const chosen = operator.startsWith('$top') ? ordered.slice(0, n) : ordered.slice(-n);
    const values = chosen.map((document) => output(document) ?? NULL);
    // A window may have no documents.
    return most === undefined ? (values[0] ?? NULL) : arrayValue(values);
  };
}

const OF_SEVERAL: ReadonlySet<string> = new Set(['input', 'n']);
const OF_SORTED: ReadonlySet<string> = new Set(['n', 'output', 'sortBy']);
const OF_FIRST: ReadonlySet<string> = new Set(['output', 'sortBy']);

/** Errors: `noObject`, and `unknown` for a name that is not known. */
function argumentsOf(
  operator: string,
  argument: BsonValue,
  noObject: number,
  { known, unknown }: { readonly known: ReadonlySet<string>; readonly unknown: number },
): Fields {
  if (argument.type !== BsonType.object) throw new CommandError(noObject, `${operator} takes an object`);
  const fields = new Fields(bytesOf(argument), operator);
  for (const name of fields.names) {
    if (!known.has(name)) throw new CommandError(unknown, `Unknown argument of ${operator}: ${name}`);
  }
  return fields;
}

function lacks(code: number, operator: string, name: string): never {
  throw new CommandError(code, `Missing value for '${name}' of ${operator}`);
}

/** Whether it is one of the numbers that a long has; the double 2^63 counts as the greatest of them. */
function isLong(value: BsonValue, number: number): boolean {
  if (value.type !== BsonType.decimal) return Math.abs(number) <= 2 ** 63;
  const whole = readTruncated(value);
  return whole !== undefined && BigInt.asIntN(64, whole) === whole;
}

/** Errors: Location5787902, 5787903, 5787908. */
function numberOfResults(operator: string, value: BsonValue, world: AccumulatorWorld): number {
  const n = compileComputed(value, world)(EMPTY_DOCUMENT);
  if (!n || !isNumeric(n.type)) throw new CommandError(5787902, `n of ${operator} must be a number`);
  const number = numberOf(n);
  if (!Number.isInteger(number) || !isLong(n, number))
    throw new CommandError(5787903, `n of ${operator} must be a whole number`);
  if (number <= 0) throw new CommandError(5787908, `n of ${operator} must be 1 or more, not ${number}`);
  return number;
}
