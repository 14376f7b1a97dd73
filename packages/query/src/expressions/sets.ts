/** Arrays taken for sets: equal values count once, whatever their order. Upstream: evaluate_array.cpp. */
import type { BsonValue } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { sortedInParts } from '../sortedValues.ts';
import { filterInParts, findInParts, type Slices, sortInParts } from '../turns/parts.ts';
import { fromJs, isTruthy } from '../values.ts';
import { arrayInParts, compareOperands, isNullish, listOf, NULL } from './operands.ts';
import type { Operand, Operators } from './operator.ts';

type List = readonly BsonValue[];

export const setOperators: Operators = {
  $setUnion: {
    *positionalInParts(args, collator) {
      const lists = yield* listsOf(args, 17043, allOf('$setUnion'));
      return lists ? yield* arrayInParts(yield* setOf(lists.flat(), collator)) : NULL;
    },
  },
  $setIntersection: {
    *positionalInParts(args, collator) {
      const lists = yield* listsOf(args, 17047, allOf('$setIntersection'));
      return lists ? yield* arrayInParts(yield* intersection(lists, collator)) : NULL;
    },
  },
  $setDifference: { positionalInParts: ([a, b], collator) => difference(a, b, collator) },
  $setEquals: { positionalInParts: setEquals },
  $setIsSubset: {
    *positionalInParts([a, b], collator) {
      const inner = yield* listOf(a, 17046, `${both('$setIsSubset')} First argument is of type: `);
      const outer = yield* listOf(b, 17042, `${both('$setIsSubset')} Second argument is of type: `);
      return fromJs(yield* isSubset(inner, outer, collator));
    },
  },
  $allElementsTrue: {
    *positionalInParts([a]) {
      const list = yield* listOf(a, 17040, "$allElementsTrue's argument must be an array, but is ");
      return fromJs(list.every(isTruthy));
    },
  },
  $anyElementTrue: {
    *positionalInParts([a]) {
      const list = yield* listOf(a, 17041, "$anyElementTrue's argument must be an array, but is ");
      return fromJs(list.some(isTruthy));
    },
  },
};

const allOf = (name: string) => `All operands of ${name} must be arrays. One argument is of type: `;
const both = (name: string) => `both operands of ${name} must be arrays.`;

/** Undefined where one is null before any that is no array. */
function* listsOf(args: readonly Operand[], code: number, words: string): Slices<List[] | undefined> {
  const lists: List[] = [];
  for (const arg of args) {
    if (isNullish(arg)) return undefined;
    lists.push(yield* listOf(arg, code, words));
  }
  return lists;
}

/** In their order; of equal ones the first. */
function* setOf(values: List, collator: Collator | undefined): Slices<List> {
  const sorted = yield* sortInParts(values, (a, b) => compareOperands(a, b, collator));
  return yield* filterInParts(sorted, (value, i) => i === 0 || compareOperands(sorted[i - 1], value, collator) !== 0);
}

function* intersection([first = [], ...others]: readonly List[], collator: Collator | undefined): Slices<List> {
  let current = yield* setOf(first, collator);
  for (const other of others) {
    let next = yield* setOf(other, collator);
    // The values of the smaller one are kept, which may be of other types than those they equal.
    if (current.length > next.length) [current, next] = [next, current];
    current = yield* filterInParts(current, yield* finder(next, collator));
  }
  return current;
}

function* difference(a: Operand, b: Operand, collator: Collator | undefined): Slices<BsonValue> {
  if (isNullish(a) || isNullish(b)) return NULL;
  const from = yield* listOf(a, 17048, `${both('$setDifference')} First argument is of type: `);
  const taken = yield* listOf(b, 17049, `${both('$setDifference')} Second argument is of type: `);
  const isTaken = yield* finder(taken, collator);
  const places = yield* sortedInParts(from, collator);
  const isFirst = ({ type, bytes, offset }: BsonValue, i: number) => places.indexOf(type, bytes, offset) === i;
  return yield* arrayInParts(yield* filterInParts(from, (value, i) => isFirst(value, i) && !isTaken(value)));
}

function* setEquals([first, ...others]: readonly Operand[], collator: Collator | undefined): Slices<BsonValue> {
  const what = allOf('$setEquals');
  const list = yield* listOf(first, 17044, what);
  for (const arg of others) {
    const other = yield* listOf(arg, 17044, what);
    const isSame = (yield* isSubset(list, other, collator)) && (yield* isSubset(other, list, collator));
    if (!isSame) return fromJs(false);
  }
  return fromJs(true);
}

function* isSubset(inner: List, outer: List, collator: Collator | undefined): Slices<boolean> {
  const has = yield* finder(outer, collator);
  return (yield* findInParts(inner, (value) => !has(value))) < 0;
}

function* finder(values: List, collator: Collator | undefined): Slices<(value: BsonValue) => boolean> {
  const sorted = yield* sortedInParts(values, collator);
  return ({ type, bytes, offset }) => sorted.indexOf(type, bytes, offset) >= 0;
}
