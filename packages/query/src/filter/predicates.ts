/** The operators on one path: `{ path: { $gt: 5, $in: [...] } }`. Upstream: expression_parser.cpp. */

import { type GeoOperator, nearOperators, parseGeoPredicate, parseNear } from '@replsim/geo';
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  readString,
  requiredField,
  sayIfKnown,
} from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { MATCH_OPERATOR_NAMES } from '../operatorNames.ts';
import { anyElement, type ValueTest } from '../paths.ts';
import { SortedValues, sortedInParts } from '../sortedValues.ts';
import { loop } from '../turns/evaluation.ts';
import type { Meter } from '../turns/meter.ts';
import type { Slices } from '../turns/parts.ts';
import { parseTypes, typeName } from '../typeNames.ts';
import {
  buildValue,
  elementsOf,
  fieldsOf,
  firstName,
  isNumeric,
  isTruthy,
  readInteger,
  readRegex,
  readTruncated,
} from '../values.ts';
import { bitsTest } from './bits.ts';
import { equalTo, inRange } from './comparison.ts';
import { regexTest, regexValueTest } from './regex.ts';

/** What must hold at a path: a test that some value there passes, or a negation of what all hold together. */
export type Predicate =
  | {
      readonly kind: 'some';
      readonly test: ValueTest;
      /** Whether an array at the end of the path offers its elements too. */
      readonly intoLeafArrays: boolean;
      /** What one element must pass to be the one that positional `$` means, where that is not `test`. */
      readonly element?: ValueTest;
      /** It asks for an order by distance, which whoever reads the documents sees to; the test lets everything pass. */
      readonly isNear?: true;
      /** It asks for a value or a pattern, as a list of `$in` may hold it. */
      readonly isListable?: true;
      /** It asks for no more than this. */
      readonly equals?: Equality;
    }
  | { readonly kind: 'not'; readonly of: readonly Predicate[] };

/** A value to equal, and what strings are compared by. */
export interface Equality {
  readonly value: BsonValue;
  readonly collator: Collator | undefined;
}

/** Whether `$near` and its like may stand here: in a query's own conditions, deeper in a query, or nowhere as there is no order. */
export type NearPlace = 'top' | 'nested' | 'nowhere';

/** Compiles a nested filter for `$elemMatch`; handed in, because filters are made of predicates. */
export type CompileNested = (bytes: Uint8Array, start: number) => (bytes: Uint8Array, start: number) => boolean;

const some = (test: ValueTest): Extract<Predicate, { kind: 'some' }> => ({ kind: 'some', test, intoLeafArrays: true });
const equal = (value: BsonValue, collator: Collator | undefined): Predicate => ({
  ...some(equalTo(value, collator)),
  isListable: true,
  equals: { value, collator },
});
const pattern = (test: ValueTest): Predicate => ({ ...some(test), isListable: true });
const not = (...of: Predicate[]): Predicate => ({ kind: 'not', of });
const badValue = (message: string) => new CommandError('BadValue', message);

/** True if a filter's value is `{ $operator: … }` rather than a document to equal; `$ref` and its like make a DBRef. */
export function isOperatorObject(value: BsonValue): boolean {
  if (value.type !== BsonType.object) return false;
  const name = firstName(value);
  return name?.startsWith('$') === true && !['$ref', '$id', '$db'].includes(name);
}

/** Of a field's value, only a DBRef with both of its fields is a document to equal. Upstream: isExpressionDocument, isDBRefDocument. */
function isExpression(value: BsonValue): boolean {
  if (value.type !== BsonType.object || !firstName(value)?.startsWith('$')) return false;
  const names = new Set<string>();
  const cursor = new ElementCursor(value.bytes, value.offset);
  while (cursor.next()) names.add(cursor.name);
  return !(names.has('$ref') && names.has('$id'));
}

/**
 * Compiles what a filter says of one path, all of which must hold: operators, a regular expression, or a value to equal.
 * @param collator compares strings; regular expressions never ask it
 * @param path for errors; empty where it is that of an array's elements
 * @param meter of whoever compiles it in turns with others
 * Throws CommandError BadValue (and the operators' own codes) if it is malformed.
 */
export function compilePredicates(
  value: BsonValue,
  nested: CompileNested,
  collator?: Collator,
  near: NearPlace = 'nowhere',
  path = '',
  meter?: Meter,
): Predicate[] {
  if (value.type === BsonType.regex) return [pattern(regexValueTest(value))];
  if (!isExpression(value)) return [equal(value, collator)];
  const fields = fieldsOf(value.bytes, value.offset);
  if (fields.some(([name]) => nearOperators.has(name))) return [nearPredicate(value, near)];
  return fields.flatMap(([name, operand]) => {
    if (operand.type === BsonType.regex && RANGES.has(name))
      throw badValue(`Can't have RegEx as arg to predicate over field '${path}'.`);
    return compileOperator(name, operand, fields, nested, collator, meter);
  });
}

const RANGES: ReadonlySet<string> = new Set(['$gt', '$gte', '$lt', '$lte']);

function compileOperator(
  name: string,
  operand: BsonValue,
  siblings: readonly [string, BsonValue][],
  nested: CompileNested,
  collator: Collator | undefined,
  meter: Meter | undefined,
): Predicate[] {
  switch (name) {
    case '$eq':
      return [equal(operand, collator)];
    case '$ne':
      if (operand.type === BsonType.regex) throw badValue("Can't have regex as arg to $ne.");
      return [not(some(equalTo(operand, collator)))];
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return [some(rangeTest(name, operand, collator))];
    case '$in':
      return [some(inTest(name, operand, collator, meter))];
    case '$nin':
      return [not(some(inTest(name, operand, collator, meter)))];
    case '$not':
      return [not(...notOperand(operand, nested, collator))];
    case '$geoWithin':
    case '$within':
    case '$geoIntersects':
      return [some(geoTest(name, operand))];
    case '$exists':
      return [isTruthy(operand) ? some(exists) : not(some(exists))];
    case '$type': {
      const types = parseTypes(operand);
      return [some((type) => types.has(type))];
    }
    case '$size':
      return [sizePredicate(operand)];
    case '$all':
      return allPredicates(operand, nested, collator);
    case '$elemMatch':
      return [elemMatch(operand, nested, collator)];
    case '$mod':
      return [some(modTest(operand))];
    case '$regex':
      return [pattern(regexOperator(operand, siblings))];
    case '$options':
      if (!siblings.some(([sibling]) => sibling === '$regex')) throw badValue('$options needs a $regex');
      return [];
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return [some(bitsTest(name, operand))];
    case '$comment':
      return [];
    default:
      throw badValue(sayIfKnown(`unknown operator: ${name}`, name, MATCH_OPERATOR_NAMES));
  }
}

function geoTest(operator: GeoOperator, operand: BsonValue): ValueTest {
  const { matches } = parseGeoPredicate(operator, operand);
  return (type, bytes, offset) => matches({ type, bytes, offset, size: 0 });
}

/** Errors: Location5626500 where documents come in no order, BadValue 2 inside of another condition, those of `parseNear`. */
function nearPredicate(value: BsonValue, place: NearPlace): Predicate {
  if (place === 'nowhere') throw nearNotAllowed();
  if (place === 'nested') throw badValue('geoNear must be top-level expr');
  parseNear(value);
  return { ...some(() => true), isNear: true };
}

/** For a place where documents come in no order. Upstream: expression_parser.cpp, parseGeo. */
export function nearNotAllowed(): CommandError {
  return new CommandError(
    5626500,
    '$geoNear, $near, and $nearSphere are not allowed in this context, as documents have no order by distance here: use $geoWithin',
  );
}

const exists: ValueTest = (type) => type !== 0;

function rangeTest(name: string, operand: BsonValue, collator: Collator | undefined): ValueTest {
  const range = { less: name.startsWith('$lt'), equal: name.endsWith('e'), greater: name.startsWith('$gt') };
  return inRange(operand, range, collator);
}

/** Up to here a list is looked through faster than it is halved. */
const FEW = 8;

function inTest(name: string, operand: BsonValue, collator: Collator | undefined, meter: Meter | undefined): ValueTest {
  if (operand.type !== BsonType.array) throw badValue(`${name} needs an array`);
  return loop(meter, () => inTestInParts(name, operand, collator));
}

function* inTestInParts(name: string, operand: BsonValue, collator: Collator | undefined): Slices<ValueTest> {
  const elements = elementsOf(operand);
  // Before the list is sorted: a list of 100,000 is as long to read as to sort in part.
  if (elements.length > FEW) yield elements.length / ELEMENTS_A_STEP;
  for (const element of elements) if (isExpression(element)) throw badValue(`cannot nest $ under ${name}`);
  const regexes = elements.filter(({ type }) => type === BsonType.regex).map(regexValueTest);
  const values = elements.filter(({ type }) => type !== BsonType.regex);
  if (values.length <= FEW) return anyOf([...values.map((value) => equalTo(value, collator)), ...regexes]);
  return anyOf([oneOf(yield* sortedInParts(values, collator)), ...regexes]);
}

/** How many elements of a list are read in a step. */
const ELEMENTS_A_STEP = 8;

function oneOf(sorted: SortedValues): ValueTest {
  return (type, bytes, offset) => sorted.indexOf(type, bytes, offset) >= 0;
}

/** Many equalities at one path, one of which is to hold, as one list that is halved. @returns undefined where each is better asked for itself */
export function anyEquality(equalities: readonly Equality[]): Predicate | undefined {
  const [first] = equalities;
  if (first === undefined || equalities.length <= FEW) return undefined;
  const values = equalities.map(({ value }) => value);
  if (values.some(({ type }) => type === BsonType.regex)) return undefined;
  return some(oneOf(new SortedValues(values, first.collator)));
}

function anyOf(tests: readonly ValueTest[]): ValueTest {
  return (type, bytes, offset) => {
    for (const test of tests) if (test(type, bytes, offset)) return true;
    return false;
  };
}

function notOperand(operand: BsonValue, nested: CompileNested, collator: Collator | undefined): Predicate[] {
  if (operand.type === BsonType.regex) return compilePredicates(operand, nested, collator, 'nested');
  if (operand.type !== BsonType.object) throw badValue('$not needs a regex or a document');
  const name = firstName(operand);
  if (name === undefined) throw badValue('$not cannot be empty');
  if (!name.startsWith('$')) throw badValue(`unknown operator: ${name}`);
  return compilePredicates(operand, nested, collator, 'nested');
}

function sizePredicate(operand: BsonValue): Predicate {
  const size = isNumeric(operand.type) ? readInteger(operand) : undefined;
  if (size === undefined) {
    throw badValue(`Failed to parse $size. Expected an integer, but found a ${typeName(operand.type)}`);
  }
  if (size < 0n) throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
  const wanted = Number(size);
  return {
    kind: 'some',
    intoLeafArrays: false,
    test: (type, bytes, offset) => {
      if (type !== BsonType.array) return false;
      let count = 0;
      anyElement(bytes, offset, () => ++count > wanted);
      return count === wanted;
    },
  };
}

const ELEM_MATCH = encodeName('$elemMatch');

function allPredicates(operand: BsonValue, nested: CompileNested, collator: Collator | undefined): Predicate[] {
  if (operand.type !== BsonType.array) throw badValue('$all needs an array');
  const elements = elementsOf(operand);
  if (elements.length === 0) return [some(() => false)];
  const elemMatches = elements.filter((element) => firstNameOf(element) === '$elemMatch').length;
  if (elemMatches > 0 && elemMatches < elements.length) throw badValue('no $ expressions in $all');
  return elements.map((element) => {
    if (elemMatches > 0) return elemMatch(requiredField(element.bytes, ELEM_MATCH, element.offset), nested, collator);
    if (isExpression(element)) throw badValue('no $ expressions in $all');
    return some(element.type === BsonType.regex ? regexValueTest(element) : equalTo(element, collator));
  });
}

function firstNameOf(value: BsonValue): string | undefined {
  return value.type === BsonType.object ? firstName(value) : undefined;
}

function elemMatch(operand: BsonValue, nested: CompileNested, collator: Collator | undefined): Predicate {
  if (operand.type !== BsonType.object) throw badValue('$elemMatch needs an Object');
  const element = elementTest(operand, nested, collator);
  const test: ValueTest = (type, bytes, offset) => type === BsonType.array && anyElement(bytes, offset, element);
  return { kind: 'some', intoLeafArrays: false, test, element };
}

/** `$elemMatch: { $gt: 5 }` looks at the elements themselves, any other operand at documents among them. */
function elementTest(operand: BsonValue, nested: CompileNested, collator: Collator | undefined): ValueTest {
  const name = firstName(operand);
  const ofDocuments = name !== undefined && ['$and', '$or', '$nor', '$expr', '$where'].includes(name);
  if (isOperatorObject(operand) && !ofDocuments) {
    const tests = compilePredicates(operand, nested, collator, 'nested').map(onOneValue);
    return (type, bytes, offset) => tests.every((test) => test(type, bytes, offset));
  }
  const matches = nested(operand.bytes, operand.offset);
  return (type, bytes, offset) => (type === BsonType.object || type === BsonType.array) && matches(bytes, offset);
}

function onOneValue(predicate: Predicate): ValueTest {
  if (predicate.kind === 'some') return predicate.test;
  const tests = predicate.of.map(onOneValue);
  return (type, bytes, offset) => !tests.every((test) => test(type, bytes, offset));
}

function modTest(operand: BsonValue): ValueTest {
  if (operand.type !== BsonType.array) throw badValue('malformed mod, needs to be an array');
  const [first, second, ...more] = elementsOf(operand);
  if (first === undefined || second === undefined) throw badValue('malformed mod, not enough elements');
  if (more.length > 0) throw badValue('malformed mod, too many elements');
  if (!isNumeric(first.type)) throw badValue('malformed mod, divisor not a number');
  if (!isNumeric(second.type)) throw badValue('malformed mod, remainder not a number');
  const divisor = readTruncated(first);
  const remainder = readTruncated(second);
  if (divisor === undefined || remainder === undefined) throw badValue('malformed mod, not a finite number');
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (type, bytes, offset) => {
    if (!isNumeric(type)) return false;
    const value = readTruncated({ type, bytes, offset, size: 0 });
    return value !== undefined && BigInt.asIntN(64, value) === value && value % divisor === remainder;
  };
}

function regexOperator(operand: BsonValue, siblings: readonly [string, BsonValue][]): ValueTest {
  const optionsValue = siblings.find(([name]) => name === '$options')?.[1];
  if (optionsValue !== undefined && optionsValue.type !== BsonType.string) {
    throw badValue('$options has to be a string');
  }
  const options = optionsValue === undefined ? '' : readString(optionsValue);
  if (operand.type === BsonType.regex) {
    const literal = readRegex(operand);
    if (literal.options !== '' && options !== '')
      throw new CommandError(51074, 'options set in both $regex and $options');
    return regexFrom(literal.pattern, literal.options || options);
  }
  if (operand.type !== BsonType.string) throw badValue('$regex has to be a string');
  return regexFrom(readString(operand), options);
}

function regexFrom(pattern: string, options: string): ValueTest {
  if (pattern.includes('\0')) throw new CommandError(51091, 'Regular expression cannot contain an embedded null byte');
  return regexTest(
    pattern,
    options,
    buildValue((writer, name) => writer.regex(name, pattern, options)),
  );
}
