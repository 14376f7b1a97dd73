/** Arrays taken for sets: equal values count once, whatever their order. Upstream: evaluate_array.cpp. */
import type { BsonValue } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { SortedValues } from '../sortedValues.ts';
import { fromJs, isTruthy } from '../values.ts';
import { arrayValue, compareOperands, isNullish, listOf, NULL } from './operands.ts';
import type { Operand, Operators } from './operator.ts';

type List = readonly BsonValue[];

export const setOperators: Operators = {
  $setUnion: {
    positional: (args, collator) => {
      const lists = listsOf(args, 17043, allOf('$setUnion'));
      return lists ? arrayValue(setOf(lists.flat(), collator)) : NULL;
    },
  },
  $setIntersection: {
    positional: (args, collator) => {
      const lists = listsOf(args, 17047, allOf('$setIntersection'));
      return lists ? arrayValue(intersection(lists, collator)) : NULL;
    },
  },
  $setDifference: { positional: ([a, b], collator) => difference(a, b, collator) },
  $setEquals: { positional: setEquals },
  $setIsSubset: {
    positional: ([a, b], collator) => {
      const inner = listOf(a, 17046, `${both('$setIsSubset')} First argument is of type: `);
      return fromJs(
        isSubset(inner, listOf(b, 17042, `${both('$setIsSubset')} Second argument is of type: `), collator),
      );
    },
  },
  $allElementsTrue: {
    positional: ([a]) =>
      fromJs(listOf(a, 17040, "$allElementsTrue's argument must be an array, but is ").every(isTruthy)),
  },
  $anyElementTrue: {
    positional: ([a]) =>
      fromJs(listOf(a, 17041, "$anyElementTrue's argument must be an array, but is ").some(isTruthy)),
  },
};

const allOf = (name: string) => `All operands of ${name} must be arrays. One argument is of type: `;
const both = (name: string) => `both operands of ${name} must be arrays.`;

/** Undefined where one is null before any that is no array. */
export function listsOf(args: readonly Operand[], code: number, words: string): List[] | undefined {
  const lists: List[] = [];
  for (const arg of args) {
    if (isNullish(arg)) return undefined;
    lists.push(listOf(arg, code, words));
  }
  return lists;
}

/** In their order; of equal ones the first. */
function setOf(values: List, collator: Collator | undefined): List {
  const sorted = [...values].sort((a, b) => compareOperands(a, b, collator));
  return sorted.filter((value, i) => i === 0 || compareOperands(sorted[i - 1], value, collator) !== 0);
}

function intersection([first = [], ...others]: readonly List[], collator: Collator | undefined): List {
  let current = setOf(first, collator);
  for (const other of others) {
    let next = setOf(other, collator);
    // The values of the smaller one are kept, which may be of other types than those they equal.
    if (current.length > next.length) [current, next] = [next, current];
    const has = finder(next, collator);
    current = current.filter((value) => has(value));
  }
  return current;
}

function difference(a: Operand, b: Operand, collator: Collator | undefined): BsonValue {
  if (isNullish(a) || isNullish(b)) return NULL;
  const from = listOf(a, 17048, `${both('$setDifference')} First argument is of type: `);
  const isTaken = finder(listOf(b, 17049, `${both('$setDifference')} Second argument is of type: `), collator);
  const places = new SortedValues(from, collator);
  return arrayValue(
    from.filter((value, i) => places.indexOf(value.type, value.bytes, value.offset) === i && !isTaken(value)),
  );
}

function setEquals([first, ...others]: readonly Operand[], collator: Collator | undefined): BsonValue {
  const what = allOf('$setEquals');
  const list = listOf(first, 17044, what);
  return fromJs(
    others.every((arg) => {
      const other = listOf(arg, 17044, what);
      return isSubset(list, other, collator) && isSubset(other, list, collator);
    }),
  );
}

function isSubset(inner: List, outer: List, collator: Collator | undefined): boolean {
  return inner.every(finder(outer, collator));
}

function finder(values: List, collator: Collator | undefined): (value: BsonValue) => boolean {
  const sorted = new SortedValues(values, collator);
  return ({ type, bytes, offset }) => sorted.indexOf(type, bytes, offset) >= 0;
}
