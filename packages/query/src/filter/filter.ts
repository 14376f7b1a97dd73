/**
 * MQL filters compiled to closures over BSON bytes.
 * Upstream: expression_parser.cpp (what is accepted), expression_tree.cpp and expression_path.h (what it means).
 */
import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compileExpression, type ExpressionCompiler, type Variables } from '../expression.ts';
import { anyAtPath, anyElement, fieldOffset, type PathSegment, parsePath, type ValueTest } from '../paths.ts';
import { compileSchema } from '../schema/schema.ts';
import { documentValue, elementsOf, isTruthy } from '../values.ts';
import { equalTo } from './comparison.ts';
import { type CompileNested, compilePredicates, type Predicate } from './predicates.ts';

/** Decides whether a document, given as its bytes, matches. */
export type Filter = (document: Uint8Array) => boolean;

export interface FilterOptions {
  /** What `$$name` stands for in `$expr`; the name without its dollars. */
  readonly variables?: Variables | undefined;
  /** For `$expr`; `compileExpression` if absent. */
  readonly expressions?: ExpressionCompiler | undefined;
  /** Compares strings. */
  readonly collator?: Collator | undefined;
}

/** How a part of a filter is parsed. */
export interface ParseOptions extends FilterOptions {
  /** It is about elements of an array, where the fields of a DBRef may be named. Upstream: DocumentParseLevel. */
  readonly ofElements?: boolean;
}

/** Decides for the document at an offset: sub-documents are matched where they lie. */
type DocumentTest = (bytes: Uint8Array, start: number) => boolean;

/** A filter, parsed: what compiling and looking for the positional element both start from. */
export type FilterNode =
  | { readonly kind: 'and' | 'or' | 'nor'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'path'; readonly path: readonly PathSegment[]; readonly predicates: readonly Predicate[] }
  | { readonly kind: 'test'; readonly test: DocumentTest };

/**
 * Compiles a filter once; the result is called for each document and keeps nothing between calls.
 * Throws CommandError (mostly BadValue) if the filter is malformed or uses what is not supported
 * (`$where`, `$text`, `$near` and its like).
 */
export function compileFilter(filterBytes: Uint8Array, options: FilterOptions = {}): Filter {
  const test = compileNode(parseFilter(filterBytes, 0, options));
  return (document) => test(document, 0);
}

/** Parses the filter document at `start`. */
export function parseFilter(bytes: Uint8Array, start: number, options: ParseOptions): FilterNode {
  const nested: CompileNested = (at, offset) => compileNode(parseFilter(at, offset, { ...options, ofElements: true }));
  const nodes: FilterNode[] = [];
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const value = cursor.value();
    if (!name.startsWith('$')) {
      const predicates = compilePredicates(value, nested, options.collator);
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
const unsupported = ['$text', '$sampleRate', '$near', '$geoWithin', '$geoIntersects'];

function parseTopLevel(name: string, value: BsonValue, options: ParseOptions): FilterNode | undefined {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor':
      return { kind: name.slice(1) as 'and' | 'or' | 'nor', of: parseBranches(name, value, options) };
    case '$expr': {
      const compile = options.expressions ?? compileExpression;
      const expression = compile(value, options.variables ?? new Map(), options.collator);
      const test: DocumentTest = (bytes, start) => isTruthy(expression(start === 0 ? bytes : bytes.subarray(start)));
      return { kind: 'test', test };
    }
    case '$jsonSchema': {
      const { check } = compileSchema(value);
      return { kind: 'test', test: (bytes, start) => check(documentValue(bytes, start)).length === 0 };
    }
    case '$comment':
      return undefined;
    case '$alwaysTrue':
    case '$alwaysFalse':
      return { kind: name === '$alwaysTrue' ? 'and' : 'or', of: [] };
    default:
      if (name === '$where')
        throw new CommandError('BadValue', '$where runs JavaScript, which replsim does not: use $expr');
      if (unsupported.includes(name)) throw new CommandError('BadValue', `${name} is not supported by replsim`);
      throw new CommandError(
        'BadValue',
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function parseBranches(name: string, value: BsonValue, options: ParseOptions): FilterNode[] {
  if (value.type !== BsonType.array) throw new CommandError('BadValue', `${name} must be an array`);
  const branches = elementsOf(value);
  if (branches.length === 0) throw new CommandError('BadValue', '$and/$or/$nor must be a nonempty array');
  return branches.map(({ type, bytes, offset }) => {
    if (type !== BsonType.object) throw new CommandError('BadValue', '$or/$and/$nor entries need to be full objects');
    return parseFilter(bytes, offset, options);
  });
}

/** Compiles a parsed filter. */
export function compileNode(node: FilterNode): DocumentTest {
  switch (node.kind) {
    case 'and':
      return allOf(node.of.map(compileNode));
    case 'or':
      return anyOf(node.of.map(compileNode));
    case 'nor': {
      const any = anyOf(node.of.map(compileNode));
      return (bytes, start) => !any(bytes, start);
    }
    case 'path':
      return allOf(node.predicates.map((predicate) => atPath(node.path, predicate)));
    case 'test':
      return node.test;
  }
}

function allOf(tests: readonly DocumentTest[]): DocumentTest {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (tests.length === 2) return (bytes, start) => first(bytes, start) && second(bytes, start);
  return (bytes, start) => {
    for (const test of tests) if (!test(bytes, start)) return false;
    return true;
  };
}

function anyOf(tests: readonly DocumentTest[]): DocumentTest {
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
