/**
 * The operators of expressions that compare values, under a collation: mingo knows none, so that they are called from it as
 * functions of their arguments' values. Upstream: value_comparator.h, and expression.cpp where it is asked.
 */
import { type BsonValue, encodeDocument, encodeName, requiredField } from '@replsim/protocol';
import { type Collator, compareValues } from '@replsim/query';

/** What an operator makes of the values of its arguments. */
type Operator = (args: readonly unknown[], compare: Compare) => unknown;
type Compare = (a: unknown, b: unknown) => number;

const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$eq', ([a, b], compare) => compare(a, b) === 0],
  ['$ne', ([a, b], compare) => compare(a, b) !== 0],
  ['$gt', ([a, b], compare) => compare(a, b) > 0],
  ['$gte', ([a, b], compare) => compare(a, b) >= 0],
  ['$lt', ([a, b], compare) => compare(a, b) < 0],
  ['$lte', ([a, b], compare) => compare(a, b) <= 0],
  ['$cmp', ([a, b], compare) => Math.sign(compare(a, b))],
  ['$in', ([value, array], compare) => listOf('$in', array).some((each) => compare(each, value) === 0)],
  ['$indexOfArray', indexOf],
  ['$max', (args, compare) => extreme(args, (a, b) => compare(b, a))],
  ['$min', (args, compare) => extreme(args, compare)],
  ['$setEquals', setEquals],
  ['$setIsSubset', ([a, b], compare) => isSubset(listOf('$setIsSubset', a), listOf('$setIsSubset', b), compare)],
  ['$setUnion', (args, compare) => nullOr(args, () => setOf(listsOf('$setUnion', args).flat(), compare))],
  ['$setIntersection', (args, compare) => nullOr(args, () => intersection(args, compare))],
  ['$setDifference', (args, compare) => nullOr(args, () => difference(args, compare))],
  [
    '$sortArray',
    ([input, sortBy], compare) => nullOr([input], () => sorted(listOf('$sortArray', input), sortBy, compare)),
  ],
  ['$minN', ([input, n], compare) => greatest(input, n, compare)],
  ['$maxN', ([input, n], compare) => greatest(input, n, (a, b) => compare(b, a))],
]);

/** Operators whose arguments have names, in the order in which the functions above take them. */
const named: ReadonlyMap<string, readonly string[]> = new Map([
  ['$sortArray', ['input', 'sortBy']],
  ['$minN', ['input', 'n']],
  ['$maxN', ['input', 'n']],
]);

/**
 * `{ $operator: argument }` as a call that mingo makes with the arguments' values; undefined for an operator that compares
 * nothing. @param argument with the calls inside it put so already
 */
export function collatedCall(operator: string, argument: unknown, collator: Collator): object | undefined {
  const apply = operators.get(operator);
  if (!apply) return undefined;
  const compare = comparison(collator);
  const body = (...args: unknown[]) => apply(args, compare);
  return { $function: { body, args: argumentsOf(operator, argument), lang: 'js' } };
}

function argumentsOf(operator: string, argument: unknown): unknown[] {
  const names = named.get(operator);
  if (!names) return Array.isArray(argument) ? argument : [argument];
  const given = (argument ?? {}) as Record<string, unknown>;
  return names.map((name) => (name === 'sortBy' ? { $literal: given[name] } : given[name]));
}

/** As expressions compare: what is missing lies below null. */
function comparison(collator: Collator): Compare {
  return (a, b) => {
    if (a === undefined || b === undefined) {
      if (a === b) return 0;
      const other = a ?? b;
      return (other === null ? 1 : compareValues(bsonOf(other), bsonOf(null))) * (a === undefined ? -1 : 1);
    }
    return compareValues(bsonOf(a), bsonOf(b), collator);
  };
}

const V = encodeName('v');

function bsonOf(value: unknown): BsonValue {
  return requiredField(encodeDocument({ v: value }), V);
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined;
}

function nullOr(args: readonly unknown[], make: () => unknown): unknown {
  return args.some(isNothing) ? null : make();
}

function listOf(operator: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`${operator} takes an array`);
}

function listsOf(operator: string, args: readonly unknown[]): (readonly unknown[])[] {
  return args.map((arg) => listOf(operator, arg));
}

function indexOf([array, value, start = 0, end]: readonly unknown[], compare: Compare): unknown {
  if (isNothing(array)) return null;
  const list = listOf('$indexOfArray', array).slice(0, end as number | undefined);
  return list.findIndex((each, i) => i >= (start as number) && compare(each, value) === 0);
}

/** Of one array its elements, else of the arguments: the one that `compare` puts first. */
function extreme(args: readonly unknown[], compare: Compare): unknown {
  const [only] = args;
  const values = (args.length === 1 && Array.isArray(only) ? only : args).filter((value) => !isNothing(value));
  return values.length === 0 ? null : values.reduce((best, value) => (compare(value, best) < 0 ? value : best));
}

function setOf(values: readonly unknown[], compare: Compare): unknown[] {
  const sorted = [...values].sort(compare);
  return sorted.filter((value, i) => i === 0 || compare(sorted[i - 1], value) !== 0);
}

function isSubset(inner: readonly unknown[], outer: readonly unknown[], compare: Compare): boolean {
  return inner.every((value) => outer.some((other) => compare(value, other) === 0));
}

function setEquals(args: readonly unknown[], compare: Compare): boolean {
  const [first = [], ...others] = listsOf('$setEquals', args);
  return others.every((other) => isSubset(first, other, compare) && isSubset(other, first, compare));
}

function intersection(args: readonly unknown[], compare: Compare): unknown[] {
  const [first = [], ...others] = listsOf('$setIntersection', args);
  return setOf(first, compare).filter((value) => others.every((other) => isSubset([value], other, compare)));
}

function difference(args: readonly unknown[], compare: Compare): unknown[] {
  const [from, what] = listsOf('$setDifference', args);
  return setOf(from!, compare).filter((value) => !isSubset([value], what!, compare));
}

/** By whole values or by fields of documents, one after the other. */
function sorted(input: readonly unknown[], sortBy: unknown, compare: Compare): unknown[] {
  if (typeof sortBy === 'number') return [...input].sort((a, b) => sortBy * compare(a, b));
  const fields = Object.entries(sortBy as Record<string, number>);
  return [...input].sort((a, b) => {
    for (const [path, direction] of fields) {
      const order = direction * compare(fieldOf(a, path), fieldOf(b, path));
      if (order !== 0) return order;
    }
    return 0;
  });
}

function fieldOf(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], value);
}

function greatest(input: unknown, n: unknown, compare: Compare): unknown[] {
  const values = listOf('$maxN and $minN', input).filter((value) => !isNothing(value));
  return values.sort(compare).slice(0, n as number);
}
