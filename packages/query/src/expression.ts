/** Aggregation expressions on BSON, so that values keep their types. Upstream: expression.cpp. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  readString,
  required,
} from '@replsim/protocol';
import { doubleValue } from './arithmetic.ts';
import type { Collator } from './collation/collator.ts';
import { checkCall, unknownExpression } from './expressions/checkCall.ts';
import { controls } from './expressions/control.ts';
import { Elements } from './expressions/elements.ts';
import { ArrayBuilder } from './expressions/operands.ts';
import type { Cell, CompileInner, Expression, NamedLists, Operand, Operator } from './expressions/operator.ts';
import { operators } from './expressions/operators.ts';
import { checkVariableRead } from './expressions/variableNames.ts';
import { checkFieldPath } from './fieldPath.ts';
import { EXPRESSION_NAMES } from './operatorNames.ts';
import { MISSING, type PathSegment, parsePath } from './paths.ts';
import { loop } from './turns/evaluation.ts';
import { interruptible, type Meter } from './turns/meter.ts';
import { atOnce, finished, more, type Parts } from './turns/parts.ts';
import { eachOf, lookThrough, readEach, type Written, writtenIn } from './turns/written.ts';
import { documentValue, elementsOf, fieldsOf, firstName, fromJs } from './values.ts';

export type { Expression };

/** Values of `$$name`, without the dollars; `NOW` among them if the caller knows the time. */
export interface Variables extends ReadonlyMap<string, BsonValue> {
  /** For `{ $meta: 'textScore' }`; absent where nothing is searched. */
  readonly textScores?: TextScores | undefined;
  /** For `{ $meta: 'geoNearDistance' }` and `'geoNearPoint'`, where documents are those that were looked for. */
  readonly nearness?: Nearness | undefined;
  /** For `$rand`: from 0 up to 1; absent where what is computed must not change. */
  readonly random?: (() => number) | undefined;
  /** Counts what expressions go through, for an operation that has to let others have their turn. */
  readonly meter?: Meter | undefined;
}

/** Where documents are that were looked for as near to a point, and how far from it. */
export interface Nearness {
  readonly of: (document: Uint8Array) => { readonly distance: number; readonly location: BsonValue } | undefined;
}

/** How well documents fit a search, by the very bytes that were looked at. */
export interface TextScores {
  readonly of: (document: Uint8Array) => number | undefined;
}

/** What an expression is compiled in. */
interface Scope {
  readonly variables: Variables;
  readonly collator: Collator | undefined;
  /** Variables that operators around it bind. */
  readonly cells: Readonly<Record<string, Cell>> | undefined;
}

/**
 * Compiles an aggregation expression; comparisons ask the collator about strings.
 * Throws CommandError 168 on an unknown operator, 17276 on an unknown variable, 9 on a name that none can have, 16020 and 28667 on a wrong number of arguments, and
 * what `rules.ts` says of other shapes; CommandNotSupported 115 on a function of the client's.
 */
export function compileExpression(value: BsonValue, variables: Variables = new Map(), collator?: Collator): Expression {
  return compile(value, { variables, collator, cells: undefined });
}

function compile(value: BsonValue, scope: Scope): Expression {
  if (value.type === BsonType.string) {
    const text = readString(value);
    if (text === '$') throw new CommandError(16872, "'$' by itself is not a valid FieldPath");
    if (text.startsWith('$$')) return variable(text.slice(2), scope);
    if (text.startsWith('$')) return fieldPath(text.slice(1), scope);
  }
  if (value.type === BsonType.array) {
    const items = readEach(value, readingMeter(scope), (item) => compile(item, scope));
    return arrayOf(writtenIn(value, items), scope);
  }
  if (value.type !== BsonType.object) return () => value;
  const name = firstName(value);
  if (name?.startsWith('$')) return operatorCall(name, value, scope);
  const fields = readEach(value, readingMeter(scope), (item, field) => [field, compile(item, scope)] as const);
  return objectOf(writtenIn(value, fields), scope);
}

/** Of who compiles it in turns with others. */
function readingMeter({ variables: { meter } }: Scope): Meter | undefined {
  return interruptible(meter);
}

/** What a field path yields: arrays on the way give an array of what their documents hold. */
function fieldPath(path: string, scope: Scope): Expression {
  checkFieldPath(path);
  const follow = follower(parsePath(path), scope);
  const current = cellOf('CURRENT', scope);
  if (current) return () => current.value && follow(current.value, 0);
  return (document) => follow(documentValue(document), 0);
}

/** What an operator around it binds. */
function cellOf(name: string, { cells }: Scope): Cell | undefined {
  return cells && Object.hasOwn(cells, name) ? cells[name] : undefined;
}

type Follow = (value: BsonValue, depth: number) => Operand;

function follower(path: readonly PathSegment[], { variables: { meter } }: Scope): Follow {
  const follow: Follow = (value, depth) => {
    const segment = path[depth];
    if (segment === undefined) return value;
    if (value.type === BsonType.object) {
      const cursor = new ElementCursor(value.bytes, value.offset);
      while (cursor.next()) if (cursor.name === segment.name) return follow(cursor.value(), depth + 1);
      return undefined;
    }
    if (value.type !== BsonType.array) return undefined;
    return eachElement(value, meter, (element) => follow(element, depth));
  };
  return follow;
}

/** What there is of the elements of an array. */
function eachElement(array: BsonValue, meter: Meter | undefined, compute: (element: BsonValue) => Operand): BsonValue {
  return loop(meter, () => {
    const elements = new Elements(array);
    const reached = new ArrayBuilder();
    return {
      next() {
        const element = elements.current();
        if (!element) return finished(reached.finish());
        const value = compute(element);
        if (value) reached.push(value);
        elements.pass();
        return more();
      },
    };
  });
}

function variable(text: string, scope: Scope): Expression {
  const [name = '', ...rest] = text.split('.');
  checkVariableRead(name);
  const cell = cellOf(name, scope);
  const isOfDocument = name === 'ROOT' || name === 'CURRENT';
  const value = name === 'REMOVE' ? MISSING : scope.variables.get(name);
  if (!cell && !isOfDocument && value === undefined) {
    throw new CommandError(17276, `Use of undefined variable: ${name}`);
  }
  checkFieldPath(text);
  const follow = follower(rest.length === 0 ? [] : parsePath(rest.join('.')), scope);
  if (cell) return () => cell.value && follow(cell.value, 0);
  if (isOfDocument) return (document) => follow(documentValue(document), 0);
  // A variable of a stage may be of a field that is not there.
  if (value === undefined || value === MISSING) return () => undefined;
  return () => follow(value, 0);
}

function arrayOf(items: Written<Expression>, { variables: { meter } }: Scope): Expression {
  const nothing = fromJs(null);
  return (document) =>
    lookThrough(items, meter, () => {
      const array = new ArrayBuilder();
      return { each: (item) => void array.push(item(document) ?? nothing), end: () => array.finish() };
    });
}

function objectOf(fields: Written<readonly [string, Expression]>, { variables: { meter } }: Scope): Expression {
  return (document) =>
    lookThrough(fields, meter, () => {
      const writer = new BsonWriter();
      return {
        each([name, item]) {
          const value = item(document);
          if (value !== undefined) writer.rawValue(name, value);
          return false;
        },
        end: () => documentValue(writer.finish()),
      };
    });
}

/** Those that are no operators of values: what they mean is said right here. */
const SPECIAL: ReadonlySet<string> = new Set(['$literal', '$const', '$meta', '$rand', '$function']);

/** Whether an object with this name is a call. What mongod knows and replsim does not is one too, and is refused as such. */
export function isExpressionName(name: string): boolean {
  return SPECIAL.has(name) || Object.hasOwn(controls, name) || operators.has(name) || EXPRESSION_NAMES.has(name);
}

function operatorCall(name: string, value: BsonValue, scope: Scope): Expression {
  const call = new ElementCursor(value.bytes, value.offset);
  call.next();
  const operand = call.value();
  if (call.next()) throw new CommandError(15983, 'An object representing an expression must have exactly one field');
  if (name === '$literal' || name === '$const') return () => operand;
  if (name === '$meta') return metadata(operand, scope.variables);
  if (name === '$rand') return chance(operand, scope.variables);
  if (name === '$function')
    throw new CommandError('CommandNotSupported', `${name} runs JavaScript, which replsim does not`);
  if (Object.hasOwn(controls, name)) return controlCall(name, operand, scope);
  const operator = operators.get(name);
  if (operator === undefined) throw unknownExpression(name);
  checkCall(name, operand);
  if ('named' in operator || 'namedInParts' in operator) return namedCall(operator, operand, scope);
  return positionalCall(operator, operand, scope);
}

type Named = Extract<Operator, { check?: unknown }>;

function namedCall(operator: Named, operand: BsonValue, scope: Scope): Expression {
  const fields = fieldsOf(operand.bytes, operand.offset);
  operator.check?.(new Map(fields));
  const isList = ([field]: (typeof fields)[number]) => operator.lists?.includes(field) === true;
  const lists = fields.filter(isList).map(([field, list]) => {
    return [field, elementsOf(list).map((item) => compile(item, scope))] as const;
  });
  const args = fields
    .filter((each) => !isList(each))
    .map(([field, item]) => {
      const isConstant = operator.constants?.includes(field);
      return [field, isConstant ? () => item : compile(item, scope)] as const;
    });
  const computed = (document: Uint8Array) => {
    const operands: Record<string, Operand> = {};
    for (const [field, arg] of args) operands[field] = arg(document);
    return operands;
  };
  if ('named' in operator)
    return call(operand, scope, (document) => operator.named(computed(document), scope.collator));
  return callInParts(scope, (document) => {
    const ofLists: NamedLists = Object.fromEntries(
      lists.map(([field, items]) => [field, items.map((item) => item(document))]),
    );
    return operator.namedInParts(computed(document), scope.collator, ofLists);
  });
}

function positionalCall(operator: Exclude<Operator, Named>, operand: BsonValue, scope: Scope): Expression {
  const { meter } = scope.variables;
  const item = (each: BsonValue) => compile(each, scope);
  const items = operand.type === BsonType.array ? readEach(operand, readingMeter(scope), item) : [item(operand)];
  const args = writtenIn(operand, items);
  const computed = (document: Uint8Array) => {
    const operands = eachOf(args, meter, (arg) => arg(document));
    if (meter) for (const each of operands) meter.add((each?.size ?? 0) >>> READ_BYTES_SHIFT);
    return operands;
  };
  if ('positional' in operator)
    return call(operand, scope, (document) => operator.positional(computed(document), scope.collator));
  return callInParts(scope, (document) => operator.positionalInParts(computed(document), scope.collator));
}

/** Where a call is written in more bytes, others inside of it may be long, and it need not be computed again when they go on. */
const SHORT_CALL_BYTES = 128;
/** So many bytes that an operator reads, or makes, are a step. Unit: powers of 2. */
const [READ_BYTES_SHIFT, MADE_BYTES_SHIFT] = [9, 6];

function call(
  operand: BsonValue,
  { variables: { meter } }: Scope,
  compute: (document: Uint8Array) => Operand,
): Expression {
  if (operand.size > SHORT_CALL_BYTES) {
    return (document) => loop(meter, () => atOnce(compute(document)), stepsOf);
  }
  return (document) => {
    const value = compute(document);
    meter?.add(stepsOf(value));
    return value;
  };
}

function callInParts({ variables: { meter } }: Scope, begin: (document: Uint8Array) => Parts<Operand>): Expression {
  return (document) => loop(meter, () => begin(document), stepsOf);
}

/** What operators make costs a step, and one more for some elements of a long value. */
function stepsOf(value: Operand): number {
  return 1 + ((value?.size ?? 0) >>> MADE_BYTES_SHIFT);
}

function controlCall(name: string, operand: BsonValue, scope: Scope): Expression {
  checkCall(name, operand);
  const inner: CompileInner = (item, cells) =>
    compile(item, cells ? { ...scope, cells: { ...scope.cells, ...cells } } : scope);
  return required(controls[name], name)(operand, inner, scope.variables.meter);
}

/**
 * `$rand` draws anew for each document. Errors: Location3040500 where a validator has it, 3040501 and 10065 for arguments.
 * Upstream: expression.cpp, ExpressionRandom::parse.
 */
function chance(operand: BsonValue, { random, meter }: Variables): Expression {
  if (!random) throw new CommandError(3040500, '$rand not allowed inside collection validators');
  if (operand.type !== BsonType.object && operand.type !== BsonType.array) {
    throw new CommandError(10065, 'invalid parameter: expected an object ($rand)');
  }
  if (operand.size > 5) throw new CommandError(3040501, '$rand does not currently accept arguments');
  const draw = () => doubleValue(random());
  return () => meter?.evaluation?.once(draw) ?? draw();
}

/** Errors: Location17307 and 17308 for what nobody knows, CommandNotSupported 115 for what is not here, Location40218. */
function metadata(operand: BsonValue, { textScores, nearness }: Variables): Expression {
  if (operand.type !== BsonType.string) throw new CommandError(17307, '$meta only supports string arguments');
  const name = readString(operand);
  if (!METADATA.has(name)) throw new CommandError(17308, `Unsupported argument to $meta: ${name}`);
  if (nearness && name === 'geoNearPoint') return (document) => nearness.of(document)?.location;
  if (nearness && name === 'geoNearDistance') {
    return (document) => {
      const near = nearness.of(document);
      return near && doubleValue(near.distance);
    };
  }
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
