import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { OrderedTree } from '../../src/tree/orderedTree.ts';
import { NumberTree, StringTree } from '../../src/tree/tree.ts';
import { diffTrees } from '../../src/tree/treeDiff.ts';

// Small nodes make deep trees of few entries; the engine's tests use those of full size.
vi.mock('../../src/tree/treeNode.ts', async (original) => ({
  ...(await original<typeof import('../../src/tree/treeNode.ts')>()),
  NODE_CAPACITY: 4,
  MERGE_BELOW: 2,
  MERGED_AT_MOST: 3,
}));

type Model = Map<number, number>;

const sortedEntries = (model: Model) => [...model].sort(([a], [b]) => a - b);

function entriesOf<K extends number | string, V>(tree: OrderedTree<K, V>): [K, V][] {
  const found: [K, V][] = [];
  const cursor = tree.cursor();
  for (let ok = cursor.first(); ok; ok = cursor.next()) found.push([cursor.key, cursor.value]);
  return found;
}

function entriesBackwards<K extends number | string, V>(tree: OrderedTree<K, V>): [K, V][] {
  const found: [K, V][] = [];
  const cursor = tree.cursor();
  for (let ok = cursor.last(); ok; ok = cursor.previous()) found.push([cursor.key, cursor.value]);
  return found;
}

/** Stretches of keys rather than single ones, so that nodes fill, split, empty and merge. */
const anyRun = fc.record({
  op: fc.constantFrom('set', 'set', 'set', 'delete', 'delete', 'snapshot', 'restore'),
  from: fc.nat(500),
  count: fc.nat(150),
  stride: fc.constantFrom(1, 1, 7, 61, -1, 113),
  value: fc.nat(),
});

/** Carries out the runs on a tree and a model; hands every snapshot with its model to `check`. */
function play(runs: (typeof anyRun extends fc.Arbitrary<infer T> ? T : never)[]) {
  const tree = new NumberTree<number>();
  let model: Model = new Map();
  const snapshots: { tree: NumberTree<number>; model: Model }[] = [];
  for (const { op, from, count, stride, value } of runs) {
    if (op === 'snapshot') snapshots.push({ tree: tree.snapshot(), model: new Map(model) });
    if (op === 'restore' && snapshots.length > 0) {
      const { tree: kept, model: then } = snapshots[from % snapshots.length]!;
      tree.restore(kept);
      model = new Map(then);
    }
    for (let i = 0, key = from; i < count; i++, key = (key + stride + 600) % 600) {
      if (op === 'set') {
        tree.set(key, value);
        model.set(key, value);
      } else if (op === 'delete') {
        expect(tree.delete(key)).toBe(model.get(key));
        model.delete(key);
      }
    }
  }
  return { tree, model, snapshots };
}

test('a tree holds what a sorted map holds, and its snapshots never change', () => {
  fc.assert(
    fc.property(fc.array(anyRun, { maxLength: 40 }), fc.nat(600), (runs, probe) => {
      const { tree, model, snapshots } = play(runs);
      for (const kept of [...snapshots, { tree, model }]) {
        const entries = sortedEntries(kept.model);
        expect(entriesOf(kept.tree)).toEqual(entries);
        expect(entriesBackwards(kept.tree)).toEqual(entries.toReversed());
        expect(kept.tree.size).toBe(entries.length);
        expect(kept.tree.firstKey()).toBe(entries[0]?.[0]);
        expect(kept.tree.lastKey()).toBe(entries.at(-1)?.[0]);
        expect(kept.tree.get(probe)).toBe(kept.model.get(probe));
        const cursor = kept.tree.cursor();
        for (const inclusive of [true, false]) {
          const above = entries.find(([key]) => key > probe || (inclusive && key === probe));
          const below = entries.findLast(([key]) => key < probe || (inclusive && key === probe));
          expect(cursor.seek(probe, inclusive) ? cursor.key : undefined).toBe(above?.[0]);
          expect(cursor.seekBack(probe, inclusive) ? cursor.key : undefined).toBe(below?.[0]);
        }
      }
    }),
    { seed: 1, numRuns: 75 },
  );
});

test('what diffTrees reports turns the older into the newer', () => {
  fc.assert(
    fc.property(fc.array(anyRun, { maxLength: 30 }), (runs) => {
      const { tree, model, snapshots } = play(runs);
      const last = { tree, model };
      for (const [older, newer] of snapshots.flatMap((kept) => [
        [kept, last],
        [last, kept],
      ]) as [typeof last, typeof last][]) {
        const patched = new Map(older.model);
        const order: number[] = [];
        const onPut = (key: number, value: number) => {
          expect(patched.get(key)).not.toBe(value);
          patched.set(key, value);
          order.push(key);
        };
        const onDelete = (key: number) => {
          expect(patched.delete(key)).toBe(true);
          order.push(key);
        };
        diffTrees(older.tree, newer.tree, onPut, onDelete);
        expect(sortedEntries(patched)).toEqual(sortedEntries(newer.model));
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }
    }),
    { seed: 2, numRuns: 75 },
  );
});

test('single keys, put and deleted in any order, are always found', () => {
  const anyPhase = fc.record({
    share: fc.constantFrom(0.1, 0.5, 0.9),
    keys: fc.array(fc.nat(300), { minLength: 50, maxLength: 300 }),
  });
  fc.assert(
    fc.property(fc.array(anyPhase, { minLength: 5, maxLength: 10 }), (phases) => {
      const tree = new NumberTree<number>();
      const model = new Set<number>();
      for (const { share, keys } of phases) {
        keys.forEach((key, i) => {
          if ((i * 7) % 10 < share * 10) {
            tree.set(key, key);
            model.add(key);
          } else expect(tree.delete(key) !== undefined).toBe(model.delete(key));
        });
        for (const key of model) expect(tree.get(key)).toBe(key);
      }
      expect(entriesOf(tree).map(([key]) => key)).toEqual([...model].sort((a, b) => a - b));
    }),
    { seed: 4, numRuns: 75 },
  );
});

test('a snapshot that is written to, restored from and written to again leaves the tree alone', () => {
  const tree = new NumberTree<string>();
  tree.set(1, 'a');
  const snapshot = tree.snapshot();
  snapshot.set(1, 'b');
  expect(tree.get(1)).toBe('a');
  tree.restore(snapshot);
  snapshot.set(1, 'c');
  expect(tree.get(1)).toBe('b');
  expect(tree.add(1, 'd')).toBe(false);
  expect(tree.add(2, 'd')).toBe(true);
  expect([tree.get(1), snapshot.has(2)]).toEqual(['b', false]);
});

test('diffTrees does not enter what both versions share', () => {
  const tree = new NumberTree<object>();
  for (let key = 0; key < 20_000; key++) tree.set(key, {});
  const before = tree.snapshot();
  tree.delete(5_000);
  tree.set(15_000, {});
  const changed: [string, number][] = [];
  diffTrees(
    before,
    tree,
    (key) => changed.push(['put', key]),
    (key) => changed.push(['delete', key]),
  );
  expect(changed).toEqual([
    ['delete', 5_000],
    ['put', 15_000],
  ]);
});

test('a cursor goes on behind its key while entries are deleted and put', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(9999), { maxLength: 500 }), fc.boolean(), (keys, reverse) => {
      const tree = new StringTree<number>();
      for (const key of keys) tree.set(String(key), key);
      const cursor = tree.cursor();
      const seen: string[] = [];
      for (let ok = reverse ? cursor.last() : cursor.first(); ok; ok = reverse ? cursor.previous() : cursor.next()) {
        seen.push(cursor.key);
        tree.delete(cursor.key);
        // Behind the cursor in either direction, so never seen.
        tree.set(reverse ? `~${cursor.key}` : `!${cursor.key}`, 0);
      }
      const inOrder = keys.map(String).sort();
      expect(seen).toEqual(reverse ? inOrder.reverse() : inOrder);
    }),
    { seed: 3 },
  );
});

test('a cursor at either end stays there, and turns around', () => {
  const tree = new NumberTree<string>();
  for (let key = 0; key < 300; key++) tree.set(key, 'x');
  const cursor = tree.cursor();
  expect(cursor.seek(299)).toBe(true);
  expect(cursor.next()).toBe(false);
  expect(cursor.next()).toBe(false);
  expect(cursor.seek(0)).toBe(true);
  expect(cursor.previous()).toBe(false);
  expect(cursor.previous()).toBe(false);
  expect(new NumberTree<string>().cursor().first()).toBe(false);
  expect(new NumberTree<string>().cursor().last()).toBe(false);
  expect(new NumberTree<string>().cursor().seek(1)).toBe(false);
  expect(new NumberTree<string>().cursor().seekBack(1)).toBe(false);
});
