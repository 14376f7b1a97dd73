/**
 * An ordered map whose snapshots cost nothing: a B+-tree that copies on write. Record stores are trees by number,
 * indexes are trees by string; a checkpoint, a majority-committed view and a rollback are all "keep that snapshot".
 */
import { TreeCursor, type TreePaths } from './treeCursor.ts';
import { insertAt, insertedAt, MERGE_BELOW, MERGED_AT_MOST, NODE_CAPACITY, removeAt, TreeNode } from './treeNode.ts';

/** Tokens are only compared, never shown or ordered, so one counter for all trees leaves no trace in a run. */
let lastOwner = 0;

/** An ordered map. `undefined` is not a value. Use `NumberTree` or `StringTree`. */
export abstract class OrderedTree<K extends number | string, V> implements TreePaths<K> {
  /** Rises with each change, so that cursors know when to look again for their place. */
  changes = 0;
  #root: TreeNode<K>;
  #height: number;
  #size: number;
  #owner: number;
  /** What the delete under way has removed. */
  #removed: V | undefined = undefined;
  /** True while `add` runs. */
  #keepExisting = false;
  /** Where the latest entry or child went in its node. */
  #lastInserted = 0;

  constructor(source?: OrderedTree<K, V>) {
    this.#owner = ++lastOwner;
    this.#root = source ? source.#root : new TreeNode<K>(this.#owner, [], []);
    this.#height = source ? source.#height : 0;
    this.#size = source ? source.#size : 0;
  }

  /** The index of the first of `keys` that is not below `key`; `keys.length` if there is none. */
  protected abstract firstNotBelow(keys: readonly K[], key: K): number;

  /** The index of the child of a branch under which `key` is, or would be. */
  protected abstract childFor(keys: readonly K[], key: K): number;

  /** @internal Whether an entry's key is this one; undefined, behind the last entry, is none. */
  equal(a: K | undefined, b: K): boolean {
    return a === b;
  }

  get size(): number {
    return this.#size;
  }

  /** @internal What cursors and `diffTrees` walk. */
  get root(): TreeNode<K> {
    return this.#root;
  }

  /** @internal How many levels of branches stand above the leaves. */
  get height(): number {
    return this.#height;
  }

  get(key: K): V | undefined {
    let node = this.#root;
    for (let height = this.#height; height > 0; height--) {
      node = node.slots[this.childFor(node.keys, key)] as TreeNode<K>;
    }
    const index = this.firstNotBelow(node.keys, key);
    return this.equal(node.keys[index], key) ? (node.slots[index] as V) : undefined;
  }

  has(key: K): boolean {
    return this.get(key) !== undefined;
  }

  /** Puts `value` at `key`, over what may be there. */
  set(key: K, value: V): void {
    this.changes++;
    const left = this.#height > 0 ? this.#editable(this.#root) : this.#withEntry(this.#root, key, value);
    this.#root = left;
    const right = this.#height > 0 ? this.#insert(left, this.#height, key, value) : this.#splitIfFull(left);
    if (!right) return;
    this.#root = new TreeNode(this.#owner, [left.keys[0]!, right.keys[0]!], [left, right]);
    this.#height++;
  }

  /** Puts `value` at `key` unless an entry is there; returns whether it did. */
  add(key: K, value: V): boolean {
    const before = this.#size;
    this.#keepExisting = true;
    this.set(key, value);
    this.#keepExisting = false;
    return this.#size > before;
  }

  /** Removes the entry of `key` and returns its value; undefined if there is none. */
  delete(key: K): V | undefined {
    this.changes++;
    this.#removed = undefined;
    this.#root = this.#editable(this.#root);
    this.#remove(this.#root, this.#height, key);
    while (this.#height > 0 && this.#root.slots.length < 2) this.#lowerRoot();
    const removed = this.#removed;
    this.#removed = undefined;
    return removed;
  }

  /** The tree as it is now; later changes to either side do not show in the other. */
  abstract snapshot(): OrderedTree<K, V>;

  /** Becomes what `snapshot` is; cursors on this tree stay usable. */
  restore(snapshot: OrderedTree<K, V>): void {
    this.changes++;
    this.#root = snapshot.#root;
    this.#height = snapshot.#height;
    this.#size = snapshot.#size;
    this.disown();
    snapshot.disown();
  }

  /** A cursor that stands nowhere yet. */
  cursor(): TreeCursor<K, V> {
    return new TreeCursor(this);
  }

  /** The smallest key. */
  firstKey(): K | undefined {
    const cursor = this.cursor();
    return cursor.first() ? cursor.key : undefined;
  }

  /** The largest key. */
  lastKey(): K | undefined {
    const cursor = this.cursor();
    return cursor.last() ? cursor.key : undefined;
  }

  /** @internal Where a cursor's path goes from `node`. */
  slotFor(node: TreeNode<K>, height: number, key: K): number {
    return height > 0 ? this.childFor(node.keys, key) : this.firstNotBelow(node.keys, key);
  }

  /** From now on every node that exists is copied before it is changed. */
  protected disown(): void {
    this.#owner = ++lastOwner;
  }

  #editable(node: TreeNode<K>): TreeNode<K> {
    if (node.owner === this.#owner) return node;
    return new TreeNode(this.#owner, node.keys.slice(), node.slots.slice());
  }

  #editableChild(branch: TreeNode<K>, index: number): TreeNode<K> {
    const child = branch.slots[index] as TreeNode<K>;
    if (child.owner === this.#owner) return child;
    const copy = this.#editable(child);
    branch.slots[index] = copy;
    return copy;
  }

  /** Inserts below an editable branch; returns its right half if it had to be split. */
  #insert(branch: TreeNode<K>, height: number, key: K, value: V): TreeNode<K> | undefined {
    const { keys, slots } = branch;
    const index = this.childFor(keys, key);
    let right: TreeNode<K> | undefined;
    if (height > 1) right = this.#insert(this.#editableChild(branch, index), height - 1, key, value);
    else {
      const leaf = this.#withEntry(slots[index] as TreeNode<K>, key, value);
      slots[index] = leaf;
      right = this.#splitIfFull(leaf);
    }
    if (!right) return undefined;
    insertAt(keys, index + 1, right.keys[0]!);
    insertAt(slots, index + 1, right);
    this.#lastInserted = index + 1;
    return this.#splitIfFull(branch);
  }

  /** The leaf with the entry in it: a copy, unless it may be changed. */
  #withEntry(leaf: TreeNode<K>, key: K, value: V): TreeNode<K> {
    const { keys, slots } = leaf;
    const index = this.firstNotBelow(keys, key);
    this.#lastInserted = index;
    if (this.equal(keys[index], key)) {
      if (this.#keepExisting) return leaf;
      const own = this.#editable(leaf);
      own.slots[index] = value;
      return own;
    }
    this.#size++;
    if (leaf.owner !== this.#owner)
      return new TreeNode(this.#owner, insertedAt(keys, index, key), insertedAt(slots, index, value));
    insertAt(keys, index, key);
    insertAt(slots, index, value);
    return leaf;
  }

  #splitIfFull(node: TreeNode<K>): TreeNode<K> | undefined {
    const { keys, slots } = node;
    if (keys.length <= NODE_CAPACITY) return undefined;
    // Keys that come in order (record ids, dates, ObjectIds) leave full nodes behind instead of half-full ones.
    const appended = this.#lastInserted === keys.length - 1;
    const from = appended ? this.#lastInserted : keys.length >>> 1;
    // Copies, since an array that has grown, or was cut, keeps room for half as much again.
    node.keys = keys.slice(0, from);
    node.slots = slots.slice(0, from);
    return new TreeNode(this.#owner, keys.slice(from), slots.slice(from));
  }

  #remove(node: TreeNode<K>, height: number, key: K): void {
    const { keys } = node;
    if (height > 0) {
      const index = this.childFor(keys, key);
      const child = this.#editableChild(node, index);
      this.#remove(child, height - 1, key);
      if (child.keys.length < MERGE_BELOW) this.#mergeChild(node, height, index, child);
      return;
    }
    const index = this.firstNotBelow(keys, key);
    if (!this.equal(keys[index], key)) return;
    this.#removed = node.slots[index] as V;
    removeAt(keys, index);
    removeAt(node.slots, index);
    this.#size--;
  }

  /** Lets a small child go into a neighbour that has room; an empty one goes in any case. */
  #mergeChild(branch: TreeNode<K>, height: number, index: number, child: TreeNode<K>): void {
    const { keys, slots } = branch;
    if (child.keys.length === 0) {
      removeAt(keys, index);
      removeAt(slots, index);
      return;
    }
    const left = index > 0 ? index - 1 : index;
    if (left + 1 >= slots.length) return;
    const neighbour = slots[left === index ? index + 1 : left] as TreeNode<K>;
    if (neighbour.keys.length + child.keys.length > MERGED_AT_MOST) return;
    const into = this.#editableChild(branch, left);
    const from = slots[left + 1] as TreeNode<K>;
    const start = into.keys.length;
    for (let i = 0; i < from.keys.length; i++) {
      into.keys.push(from.keys[i]!);
      into.slots.push(from.slots[i]);
    }
    // A branch's first key is never read where it stands, and may be too large for its new place.
    if (height > 1) into.keys[start] = keys[left + 1]!;
    removeAt(keys, left + 1);
    removeAt(slots, left + 1);
  }

  #lowerRoot(): void {
    const [child] = this.#root.slots as TreeNode<K>[];
    if (child) {
      this.#root = child;
      this.#height--;
    } else {
      this.#root = new TreeNode<K>(this.#owner, [], []);
      this.#height = 0;
    }
  }
}
