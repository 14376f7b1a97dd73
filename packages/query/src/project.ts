/** Projections compiled to functions from document to document. Upstream: projection_node.cpp, inclusion_projection_executor.cpp. */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  indexName,
  required,
} from '@replsim/protocol';
import type { Collator } from './collation/collator.ts';
import type { Variables } from './expression.ts';
import { compilePositional, type Positional } from './filter/positional.ts';
import { type PathSegment, parsePath } from './paths.ts';
import { type ExpressionNode, type ProjectionNode, type ProjectionTree, parseProjection } from './project/parse.ts';
import type { Slice } from './project/slice.ts';
import { elementsOf } from './values.ts';

export interface ProjectionOptions {
  /** The filter by which the documents were found, for positional `a.$`. */
  readonly query?: Uint8Array;
  /** What `$$name` stands for in computed fields; the name without its dollars. */
  readonly variables?: Variables;
  /** Compares strings. */
  readonly collator?: Collator | undefined;
}

/** What a projection makes of a document. */
export type Projection = (document: Uint8Array) => Uint8Array;

/** What holds for one document during its projection. */
interface Pass {
  readonly document: Uint8Array;
  /** Unnamed fields are kept: an exclusion. */
  readonly keepsRest: boolean;
  /** Of the array at this offset only one element is kept. */
  readonly positional: { readonly offset: number; readonly index: number } | undefined;
}

const idName = encodeName('_id');
/** An empty projection leaves documents as they are. */
const EMPTY_SIZE = 5;

/**
 * Compiles a projection, an inclusion or an exclusion. An inclusion puts `_id` first, then the fields in the order of
 * the document, then what was computed, in the order of the specification.
 * Throws CommandError with upstream's location codes if it is malformed; the result throws 51246 where `a.$` finds no element.
 */
export function compileProjection(projection: Uint8Array, options: ProjectionOptions = {}): Projection {
  if (projection.length === EMPTY_SIZE) return (document) => document;
  const { root, inclusion, positionalPath } = parseProjection(projection, options);
  const findElement = positionalPath === undefined ? undefined : positionalElement(positionalPath, options);
  return (document) => {
    const pass: Pass = { document, keepsRest: !inclusion, positional: findElement?.(document) };
    const writer = new BsonWriter(document.length + 64);
    if (inclusion) writeId(writer, root, pass);
    writeFields(writer, root, document, 0, pass, inclusion ? '_id' : undefined);
    return writer.finish();
  };
}

function writeId(writer: BsonWriter, root: ProjectionTree, pass: Pass): void {
  const node = root.children.get('_id');
  if (node === undefined) return;
  const value = findField(pass.document, idName);
  if (value !== undefined && node.kind !== 'compute') writeNode(writer, '_id', node, value, pass);
  else writeMissing(writer, '_id', node, pass);
}

/** Writes what a tree makes of the document at `start`, but not the field called `skipped`. */
function writeFields(
  writer: BsonWriter,
  tree: ProjectionTree,
  bytes: Uint8Array,
  start: number,
  pass: Pass,
  skipped?: string,
): void {
  const seen = new Set<string>();
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === skipped) continue;
    const node = tree.children.get(name);
    if (node === undefined ? pass.keepsRest : node.kind === 'include' && pass.positional === undefined) {
      writer.rawElements(bytes, cursor.nameStart - 1, cursor.offset + cursor.size);
    } else if (node !== undefined && !isAppended(node, pass)) {
      writeNode(writer, name, node, cursor, pass);
      if (tree.computes) seen.add(name);
    }
  }
  for (const [name, node] of tree.children) {
    if (name !== skipped && !seen.has(name)) writeMissing(writer, name, node, pass);
  }
}

/** What is computed stands behind the fields of an inclusion; in an exclusion `$elemMatch` stays where the array was. */
function isAppended(node: ProjectionNode, pass: Pass): node is ExpressionNode {
  return node.kind === 'compute' || (node.kind === 'elemMatch' && !pass.keepsRest);
}

/** Writes what a node makes of a field that is not there or not taken over. */
function writeMissing(writer: BsonWriter, name: string, node: ProjectionNode, pass: Pass): void {
  if (isAppended(node, pass)) writeExpression(writer, name, node, pass);
  else if (node.kind === 'tree' && node.computes) writeComputed(writer, name, node, pass);
}

function writeNode(writer: BsonWriter, name: string, node: ProjectionNode, value: BsonValue, pass: Pass): void {
  switch (node.kind) {
    case 'exclude':
      return;
    case 'include':
      writeIncluded(writer, name, value, pass);
      return;
    case 'slice':
      writeSlice(writer, name, node.slice, value);
      return;
    case 'compute':
    case 'elemMatch':
      writeExpression(writer, name, node, pass);
      return;
    case 'tree':
      writeTree(writer, name, node, value, pass);
  }
}

function writeExpression(writer: BsonWriter, name: string, { expression }: ExpressionNode, pass: Pass): void {
  const computed = expression(pass.document);
  if (computed !== undefined) writer.rawValue(name, computed);
}

/** Writes what a tree makes of a value; returns whether it wrote anything. */
function writeTree(writer: BsonWriter, name: string, tree: ProjectionTree, value: BsonValue, pass: Pass): boolean {
  if (value.type === BsonType.object) {
    writer.beginDocument(name);
    writeFields(writer, tree, value.bytes, value.offset, pass);
    writer.endDocument();
  } else if (value.type === BsonType.array) {
    writer.beginArray(name);
    let count = 0;
    for (const element of keptElements(value, pass)) {
      if (writeTree(writer, indexName(count), tree, element, pass)) count++;
    }
    writer.endArray();
  } else if (tree.computes) {
    writeComputed(writer, name, tree, pass);
  } else if (pass.keepsRest) {
    writer.rawValue(name, value);
  } else {
    return false;
  }
  return true;
}

/** A document of the computed fields alone, where there was none. */
function writeComputed(writer: BsonWriter, name: string, tree: ProjectionTree, pass: Pass): void {
  writer.beginDocument(name);
  for (const [field, node] of tree.children) writeMissing(writer, field, node, pass);
  writer.endDocument();
}

function writeIncluded(writer: BsonWriter, name: string, value: BsonValue, pass: Pass): void {
  const isPositional = value.type === BsonType.array && matchedIndex(value, pass) !== undefined;
  if (isPositional) writeArray(writer, name, keptElements(value, pass));
  else writer.rawValue(name, value);
}

function writeSlice(writer: BsonWriter, name: string, slice: Slice, value: BsonValue): void {
  if (value.type !== BsonType.array) {
    writer.rawValue(name, value);
    return;
  }
  const elements = elementsOf(value);
  writeArray(writer, name, elements.slice(...slice(elements.length)));
}

function writeArray(writer: BsonWriter, name: string, elements: readonly BsonValue[]): void {
  writer.beginArray(name);
  elements.forEach((element, i) => {
    writer.rawValue(indexName(i), element);
  });
  writer.endArray();
}

/** Which element is left of an array that `a.$` is about; undefined for every other one. */
function matchedIndex({ bytes, offset }: BsonValue, { document, positional }: Pass): number | undefined {
  return positional !== undefined && bytes === document && offset === positional.offset ? positional.index : undefined;
}

function keptElements(array: BsonValue, pass: Pass): BsonValue[] {
  const elements = elementsOf(array);
  const index = matchedIndex(array, pass);
  return index === undefined ? elements : [required(elements[index], 'element that the query matched')];
}

/** Finds the array that `a.$` is about, the first on the path, and the element of it that the query matched. */
function positionalElement(
  path: string,
  { query, variables, collator }: ProjectionOptions,
): (document: Uint8Array) => Pass['positional'] {
  const segments = parsePath(path);
  const positional: Positional =
    query === undefined ? () => undefined : compilePositional(query, { variables, collator });
  return (document) => {
    const found = firstArray(document, segments);
    if (found === undefined) return undefined;
    const index = positional(document, found.path);
    const problem = "Executor error during find command: positional operator '.$'";
    if (index === undefined) throw new CommandError(51246, `${problem} couldn't find a matching element in the array`);
    if (index >= elementsOf(found.array).length) throw new CommandError(51247, `${problem} element mismatch`);
    return { offset: found.array.offset, index };
  };
}

function firstArray(
  document: Uint8Array,
  path: readonly PathSegment[],
): { array: BsonValue; path: string } | undefined {
  let start = 0;
  for (const [depth, { encoded }] of path.entries()) {
    const value = findField(document, encoded, start);
    if (value?.type === BsonType.array) {
      const names = path.slice(0, depth + 1).map(({ name }) => name);
      return { array: value, path: names.join('.') };
    }
    if (value?.type !== BsonType.object) return undefined;
    start = value.offset;
  }
  return undefined;
}
