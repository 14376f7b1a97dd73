import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument, encodeName, findField } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CollectionView } from '../../src/collection/views.ts';
import { openDirectoryDatabase } from '../../src/disk/directoryDatabase.ts';
import { Disk } from '../../src/disk/disk.ts';
import { openMemoryDatabase } from '../../src/disk/memoryDatabase.ts';
import { StorageEngine } from '../../src/engine.ts';
import { dateKey, encodeKey } from '../../src/keys/keys.ts';
import { doc, spec, uuid } from '../fixtures.ts';

const NS = 'app.events';
const CLUSTERED = encodeDocument({ clusteredIndex: { v: 2, key: { _id: 1 }, name: 'byId', unique: true } });

function clustered(options = CLUSTERED): StorageEngine {
  const engine = new StorageEngine();
  engine.createCollection(NS, { uuid: uuid(1), options });
  return engine;
}

const idsOf = (collection: CollectionView, reverse = false): unknown[] => {
  const found: unknown[] = [];
  const records = collection.records({ reverse });
  while (records.next()) found.push(decodePromoted(records.document.bytes)._id);
  return found;
};

test.for([
  [{ clusteredIndex: { v: 2, key: { _id: 1 }, name: 'byId', unique: true } }, 'byId'],
  [{ clusteredIndex: true }, '_id_'],
] as const)('%j: records lie in the order of _id, and no index stands beside them', ([options, name]) => {
  const engine = clustered(encodeDocument(options));
  for (const _id of [3, 'x', new Date(5), 1, new ObjectId('00'.repeat(12)), new Date(-5)]) {
    engine.insert(NS, doc({ _id }));
  }
  const events = engine.collection(NS)!;
  const inOrder = [1, 3, 'x', new ObjectId('00'.repeat(12)), new Date(-5), new Date(5)];
  expect(idsOf(events)).toEqual(inOrder);
  expect(idsOf(events, true)).toEqual(inOrder.toReversed());
  expect(events.indexes).toEqual([]);
  expect(events.index(name)).toBeUndefined();
  expect(decodePromoted(events.clusteredIndex!.spec.bytes)).toEqual({
    v: 2,
    key: { _id: 1 },
    name,
    unique: true,
    clustered: true,
  });
});

test.for([{}, { clusteredIndex: false }])('%j is not clustered', (options) => {
  const engine = clustered(encodeDocument(options));
  const events = engine.collection(NS)!;
  expect(events.clusteredIndex).toBeUndefined();
  expect(events.indexes).toHaveLength(1);
});

test('a duplicate is found whatever its numeric type, and named after the clustered index', () => {
  const engine = clustered();
  engine.insert(NS, doc({ _id: 42 }));
  expect(() => engine.insert(NS, doc({ _id: 42n }))).toThrow(/E11000 .* index: byId dup key: \{ _id: 42 \}/);
});

test('an _id of 8 MiB is too long to keep a record by', () => {
  const engine = clustered();
  engine.insert(NS, doc({ _id: 'x'.repeat(3 * 1024 * 1024) }));
  expect(() => engine.insert(NS, doc({ _id: 'x'.repeat(9 * 1024 * 1024) }))).toThrow(
    expect.objectContaining({ code: 5894900 }),
  );
  expect(engine.collection(NS)!.count).toBe(1);
});

describe('a walk goes on behind its place', () => {
  test.for([
    { after: 'present', remove: [] as number[], rest: [30, 40] },
    { after: 'a record that is gone meanwhile', remove: [20], rest: [30, 40] },
  ])('$after', ({ remove, rest }) => {
    const engine = clustered();
    for (const _id of [30, 10, 40, 20]) engine.insert(NS, doc({ _id }));
    const events = engine.collection(NS)!;
    const first = events.records();
    first.next();
    first.next();
    const { place } = first;
    for (const _id of remove) engine.delete(NS, events.findById(doc({ _id }).idKey)!);
    const records = events.records({ after: place });
    const found: unknown[] = [];
    while (records.next()) found.push(decodePromoted(records.document.bytes)._id);
    expect(found).toEqual(rest);
  });
});

const ID = encodeName('_id');
const anyId = fc.oneof(
  fc.integer({ min: -3, max: 12 }),
  fc.constantFrom('a', 'b', '', null, true, 2.5),
  fc.integer({ min: -4, max: 8 }).map((ms) => new Date(ms)),
  fc.nat(3).map((n) => new ObjectId(n.toString(16).padStart(24, '0'))),
);
const anyStep = fc.record({
  op: fc.constantFrom('insert', 'insert', 'insert', 'update', 'delete', 'expire', 'mark', 'restore', 'crash'),
  id: anyId,
  n: fc.nat(20),
});

/** The same collection as a list of documents, kept in order by a comparison that knows no keys. */
class Model {
  documents: { _id: unknown; n: number }[] = [];
  versions = new Map<number, { _id: unknown; n: number }[]>();

  find(id: unknown): number {
    return this.documents.findIndex(({ _id }) => compareIds(_id, id) === 0);
  }

  insert(document: { _id: unknown; n: number }): boolean {
    if (this.find(document._id) >= 0) return false;
    this.documents = [...this.documents, document].sort((a, b) => compareIds(a._id, b._id));
    return true;
  }
}

function compareIds(a: unknown, b: unknown): number {
  return compareValues(idOf(a), idOf(b));
}

const idOf = (_id: unknown) => findField(encodeDocument({ _id }), ID)!;

test('whatever is written, a clustered collection holds what a sorted list does, past versions and crashes included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 80 }), async (steps) => {
      const database = await openMemoryDatabase();
      let disk = new Disk(database);
      let { engine } = await disk.load();
      engine.createCollection(NS, { uuid: uuid(1), options: CLUSTERED });
      engine.createIndex(NS, spec({ n: 1 }));
      const model = new Model();
      let version = 0;
      for (const { op, id, n } of steps) {
        const events = engine.collection(NS)!;
        const recordId = events.findById(encodeKey(idOf(id)));
        expect(recordId !== undefined).toBe(model.find(id) >= 0);
        if (op === 'insert') {
          if (model.insert({ _id: id, n })) engine.insert(NS, doc({ _id: id, n }));
          else expect(() => engine.insert(NS, doc({ _id: id, n }))).toThrow(/E11000/);
        } else if (op === 'update' && recordId !== undefined) {
          const { _id } = model.documents[model.find(id)]!;
          model.documents = model.documents.with(model.find(id), { _id, n });
          engine.update(NS, recordId, doc({ _id, n }));
        } else if (op === 'delete' && recordId !== undefined) {
          model.documents = model.documents.toSpliced(model.find(id), 1);
          engine.delete(NS, recordId);
        } else if (op === 'expire') {
          model.documents = model.documents.filter(
            ({ _id: date }) => !(date instanceof Date && +date >= 0 && +date <= n),
          );
          const due = events.clusteredIndex!.range({ lower: dateKey(0), upper: dateKey(n) });
          while (due.next()) engine.delete(NS, due.recordId);
        } else if (op === 'mark') {
          engine.markVersion(++version);
          model.versions.set(version, model.documents);
        } else if (op === 'restore' && model.versions.size > 0) {
          version = [...model.versions.keys()][n % model.versions.size]!;
          engine.restoreTo(version);
          model.documents = model.versions.get(version)!;
          for (const later of model.versions.keys()) if (later > version) model.versions.delete(later);
        } else if (op === 'crash') {
          disk.writeCheckpoint(engine.snapshot(), encodeDocument({}), { dropJournalThrough: 0 });
          disk = new Disk(database);
          engine = (await disk.load()).engine;
          model.versions.clear();
          version = 0;
        }
        check(engine, model);
      }
    }),
    { seed: 1, numRuns: 75 },
  );
});

function check(engine: StorageEngine, { documents, versions }: Model): void {
  const events = engine.collection(NS)!;
  const ids = documents.map(({ _id }) => _id);
  expect(idsOf(events)).toEqual(ids);
  expect(idsOf(events, true)).toEqual(ids.toReversed());
  expect(events.count).toBe(documents.length);
  expect(events.clusteredIndex!.keyCount).toBe(documents.length);
  expect(events.index('n_1')!.keyCount).toBe(documents.length);
  for (const [version, then] of versions) {
    expect(idsOf(engine.at(version).collection(NS)!)).toEqual(then.map(({ _id }) => _id));
  }
}

test('a clustered collection is found again on a real disk, in its order and under its name', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'replsim-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const ids = [new Date(5), 3, 'x', new Date(-5), 1];
  const database = await openDirectoryDatabase({ directory });
  const disk = new Disk(database);
  const { engine } = await disk.load();
  engine.createCollection(NS, { uuid: uuid(1), options: CLUSTERED });
  engine.createIndex(NS, spec({ n: 1 }));
  for (const [n, _id] of ids.entries()) engine.insert(NS, doc({ _id, n }));
  disk.writeCheckpoint(engine.snapshot(), encodeDocument({}), { dropJournalThrough: 0 });
  engine.delete(NS, engine.collection(NS)!.findById(encodeKey(idOf(3)))!);
  disk.writeCheckpoint(engine.snapshot(), encodeDocument({}), { dropJournalThrough: 0 });
  await disk.lastWrite;
  await database.close();

  const reopened = await openDirectoryDatabase({ directory });
  onTestFinished(() => reopened.close());
  const found = (await new Disk(reopened).load()).engine.collection(NS)!;
  expect(idsOf(found)).toEqual([1, 'x', new Date(-5), new Date(5)]);
  expect(found.clusteredIndex!.spec.name).toBe('byId');
  expect(found.indexes.map(({ spec: { name } }) => name)).toEqual(['n_1']);
});
