/**
 * The nodes of an ordered tree. A node may be changed only by the tree whose token is its `owner`; every other tree
 * that reaches it copies it first. That is what makes a snapshot free.
 */

/** How many entries a leaf, or children a branch, may hold before it is split. */
export const NODE_CAPACITY = 32;
/** A node that shrinks below this looks for a neighbour to merge with. */
export const MERGE_BELOW = NODE_CAPACITY / 4;
/** Two neighbours are merged only up to this, so that the next inserts do not split them again. */
export const MERGED_AT_MOST = (NODE_CAPACITY * 3) / 4;

/**
 * One node, leaf or branch; which of them is known from its height in the tree.
 * A leaf holds keys and their values. A branch holds children, and for each child but the first a key that no entry of
 * this child is below and every entry of the children before it is below; `keys[0]` of a branch is never read.
 */
export class TreeNode<K> {
  readonly owner: number;
  keys: K[];
  slots: unknown[];

  constructor(owner: number, keys: K[], slots: unknown[]) {
    this.owner = owner;
    this.keys = keys;
    this.slots = slots;
  }
}

/** Opens a gap at `index`: faster than `splice`, which builds an array of what it removed. */
export function insertAt(array: unknown[], index: number, item: unknown): void {
  let i = array.length;
  array.push(item);
  for (; i > index; i--) array[i] = array[i - 1];
  array[index] = item;
}

/** A copy with the item in it, no longer than it has to be: an array that grows takes room for many more. */
export function insertedAt<Item>(array: readonly Item[], index: number, item: Item): Item[] {
  const copy = new Array<Item>(array.length + 1);
  for (let i = 0; i < index; i++) copy[i] = array[i]!;
  copy[index] = item;
  for (let i = index; i < array.length; i++) copy[i + 1] = array[i]!;
  return copy;
}

/** Closes the gap at `index`; the ends, which scans and appends use, cost nothing. */
export function removeAt(array: unknown[], index: number): void {
  const last = array.length - 1;
  if (index === 0) {
    array.shift();
    return;
  }
  for (let i = index; i < last; i++) array[i] = array[i + 1];
  array.pop();
}

/** The smallest key below `node`, a non-empty node of this height. */
export function smallestKey<K>(node: TreeNode<K>, height: number): K {
  let at = node;
  for (let h = height; h > 0; h--) at = at.slots[0] as TreeNode<K>;
  return at.keys[0]!;
}
