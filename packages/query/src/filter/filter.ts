/**
 * MQL filters compiled to closures over BSON bytes.
 * Upstream: expression_parser.cpp (what is accepted), expression_tree.cpp and expression_path.h (what it means).
 */
import { BsonType, type BsonValue, CommandError, ElementCursor, sayIfKnown } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compileExpression, type Variables } from '../expression.ts';
import { MATCH_OPERATOR_NAMES } from '../operatorNames.ts';
import { anyAtPath, anyElement, fieldOffset, type PathSegment, parsePath, type ValueTest } from '../paths.ts';
import { compileSchema } from '../schema/schema.ts';
import { interruptible, type Meter } from '../turns/meter.ts';
import { eachOf, FEW_PARTS, firstOf, lookThrough, manyOf, readEach } from '../turns/written.ts';
import { countElements, documentValue, fromJs, isNumeric, isTruthy, jsOf } from '../values.ts';
import { equalTo } from './comparison.ts';
import { anyEquality, type CompileNested, compilePredicates, type Equality, type Predicate } from './predicates.ts';

/** Decides whether a document, given as its bytes, matches. */
export type Filter = (document: Uint8Array) => boolean;

export interface FilterOptions {
  /** What `$$name` stands for in `$expr`; the name without its dollars. */
  readonly variables?: Variables | undefined;
  /** Compares strings. */
  readonly collator?: Collator | undefined;
  /** `$near` and its like may stand in it, as its reader looks for what is near, and gives it in this order. */
  readonly allowsNear?: boolean;
  /** Operators that have no place in it. Upstream: MatchExpressionParser::AllowedFeatures. */
  readonly bans?: ReadonlySet<'$expr' | '$jsonSchema'> | undefined;
  /** What `$text` looks for, by the one who knows the collection's index; absent where there is none to know. */
  readonly search?: SearchCompiler | undefined;
}

/** Compiles the operand of `$text`. */
export type SearchCompiler = (operand: BsonValue) => Filter;

/** How a part of a filter is parsed. */
export interface ParseOptions extends FilterOptions {
  /** It is about elements of an array, where the fields of a DBRef may be named. Upstream: DocumentParseLevel. */
  readonly ofElements?: boolean;
  /** It stands inside of another condition. */
  readonly isNested?: boolean;
}

/** Decides for the document at an offset: sub-documents are matched where they lie. */
type DocumentTest = (bytes: Uint8Array, start: number) => boolean;

/** A filter, parsed: what compiling and looking for the positional element both start from. */
export type FilterNode =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'path'; readonly path: readonly PathSegment[]; readonly predicates: readonly Predicate[] }
  | { readonly kind: 'test'; readonly test: DocumentTest; readonly isText?: true };

/**
 * Compiles a filter once; the result is called for each document and keeps nothing between calls.
 * Throws CommandError (mostly BadValue) if the filter is malformed or uses what is not supported
 * (`$where`) or has no place there (`$text`); Location5626500 for `$near` and its like where nobody gives an order.
 */
export function compileFilter(filterBytes: Uint8Array, options: FilterOptions = {}): Filter {
  const node = parseFilter(filterBytes, 0, options);
  const meter = options.variables?.meter;
  const nears = options.allowsNear ? countNears(node, meter) : 0;
  if (nears > 1) throw new CommandError('BadValue', 'Too many geoNear expressions');
  if (options.search) checkSearches(node, nears);
  const test = compileNode(node, meter);
  const tests = testsAtOnce(node);
  if (!meter || tests <= FEW_PARTS) return (document) => test(document, 0);
  return (document) => {
    meter.add(tests * STEPS_OF_A_TEST);
    return test(document, 0);
  };
}

/** How many conditions a document may be asked, those aside that are asked in turns with others. */
function testsAtOnce(node: FilterNode): number {
  if (node.kind === 'test') return 1;
  if (node.kind === 'path') return node.predicates.length;
  return node.of.length > FEW_PARTS ? 0 : node.of.reduce((sum, inner) => sum + testsAtOnce(inner), 0);
}

/** Upstream: parsed_find_command.cpp, validateAndGetAvailableMetadata. */
function checkSearches(node: FilterNode, nears: number): void {
  const texts = countTexts(node);
  if (texts > 1) throw new CommandError('BadValue', 'Too many text expressions');
  if (texts === 1 && isUnderNor(node)) throw new CommandError('BadValue', 'text expression not allowed in nor');
  if (texts > 0 && nears > 0) throw new CommandError('BadValue', 'text and geoNear not allowed in same query');
}

function countTexts(node: FilterNode): number {
  if (node.kind === 'test') return node.isText ? 1 : 0;
  return node.kind === 'path' ? 0 : node.of.reduce((sum, inner) => sum + countTexts(inner), 0);
}

function isUnderNor(node: FilterNode): boolean {
  if (node.kind === 'nor') return countTexts(node) > 0;
  return node.kind !== 'path' && node.kind !== 'test' && node.of.some(isUnderNor);
}

/** They stand at the top, or in an `$and` or a lone branch of an `$or` there. */
function countNears(node: FilterNode, meter: Meter | undefined): number {
  if (node.kind === 'path')
    return node.predicates.filter((predicate) => predicate.kind === 'some' && predicate.isNear).length;
  if (node.kind !== 'and' && node.kind !== 'or') return 0;
  return lookThrough(manyOf(node.of), interruptible(meter), () => {
    let nears = 0;
    return {
      each(inner) {
        nears += countNears(inner, meter);
        return false;
      },
      end: () => nears,
    };
  });
}

/** Parses the filter document at `start`. */
export function parseFilter(bytes: Uint8Array, start: number, options: ParseOptions): FilterNode {
  const nested: CompileNested = (at, offset) =>
    compileNode(parseFilter(at, offset, { ...options, ofElements: true, isNested: true }), options.variables?.meter);
  const near = options.allowsNear ? (options.isNested ? 'nested' : 'top') : 'nowhere';
  const nodes: FilterNode[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const value = cursor.value();
    if (!name.startsWith('$')) {
      const predicates = compilePredicates(
        value,
        nested,
        options.collator,
        near,
        name,
        interruptible(options.variables?.meter),
      );
      nodes.push({ kind: 'path', path: parsePath(name), predicates });
    } else if (options.ofElements && DBREF_FIELDS.has(name)) {
      // The id is a value like any other, the names of a collection and a database have no collation.
      const test = equalTo(value, name === '$id' ? options.collator : undefined);
      nodes.push({ kind: 'path', path: parsePath(name), predicates: [{ kind: 'some', test, intoLeafArrays: true }] });
    } else {
      const node = parseTopLevel(name, value, options);
      if (node !== undefined) nodes.push(node);
    }
  }
  const [first, ...more] = nodes;
  return first && more.length === 0 ? first : { kind: 'and', of: nodes };
}

/** What refers to a document of another collection. Upstream: parseDBRef. */
const DBREF_FIELDS: ReadonlySet<string> = new Set(['$ref', '$id', '$db']);

function parseTopLevel(name: string, value: BsonValue, options: ParseOptions): FilterNode | undefined {
  if ((name === '$expr' || name === '$jsonSchema') && options.bans?.has(name))
    throw new CommandError('QueryFeatureNotAllowed', `${name} is not allowed in this context`);
  switch (name) {
    case '$and':
    case '$or':
    case '$nor':
      return { kind: name.slice(1) as 'and' | 'or' | 'nor', of: parseBranches(name, value, options) };
    case '$expr':
      if (options.ofElements) throw new CommandError('BadValue', '$expr can only be applied to the top-level document');
      return expressionNode(value, options);
    case '$sampleRate':
      return sampleNode(value, options);
    case '$jsonSchema': {
      const { check } = compileSchema(value);
      return { kind: 'test', test: (bytes, start) => check(documentValue(bytes, start)).length === 0 };
    }
    case '$text':
      return searchNode(value, options);
    case '$comment':
      return undefined;
    case '$alwaysTrue':
    case '$alwaysFalse':
      checkIsOne(name, value);
      return { kind: name === '$alwaysTrue' ? 'and' : 'or', of: [] };
    default:
      if (name === '$where')
        // Drivers' own tests have a server sleep by it.
        throw new CommandError(
          'BadValue',
          '$where runs JavaScript, which replsim does not: use $expr. To make a command slow, use the fail point failCommand with blockTimeMS.',
        );
      throw new CommandError(
        'BadValue',
        sayIfKnown(
          `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
          name,
          MATCH_OPERATOR_NAMES,
        ),
      );
  }
}

/** Upstream: expression_parser.cpp, parseAlwaysBoolean. */
function checkIsOne(name: string, value: BsonValue): void {
  if (isNumeric(value.type) && Number(String(jsOf(value))) === 1) return;
  throw new CommandError('FailedToParse', `${name} must be an integer value of 1`);
}

function expressionNode(value: BsonValue, options: ParseOptions): FilterNode {
  const expression = compileExpression(value, options.variables, options.collator);
  return { kind: 'test', test: (bytes, start) => isTruthy(expression(start === 0 ? bytes : bytes.subarray(start))) };
}

/**
 * So many of all documents, by chance; none and all leave nothing to it. Errors: BadValue 2 for what is no number from 0 to 1.
 * Upstream: expression_parser.cpp, parseSampleRate.
 */
function sampleNode(rate: BsonValue, options: ParseOptions): FilterNode {
  if (options.ofElements)
    throw new CommandError('BadValue', '$sampleRate can only be applied to the top-level document');
  if (!isNumeric(rate.type)) throw new CommandError('BadValue', 'argument to $sampleRate must be a numeric type');
  const share = Number(String(jsOf(rate)));
  if (!(share >= 0 && share <= 1))
    throw new CommandError('BadValue', 'numeric argument to $sampleRate must be in [0, 1]');
  if (share === 0 || share === 1) return { kind: share === 1 ? 'and' : 'or', of: [] };
  return expressionNode(fromJs({ $lt: [{ $rand: {} }, share] }), options);
}

/** Errors: BadValue 2 in a condition on elements, and where no collection is searched; those of the search. */
function searchNode(operand: BsonValue, { search, ofElements }: ParseOptions): FilterNode {
  if (ofElements) throw new CommandError('BadValue', '$text can only be applied to the top-level document');
  if (!search) throw new CommandError('BadValue', '$text is not allowed in this context');
  const matches = search(operand);
  return { kind: 'test', test: (bytes) => matches(bytes), isText: true };
}

function parseBranches(name: string, value: BsonValue, options: ParseOptions): FilterNode[] {
  if (value.type !== BsonType.array) throw new CommandError('BadValue', `${name} must be an array`);
  const branches = countElements(value);
  if (branches === 0) throw new CommandError('BadValue', '$and/$or/$nor must be a nonempty array');
  // An `$or` of one branch is that branch. Upstream: parsed_find_command.cpp looks at the filter once it is optimized.
  const isNested = options.isNested || name === '$nor' || (name === '$or' && branches > 1);
  return readEach(value, interruptible(options.variables?.meter), ({ type, bytes, offset }) => {
    if (type !== BsonType.object) throw new CommandError('BadValue', '$or/$and/$nor entries need to be full objects');
    return parseFilter(bytes, offset, { ...options, isNested });
  });
}

/** Compiles a parsed filter. @param meter counts conditions where there are many */
export function compileNode(node: FilterNode, meter?: Meter): DocumentTest {
  switch (node.kind) {
    case 'and':
      return allOf(compileEach(node.of, meter), meter);
    case 'or':
      return anyBranch(node.of, meter);
    case 'nor': {
      const any = anyBranch(node.of, meter);
      return (bytes, start) => !any(bytes, start);
    }
    case 'path':
      return allOf(
        node.predicates.map((predicate) => atPath(node.path, predicate)),
        meter,
      );
    case 'test':
      return node.test;
  }
}

/** Branches that ask one path for a value each are one list: a client may send many. Upstream: expression_tree.cpp, OrMatchExpression. */
function anyBranch(branches: readonly FilterNode[], meter: Meter | undefined): DocumentTest {
  const paths = new Map<
    string,
    { readonly path: readonly PathSegment[]; readonly of: FilterNode[]; readonly equalities: Equality[] }
  >();
  const others: FilterNode[] = [];
  for (const branch of branches) {
    const equality = branch.kind === 'path' ? onlyEquality(branch.predicates) : undefined;
    if (branch.kind !== 'path' || equality === undefined) {
      others.push(branch);
      continue;
    }
    const text = branch.path.map(({ name }) => name).join('.');
    const known = paths.get(text) ?? { path: branch.path, of: [], equalities: [] };
    paths.set(text, known);
    known.of.push(branch);
    known.equalities.push(equality);
  }
  const lists = [...paths.values()].flatMap(({ path, of, equalities }) => {
    const any = anyEquality(equalities);
    return any === undefined ? compileEach(of, meter) : [atPath(path, any)];
  });
  return anyOf([...lists, ...compileEach(others, meter)], meter);
}

function compileEach(nodes: readonly FilterNode[], meter: Meter | undefined): readonly DocumentTest[] {
  return eachOf(manyOf(nodes, STEPS_TO_COMPILE), interruptible(meter), (node) => compileNode(node, meter));
}

function onlyEquality([first, ...more]: readonly Predicate[]): Equality | undefined {
  return first?.kind === 'some' && more.length === 0 ? first.equals : undefined;
}

function allOf(tests: readonly DocumentTest[], meter?: Meter): DocumentTest {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (bytes, start) => first(bytes, start) && second(bytes, start);
  if (tests.length > FEW_PARTS) {
    const many = manyOf(tests, STEPS_OF_A_TEST);
    return (bytes, start) => firstOf(many, meter, (test) => !test(bytes, start)) === undefined;
  }
  return (bytes, start) => {
    for (const test of tests) if (!test(bytes, start)) return false;
    return true;
  };
}

/** What it costs to compile a condition. */
const STEPS_TO_COMPILE = 8;

/** What it costs to ask one. */
const STEPS_OF_A_TEST = 1 / 8;

function anyOf(tests: readonly DocumentTest[], meter: Meter | undefined): DocumentTest {
  if (tests.length > FEW_PARTS) {
    const many = manyOf(tests, STEPS_OF_A_TEST);
    return (bytes, start) => firstOf(many, meter, (test) => test(bytes, start)) !== undefined;
  }
  return (bytes, start) => {
    for (const test of tests) if (test(bytes, start)) return true;
    return false;
  };
}

function atPath(path: readonly PathSegment[], predicate: Predicate): DocumentTest {
  if (predicate.kind === 'not') {
    const all = allOf(predicate.of.map((inner) => atPath(path, inner)));
    return (bytes, start) => !all(bytes, start);
  }
  const { test, intoLeafArrays } = predicate;
  const [first, ...more] = path;
  if (first && more.length === 0) return atField(first, test, intoLeafArrays);
  return (bytes, start) => anyAtPath(path, bytes, start, test, intoLeafArrays);
}

/** A path of one component, the common case: one search for the field, no walk. */
function atField({ encoded }: PathSegment, test: ValueTest, intoLeafArrays: boolean): DocumentTest {
  const typeDistance = encoded.length + 2;
  return (bytes, start) => {
    const offset = fieldOffset(bytes, encoded, start);
    if (offset < 0) return test(0, bytes, 0);
    const type = bytes[offset - typeDistance]!;
    if (type === BsonType.array && intoLeafArrays && anyElement(bytes, offset, test)) return true;
    return test(type, bytes, offset);
  };
}
