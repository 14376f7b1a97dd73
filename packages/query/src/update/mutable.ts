/**
 * A document under change: bytes that are taken apart only along the paths that an update touches, so that all else is
 * copied as it lies.
 */
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  indexName,
  required,
} from '@replsim/protocol';
import { formatField } from '../format.ts';
import { documentValue } from '../values.ts';
import type { ConcretePath } from './updatePath.ts';

/** How far beyond its end an array may be filled with nulls. Upstream: write_ops, kMaxPaddingAllowed. */
const MAX_PADDING = 1_500_000;

/** Up to here a field is looked for one by one. */
const LOOKED_THROUGH = 24;

interface Child {
  readonly name: string;
  node: MutableNode;
}

/** A value that is either still bytes, or taken apart into its children. */
export class MutableNode {
  readonly type: number;
  #value: BsonValue;
  #children: Child[] | undefined;
  /** Where each field of a document is, once there are so many that looking them through would take long. */
  #places: Map<string, number> | undefined;

  constructor(value: BsonValue) {
    this.type = value.type;
    this.#value = value;
  }

  get isContainer(): boolean {
    return this.type === BsonType.object || this.type === BsonType.array;
  }

  /** The children of a document or array; an array's names do not count, their places do. */
  children(): Child[] {
    if (this.#children === undefined) {
      this.#children = [];
      const cursor = new ElementCursor(this.#value.bytes, this.#value.offset);
      while (cursor.next()) this.#children.push({ name: cursor.name, node: new MutableNode(cursor.value()) });
    }
    return this.#children;
  }

  child(name: string): MutableNode | undefined {
    if (!this.isContainer) return undefined;
    const children = this.children();
    if (this.type === BsonType.array) {
      const index = arrayIndex(name);
      return index === undefined ? undefined : children[index]?.node;
    }
    return children[this.#placeOf(name)]?.node;
  }

  /** The place of a document's first field of this name, or -1. */
  #placeOf(name: string): number {
    const children = this.children();
    if (children.length <= LOOKED_THROUGH) return children.findIndex((child) => child.name === name);
    if (!this.#places) {
      this.#places = new Map();
      for (const [place, child] of children.entries())
        if (!this.#places.has(child.name)) this.#places.set(child.name, place);
    }
    return this.#places.get(name) ?? -1;
  }

  /** Whether a document has two fields of a name: nothing forbids it, but a path means the first one only. */
  hasTwice(name: string): boolean {
    if (this.type !== BsonType.object) return false;
    const children = this.children();
    const first = children.findIndex((child) => child.name === name);
    return first >= 0 && children.findLastIndex((child) => child.name === name) > first;
  }

  /** Replaces or appends a child; an array is padded with null up to it. */
  setChild(name: string, node: MutableNode): void {
    const children = this.children();
    const at = this.type === BsonType.array ? Number(name) : this.#placeOf(name);
    const existing = children[at];
    if (existing !== undefined) {
      existing.node = node;
      return;
    }
    if (this.type === BsonType.array) {
      if (at - children.length > MAX_PADDING) {
        throw new CommandError('BadValue', `can't backfill more than ${MAX_PADDING} elements`);
      }
      while (children.length < at) children.push({ name: '', node: new MutableNode(NULL) });
    }
    this.#places?.set(name, children.length);
    children.push({ name, node });
  }

  /** Removes a field of a document; an array keeps its places, so the element becomes null. */
  removeChild(name: string): void {
    const children = this.children();
    if (this.type === BsonType.array) {
      const index = arrayIndex(name);
      const element = index === undefined ? undefined : children[index];
      if (element) element.node = new MutableNode(NULL);
      return;
    }
    const at = this.#placeOf(name);
    if (at < 0) return;
    children.splice(at, 1);
    this.#places = undefined;
  }

  /** The value as it stands now. */
  value(): BsonValue {
    if (this.#children === undefined) return this.#value;
    const writer = new BsonWriter(this.#value.size + 64);
    this.#writeChildren(writer, this.#children);
    const bytes = writer.finish();
    return { type: this.type, bytes, offset: 0, size: bytes.length };
  }

  #write(writer: BsonWriter, name: string): void {
    if (this.#children === undefined) {
      writer.rawValue(name, this.#value);
      return;
    }
    if (this.type === BsonType.array) writer.beginArray(name);
    else writer.beginDocument(name);
    this.#writeChildren(writer, this.#children);
    writer.endDocument();
  }

  #writeChildren(writer: BsonWriter, children: readonly Child[]): void {
    children.forEach(({ name, node }, i) => {
      node.#write(writer, this.type === BsonType.array ? indexName(i) : name);
    });
  }
}

const none = new Uint8Array(0);
/** BSON's null. */
export const NULL: BsonValue = { type: BsonType.null, bytes: none, offset: 0, size: 0 };
const EMPTY_DOCUMENT = new Uint8Array([5, 0, 0, 0, 0]);

function arrayIndex(name: string): number | undefined {
  return /^(0|[1-9]\d{0,8})$/.test(name) ? Number(name) : undefined;
}

/** The node at a path, if everything on the way is there. */
export function nodeAt(root: MutableNode, path: ConcretePath): MutableNode | undefined {
  let node: MutableNode | undefined = root;
  for (const name of path) {
    node = node.child(name);
    if (node === undefined) return undefined;
  }
  return node;
}

/**
 * Puts a value at a path, creating the documents on the way.
 * @returns the depth of the first name that had not been there; the path's length if the value replaced one
 * Throws CommandError PathNotViable if a scalar stands there, or an array where the path does not give an index.
 */
export function putAt(root: MutableNode, path: ConcretePath, value: BsonValue): number {
  let node = root;
  let firstNew = path.length;
  for (const [depth, name] of path.entries()) {
    if (!node.isContainer || (node.type === BsonType.array && arrayIndex(name) === undefined)) {
      const parent = formatField(path[depth - 1] ?? '', node.value());
      throw new CommandError('PathNotViable', `Cannot create field '${name}' in element {${parent}}`);
    }
    if (depth === path.length - 1) {
      if (node.child(name) === undefined) firstNew = Math.min(firstNew, depth);
      node.setChild(name, new MutableNode(value));
      break;
    }
    let next = node.child(name);
    if (next === undefined) {
      firstNew = Math.min(firstNew, depth);
      next = new MutableNode(documentValue(EMPTY_DOCUMENT));
      node.setChild(name, next);
    }
    node = next;
  }
  return firstNew;
}

/** Takes a field away, or makes an array's element null; nothing happens if it is not there. */
export function removeAt(root: MutableNode, path: ConcretePath): void {
  const parent = nodeAt(root, path.slice(0, -1));
  if (parent?.isContainer) parent.removeChild(required(path.at(-1), 'name on the path of a field'));
}
