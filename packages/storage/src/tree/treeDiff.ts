/** What changed between two versions of a tree, at a cost that follows the change and not the size. */
import type { OrderedTree } from './orderedTree.ts';
import { smallestKey, type TreeNode } from './treeNode.ts';

/**
 * Calls `onPut` for each key of `newer` whose value in `older` is missing or another (`!==`), and `onDelete` for each
 * key that only `older` has, in ascending order of keys. Subtrees that both share are not entered.
 */
export function diffTrees<K extends number | string, V>(
  older: OrderedTree<K, V>,
  newer: OrderedTree<K, V>,
  onPut: (key: K, value: V) => void,
  onDelete: (key: K, value: V) => void,
): void {
  const before = new Walk<K, V>(older);
  const after = new Walk<K, V>(newer);
  while (!before.done || !after.done) {
    if (before.done) after.enterOrTake(onPut);
    else if (after.done) before.enterOrTake(onDelete);
    else if (before.item === after.item && before.height === after.height && before.height >= 0) {
      before.skip();
      after.skip();
    } else step(before, after, onPut, onDelete);
  }
}

/** Enters the larger or the earlier of two different items, or takes an entry that is not in the other tree. */
function step<K extends number | string, V>(
  before: Walk<K, V>,
  after: Walk<K, V>,
  onPut: (key: K, value: V) => void,
  onDelete: (key: K, value: V) => void,
): void {
  const [older, newer] = [before.smallest(), after.smallest()];
  // The earlier item cannot be part of the other tree's item, unless it is a subtree that reaches into it.
  if (older < newer) before.enterOrTake(onDelete);
  else if (newer < older) after.enterOrTake(onPut);
  else if (before.height > after.height) before.enter();
  else if (after.height > before.height) after.enter();
  else if (before.height >= 0) {
    before.enter();
    after.enter();
  } else {
    if (before.item !== after.item) onPut(newer, after.item as V);
    before.skip();
    after.skip();
  }
}

/** What is left of a tree: a sequence of entries and whole subtrees, in order. */
class Walk<K extends number | string, V> {
  /** The foremost item: a subtree if `height` is 0 or more, the value of an entry if it is -1. */
  item: unknown;
  height: number;
  done = false;
  #key!: K;
  /** The nodes entered, the root first, and the next slot in each. */
  readonly #nodes: TreeNode<K>[] = [];
  readonly #slots: number[] = [];
  readonly #rootHeight: number;

  constructor(tree: OrderedTree<K, V>) {
    this.item = tree.root;
    this.height = tree.height;
    this.#rootHeight = tree.height;
    if (tree.size === 0) this.done = true;
  }

  /** The key of the foremost entry. */
  smallest(): K {
    return this.height < 0 ? this.#key : smallestKey(this.item as TreeNode<K>, this.height);
  }

  /** Puts a subtree's children in its place. */
  enter(): void {
    this.#nodes.push(this.item as TreeNode<K>);
    this.#slots.push(0);
    this.skip();
  }

  enterOrTake(take: (key: K, value: V) => void): void {
    if (this.height < 0) {
      take(this.#key, this.item as V);
      this.skip();
    } else this.enter();
  }

  /** Drops the foremost item. */
  skip(): void {
    while (this.#nodes.length > 0) {
      const depth = this.#nodes.length - 1;
      const node = this.#nodes[depth]!;
      const slot = this.#slots[depth]!;
      if (slot < node.slots.length) {
        this.#slots[depth] = slot + 1;
        this.item = node.slots[slot];
        this.height = this.#rootHeight - depth - 1;
        this.#key = node.keys[slot]!;
        return;
      }
      this.#nodes.pop();
      this.#slots.pop();
    }
    this.done = true;
  }
}
