import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CollectionIndex } from '../../src/collection/collectionIndex.ts';
import { checkIndex } from '../../src/collection/indexCheck.ts';
import type { StorageEngine } from '../../src/engine.ts';
import { doc, engineWith, spec } from '../fixtures.ts';

const NS = 'app.c';
const indexes = [spec({ a: 1 }), spec({ b: -1, a: 1 }), spec({ a: -1 }, { sparse: true }), spec({ b: 1 }, { partialFilterExpression: { b: { $gt: 1 } } })]; // biome-ignore format: a list

function filled(documents: readonly object[]): StorageEngine {
  const engine = engineWith(NS);
  for (const index of indexes) engine.createIndex(NS, index);
  documents.forEach((document, _id) => {
    engine.insert(NS, doc({ _id, ...document }));
  });
  return engine;
}

const entriesOf = (engine: StorageEngine, name: string) =>
  (engine.collection(NS)!.index(name) as CollectionIndex).entries;

const value = fc.oneof(fc.nat(3), fc.constant(null), fc.array(fc.nat(3), { maxLength: 3 }));

test('what is written by insert, update and delete is sound', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: value, b: fc.nat(3) }, { requiredKeys: [] }), { maxLength: 8 }),
      fc.array(fc.record({ at: fc.nat(7), b: fc.option(fc.nat(3)) }), { maxLength: 8 }),
      (documents, changes) => {
        const engine = filled(documents);
        for (const { at, b } of changes) {
          if (!engine.collection(NS)!.get(at + 1)) continue;
          if (b === null) engine.delete(NS, at + 1);
          else engine.update(NS, at + 1, doc({ _id: at, b }));
        }
        const collection = engine.collection(NS)!;
        for (const index of collection.indexes) {
          expect(checkIndex(collection, index)).toEqual({
            extra: [],
            missing: [],
            duplicates: 0,
            lacksMultikey: false,
          });
        }
      },
    ),
    { seed: 3 },
  );
});

test.for(['_id_', 'a_1', 'b_-1_a_1'])('an entry that is gone from %s is missing, one too many is extra', (name) => {
  const engine = filled([
    { a: 1, b: 2 },
    { a: 5, b: 2 },
  ]);
  const collection = engine.collection(NS)!;
  const entries = entriesOf(engine, name);
  const cursor = entries.cursor();
  cursor.first();
  const [key, recordId] = [cursor.key, cursor.value];
  entries.delete(key);
  const { missing, extra } = checkIndex(collection, collection.index(name)!);
  expect([missing.map((each) => each.recordId), extra]).toEqual([[recordId], []]);
  entries.set(key, recordId);
  entries.set('zz', 77);
  expect(checkIndex(collection, collection.index(name)!)).toMatchObject({ missing: [], extra: [{ recordId: 77 }] });
});

test('an entry that stands for another record is both', () => {
  const engine = filled([{ a: 1 }, { a: 2 }]);
  const entries = entriesOf(engine, 'a_1');
  const cursor = entries.cursor();
  cursor.first();
  entries.set(cursor.key, 2);
  const collection = engine.collection(NS)!;
  const { missing, extra } = checkIndex(collection, collection.index('a_1')!);
  expect([missing.length, extra]).toEqual([1, [{ recordId: 2 }]]);
});

test('two documents with one key of a unique index are told', () => {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ u: 1 }, { unique: true }));
  for (const _id of [1, 2, 3]) engine.insert(NS, doc({ _id, u: _id === 3 ? 9 : 1 }), { allowDuplicates: true });
  const collection = engine.collection(NS)!;
  expect(checkIndex(collection, collection.index('u_1')!)).toMatchObject({ duplicates: 1, missing: [], extra: [] });
});
