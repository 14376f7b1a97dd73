/**
 * What the operators of an update did to a document, collected path by path as the oplog's `$v: 2` delta: at any size, so
 * that `$set` of one field is `{ u: … }` however small the document is. Upstream: v2_log_builder.cpp.
 */
import { BsonType, type BsonValue, BsonWriter, required } from '@replsim/protocol';
import type { MutableNode } from './mutable.ts';
import type { ConcretePath } from './updatePath.ts';

type Leaf =
  | { readonly kind: 'delete' }
  | { readonly kind: 'update'; readonly value: BsonValue }
  | { readonly kind: 'insert'; readonly value: BsonValue };

interface Branch {
  /** `created` is a document that was not there before, `document` and `array` are recursed into. */
  readonly kind: 'created' | 'document' | 'array';
  /** In the order of the changes, in which each section names them. */
  readonly children: Map<string, Branch | Leaf>;
}

export class DeltaLog {
  readonly #root: Branch = { kind: 'document', children: new Map() };
  #isAmbiguous = false;

  /**
   * A field or element has a new value.
   * @param root the document, in which the value stands already
   * @param firstNew the depth of the first name on the path that had not been there; the path's length if none
   */
  put(root: MutableNode, path: ConcretePath, firstNew: number, value: BsonValue): void {
    this.#add(root, path, firstNew, { kind: firstNew < path.length ? 'insert' : 'update', value });
  }

  /** A field has gone. */
  remove(root: MutableNode, path: ConcretePath): void {
    this.#add(root, path, path.length, { kind: 'delete' });
  }

  #add(root: MutableNode, path: ConcretePath, firstNew: number, leaf: Leaf): void {
    let branch = this.#root;
    let node = root;
    const last = path.length - 1;
    for (let depth = 0; depth < last; depth++) {
      const name = required(path[depth], 'name on a path');
      this.#isAmbiguous ||= node.hasTwice(name);
      node = required(node.child(name), 'what is on the way to a change');
      let next = branch.children.get(name);
      if (next === undefined || !('children' in next)) {
        next = { kind: kindOf(node, depth >= firstNew), children: new Map() };
        branch.children.set(name, next);
      }
      branch = next;
    }
    const name = required(path[last], 'name of a change');
    // One that was there twice is there once more after it was removed.
    this.#isAmbiguous ||= leaf.kind === 'delete' ? node.child(name) !== undefined : node.hasTwice(name);
    branch.children.set(name, leaf);
  }

  /**
   * The oplog entry's `o`, `{ $v: 2, diff: … }`. Undefined if a name on one of the paths stands twice in its document, as a
   * delta cannot say which is meant; mongod writes one all the same, and its secondaries change both.
   */
  finish(): Uint8Array | undefined {
    if (this.#isAmbiguous) return undefined;
    const writer = new BsonWriter(128);
    writer.int32('$v', 2);
    writer.beginDocument('diff');
    writeDocumentDiff(writer, this.#root);
    writer.endDocument();
    return writer.finish();
  }
}

function kindOf(node: MutableNode, isNew: boolean): Branch['kind'] {
  if (node.type === BsonType.array) return 'array';
  return isNew ? 'created' : 'document';
}

function writeDocumentDiff(writer: BsonWriter, { children }: Branch): void {
  const section = (name: string, kinds: readonly string[], write: (name: string, child: Branch | Leaf) => void) => {
    let isOpen = false;
    for (const [field, child] of children) {
      if (!kinds.includes(child.kind)) continue;
      if (!isOpen) writer.beginDocument(name);
      isOpen = true;
      write(field, child);
    }
    if (isOpen) writer.endDocument();
  };
  section('d', ['delete'], (name) => writer.bool(name, false));
  section('u', ['update'], (name, child) => writeNew(writer, name, child));
  section('i', ['insert', 'created'], (name, child) => writeNew(writer, name, child));
  for (const [name, child] of children) if ('children' in child) writeNested(writer, `s${name}`, child);
}

function writeNested(writer: BsonWriter, name: string, branch: Branch): void {
  if (branch.kind === 'created') return;
  writer.beginDocument(name);
  if (branch.kind === 'array') writeArrayDiff(writer, branch);
  else writeDocumentDiff(writer, branch);
  writer.endDocument();
}

function writeArrayDiff(writer: BsonWriter, { children }: Branch): void {
  writer.bool('a', true);
  const indexes = [...children].sort(([a], [b]) => Number(a) - Number(b));
  for (const [index, child] of indexes) {
    if (child.kind === 'document' || child.kind === 'array') writeNested(writer, `s${index}`, child);
    else writeNew(writer, `u${index}`, child);
  }
}

/** A value as it is now, a created document from what was put into it. */
function writeNew(writer: BsonWriter, name: string, child: Branch | Leaf): void {
  if (child.kind === 'update' || child.kind === 'insert') writer.rawValue(name, child.value);
  else if ('children' in child) {
    writer.beginDocument(name);
    for (const [field, grandchild] of child.children) writeNew(writer, field, grandchild);
    writer.endDocument();
  }
}
