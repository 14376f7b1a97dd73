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
import { checkFieldPath, type Expression } from '@replsim/query';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf } from '../fields/fields.ts';
import { documentValue } from './builtValues.ts';

/** What becomes of a field, or of the fields below it. */
export type FieldNode = { readonly kind: 'include' | 'exclude' } | ComputedNode | FieldTree;

interface ComputedNode {
  readonly kind: 'compute';
  readonly expression: Expression;
}

/** Fields by name, in the order of the specification. */
export interface FieldTree {
  readonly kind: 'tree';
  readonly children: Map<string, FieldNode>;
}

export function newTree(): FieldTree {
  return { kind: 'tree', children: new Map() };
}

/**
 * Puts a node at a path such as `a.b`. Throws as `checkFieldPath`, and Location31249 or 31250 where another is at the same place
 * or above it. Upstream: projection_parser.cpp, addNodeAtPath.
 */
export function plant(tree: FieldTree, path: string, node: FieldNode): void {
  checkFieldPath(path);
  const names = path.split('.');
  const last = required(names.pop(), 'name on a path');
  let at = tree;
  for (const name of names) {
    let next = at.children.get(name);
    if (!next) {
      next = newTree();
      at.children.set(name, next);
    }
    if (next.kind !== 'tree') throw new CommandError(31249, `Path collision at ${path}`);
    at = next;
  }
  if (at.children.has(last)) throw new CommandError(31250, `Path collision at ${path}`);
  at.children.set(last, node);
}

/**
 * What a tree makes of a document. Fields stay where they are, and what is computed anew comes behind them; an array on the
 * way stands for its elements, and a scalar gives way to a document of what is computed below it.
 * @param keepsRest fields that the tree does not name are kept; an inclusion puts `_id` first
 */
export function applyTree(tree: FieldTree, document: Uint8Array, keepsRest: boolean): Uint8Array {
  const pass: Pass = { document, keepsRest };
  const writer = new BsonWriter(document.length + 64);
  const id = keepsRest ? undefined : tree.children.get('_id');
  if (id?.kind === 'compute') writeComputed(writer, '_id', id, pass);
  writeFields(writer, tree, document, 0, pass, id?.kind === 'compute' ? '_id' : undefined);
  return writer.finish();
}

/**
 * Puts one value at a path. Other than in a tree nothing stands for its elements: what is no document on the way, be it an array,
 * gives way to one. Upstream: document.cpp, MutableDocument::setNestedField.
 */
export function placeAt(document: Uint8Array, path: string, value: BsonValue): Uint8Array {
  const writer = new BsonWriter(document.length + value.size + 64);
  writePlaced(writer, document, 0, path.split('.'), value);
  return writer.finish();
}

const EMPTY_OBJECT = documentValue(EMPTY_DOCUMENT);

function writePlaced(
  writer: BsonWriter,
  bytes: Uint8Array,
  start: number,
  [name, ...below]: readonly string[],
  value: BsonValue,
): void {
  const wanted = required(name, 'name on a path');
  let isPlaced = false;
  const place = (old: BsonValue | undefined) => {
    isPlaced = true;
    if (below.length === 0) return writer.rawValue(wanted, value);
    const within = old?.type === BsonType.object ? old : EMPTY_OBJECT;
    writer.beginDocument(wanted);
    writePlaced(writer, within.bytes, within.offset, below, value);
    writer.endDocument();
  };
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    if (cursor.name === wanted && !isPlaced) place(cursor.value());
    else writer.rawElements(bytes, cursor.nameStart - 1, cursor.offset + cursor.size);
  }
  if (!isPlaced) place(undefined);
}

/** The value at a path that leads through documents alone; undefined if there is none. Upstream: Document::getNestedField. */
export function nestedValue(document: Uint8Array, path: string): BsonValue | undefined {
  let value: BsonValue = documentValue(document);
  for (const name of path.split('.')) {
    const found: BsonValue | undefined =
      value.type === BsonType.object ? findField(value.bytes, encodeName(name), value.offset) : undefined;
    if (!found) return undefined;
    value = found;
  }
  return value;
}

interface Pass {
  /** The whole document, which expressions look at. */
  readonly document: Uint8Array;
  readonly keepsRest: boolean;
}

function writeFields(
  writer: BsonWriter,
  tree: FieldTree,
  bytes: Uint8Array,
  start: number,
  pass: Pass,
  skipped?: string,
): void {
  const seen = new Set<string>();
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const node = tree.children.get(name);
    if (name === skipped) continue;
    if (!node) {
      if (pass.keepsRest) writer.rawElements(bytes, cursor.nameStart - 1, cursor.offset + cursor.size);
      continue;
    }
    // An inclusion does not know a field that it computes, and puts it behind the others.
    if (node.kind === 'compute' && !pass.keepsRest) continue;
    seen.add(name);
    if (node.kind === 'compute') writeComputed(writer, name, node, pass);
    else if (node.kind === 'include') writer.rawValue(name, cursor);
    else if (node.kind === 'tree') writeBelow(writer, name, node, cursor, pass);
  }
  for (const [name, node] of tree.children) if (name !== skipped && !seen.has(name)) writeNew(writer, name, node, pass);
}

/** Writes what a tree makes of a value. @returns whether it wrote anything */
function writeBelow(writer: BsonWriter, name: string, tree: FieldTree, value: BsonValue, pass: Pass): boolean {
  if (value.type === BsonType.object) {
    writer.beginDocument(name);
    writeFields(writer, tree, value.bytes, value.offset, pass);
    writer.endDocument();
  } else if (value.type === BsonType.array) {
    writer.beginArray(name);
    let count = 0;
    for (const element of elementsOf(value)) {
      if (writeBelow(writer, indexName(count), tree, element, pass)) count += 1;
    }
    writer.endArray();
  } else if (computes(tree)) {
    writeNew(writer, name, tree, pass);
  } else if (pass.keepsRest) {
    writer.rawValue(name, value);
  } else {
    return false;
  }
  return true;
}

/** Writes a field that is not there yet. */
function writeNew(writer: BsonWriter, name: string, node: FieldNode, pass: Pass): void {
  if (node.kind === 'compute') {
    writeComputed(writer, name, node, pass);
    return;
  }
  if (node.kind !== 'tree' || !computes(node)) return;
  writer.beginDocument(name);
  for (const [field, below] of node.children) writeNew(writer, field, below, pass);
  writer.endDocument();
}

function writeComputed(writer: BsonWriter, name: string, { expression }: ComputedNode, pass: Pass): void {
  const computed = expression(pass.document);
  if (computed) writer.rawValue(name, computed);
}

function computes(tree: FieldTree): boolean {
  for (const node of tree.children.values()) {
    if (node.kind === 'compute' || (node.kind === 'tree' && computes(node))) return true;
  }
  return false;
}
