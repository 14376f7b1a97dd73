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
import { allParts, ELEMENTS_AT_ONCE, finished, more, type Parts } from '../turns/parts.ts';
import { documentValue } from '../values.ts';
import type { ConcretePath } from './updatePath.ts';

/** How far beyond its end an array may be filled with nulls. Upstream: write_ops, kMaxPaddingAllowed. */
const MAX_PADDING = 1_500_000;

/** What it costs to take apart so many as are a part. */
const PART_STEPS = ELEMENTS_AT_ONCE / 2;

/** Up to here a field is looked for one by one. */
const LOOKED_THROUGH = 24;

interface Child {
  readonly name: string;
  node: MutableNode;
}

/** Where the fields of a document are, once there are so many that looking them through for each path would take long. */
interface Places {
  /** Of the first of each name. */
  readonly first: Map<string, number>;
  /** Names that more than one field has. */
  readonly twice: Set<string>;
}

/** A value that is either still bytes, or taken apart into its children. */
export class MutableNode {
  readonly type: number;
  #value: BsonValue;
  /** Of many, those that were removed leave a hole until all are asked for: the others need not move for each. */
  #children: (Child | undefined)[] | undefined;
  #hasHoles = false;
  #places: Places | undefined;

  constructor(value: BsonValue) {
    this.type = value.type;
    this.#value = value;
  }

  get isContainer(): boolean {
    return this.type === BsonType.object || this.type === BsonType.array;
  }

  /** The children of a document or array; an array's names do not count, their places do. */
  children(): Child[] {
    const children = this.#all();
    if (!this.#hasHoles) return children as Child[];
    const left = children.filter((child) => child !== undefined);
    this.#children = left;
    this.#hasHoles = false;
    this.#places = undefined;
    return left;
  }

  #all(): (Child | undefined)[] {
    if (this.#children === undefined) allParts(this.takeApart());
    return required(this.#children, 'children of what was taken apart');
  }

  /** Looks for its children, of which there may be many, in parts: who needs them at once asks for them. */
  takeApart(): Parts<void> {
    const children: Child[] = [];
    const cursor = new ElementCursor(this.#value.bytes, this.#value.offset);
    const isDone = !this.isContainer || this.#children !== undefined;
    return {
      next: () => {
        if (isDone) return finished(undefined);
        for (let i = 0; i < ELEMENTS_AT_ONCE; i++) {
          if (!cursor.next()) {
            this.#children = children;
            return finished(undefined);
          }
          children.push({ name: cursor.name, node: new MutableNode(cursor.value()) });
        }
        return more(PART_STEPS);
      },
    };
  }

  child(name: string): MutableNode | undefined {
    if (!this.isContainer) return undefined;
    const children = this.#all();
    if (this.type === BsonType.array) {
      const index = arrayIndex(name);
      return index === undefined ? undefined : children[index]?.node;
    }
    return children[this.#placeOf(name)]?.node;
  }

  /** The place of a document's first field of this name, or -1. */
  #placeOf(name: string): number {
    const children = this.#all();
    if (this.#places === undefined && children.length <= LOOKED_THROUGH)
      return children.findIndex((child) => child?.name === name);
    return this.#placesOf(children).first.get(name) ?? -1;
  }

  #placesOf(children: readonly (Child | undefined)[]): Places {
    if (this.#places !== undefined) return this.#places;
    const [first, twice] = [new Map<string, number>(), new Set<string>()];
    for (const [place, child] of children.entries()) {
      if (child === undefined) continue;
      if (first.has(child.name)) twice.add(child.name);
      else first.set(child.name, place);
    }
    this.#places = { first, twice };
    return this.#places;
  }

  /** Whether a document has two fields of a name: nothing forbids it, but a path means the first one only. */
  hasTwice(name: string): boolean {
    if (this.type !== BsonType.object) return false;
    const children = this.#all();
    if (children.length > LOOKED_THROUGH) return this.#placesOf(children).twice.has(name);
    const first = children.findIndex((child) => child?.name === name);
    return first >= 0 && children.findLastIndex((child) => child?.name === name) > first;
  }

  /** A field that is there, with up to two that stand before it and one behind it. @returns also how many stand before it */
  around(name: string): { readonly fields: readonly Child[]; readonly before: number } {
    const children = this.#all();
    const at = this.#placeOf(name);
    const next = (from: number, step: 1 | -1) => {
      let place = from + step;
      while (place >= 0 && place < children.length && children[place] === undefined) place += step;
      return place;
    };
    const second = next(at, -1);
    const before = [children[next(second, -1)], children[second]].filter((child) => child !== undefined);
    const rest = [children[at], children[next(at, 1)]].filter((child) => child !== undefined);
    return { fields: [...before, ...rest], before: before.length };
  }

  /** Replaces or appends a child; an array is padded with null up to it. */
  setChild(name: string, node: MutableNode): void {
    const children = this.#all();
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
    this.#places?.first.set(name, children.length);
    children.push({ name, node });
  }

  /** Removes a field of a document; an array keeps its places, so the element becomes null. */
  removeChild(name: string): void {
    const children = this.#all();
    if (this.type === BsonType.array) {
      const index = arrayIndex(name);
      const element = index === undefined ? undefined : children[index];
      if (element) element.node = new MutableNode(NULL);
      return;
    }
    const at = this.#placeOf(name);
    if (at < 0) return;
    children[at] = undefined;
    this.#hasHoles = true;
    // Another of the name is the first one now; whoever asks next looks all of them through.
    if (this.#places?.twice.has(name)) this.#places = undefined;
    else this.#places?.first.delete(name);
  }

  /** The value as it stands now. */
  value(): BsonValue {
    if (this.#children === undefined) return this.#value;
    const writer = new BsonWriter(this.#value.size + 64);
    this.#writeChildren(writer, this.children());
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
    this.#writeChildren(writer, this.children());
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
