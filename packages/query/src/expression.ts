/**
 * A small part of the aggregation expressions: what `$expr` in filters and computed fields in projections need.
 * Upstream: expression.cpp. Simplified: only the operators in `operators` below exist.
 */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  indexName,
  readInt64,
  readString,
  required,
} from '@replsim/protocol';
import { combineNumbers, doubleValue, intValue, longValue } from './arithmetic.ts';
import type { Collator } from './collation/collator.ts';
import { compareRaw, MISSING_TYPE, readNumber } from './compare.ts';
import { type PathSegment, parsePath } from './paths.ts';
import {
  buildValue,
  documentValue,
  elementsOf,
  fieldsOf,
  firstName,
  fromJs,
  isNumeric,
  isTruthy,
  readInteger,
} from './values.ts';

/** Computes a value from a document; undefined is a missing value. */
export type Expression = (document: Uint8Array) => BsonValue | undefined;
/** Values of `$$name`, without the dollars; `NOW` among them if the caller knows the time. */
export interface Variables extends ReadonlyMap<string, BsonValue> {
  /** For `{ $meta: 'textScore' }`; absent where nothing is searched. */
  readonly textScores?: TextScores | undefined;
}

/** How well documents fit a search, by the very bytes that were looked at. */
export interface TextScores {
  readonly of: (document: Uint8Array) => number | undefined;
}
/** Compiles expressions for who knows more operators than `compileExpression`. */
export type ExpressionCompiler = (value: BsonValue, variables: Variables, collator?: Collator) => Expression;

/**
 * Compiles an aggregation expression; comparisons ask the collator about strings.
 * Throws CommandError 168 on an unknown operator, 17276 on an unknown variable, 16020 on a wrong number of arguments.
 */
export function compileExpression(value: BsonValue, variables: Variables = new Map(), collator?: Collator): Expression {
  if (value.type === BsonType.string) {
    const text = readString(value);
    if (text.startsWith('$$')) return variable(text.slice(2), variables);
    if (text.startsWith('$')) return fieldPath(text.slice(1));
  }
  if (value.type === BsonType.array)
    return arrayOf(elementsOf(value).map((item) => compileExpression(item, variables, collator)));
  if (value.type !== BsonType.object) return () => value;
  const name = firstName(value);
  if (name?.startsWith('$')) return operatorCall(name, value, variables, collator);
  return objectOf(
    fieldsOf(value.bytes, value.offset).map(([field, item]) => [field, compileExpression(item, variables, collator)]),
  );
}

/** What a field path yields: arrays on the way give an array of what their documents hold. */
function fieldPath(path: string): Expression {
  if (path === '' || path.split('.').includes('')) {
    throw new CommandError(15998, `FieldPath field names may not be empty strings: '$${path}'`);
  }
  const segments = parsePath(path);
  return (document) => follow(documentValue(document), segments, 0);
}

function follow(value: BsonValue, path: readonly PathSegment[], depth: number): BsonValue | undefined {
  const segment = path[depth];
  if (segment === undefined) return value;
  if (value.type === BsonType.object) {
    const cursor = new ElementCursor(value.bytes, value.offset);
    while (cursor.next()) if (cursor.name === segment.name) return follow(cursor.value(), path, depth + 1);
    return undefined;
  }
  if (value.type !== BsonType.array) return undefined;
  const reached = elementsOf(value).map((element) => follow(element, path, depth));
  return arrayValue(reached.filter((element) => element !== undefined));
}

function variable(text: string, variables: Variables): Expression {
  const [name, ...rest] = text.split('.');
  const path = parsePath(rest.join('.'));
  const depth = rest.length === 0 ? path.length : 0;
  if (name === 'ROOT' || name === 'CURRENT') return (document) => follow(documentValue(document), path, depth);
  if (name === 'REMOVE') return () => undefined;
  const value = variables.get(required(name, 'name of a variable'));
  if (value === undefined) throw new CommandError(17276, `Use of undefined variable: ${name}`);
  return () => follow(value, path, depth);
}

function arrayValue(values: readonly BsonValue[]): BsonValue {
  return buildValue((writer, name) => {
    writer.beginArray(name);
    values.forEach((value, i) => {
      writer.rawValue(indexName(i), value);
    });
    writer.endArray();
  });
}

function arrayOf(items: readonly Expression[]): Expression {
  const nothing = fromJs(null);
  return (document) => arrayValue(items.map((item) => item(document) ?? nothing));
}

function objectOf(fields: readonly (readonly [string, Expression])[]): Expression {
  return (document) => {
    const writer = new BsonWriter();
    for (const [name, item] of fields) {
      const value = item(document);
      if (value !== undefined) writer.rawValue(name, value);
    }
    return documentValue(writer.finish());
  };
}

type Apply = (args: readonly (BsonValue | undefined)[], collator: Collator | undefined) => BsonValue | undefined;

const comparison =
  (holds: (order: number) => boolean): Apply =>
  ([a, b], collator) =>
    fromJs(holds(compareOptional(a, b, collator)));

/** How many arguments an operator takes (undefined: any number) and what it makes of them. */
const operators = new Map<string, { readonly count: number | undefined; readonly apply: Apply }>([
  ['$eq', { count: 2, apply: comparison((order) => order === 0) }],
  ['$ne', { count: 2, apply: comparison((order) => order !== 0) }],
  ['$gt', { count: 2, apply: comparison((order) => order > 0) }],
  ['$gte', { count: 2, apply: comparison((order) => order >= 0) }],
  ['$lt', { count: 2, apply: comparison((order) => order < 0) }],
  ['$lte', { count: 2, apply: comparison((order) => order <= 0) }],
  ['$cmp', { count: 2, apply: ([a, b], collator) => fromJs(Math.sign(compareOptional(a, b, collator))) }],
  ['$and', { count: undefined, apply: (args) => fromJs(args.every(isTruthy)) }],
  ['$or', { count: undefined, apply: (args) => fromJs(args.some(isTruthy)) }],
  ['$not', { count: 1, apply: ([a]) => fromJs(!isTruthy(a)) }],
  ['$ifNull', { count: undefined, apply: (args) => args.find((arg) => !isNullish(arg)) ?? args.at(-1) }],
  ['$add', { count: undefined, apply: add }],
  ['$subtract', { count: 2, apply: ([a, b]) => subtract(a, b) }],
  ['$multiply', { count: undefined, apply: multiply }],
  ['$concat', { count: undefined, apply: concat }],
  ['$size', { count: 1, apply: ([a]) => sizeOf(a) }],
]);

function operatorCall(
  name: string,
  value: BsonValue,
  variables: Variables,
  collator: Collator | undefined,
): Expression {
  const [only, ...more] = fieldsOf(value.bytes, value.offset);
  if (only === undefined || more.length > 0) {
    throw new CommandError(15983, 'An object representing an expression must have exactly one field');
  }
  const [, operand] = only;
  if (name === '$literal') return () => operand;
  if (name === '$meta') return metadata(operand, variables);
  const operator = operators.get(name);
  if (operator === undefined) throw new CommandError('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
  const operands = operand.type === BsonType.array ? elementsOf(operand) : [operand];
  if (operator.count !== undefined && operands.length !== operator.count) {
    const { count } = operator;
    const message = `Expression ${name} takes exactly ${count} arguments. ${operands.length} were passed in.`;
    throw new CommandError(16020, message);
  }
  const args = operands.map((item) => compileExpression(item, variables, collator));
  return (document) =>
    operator.apply(
      args.map((arg) => arg(document)),
      collator,
    );
}

/** Errors: Location17307 and 17308 for what nobody knows, CommandNotSupported 115 for what is not here, Location40218. */
function metadata(operand: BsonValue, { textScores }: Variables): Expression {
  if (operand.type !== BsonType.string) throw new CommandError(17307, '$meta only supports string arguments');
  const name = readString(operand);
  if (!METADATA.has(name)) throw new CommandError(17308, `Unsupported argument to $meta: ${name}`);
  if (name !== 'textScore') {
    throw new CommandError('CommandNotSupported', `{ $meta: '${name}' } is not supported by replsim`);
  }
  if (!textScores) throw noTextScore();
  return (document) => {
    const score = textScores.of(document);
    return score === undefined ? undefined : doubleValue(score);
  };
}

/** Upstream: document_value/document_metadata_fields.cpp, parseMetaType. */
// biome-ignore format: a list
const METADATA: ReadonlySet<string> = new Set(['textScore', 'geoNearDistance', 'geoNearPoint', 'indexKey', 'recordId',
  'randVal', 'searchScore', 'searchHighlights', 'searchScoreDetails', 'searchSequenceToken', 'searchRootDocumentId',
  'sortKey', 'timeseriesBucketMinTime', 'timeseriesBucketMaxTime', 'vectorSearchScore', 'score', 'scoreDetails', 'stream']);

/** The refusal of a score where nothing is searched. Upstream: dependencies.cpp. */
export function noTextScore(): CommandError {
  return new CommandError(40218, 'query requires text score metadata, but it is not available');
}

// A missing value is below null here, unlike in a filter.
function compareOptional(a: BsonValue | undefined, b: BsonValue | undefined, collator: Collator | undefined): number {
  if (a === undefined || b === undefined) {
    const rank = (value: BsonValue | undefined) =>
      value === undefined ? 0 : value.type === BsonType.undefined ? 1 : 2;
    const other = a ?? b;
    if (other === undefined || isNullish(other)) return rank(a) - rank(b);
    return a === undefined
      ? compareRaw(MISSING_TYPE, other.bytes, 0, other.type, other.bytes, other.offset)
      : compareRaw(other.type, other.bytes, other.offset, MISSING_TYPE, other.bytes, 0);
  }
  return compareRaw(a.type, a.bytes, a.offset, b.type, b.bytes, b.offset, collator);
}

function isNullish(value: BsonValue | undefined): boolean {
  return value === undefined || value.type === BsonType.null || value.type === BsonType.undefined;
}

/** None of them is missing, undefined or null. */
function areThere(args: readonly (BsonValue | undefined)[]): args is readonly BsonValue[] {
  return !args.some(isNullish);
}

function add(args: readonly (BsonValue | undefined)[]): BsonValue | undefined {
  if (!areThere(args)) return fromJs(null);
  const date = args.find(({ type }) => type === BsonType.date);
  const numbers = args.filter((arg) => arg !== date);
  for (const { type } of numbers) {
    if (!isNumeric(type)) throw new CommandError('TypeMismatch', '$add only supports numeric or date types');
  }
  const sum = numbers.reduce(sumOf, intValue(0));
  return date === undefined ? sum : shiftDate(date, sum, 1n);
}

function subtract(a: BsonValue | undefined, b: BsonValue | undefined): BsonValue | undefined {
  if (a === undefined || b === undefined || isNullish(a) || isNullish(b)) return fromJs(null);
  if (a.type === BsonType.date && b.type === BsonType.date) return longValue(millis(a) - millis(b));
  if (a.type === BsonType.date && isNumeric(b.type)) return shiftDate(a, b, -1n);
  if (isNumeric(a.type) && isNumeric(b.type)) {
    const negated = combineNumbers('multiply', b, intValue(-1));
    return negated === undefined ? doubleValue(toDouble(a) - toDouble(b)) : sumOf(a, negated);
  }
  throw new CommandError('TypeMismatch', "can't $subtract values of these types");
}

// In an aggregation a long that overflows goes on as a double; in an update it is an error.
function sumOf(a: BsonValue, b: BsonValue): BsonValue {
  return combineNumbers('add', a, b) ?? doubleValue(toDouble(a) + toDouble(b));
}

function multiply(args: readonly (BsonValue | undefined)[]): BsonValue | undefined {
  if (!areThere(args)) return fromJs(null);
  return args.reduce((product, arg) => {
    if (!isNumeric(arg.type)) throw new CommandError('TypeMismatch', '$multiply only supports numeric types');
    return combineNumbers('multiply', product, arg) ?? doubleValue(toDouble(product) * toDouble(arg));
  }, intValue(1));
}

function concat(args: readonly (BsonValue | undefined)[]): BsonValue | undefined {
  if (!areThere(args)) return fromJs(null);
  for (const { type } of args) {
    if (type !== BsonType.string) throw new CommandError(16702, '$concat only supports strings');
  }
  return fromJs(args.map(readString).join(''));
}

function sizeOf(value: BsonValue | undefined): BsonValue {
  if (value?.type === BsonType.array) return intValue(elementsOf(value).length);
  throw new CommandError(17124, 'The argument to $size must be an array');
}

function toDouble({ type, bytes, offset }: BsonValue): number {
  return readNumber(type, bytes, offset);
}

function millis(date: BsonValue): bigint {
  return readInt64(date.bytes, date.offset);
}

function shiftDate(date: BsonValue, by: BsonValue, sign: bigint): BsonValue {
  const shift = readInteger(by) ?? BigInt(Math.round(toDouble(by)));
  return buildValue((writer, name) => writer.date(name, millis(date) + sign * shift));
}
