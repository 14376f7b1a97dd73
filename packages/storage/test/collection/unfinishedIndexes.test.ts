import { CommandError, encodeDocument } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StoredDocument } from '../../src/collection/storedDocument.ts';
import type { CollectionView, IndexView } from '../../src/collection/views.ts';
import { StorageEngine } from '../../src/engine.ts';
import { parseIndexSpec } from '../../src/keys/indexSpec.ts';

const NS = 'app.c';
const UUID = new Uint8Array(16).fill(7);
const strict = { lenient: false };
const lenient = { lenient: true };

const document = (_id: number, fields: object) => new StoredDocument(encodeDocument({ _id, ...fields }));
const spec = (key: object, options: object = {}) =>
  parseIndexSpec(encodeDocument({ v: 2, key, name: Object.keys(key).join('_'), ...options }));

function withBuild(values: readonly object[], ...specs: ReturnType<typeof spec>[]): StorageEngine {
  const engine = new StorageEngine();
  engine.createCollection(NS, { uuid: new Uint8Array(16).fill(1) });
  for (const [i, fields] of values.entries()) engine.insert(NS, document(i, fields));
  engine.enterBuild(NS, { uuid: UUID, durable: true }, specs);
  return engine;
}

function entriesOf(index: IndexView): string[] {
  const entries: string[] = [];
  const cursor = index.range();
  while (cursor.next()) entries.push(`${cursor.recordId}`);
  return entries;
}

const collectionOf = (engine: StorageEngine): CollectionView => engine.collection(NS)!;

const anyWrite = fc.oneof(
  fc.record({ type: fc.constant('insert' as const), a: fc.integer({ min: 0, max: 5 }) }),
  fc.record({ type: fc.constant('update' as const), at: fc.nat(20), a: fc.oneof(fc.nat(5), fc.array(fc.nat(5))) }),
  fc.record({ type: fc.constant('delete' as const), at: fc.nat(20) }),
  fc.record({ type: fc.constant('scan' as const), count: fc.integer({ min: 1, max: 4 }) }),
);

test('whatever is written while it is built, an index ends up as if it had been built at the end', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 8 }), fc.array(anyWrite, { maxLength: 30 }), (before, steps) => {
      const engine = withBuild(
        before.map((a) => ({ a })),
        spec({ a: 1 }),
      );
      engine.beginBuild(NS, UUID);
      let nextId = before.length;
      for (const step of steps) {
        const collection = collectionOf(engine);
        if (step.type === 'scan') engine.scanForBuild(NS, UUID, step.count, strict);
        else if (step.type === 'insert') engine.insert(NS, document(nextId++, { a: step.a }));
        else {
          const stored = collection.get(step.at);
          if (!stored) continue;
          if (step.type === 'delete') engine.delete(NS, step.at);
          else engine.update(NS, step.at, document(step.at - 1, { a: step.a }));
        }
      }
      engine.scanForBuild(NS, UUID, Number.POSITIVE_INFINITY, strict);
      engine.finishBuild(NS, UUID, strict);
      const built = collectionOf(engine).index('a')!;
      engine.createIndex(NS, spec({ a: 1 }, { name: 'atOnce' }));
      expect(entriesOf(built)).toEqual(entriesOf(collectionOf(engine).index('atOnce')!));
    }),
  );
});

test('an index is not among the ready ones before its build ends, nor in a drop of them', () => {
  const engine = withBuild([{ a: 1 }], spec({ a: 1 }));
  expect(collectionOf(engine).indexes).toHaveLength(1);
  expect(collectionOf(engine).index('a')).toBeUndefined();
  expect(collectionOf(engine).unfinished.map(({ indexes }) => indexes[0]!.spec.name)).toEqual(['a']);
  engine.beginBuild(NS, UUID);
  engine.scanForBuild(NS, UUID, 10, strict);
  engine.finishBuild(NS, UUID, strict);
  expect(collectionOf(engine).index('a')?.keyCount).toBe(1);
  expect(collectionOf(engine).unfinished).toEqual([]);
});

test('a scan does not run after the documents that come in behind it', () => {
  const engine = withBuild([{ a: 1 }, { a: 2 }], spec({ a: 1 }));
  engine.beginBuild(NS, UUID);
  for (let i = 10; i < 20; i++) engine.insert(NS, document(i, { a: i }));
  engine.scanForBuild(NS, UUID, 3, strict);
  expect(collectionOf(engine).unfinished[0]).toMatchObject({ documentsScanned: 2, isScanned: true });
  engine.finishBuild(NS, UUID, strict);
  expect(collectionOf(engine).index('a')?.keyCount).toBe(12);
});

test('a unique index may hold duplicates while it is built, and must not at the end', () => {
  const engine = withBuild([{ a: 1 }, { a: 1 }], spec({ a: 1 }, { unique: true }));
  engine.beginBuild(NS, UUID);
  engine.scanForBuild(NS, UUID, 10, strict);
  expect(() => engine.finishBuild(NS, UUID, strict)).toThrow(
    expect.objectContaining({ code: 11000, message: expect.stringContaining('dup key: { a: 1 }') }),
  );
  expect(collectionOf(engine).unfinished).toHaveLength(1);
  engine.delete(NS, 2);
  engine.finishBuild(NS, UUID, strict);
  expect(collectionOf(engine).index('a')?.keyCount).toBe(1);
});

test('a document whose keys cannot be drawn stops a strict scan, and a lenient one leaves it for the end', () => {
  const parallel = { a: [1, 2], b: [3, 4] };
  const engine = withBuild([{ a: 1, b: 1 }, parallel, { a: 2, b: 2 }], spec({ a: 1, b: 1 }));
  engine.beginBuild(NS, UUID);
  expect(() => engine.scanForBuild(NS, UUID, 10, strict)).toThrow(expect.objectContaining({ code: 171 }));
  engine.scanForBuild(NS, UUID, 10, lenient);
  expect(collectionOf(engine).unfinished[0]!.isScanned).toBe(true);
  expect(() => engine.finishBuild(NS, UUID, strict)).toThrow(CommandError);
  engine.update(NS, 2, document(1, { a: [1, 2], b: 3 }));
  engine.finishBuild(NS, UUID, strict);
  expect(collectionOf(engine).index('a_b')?.keyCount).toBe(4);
});

test('who comes back to a version with an unfinished index finds it not yet begun; a passing one is forgotten', () => {
  const engine = withBuild([{ a: 1 }], spec({ a: 1 }));
  const passing = new Uint8Array(16).fill(9);
  engine.enterBuild(NS, { uuid: passing, durable: false }, [spec({ b: 1 })]);
  engine.markVersion(1);
  engine.beginBuild(NS, UUID);
  engine.scanForBuild(NS, UUID, 10, strict);
  engine.finishBuild(NS, UUID, strict);
  engine.markVersion(2);
  engine.restoreTo(1);
  expect(collectionOf(engine).index('a')).toBeUndefined();
  expect(collectionOf(engine).unfinished).toMatchObject([{ documentsScanned: 0, isScanned: false }]);
  engine.insert(NS, document(5, { a: 5 }));
  engine.beginBuild(NS, UUID);
  engine.scanForBuild(NS, UUID, 10, strict);
  engine.finishBuild(NS, UUID, strict);
  expect(collectionOf(engine).index('a')?.keyCount).toBe(2);
});
