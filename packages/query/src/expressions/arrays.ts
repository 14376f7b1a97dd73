/** Arrays, whose elements are passed on as they are. Upstream: evaluate_array.cpp, accumulator_multi.cpp. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  indexName,
  required,
} from '@replsim/protocol';
import { intValue } from '../arithmetic.ts';
import type { Collator } from '../collation/collator.ts';
import { elementOrder } from '../elementOrder.ts';
import {
  ELEMENTS_AT_ONCE,
  ELEMENTS_STEPS,
  filterInParts,
  findInParts,
  type Slices,
  sortInParts,
} from '../turns/parts.ts';
import { builtValue, elementsOf, fromJs, isNumeric, isTruthy, readInteger } from '../values.ts';
import {
  ArrayBuilder,
  arrayInParts,
  arrayValue,
  compareOperands,
  int32In,
  isNullish,
  listOf,
  NULL,
  numberIn,
  refused,
} from './operands.ts';
import type { Operand, Operator, Operators } from './operator.ts';
import { boundsOf } from './strings.ts';

type List = readonly BsonValue[];

/** The first or the last ones, or those that come first in an order. */
const several = (
  name: string,
  choose: (list: List, n: number, collator: Collator | undefined) => List | Slices<List>,
): Operator => ({
  *namedInParts({ input, n }, collator) {
    const count = countOf(name, n);
    const list = yield* listOf(input, 5788200, `Input to ${name} must be an array, but is of type: `);
    const chosen = choose(list, count, collator);
    return yield* arrayInParts('next' in chosen ? yield* chosen : chosen);
  },
});

const greatest = (sign: 1 | -1) =>
  function* (list: List, n: number, collator: Collator | undefined): Slices<List> {
    const there = yield* filterInParts(list, (value) => !isNullish(value));
    const sorted = yield* sortInParts(there, (a, b) => sign * compareOperands(a, b, collator));
    return sorted.slice(0, n);
  };

export const arrayOperators: Operators = {
  $arrayElemAt: { positionalInParts: ([array, index]) => elementAt('$arrayElemAt', array, index) },
  $first: { positionalInParts: ([array]) => elementAt('$first', array, intValue(0)) },
  $last: { positionalInParts: ([array]) => elementAt('$last', array, intValue(-1)) },
  $firstN: several('$firstN', (list, n) => list.slice(0, n)),
  $lastN: several('$lastN', (list, n) => list.slice(-n)),
  $maxN: several('$maxN', greatest(-1)),
  $minN: several('$minN', greatest(1)),
  $concatArrays: {
    *positionalInParts(args) {
      const arrays = arraysOf(args, 28664, '$concatArrays only supports arrays, not ');
      if (!arrays) return NULL;
      const all = new ArrayBuilder();
      for (const { bytes, offset } of arrays) {
        for (const cursor = new ElementCursor(bytes, offset); cursor.next(); ) {
          all.push(cursor);
          if (all.length % ELEMENTS_AT_ONCE === 0) yield ELEMENTS_STEPS;
        }
      }
      return all.finish();
    },
  },
  $in: {
    *positionalInParts([value, array], collator) {
      const list = yield* listOf(array, 40081, '$in requires an array as a second argument, found: ');
      return fromJs((yield* findInParts(list, (each) => compareOperands(each, value, collator) === 0)) >= 0);
    },
  },
  $indexOfArray: { positionalInParts: indexOfArray },
  $isArray: { positional: ([value]) => fromJs(value?.type === BsonType.array) },
  $range: { positionalInParts: range },
  $reverseArray: {
    *positionalInParts([value]) {
      if (isNullish(value)) return NULL;
      const list = yield* listOf(value, 34435, 'The argument to $reverseArray must be an array, but was of type: ');
      return yield* arrayInParts([...list].reverse());
    },
  },
  $slice: { positionalInParts: slice },
  $sortArray: {
    constants: ['sortBy'],
    check: (fields) => sortOrder(fields.get('sortBy')),
    *namedInParts({ input, sortBy }, collator) {
      if (isNullish(input)) return NULL;
      const words = 'The input argument to $sortArray must be an array, but was of type: ';
      const list = yield* listOf(input, 2942504, words);
      return yield* arrayInParts(yield* sortInParts(list, sortOrder(sortBy, collator)));
    },
  },
  $zip: {
    check: checkZip,
    lists: ['inputs', 'defaults'],
    namedInParts: ({ useLongestLength }, _, { inputs = [], defaults = [] }) => zip(inputs, defaults, useLongestLength),
  },
};

function* elementAt(name: string, array: Operand, index: Operand): Slices<Operand> {
  if (isNullish(array) || isNullish(index)) return NULL;
  const list = yield* listOf(
    array,
    28689,
    `${name}'s ${name === '$arrayElemAt' ? 'first ' : ''}argument must be an array, but is `,
  );
  const what = `${name}'s second argument`;
  return list.at(int32In(numberIn(index, 28690, what), 28691, what));
}

/** Errors: Location5787902, 5787903, 5787908. */
function countOf(name: string, value: Operand): number {
  const number = numberIn(value, 5787902, `the n of ${name}`);
  const whole = readInteger(number);
  if (whole === undefined) throw new CommandError(5787903, `the n of ${name} must be a whole number`);
  if (whole <= 0n) throw new CommandError(5787908, `the n of ${name} must be greater than 0, not ${whole}`);
  return Number(whole);
}

function* indexOfArray(
  [array, wanted, ...bounds]: readonly Operand[],
  collator: Collator | undefined,
): Slices<BsonValue> {
  if (isNullish(array)) return NULL;
  const list = yield* listOf(array, 40090, '$indexOfArray requires an array as a first argument, found: ');
  const [start, end] = boundsOf('$indexOfArray', bounds, list.length);
  const within = list.slice(start, Math.max(start, end));
  const at = yield* findInParts(within, (each) => compareOperands(each, wanted, collator) === 0);
  return intValue(at < 0 ? -1 : start + at);
}

/** What a value takes in an array of mongod's, and what such an array may take. Upstream: internalQueryMaxRangeBytes. */
const [VALUE_BYTES, RANGE_BYTES] = [16, 100 * 1024 * 1024];

function* range(args: readonly Operand[]): Slices<BsonValue> {
  const [first, last, by] = args;
  const bound = (value: Operand, code: number, which: string) =>
    int32In(numberIn(value, code, `$range's ${which}`), code + 1, `$range's ${which}`);
  const start = bound(first, 34443, 'starting value');
  const end = bound(last, 34445, 'ending value');
  const step = args.length < 3 ? 1 : bound(by, 34447, 'step');
  if (step === 0) throw new CommandError(34449, '$range requires a step that is not zero');
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length * VALUE_BYTES > RANGE_BYTES) {
    throw new CommandError('ExceededMemoryLimit', `$range would use too much memory for ${length} values`);
  }
  // Not from a list: millions of values would each be an object.
  const writer = new BsonWriter(64);
  writer.beginArray('');
  for (let i = 0; i < length; i++) {
    writer.int32(indexName(i), start + i * step);
    if (i % ELEMENTS_AT_ONCE === ELEMENTS_AT_ONCE - 1) yield ELEMENTS_STEPS;
  }
  writer.endArray();
  return builtValue(writer);
}

function* slice(args: readonly Operand[]): Slices<BsonValue> {
  const [array, second, third] = args;
  if (isNullish(array) || isNullish(second)) return NULL;
  const list = yield* listOf(array, 28724, 'First argument to $slice must be an array, but is of type: ');
  const what = (which: string) => `$slice's ${which} argument`;
  const from = int32In(numberIn(second, 28725, what('second')), 28726, what('second'));
  if (args.length === 2) return yield* arrayInParts(from < 0 ? list.slice(from) : list.slice(0, from));
  if (isNullish(third)) return NULL;
  const count = int32In(numberIn(third, 28727, what('third')), 28728, what('third'));
  if (count <= 0) throw new CommandError(28729, `${what('third')} must be positive, not ${count}`);
  const start = from < 0 ? Math.max(0, list.length + from) : from;
  return yield* arrayInParts(list.slice(start, start + count));
}

/** Errors: Location2942505 to 2942507. */
function sortOrder(given: Operand, collator?: Collator): (a: BsonValue, b: BsonValue) => number {
  const sortBy = required(given, 'sortBy');
  const code = sortBy.type === BsonType.object ? 2942505 : isNumeric(sortBy.type) ? 2942506 : 2942507;
  return elementOrder(sortBy, (reason) => new CommandError(code, reason), collator);
}

/** Errors: Location34461 to 34463, 34465 to 34467. */
function checkZip(fields: ReadonlyMap<string, BsonValue>): void {
  const [inputs, defaults] = (['inputs', 'defaults'] as const).map((name, i) => {
    const value = fields.get(name);
    return value && writtenList(value, 34461 + i, `${name} must be an array of expressions, found `);
  });
  const longest = fields.get('useLongestLength');
  if (longest && longest.type !== BsonType.bool) {
    throw refused(34463, 'useLongestLength must be a bool, found ', longest);
  }
  if (!inputs?.length) throw new CommandError(34465, '$zip requires at least one input array');
  if (!defaults?.length) return;
  if (!isTruthy(longest)) throw new CommandError(34466, '$zip cannot have defaults unless useLongestLength is true');
  if (defaults.length !== inputs.length) {
    throw new CommandError(34467, "$zip's defaults and inputs must have the same length");
  }
}

function isThere(value: BsonValue | undefined): boolean {
  return value !== undefined;
}

/** Arguments that must be arrays; undefined if a null comes before the first that is not one. */
function arraysOf(args: readonly Operand[], code: number, words: string): List | undefined {
  const arrays: BsonValue[] = [];
  for (const arg of args) {
    if (isNullish(arg)) return undefined;
    if (arg.type !== BsonType.array) throw refused(code, words, arg);
    arrays.push(arg);
  }
  return arrays;
}

/** As a call is written. */
function writtenList(value: BsonValue, code: number, words: string): List {
  if (value.type !== BsonType.array) throw refused(code, words, value);
  return elementsOf(value);
}

function* zip(inputs: readonly Operand[], defaults: readonly Operand[], useLongestLength: Operand): Slices<BsonValue> {
  const arrays = arraysOf(inputs, 34468, '$zip');
  if (!arrays) return NULL;
  const isLongest = isTruthy(useLongestLength);
  // Not as lists: each element of each would be an object all the while.
  const cursors = arrays.map(({ bytes, offset }) => new ElementCursor(bytes, offset));
  const zipped = new ArrayBuilder();
  for (;;) {
    const row = cursors.map((cursor) => (cursor.next() ? cursor : undefined));
    const goesOn = isLongest ? row.some(isThere) : row.every(isThere);
    if (!goesOn) return zipped.finish();
    zipped.push(arrayValue(row.map((element, i) => element ?? defaults[i] ?? NULL)));
    yield 1 + (row.length >> 1);
  }
}
