/** A place in a tree that survives changes to it: after a change it finds its place again by its key. */
import type { TreeNode } from './treeNode.ts';

/** What a cursor needs of its tree. */
export interface TreePaths<K extends number | string> {
  /** Rises with each change. */
  readonly changes: number;
  readonly root: TreeNode<K>;
  /** How many levels of branches stand above the leaves. */
  readonly height: number;
  /** Where the path to `key` goes from `node`. */
  slotFor(node: TreeNode<K>, height: number, key: K): number;
  /** Whether two keys have one place. */
  equal(a: K | undefined, b: K): boolean;
}

/**
 * Walks a tree in either direction. Each move returns whether there is an entry there, whose `key` and `value` may then
 * be read until the next move; moving allocates nothing. Entries put or deleted meanwhile are seen or not seen as they
 * lie ahead or behind.
 */
export class TreeCursor<K extends number | string, V> {
  key!: K;
  value!: V;
  readonly #tree: TreePaths<K>;
  /** The path from the root (at its height) to the leaf (at 0), and the slot taken in each. */
  readonly #nodes: TreeNode<K>[] = [];
  readonly #slots: number[] = [];
  /** The tree's `changes` when the path was taken; -1 while there is no path. */
  #changes = -1;

  constructor(tree: TreePaths<K>) {
    this.#tree = tree;
  }

  /** Moves to the smallest key. */
  first(): boolean {
    this.#changes = this.#tree.changes;
    return this.#descend(this.#tree.root, this.#tree.height, false);
  }

  /** Moves to the largest key. */
  last(): boolean {
    this.#changes = this.#tree.changes;
    return this.#descend(this.#tree.root, this.#tree.height, true);
  }

  /** Moves to the first entry at or above `key`; above it if not `inclusive`. */
  seek(key: K, inclusive = true): boolean {
    this.#pathTo(key);
    if (!this.#settle(0)) return false;
    return inclusive || !this.#tree.equal(this.key, key) || this.#forward();
  }

  /** Moves to the last entry at or below `key`; below it if not `inclusive`. */
  seekBack(key: K, inclusive = true): boolean {
    this.#pathTo(key);
    const leaf = this.#nodes[0]!;
    const slot = this.#slots[0]!;
    if (inclusive && this.#tree.equal(leaf.keys[slot], key)) return this.#read(leaf, slot);
    return this.#backward();
  }

  /** Moves to the next larger key; `first()` or a seek must have gone before. */
  next(): boolean {
    return this.#changes === this.#tree.changes ? this.#forward() : this.seek(this.key, false);
  }

  /** Moves to the next smaller key; `last()` or a seek must have gone before. */
  previous(): boolean {
    return this.#changes === this.#tree.changes ? this.#backward() : this.seekBack(this.key, false);
  }

  #pathTo(key: K): void {
    const tree = this.#tree;
    this.#changes = tree.changes;
    let node = tree.root;
    for (let height = tree.height; ; height--) {
      const slot = tree.slotFor(node, height, key);
      this.#nodes[height] = node;
      this.#slots[height] = slot;
      if (height === 0) return;
      node = node.slots[slot] as TreeNode<K>;
    }
  }

  #forward(): boolean {
    const slot = this.#slots[0]! + 1;
    const leaf = this.#nodes[0]!;
    this.#slots[0] = slot;
    if (slot < leaf.keys.length) return this.#read(leaf, slot);
    return this.#settle(0);
  }

  #backward(): boolean {
    const slot = this.#slots[0]! - 1;
    this.#slots[0] = slot;
    if (slot >= 0) return this.#read(this.#nodes[0]!, slot);
    for (let height = 1; height <= this.#tree.height; height++) {
      const above = this.#slots[height]! - 1;
      if (above < 0) continue;
      this.#slots[height] = above;
      return this.#descend(this.#nodes[height]!.slots[above] as TreeNode<K>, height - 1, true);
    }
    // A further `previous()` must find the same end.
    this.#slots[0] = 0;
    return false;
  }

  /** Reads the entry at the path, going on to the next leaf if the path points behind the end of its leaf. */
  #settle(from: number): boolean {
    for (let height = from; height <= this.#tree.height; height++) {
      const node = this.#nodes[height]!;
      const slot = height === from ? this.#slots[height]! : this.#slots[height]! + 1;
      if (slot >= node.keys.length) continue;
      this.#slots[height] = slot;
      if (height === 0) return this.#read(node, slot);
      return this.#descend(node.slots[slot] as TreeNode<K>, height - 1, false);
    }
    this.#slots[0] = this.#nodes[0]!.keys.length;
    return false;
  }

  #descend(from: TreeNode<K>, height: number, toLast: boolean): boolean {
    let node = from;
    for (let at = height; ; at--) {
      const slot = toLast ? node.keys.length - 1 : 0;
      this.#nodes[at] = node;
      this.#slots[at] = slot;
      if (at === 0) return node.keys.length > 0 && this.#read(node, slot);
      node = node.slots[slot] as TreeNode<K>;
    }
  }

  #read(leaf: TreeNode<K>, slot: number): boolean {
    this.key = leaf.keys[slot]!;
    this.value = leaf.slots[slot] as V;
    return true;
  }
}
