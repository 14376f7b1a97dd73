import { decodeDocument, decodePromoted, encodeDocument, type OplogEntry } from '@replsim/protocol';
import { Binary, Long, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { RetryableWrite } from '../../../operations/src/sessions/retryableWrite.ts';
import { sessionRecord } from '../../../operations/src/sessions/transactionTable.ts';
import { decodeEntry } from '../../../oplog/src/decodeEntry.ts';
import { applyEntry } from '../../src/data/applyEntry.ts';
import type { ApplyMode } from '../../src/data/applyHost.ts';
import { type Doc, LoneMember } from '../loneMember.ts';

// Entries as bytes, as a mongod would have written them, applied to the data of one real member.

const NS = 'app.orders';
const uuid = (n: number) => new Binary(new Uint8Array(16).fill(n), Binary.SUBTYPE_UUID);
const ui = uuid(1);

let member: LoneMember;
let secs: number;

function entryOf(fields: Doc): OplogEntry {
  secs += 1;
  const place = { ts: new Timestamp({ t: secs, i: 1 }), t: Long.fromNumber(1), v: Long.fromNumber(2) };
  return decodeEntry(encodeDocument({ ...fields, ...place, wall: new Date(secs * 1000) }));
}

function apply(fields: Doc, mode: ApplyMode = 'steady'): OplogEntry {
  const entry = entryOf(fields);
  applyEntry(member.mongod.core, entry, mode, member.mongod);
  return entry;
}

function documents(ns = NS): Doc[] {
  const records = member.mongod.core.engine.collection(ns)!.records();
  const all: Doc[] = [];
  while (records.next()) all.push(decodePromoted(records.document.bytes) as Doc);
  return all;
}

/** What was logged goes out with the next event. */
function warnings() {
  member.run({ ping: 1 });
  return member.logged(7149000);
}

const insert = (o: Doc) => ({ op: 'i', ns: NS, ui, o, o2: { _id: o._id } });
const update = (_id: unknown, o: Doc) => ({ op: 'u', ns: NS, ui, o, o2: { _id } });
const diff = (_id: unknown, u: Doc) => update(_id, { $v: 2, diff: { u } });
const remove = (_id: unknown) => ({ op: 'd', ns: NS, ui, o: { _id } });
const create = (options: Doc = {}) => ({ op: 'c', ns: 'app.$cmd', ui, o: { create: 'orders', ...options } });

beforeEach(() => {
  member = LoneMember.initiated(2);
  secs = 1_900_000_000;
  apply(create());
});

describe('an entry on data that are not those it was written for', () => {
  test.for<[what: string, mode: ApplyMode, present: Doc[], entry: Doc, after: Doc[], violation: string | undefined]>([
    ['insert, absent', 'steady', [], insert({ _id: 1, n: 1 }), [{ _id: 1, n: 1 }], undefined],
    [
      'insert, present',
      'steady',
      [{ _id: 1, old: 1 }],
      insert({ _id: 1, n: 1 }),
      [{ _id: 1, n: 1 }],
      'insertOnExistingDoc',
    ],
    ['insert, present', 'recovery', [{ _id: 1, old: 1 }], insert({ _id: 1, n: 1 }), [{ _id: 1, n: 1 }], undefined],
    ['insert, present', 'initialSync', [{ _id: 1, old: 1 }], insert({ _id: 1, n: 1 }), [{ _id: 1, n: 1 }], undefined],
    ['diff, present', 'steady', [{ _id: 1, n: 0 }], diff(1, { n: 1 }), [{ _id: 1, n: 1 }], undefined],
    ['diff, absent', 'steady', [], diff(1, { n: 1 }), [{ _id: 1, n: 1 }], 'updateOnMissingDoc'],
    ['diff, absent', 'recovery', [], diff(1, { n: 1 }), [], undefined],
    ['diff, absent', 'initialSync', [], diff(1, { n: 1 }), [], undefined],
    ['replacement, present', 'steady', [{ _id: 1, n: 0 }], update(1, { _id: 1, m: 1 }), [{ _id: 1, m: 1 }], undefined],
    ['replacement, absent', 'steady', [], update(1, { _id: 1, m: 1 }), [{ _id: 1, m: 1 }], 'updateOnMissingDoc'],
    ['replacement, absent', 'recovery', [], update(1, { _id: 1, m: 1 }), [], undefined],
    ['delete, present', 'steady', [{ _id: 1 }], remove(1), [], undefined],
    ['delete, absent', 'steady', [{ _id: 2 }], remove(1), [{ _id: 2 }], 'deleteWasEmpty'],
    ['delete, absent', 'recovery', [], remove(1), [], undefined],
    ['delete, absent', 'initialSync', [], remove(1), [], undefined],
    [
      'delete, no collection',
      'steady',
      [],
      { ...remove(1), ns: 'app.gone', ui: uuid(9) },
      [],
      'deleteFromMissingNamespace',
    ],
    ['insert, no collection', 'steady', [], { ...insert({ _id: 1 }), ns: 'app.gone', ui: uuid(9) }, [], undefined],
  ])('%s, %s', ([, mode, present, entry, after, violation]) => {
    for (const document of present) apply(insert(document));
    apply(entry, mode);
    expect(documents()).toEqual(after);
    const found = Object.entries(member.mongod.relaxed.counts).filter(([, count]) => count > 0);
    expect(found).toEqual(violation ? [[violation, 1]] : []);
    expect(warnings()).toHaveLength(violation ? 1 : 0);
  });

  test('is logged once in ten minutes for each kind, and counted each time', () => {
    member.advance(1);
    for (const id of [1, 2]) apply(remove(id));
    apply(diff(7, { n: 1 }));
    member.advance(600_000);
    apply(remove(3));
    expect(member.mongod.relaxed.counts).toMatchObject({ deleteWasEmpty: 3, updateOnMissingDoc: 1 });
    const ids = warnings().map(({ attr }) => (attr.obj as { o: Doc }).o._id ?? 'diff');
    expect(ids).toEqual([1, 'diff', 3]);
  });

  test('a unique index does not stand against it', () => {
    apply({
      op: 'c',
      ns: 'app.$cmd',
      ui,
      o: { createIndexes: 'orders', v: 2, key: { n: 1 }, name: 'n_1', unique: true },
    });
    apply(insert({ _id: 1, n: 1 }));
    apply(insert({ _id: 2, n: 1 }));
    expect(documents()).toHaveLength(2);
  });
});

describe('a command whose work is done already', () => {
  const at = { key: { at: 1 }, name: 'at_1', v: 2 };
  test.for<[what: string, Doc]>([
    ['create', create()],
    ['createIndexes', { op: 'c', ns: 'app.$cmd', ui, o: { createIndexes: 'orders', ...at } }],
    ['dropIndexes', { op: 'c', ns: 'app.$cmd', ui, o: { dropIndexes: 'orders', index: 'gone_1' } }],
    [
      'collMod of an index',
      { op: 'c', ns: 'app.$cmd', ui, o: { collMod: 'orders', index: { name: 'gone_1', hidden: true } } },
    ],
    ['drop', { op: 'c', ns: 'app.$cmd', ui: uuid(9), o: { drop: 'gone' } }],
    ['dropDatabase', { op: 'c', ns: 'gone.$cmd', o: { dropDatabase: 1 } }],
    [
      'renameCollection',
      { op: 'c', ns: 'app.$cmd', ui, o: { renameCollection: 'app.before', to: NS, stayTemp: false } },
    ],
    [
      'renameCollection of what is gone',
      { op: 'c', ns: 'app.$cmd', ui: uuid(9), o: { renameCollection: 'app.gone', to: 'app.x', stayTemp: false } },
    ],
  ])('%s changes nothing', ([, entry]) => {
    const { engine } = member.mongod.core;
    apply(insert({ _id: 1, at: 1 }));
    apply({ op: 'c', ns: 'app.$cmd', ui, o: { createIndexes: 'orders', ...at } });
    const before = engine.dataHash();
    for (const mode of ['steady', 'recovery', 'initialSync'] as const) apply(entry, mode);
    expect(engine.dataHash()).toEqual(before);
    expect(engine.collection(NS)!.indexes.map(({ spec }) => spec.name)).toEqual(['_id_', 'at_1']);
  });
});

test.for([
  [false, {}],
  [true, { temp: true }],
] as const)('a temporary collection is renamed, stayTemp %s', ([stayTemp, options]) => {
  apply({ op: 'c', ns: 'app.$cmd', ui, o: { drop: 'orders' } });
  apply(create({ temp: true }));
  apply({ op: 'c', ns: 'app.$cmd', ui, o: { renameCollection: NS, to: 'app.kept', stayTemp } });
  expect(decodeDocument(member.mongod.core.engine.collection('app.kept')!.options)).toEqual(options);
});

describe('a capped collection', () => {
  beforeEach(() => {
    apply({ op: 'c', ns: 'app.$cmd', ui, o: { drop: 'orders' } });
    apply(create({ capped: true, size: 4096, max: 2 }));
  });

  test('loses only what the primary deletes: nothing goes by itself', () => {
    for (const _id of [1, 2, 3]) apply(insert({ _id }));
    expect(documents()).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    apply(remove(1));
    expect(documents()).toEqual([{ _id: 2 }, { _id: 3 }]);
  });

  test('counts a delete that finds nothing, as of a document that went by itself elsewhere, and goes on', () => {
    apply(insert({ _id: 1 }));
    apply(remove(7));
    apply({ op: 'c', ns: 'admin.$cmd', o: { applyOps: [remove(1), remove(8)] } });
    expect(documents()).toEqual([]);
    expect(member.mongod.relaxed.counts.deleteWasEmpty).toBe(2);
  });

  test('gets nothing back by an update of what is gone', () => {
    apply(diff(1, { n: 1 }));
    expect(documents()).toEqual([]);
    expect(member.mongod.relaxed.counts.updateOnMissingDoc).toBe(0);
  });

  test('keeps its order when a document is updated', () => {
    for (const _id of [1, 2]) apply(insert({ _id, n: 0 }));
    apply(diff(1, { n: 5 }));
    expect(documents()).toEqual([
      { _id: 1, n: 5 },
      { _id: 2, n: 0 },
    ]);
  });
});

describe('an applyOps as mongod 8.0 writes it for several inserts', () => {
  const grouped = (documents: Doc[], more: Doc = {}) => ({
    ...more,
    op: 'c',
    ns: 'admin.$cmd',
    o: { applyOps: documents.map(({ stmtId, ...o }) => ({ ...insert(o), ...(stmtId !== undefined && { stmtId }) })) },
    multiOpType: 1,
  });

  test('is applied operation by operation', () => {
    const entry = apply(grouped([{ _id: 1 }, { _id: 2 }, { _id: 3 }]));
    expect(documents()).toEqual([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
    expect(entry.operations).toHaveLength(3);
    expect(member.mongod.counters.opcountersRepl.insert).toBe(3);
  });

  test('keeps its bytes', () => {
    expect(decodePromoted(entryOf(grouped([{ _id: 1 }])).bytes)).toMatchObject({ multiOpType: 1 });
  });

  test('of a retryable write answers the retry of each of its statements', () => {
    const { core } = member.mongod;
    for (const ns of ['config.transactions', 'config.image_collection']) {
      core.engine.createCollection(ns, { uuid: uuid(ns.length).buffer });
    }
    const lsid = { id: uuid(7), uid: new Binary(new Uint8Array(32)) };
    const link = { lsid, txnNumber: Long.fromNumber(5) };
    const none = { prevOpTime: { ts: new Timestamp({ t: 0, i: 0 }), t: Long.fromNumber(-1) } };
    const entry = apply({
      ...grouped(
        [
          { _id: 1, stmtId: 0 },
          { _id: 2, stmtId: 1 },
        ],
        link,
      ),
      ...none,
    });
    const record = sessionRecord(core.engine, encodeDocument(lsid))!;
    expect(record).toEqual({ txnNumber: 5n, lastWriteOpTime: entry.opTime });
    const id = { key: 'k', bytes: encodeDocument(lsid) };
    const retry = new RetryableWrite(id as never, 5n, record.lastWriteOpTime, () => entry);
    expect([0, 1, 2].map((stmtId) => retry.executed(stmtId))).toEqual([entry, entry, undefined]);
  });

  test('of a transaction is no retryable write', () => {
    const link = { lsid: { id: uuid(7) }, txnNumber: Long.fromNumber(5) };
    const none = { prevOpTime: { ts: new Timestamp({ t: 0, i: 0 }), t: Long.fromNumber(-1) } };
    expect(entryOf({ ...grouped([{ _id: 1 }], link), ...none }).operation.statement).toBeUndefined();
  });
});

test('an index that an entry makes is logged as built, but by recovery', () => {
  const createIndex = (name: string) => ({ op: 'c', ns: 'app.$cmd', ui, o: { createIndexes: 'orders', v: 2, key: { [name]: 1 }, name } }); // biome-ignore format: one line
  member.run({ ping: 1 });
  const before = member.logged(20384).length;
  apply(createIndex('a'));
  apply(createIndex('b'), 'recovery');
  member.run({ ping: 1 });
  expect(member.logged(20384).slice(before)).toMatchObject([
    { component: 'INDEX', attr: { namespace: NS, buildUUID: null, properties: { key: { a: 1 }, name: 'a' } } },
  ]);
  expect(member.logged(20345).at(-1)).toMatchObject({ attr: { namespace: NS, index: 'a' } });
});

test('an index becomes unique by entries, whatever the order of documents lets pass meanwhile', () => {
  const collMod = (change: Doc) => ({ op: 'c', ns: 'app.$cmd', ui, o: { collMod: 'orders', index: { name: 'a_1', ...change } } }); // biome-ignore format: one line
  const spec = () => decodePromoted(member.mongod.core.engine.collection(NS)!.index('a_1')!.spec.bytes);
  apply({ op: 'c', ns: 'app.$cmd', ui, o: { createIndexes: 'orders', v: 2, key: { a: 1 }, name: 'a_1' } });
  apply(collMod({ prepareUnique: true }));
  expect(spec()).toMatchObject({ prepareUnique: true });
  for (const _id of [701, 702]) apply(insert({ _id, a: 1 }));
  expect(documents()).toEqual(expect.arrayContaining([{ _id: 702, a: 1 }]));
  apply(remove(702));
  apply(collMod({ unique: true }));
  expect(spec()).toEqual({ v: 2, key: { a: 1 }, name: 'a_1', unique: true });
});

describe('a clustered collection', () => {
  const clusteredIndex = { v: 2, key: { _id: 1 }, name: 'byTime', unique: true };
  const collMod = (o: Doc) => ({ op: 'c', ns: 'app.$cmd', ui, o: { collMod: 'orders', ...o } });
  const optionsNow = () => decodePromoted(member.mongod.core.engine.collection(NS)!.options);
  const visits = () => member.traces.flatMap((trace) => (trace.type === 'ttlIndexRegistered' ? [trace] : []));

  beforeEach(() => {
    apply({ op: 'c', ns: 'app.$cmd', ui, o: { drop: 'orders' } });
    apply(create({ clusteredIndex }));
  });

  test('keeps its documents in the order of _id, whatever the order of the entries', () => {
    for (const _id of [3, new Date(5), 1, 'x']) apply(insert({ _id }));
    expect(documents().map(({ _id }) => _id)).toEqual([1, 3, 'x', new Date(5)]);
    apply(remove(3));
    apply(remove(3));
    expect(documents().map(({ _id }) => _id)).toEqual([1, 'x', new Date(5)]);
    expect(member.mongod.relaxed.counts.deleteWasEmpty).toBe(1);
  });

  test('has no _id_ beside it, and is made once', () => {
    apply(create({ clusteredIndex }));
    const { clusteredIndex: kept, indexes } = member.mongod.core.engine.collection(NS)!;
    expect([kept?.spec.name, indexes]).toEqual(['byTime', []]);
  });

  test('is changed by collMod, number or "off", again and again', () => {
    apply(collMod({ expireAfterSeconds: Long.fromNumber(60) }));
    expect(optionsNow()).toEqual({ clusteredIndex, expireAfterSeconds: 60 });
    apply(collMod({ expireAfterSeconds: 'off' }));
    apply(collMod({ expireAfterSeconds: 'off' }));
    expect(optionsNow()).toEqual({ clusteredIndex });
    apply(collMod({ expireAfterSeconds: Long.fromNumber(7) }));
    expect(optionsNow()).toEqual({ clusteredIndex, expireAfterSeconds: 7 });
  });

  test('is on the list of the monitor from the entry on that gives it seconds', () => {
    member.run({ ping: 1 });
    const before = visits().length;
    apply(collMod({ expireAfterSeconds: Long.fromNumber(60) }));
    member.run({ ping: 1 });
    expect(visits().slice(before)).toMatchObject([{ ns: NS, expireAfterSeconds: 60 }]);
  });

  test('is changed together with an index by one entry, as a mongod may write it', () => {
    apply({ op: 'c', ns: 'app.$cmd', ui, o: { createIndexes: 'orders', v: 2, key: { at: 1 }, name: 'at_1' } });
    const index = { name: 'at_1', expireAfterSeconds: Long.fromNumber(9) };
    apply(collMod({ index, expireAfterSeconds: Long.fromNumber(60) }));
    expect(optionsNow()).toMatchObject({ expireAfterSeconds: 60 });
    const spec = member.mongod.core.engine.collection(NS)!.index('at_1')!.spec.bytes;
    expect(decodePromoted(spec)).toMatchObject({ expireAfterSeconds: 9 });
  });
});
