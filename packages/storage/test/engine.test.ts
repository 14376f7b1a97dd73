import { BsonType, CommandError, decodePromoted, encodeDocument, InvariantError, RawBson } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { IndexBounds } from '../src/collection/indexCursor.ts';
import { StoredDocument } from '../src/collection/storedDocument.ts';
import type { CollectionView } from '../src/collection/views.ts';
import { StorageEngine } from '../src/engine.ts';
import { dateKey, encodeKey, invertKey, typePrefix } from '../src/keys/keys.ts';
import { doc, engineWith, spec, uuid } from './fixtures.ts';

const NS = 'app.sessions';

function errorOf(action: () => unknown): CommandError {
  try {
    action();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const decoded = (collection: CollectionView | undefined) => {
  const found: Record<string, unknown>[] = [];
  const cursor = collection!.records();
  while (cursor.next()) found.push(decodePromoted(cursor.document.bytes));
  return found;
};

const idsIn = (collection: CollectionView | undefined, index: string, bounds?: IndexBounds) => {
  const found: unknown[] = [];
  const cursor = collection!.index(index)!.range(bounds);
  while (cursor.next()) found.push(decodePromoted(collection!.get(cursor.recordId)!.bytes)._id);
  return found;
};

test('documents are inserted, found, updated and deleted, in natural order', () => {
  const engine = engineWith(NS);
  const first = engine.insert(NS, doc({ _id: 2, a: 1 }));
  const second = engine.insert(NS, doc({ _id: 1 }));
  expect([first, second]).toEqual([1, 2]);
  const sessions = engine.collection(NS)!;
  expect(sessions.findById(doc({ _id: 1n }).idKey)).toBe(second);
  engine.update(NS, first, doc({ _id: 2, a: 5 }));
  expect(decoded(sessions)).toEqual([{ _id: 2, a: 5 }, { _id: 1 }]);
  expect(sessions).toMatchObject({ count: 2, dataSize: 21 + 14 });
  engine.delete(NS, first);
  expect(decoded(sessions)).toEqual([{ _id: 1 }]);
  expect(engine.insert(NS, doc({ _id: 2 }))).toBe(3);
  expect(() => engine.delete(NS, first)).toThrow(InvariantError);
  expect(() => engine.update(NS, 3, doc({ _id: 9 }))).toThrow(InvariantError);
  expect(() => engine.insert(NS, doc({ a: 1 }))).toThrow(InvariantError);
  const cursor = sessions.records({ after: 4, reverse: true });
  expect([cursor.next(), cursor.recordId, cursor.next(), cursor.recordId]).toEqual([true, 3, true, 2]);
});

test('a range of an index comes in its order, and survives deletes under the cursor', () => {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ at: 1 }));
  engine.createIndex(NS, spec({ at: -1 }));
  const values = [new Date(30), new Date(10), 'x', new Date(20), undefined, new Date(-5), [new Date(15), 7]];
  values.forEach((at, _id) => {
    engine.insert(NS, doc({ _id, at }));
  });
  const sessions = engine.collection(NS)!;
  const dates = { lower: dateKey(-Infinity), upper: dateKey(20) };
  expect(idsIn(sessions, 'at_1', dates)).toEqual([5, 1, 6, 3]);
  expect(idsIn(sessions, 'at_1', { ...dates, reverse: true })).toEqual([3, 6, 1, 5]);
  expect(
    idsIn(sessions, 'at_1', { lower: dateKey(10), lowerInclusive: false, upper: dateKey(20), upperInclusive: false }),
  ).toEqual([6]);
  const allDates = { lower: typePrefix(BsonType.date), upper: typePrefix(BsonType.date) };
  expect(idsIn(sessions, 'at_1', allDates)).toEqual([5, 1, 6, 3, 0]);
  expect(idsIn(sessions, 'at_1')).toEqual([4, 6, 2, 5, 1, 6, 3, 0]);
  const inverted = { lower: invertKey(dateKey(20)), upper: invertKey(dateKey(-Infinity)) };
  expect(idsIn(sessions, 'at_-1', { ...inverted, reverse: true })).toEqual([5, 1, 6, 3]);
  expect(sessions.index('at_1')).toMatchObject({ multikey: true, keyCount: 8 });

  const cursor = sessions.index('at_1')!.range(dates);
  const deleted: unknown[] = [];
  while (cursor.next()) deleted.push(decodePromoted(engine.delete(NS, cursor.recordId).bytes)._id);
  expect(deleted).toEqual([5, 1, 6, 3]);
  expect(decoded(sessions).map(({ _id }) => _id)).toEqual([0, 2, 4]);
  expect(sessions.index('at_-1')!.keyCount).toBe(3);
});

test('a unique index refuses before anything changes', () => {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ a: 1 }, { unique: true }));
  engine.createIndex(NS, spec({ b: 1 }));
  engine.insert(NS, doc({ _id: 1, a: 'x', b: 1 }));
  const other = engine.insert(NS, doc({ _id: 2, a: ['y', 'z'] }));
  const before = engine.dataHash();
  const cases: [StoredDocument, string, object][] = [
    [doc({ _id: 1, a: 'new' }), '_id_ dup key: { _id: 1 }', { _id: 1 }],
    [doc({ _id: 3, a: 'x' }), 'a_1 dup key: { a: "x" }', { a: 'x' }],
    [doc({ _id: 4, a: ['new', 'z'] }), 'a_1 dup key: { a: "z" }', { a: 'z' }],
    [doc({ _id: 1, a: 'x' }), '_id_ dup key: { _id: 1 }', { _id: 1 }],
  ];
  for (const [document, message, keyValue] of cases) {
    const error = errorOf(() => engine.insert(NS, document));
    expect(error).toMatchObject({
      code: 11000,
      message: `E11000 duplicate key error collection: ${NS} index: ${message}`,
    });
    expect(decodePromoted((error.extra.keyValue as RawBson).bytes)).toEqual(keyValue);
    expect(error.extra.keyPattern).toBeInstanceOf(RawBson);
  }
  expect(errorOf(() => engine.update(NS, other, doc({ _id: 2, a: 'x' }))).code).toBe(11000);
  engine.update(NS, other, doc({ _id: 2, a: ['z', 'z', 'q'] }));
  engine.update(NS, other, doc({ _id: 2, a: ['y', 'z'] }));
  expect(engine.dataHash()).toEqual(before);
  expect(engine.collection(NS)!.index('b_1')!.keyCount).toBe(2);
  engine.insert(NS, doc({ _id: 9, a: 'x' }), { allowDuplicates: true });
  expect(errorOf(() => engine.createIndex(NS, spec({ a: -1 }, { unique: true }))).code).toBe(11000);
  expect(engine.collection(NS)!.index('a_-1')).toBeUndefined();
});

test('the catalog: create, rename, drop, indexes and their options', () => {
  const engine = engineWith(NS, 'app.other');
  expect(errorOf(() => engine.createCollection(NS, { uuid: uuid(9) })).codeName).toBe('NamespaceExists');
  expect(errorOf(() => engine.insert('app.none', doc({ _id: 1 }))).codeName).toBe('NamespaceNotFound');
  expect(errorOf(() => engine.renameCollection(NS, 'app.other')).codeName).toBe('NamespaceExists');
  engine.insert(NS, doc({ _id: 1 }));
  engine.dropCollection('app.other');
  engine.renameCollection(NS, 'app.other');
  expect(engine.collections().map(({ ns }) => ns)).toEqual(['app.other']);
  expect(engine.collectionByUuid(uuid(1))).toBe(engine.collection('app.other'));
  expect(engine.collectionByUuid(uuid(2))).toBeUndefined();
  engine.createIndex('app.other', spec({ loc: '2dsphere' }));
  engine.createIndex('app.other', spec({ t: 1 }, { expireAfterSeconds: 5 }));
  const names = () => engine.collection('app.other')!.indexes.map((index) => index.spec.name);
  expect(names()).toEqual(['_id_', 'loc_2dsphere', 't_1']);
  const changed = engine.setIndexOption('app.other', 't_1', { expireAfterSeconds: 60 });
  expect(decodePromoted(changed.bytes).expireAfterSeconds).toBe(60);
  expect(engine.collection('app.other')!.index('t_1')!.spec).toBe(changed);
  engine.dropIndex('app.other', 'loc_2dsphere');
  expect(names()).toEqual(['_id_', 't_1']);
  expect(errorOf(() => engine.dropIndex('app.other', 'nope')).codeName).toBe('IndexNotFound');
  engine.setOptions('app.other', encodeDocument({ capped: true }));
  expect(decodePromoted(engine.collection('app.other')!.options)).toEqual({ capped: true });
});

test('a hash over all but one collection', () => {
  const [a, b] = [engineWith(NS, 'app.rows', 'local.startup_log'), engineWith(NS, 'app.rows')];
  for (const engine of [a, b]) engine.insert(NS, doc({ _id: 1 }));
  a.insert('app.rows', doc({ _id: 1 }));
  expect(a.dataHash()).not.toEqual(b.dataHash());
  expect(a.dataHashWithout('app.rows')).toEqual(b.dataHashWithout('app.rows'));
  expect(a.dataHashWithout(NS)).not.toEqual(b.dataHashWithout(NS));
  for (const ns of ['local.startup_log', 'app.none']) expect(a.dataHashWithout(ns)).toEqual(a.dataHash());
});

test('equal data has equal hashes, whatever its history; local does not count', () => {
  const a = engineWith(NS);
  const b = engineWith(NS, 'local.startup_log');
  const documents = [doc({ _id: 1 }), doc({ _id: 2, x: 'y' }), doc({ _id: 3 })];
  for (const document of documents) a.insert(NS, document);
  const full = a.dataHash();
  b.createCollection('app.old', { uuid: uuid(7) });
  b.insert('app.old', doc({ _id: 1 }));
  b.insert('local.startup_log', doc({ _id: 1 }));
  for (const document of documents.toReversed()) b.insert(NS, new StoredDocument(document.bytes));
  b.insert(NS, doc({ _id: 4 }));
  expect(b.dataHash()).not.toEqual(full);
  b.delete(NS, 4);
  b.dropCollection('app.old');
  expect(b.dataHash()).toEqual(full);
  expect(a.collection(NS)!.dataHash).toEqual(b.collection(NS)!.dataHash);
  a.update(NS, 3, doc({ _id: 3, x: 1 }));
  expect(a.dataHash()).not.toEqual(full);
  a.renameCollection(NS, 'app.renamed');
  a.update('app.renamed', 3, doc({ _id: 3 }));
  expect(a.dataHash()).not.toEqual(full);
  a.renameCollection('app.renamed', NS);
  expect(a.dataHash()).toEqual(full);
});

test('versions are read and restored, catalog and all; local stays', () => {
  const engine = engineWith(NS, 'local.log');
  engine.insert(NS, doc({ _id: 1 }));
  engine.markVersion(10);
  const hash = engine.dataHash();
  engine.insert(NS, doc({ _id: 2 }));
  engine.createIndex(NS, spec({ t: 1 }, { expireAfterSeconds: 5 }));
  engine.markVersion(20);
  engine.setIndexOption(NS, 't_1', { expireAfterSeconds: 9 });
  engine.renameCollection(NS, 'app.new');
  engine.createCollection('app.extra', { uuid: uuid(9) });
  engine.insert('local.log', doc({ _id: 1 }));
  engine.markVersion(30);
  engine.dropCollection('app.new');

  expect(engine.versions).toEqual({ oldest: 10, newest: 30 });
  expect(decoded(engine.at(19).collection(NS))).toEqual([{ _id: 1 }]);
  expect(engine.at(19).dataHash()).toEqual(hash);
  expect(engine.at(20).collection(NS)!.index('t_1')).toBeDefined();
  expect(
    engine
      .at(99)
      .collections()
      .map(({ ns }) => ns),
  ).toEqual(['app.extra', 'app.new']);
  expect(engine.at(30).collectionByUuid(uuid(1))!.ns).toBe('app.new');
  expect(
    engine
      .checkpointView(10)
      .collections()
      .map(({ ns }) => ns),
  ).toEqual([NS, 'local.log']);

  engine.restoreTo(25);
  expect(engine.collections().map(({ ns }) => ns)).toEqual([NS, 'local.log']);
  expect(decoded(engine.collection(NS))).toEqual([{ _id: 1 }, { _id: 2 }]);
  expect(decodePromoted(engine.collection(NS)!.index('t_1')!.spec.bytes).expireAfterSeconds).toBe(5);
  expect(decoded(engine.collection('local.log'))).toHaveLength(1);
  expect(engine.versions.newest).toBe(25);
  engine.insert(NS, doc({ _id: 3 }));
  engine.markVersion(30);
  engine.forgetBefore(29);
  expect(() => engine.at(19)).toThrow(InvariantError);
  expect(engine.at(29).collection(NS)!.count).toBe(2);
  expect(engine.at(30).collection(NS)!.count).toBe(3);
  engine.restoreTo(29);
  expect(engine.collection(NS)!.count).toBe(2);
  expect(engine.dataHash()).toEqual(engine.at(29).dataHash());
});

test('a version that only a local collection has changed shows nothing of what comes after it', () => {
  const engine = engineWith(NS);
  engine.markVersion(10);
  engine.createCollection('local.log', { uuid: uuid(8) });
  engine.markVersion(20);
  engine.createCollection('app.later', { uuid: uuid(9) });
  engine.markVersion(30);
  const namesAt = (version: number) =>
    engine
      .at(version)
      .collections()
      .map(({ ns }) => ns);
  expect([10, 20, 30, 20].map(namesAt)).toEqual([[NS], [NS], ['app.later', NS], [NS]]);
});

test('the oplog may do without _id, and choose its record ids', () => {
  const engine = engineWith();
  engine.createCollection('local.oplog.rs', { uuid: uuid(1), withoutIdIndex: true });
  engine.insert('local.oplog.rs', doc({ op: 'n' }), { recordId: 2 ** 52 });
  expect(engine.insert('local.oplog.rs', doc({ op: 'n' }))).toBe(2 ** 52 + 1);
  expect(engine.collection('local.oplog.rs')!.indexes).toEqual([]);
  expect(() => engine.insert('local.oplog.rs', doc({ op: 'n' }), { recordId: 2 ** 52 })).toThrow(InvariantError);
});

test('a bound of fewer parts stands for all keys that begin with it', () => {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ a: 1, b: -1 }));
  for (const [_id, a, b] of [
    [1, 1, 1],
    [2, 1, 2],
    [3, 2, 1],
    [4, 2, 2],
  ]) {
    engine.insert(NS, doc({ _id, a, b }));
  }
  const one = encodeKey({ type: BsonType.int, bytes: new Uint8Array([1, 0, 0, 0]), offset: 0, size: 4 });
  const sessions = engine.collection(NS);
  expect(idsIn(sessions, 'a_1_b_-1', { lower: one, upper: one })).toEqual([2, 1]);
  expect(idsIn(sessions, 'a_1_b_-1', { lower: one, lowerInclusive: false })).toEqual([4, 3]);
  expect(idsIn(sessions, 'a_1_b_-1', { upper: one, upperInclusive: false })).toEqual([]);
});

test('of old versions few are kept, but all in which more than documents changed, and all behind the line', () => {
  const engine = new StorageEngine();
  engine.createCollection('app.c', { uuid: uuid(1) });
  engine.createCollection('app.d', { uuid: uuid(2) });
  for (let version = 1; version <= 400; version++) {
    engine.insert(version % 7 === 0 ? 'app.d' : 'app.c', doc({ _id: version }));
    if (version === 133) engine.createIndex('app.d', spec({ a: 1 }));
    if (version === 134) engine.setOptions('app.c', encodeDocument({ validator: {} }));
    engine.markVersion(version);
    engine.thinBefore(version - 50, 20);
  }
  const kept = Array.from({ length: 400 }, (_, i) => i + 1).filter((version) => engine.markedUpTo(version) === version);
  expect(kept.filter((version) => version < 330).length).toBeLessThan(25);
  expect(kept).toEqual(expect.arrayContaining([1, 133, 134, ...Array.from({ length: 51 }, (_, i) => 350 + i)]));
  kept.forEach((version, i) => {
    // Whoever reads between two of them applies no more than this.
    expect(version - (kept[i - 1] ?? 0)).toBeLessThanOrEqual(20);
    const view = engine.at(version);
    expect(view.collection('app.c')!.count + view.collection('app.d')!.count).toBe(version);
    expect(view.collection('app.d')!.count).toBe(Math.floor(version / 7));
    expect(view.collection('app.d')!.indexes).toHaveLength(version < 133 ? 1 : 2);
  });
});

test('a version is forgotten once a later one shows the same instant, and none before the first', () => {
  const engine = engineWith(NS);
  engine.forgetBefore(5);
  expect(engine.versions.oldest).toBe(Number.NEGATIVE_INFINITY);
  for (const version of [10, 20, 30]) {
    engine.insert(NS, doc({ _id: version }));
    engine.markVersion(version);
  }
  engine.forgetBefore(25);
  expect(engine.versions).toEqual({ oldest: 20, newest: 30 });
  expect(decoded(engine.at(20).collection(NS))).toEqual([{ _id: 10 }, { _id: 20 }]);
});
