/** What a projection makes of a document: one executor for inclusions, exclusions and additions. Upstream: projection_node.cpp. */
import { BsonType, type BsonValue, BsonWriter, ElementCursor, indexName, required } from '@replsim/protocol';
import { elementsOf } from '../values.ts';
import type { Slice } from './slice.ts';
import type { ExpressionNode, ProjectionNode, ProjectionTree } from './tree.ts';

/** The array that `a.$` is about, by its place in the document, and which of its elements is kept. */
export interface KeptElement {
  readonly offset: number;
  readonly index: number;
}

/** What holds for one document during its projection. */
interface Pass {
  readonly document: Uint8Array;
  /** Unnamed fields are kept: an exclusion, or additions. */
  readonly keepsRest: boolean;
  /** Of the array at this offset only one element is kept. */
  readonly positional: KeptElement | undefined;
  /** False in an array that an array holds: `$slice` does not look into those. Upstream: applySliceProjectionToArray. */
  readonly slices: boolean;
}

/**
 * Fields stay where they are, and what is computed anew comes behind them in the order of the specification; an array on the way stands
 * for its elements, and a scalar gives way to a document of what is computed below it.
 * @param keepsRest fields that the tree does not name are kept
 */
export function applyProjection(
  tree: ProjectionTree,
  document: Uint8Array,
  keepsRest: boolean,
  positional?: KeptElement,
): Uint8Array {
  const writer = new BsonWriter(document.length + 64);
  writeFields(writer, tree, document, 0, { document, keepsRest, positional, slices: true });
  return writer.finish();
}

/** Writes what a tree makes of the document at `start`. */
function writeFields(writer: BsonWriter, tree: ProjectionTree, bytes: Uint8Array, start: number, pass: Pass): void {
  const seen = new Set<string>();
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    const node = tree.children.get(name);
    if (node === undefined ? pass.keepsRest : node.kind === 'include' && pass.positional === undefined) {
      writer.rawElements(bytes, cursor.nameStart - 1, cursor.offset + cursor.size);
    } else if (node !== undefined && !isAppended(node, pass)) {
      writeNode(writer, name, node, cursor, pass);
      if (tree.computes) seen.add(name);
    }
  }
  for (const [name, node] of tree.children) {
    if (!seen.has(name)) writeMissing(writer, name, node, pass);
  }
}

/** An inclusion does not know a field that it computes, and puts it behind the others; else it stays where it was. */
function isAppended(node: ProjectionNode, pass: Pass): boolean {
  return node.kind === 'compute' && !pass.keepsRest;
}

/** Writes what a node makes of a field that is not there or not taken over. */
function writeMissing(writer: BsonWriter, name: string, node: ProjectionNode, pass: Pass): void {
  if (node.kind === 'compute') writeExpression(writer, name, node, pass);
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
      if (pass.slices) writeSlice(writer, name, node.slice, value);
      else writer.rawValue(name, value);
      return;
    case 'compute':
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
      const within = element.type === BsonType.array ? { ...pass, slices: false } : pass;
      if (writeTree(writer, indexName(count), tree, element, within)) count++;
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
