import type { MongodVersion } from '@replsim/protocol';
import { Binary, Int32, Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What `applyOps` makes of entries as a dump of an oplog holds them. Rules: apply_ops.cpp, oplog.cpp, oplog_application_checks.cpp.

const C = 'app.c';
const insert = (_id: number, more: Doc = {}): Doc => ({ op: 'i', ns: C, o: { _id, ...more } });
const command = (o: Doc, more: Doc = {}): Doc => ({ op: 'c', ns: 'app.$cmd', o, ...more });
const OTHER_UUID = new Binary(new Uint8Array(16).fill(7), 4);

/** A set of one with `app.c: { _id: 1, a: 1 }`, unique on `u`. */
async function lone(version: MongodVersion = '8.0'): Promise<AskedSet> {
  const asked = await AskedSet.start(1, { version });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, a: 1, u: 1 }] });
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { u: 1 }, name: 'u_1', unique: true, sparse: true }] });
  return asked;
}

/** Entries of the oplog about `app`, newest last, from the `n`th last on. */
async function logged(asked: AskedSet): Promise<Doc[]> {
  const filter = { ns: /^app\./, wall: { $exists: true } };
  const { cursor } = await asked.ok('n1', { find: 'oplog.rs', filter, batchSize: 1000 }, 'local');
  return cursor.firstBatch.map(({ op, ns, o, o2 }: Doc) => ({ op, ns, o, ...(o2 && { o2 }) }));
}

describe('what is applied', () => {
  test.for<[what: string, operations: Doc[], after: Doc[]]>([
    ['an insert', [insert(2)], [{ _id: 1, a: 1, u: 1 }, { _id: 2 }]],
    ['an insert of what is there, which replaces it', [insert(1, { b: 2 })], [{ _id: 1, b: 2 }]],
    [
      'an insert whose _id comes last',
      [{ op: 'i', ns: C, o: { x: 1, _id: 2 } }],
      [
        { _id: 1, a: 1, u: 1 },
        { _id: 2, x: 1 },
      ],
    ],
    [
      'an update by a delta',
      [{ op: 'u', ns: C, o2: { _id: 1 }, o: { $v: 2, diff: { u: { a: 2 }, i: { n: 3 }, d: { u: false } } } }],
      [{ _id: 1, a: 2, n: 3 }],
    ],
    ['a replacement', [{ op: 'u', ns: C, o2: { _id: 1 }, o: { _id: 1, z: 1 } }], [{ _id: 1, z: 1 }]],
    [
      'a replacement with a field called $v',
      [{ op: 'u', ns: C, o2: { _id: 1 }, o: { _id: 1, $v: 9 } }],
      [{ _id: 1, $v: 9 }],
    ],
    [
      'an update that says itself that it upserts',
      [{ op: 'u', ns: C, o2: { _id: 4 }, o: { _id: 4, z: 1 }, b: true }],
      [
        { _id: 1, a: 1, u: 1 },
        { _id: 4, z: 1 },
      ],
    ],
    ['a delete', [{ op: 'd', ns: C, o: { _id: 1 } }], []],
    ['a delete of nothing', [{ op: 'd', ns: C, o: { _id: 9 } }], [{ _id: 1, a: 1, u: 1 }]],
    ['a delete where there is no collection', [{ op: 'd', ns: 'app.none', o: { _id: 9 } }], [{ _id: 1, a: 1, u: 1 }]],
    [
      'one after the other',
      [
        insert(2),
        { op: 'u', ns: C, o2: { _id: 2 }, o: { $v: 2, diff: { i: { x: 1 } } } },
        { op: 'd', ns: C, o: { _id: 1 } },
      ],
      [{ _id: 2, x: 1 }],
    ],
    [
      'as mongorestore sends it',
      [
        {
          ...insert(2),
          ts: new Timestamp({ t: 5, i: 1 }),
          t: Long.ONE,
          v: Long.fromNumber(2),
          wall: new Date(0),
          h: Long.ONE,
        },
      ],
      [{ _id: 1, a: 1, u: 1 }, { _id: 2 }],
    ],
    [
      'inside another applyOps',
      [command({ applyOps: [command({ applyOps: [insert(2)] })] })],
      [{ _id: 1, a: 1, u: 1 }, { _id: 2 }],
    ],
  ])('%s', async ([, operations, after]) => {
    const asked = await lone();
    const reply = await asked.run('n1', { applyOps: operations }, 'admin');
    expect(reply).toMatchObject({ ok: 1, applied: operations.length, results: operations.map(() => true) });
    expect(await asked.documents('n1', 'c')).toEqual(after);
    await asked.set.close();
  });

  test('no-ops are not counted, nor is nothing at all', async () => {
    const asked = await lone();
    const before = (await logged(asked)).length;
    expect(await asked.ok('n1', { applyOps: [] }, 'admin')).toMatchObject({ applied: 0, results: [] });
    const noops = [
      { op: 'n', ns: '' },
      { op: 'n', ns: 'app.c', o: { msg: 'x' } },
    ];
    expect(await asked.ok('n1', { applyOps: noops })).toMatchObject({ applied: 0, results: [] });
    expect(await logged(asked)).toHaveLength(before);
    await asked.set.close();
  });

  test.for<[what: string, o: Doc, more: Doc, names: string[]]>([
    ['create', { create: 'd', idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } }, {}, ['c', 'd']],
    ['create of what is there', { create: 'c' }, {}, ['c']],
    ['create by a UUID', { create: 'd' }, { ui: OTHER_UUID }, ['c', 'd']],
    ['drop', { drop: 'c' }, {}, []],
    ['drop of nothing', { drop: 'none' }, {}, ['c']],
    ['drop by a UUID that nobody has', { drop: 'c' }, { ui: OTHER_UUID }, ['c']],
    ['renameCollection', { renameCollection: C, to: 'app.d', stayTemp: false }, {}, ['d']],
    ['renameCollection of nothing', { renameCollection: 'app.none', to: 'app.d' }, {}, ['c']],
    ['dropDatabase', { dropDatabase: 1 }, {}, []],
    ['collMod', { collMod: 'c', index: { name: 'u_1', hidden: true } }, {}, ['c']],
    ['dropIndexes', { dropIndexes: 'c', index: 'u_1' }, {}, ['c']],
    ['dropIndexes of none', { dropIndexes: 'c', index: 'none' }, {}, ['c']],
    ['convertToCapped', { convertToCapped: 'c', size: 4096 }, {}, ['c']],
  ])('the command %s', async ([, o, more, names]) => {
    const asked = await lone();
    expect(await asked.run('n1', { applyOps: [command(o, more)] }, 'admin')).toMatchObject({
      ok: 1,
      applied: 1,
      results: [true],
    });
    const { cursor } = await asked.ok('n1', { listCollections: 1, nameOnly: true });
    expect(cursor.firstBatch.map(({ name }: Doc) => name).sort()).toEqual(names);
    await asked.set.close();
  });

  test('a collection keeps the UUID that its entry names, and whoever has the name moves away', async () => {
    const asked = await lone();
    await asked.ok('n1', { applyOps: [command({ create: 'c' }, { ui: OTHER_UUID })] });
    const { cursor } = await asked.ok('n1', { listCollections: 1 });
    expect(cursor.firstBatch.find(({ name }: Doc) => name === 'c').info.uuid).toEqual(OTHER_UUID);
    expect(cursor.firstBatch.map(({ name }: Doc) => name)).toContainEqual(expect.stringMatching(/^tmp\w{5}\.create$/));
    await asked.ok('n1', { applyOps: [{ ...insert(8), ui: OTHER_UUID }] });
    expect(await asked.documents('n1', 'c')).toEqual([{ _id: 8 }]);
    // It follows its UUID to another name, but not into another database. Upstream: jstests/replsets/apply_ops_create_with_uuid.js.
    const renamed = command({ create: 'd' }, { ui: OTHER_UUID });
    const moved = { ...renamed, ns: 'other.$cmd' };
    expect(await asked.run('n1', { applyOps: [renamed, moved] })).toMatchObject({
      code: 40655,
      results: [true, false],
    });
    expect(await asked.documents('n1', 'd')).toEqual([{ _id: 8 }]);
    await asked.set.close();
  });
});

describe('what is logged and reaches the others', () => {
  test('each entry on its own, as what it did; what changed nothing is not there', async () => {
    const asked = await AskedSet.start(3);
    const { primary } = asked;
    await asked.ok(primary, { create: 'c', writeConcern: { w: 3 } });
    const operations = [
      insert(1, { a: 1 }),
      { op: 'u', ns: C, o2: { _id: 1 }, o: { $v: 2, diff: { u: { a: 2 } } } },
      insert(1, { a: 2 }),
      insert(2),
      { op: 'd', ns: C, o: { _id: 2 } },
      command({ applyOps: [insert(3)] }),
    ];
    await asked.ok(primary, { applyOps: operations, writeConcern: { w: 3 } }, 'admin');
    await asked.pass(100);
    for (const member of asked.set.memberNames)
      expect(await asked.documents(member, 'c')).toEqual([{ _id: 1, a: 2 }, { _id: 3 }]);
    const { cursor } = await asked.ok(primary, { find: 'oplog.rs', filter: { ns: C } }, 'local');
    expect(cursor.firstBatch.map(({ op, o }: Doc) => [op, o])).toEqual([
      ['i', { _id: 1, a: 1 }],
      ['u', { $v: 2, diff: { u: { a: 2 } } }],
      ['i', { _id: 2 }],
      ['d', { _id: 2 }],
      ['i', { _id: 3 }],
    ]);
    await asked.set.close();
  });

  test('a whole oplog, played into another set, makes the same data', async () => {
    const from = await lone();
    await from.ok('n1', { update: 'c', updates: [{ q: {}, u: { $push: { l: { $each: [1, 2, 3] } } } }] });
    await from.ok('n1', { update: 'c', updates: [{ q: {}, u: { $set: { 'l.1': 9 } } }] });
    await from.ok('n1', { create: 'capped', capped: true, size: 4096 });
    await from.ok('n1', { renameCollection: 'app.capped', to: 'app.other' }, 'admin');
    await from.ok('n1', { insert: 'other', documents: [{ _id: 1 }, { _id: 2 }] });
    const { cursor } = await from.ok('n1', { find: 'oplog.rs', filter: { ns: /^app\./ }, batchSize: 100 }, 'local');
    const to = await AskedSet.start(1);
    for (const { ui, ...entry } of cursor.firstBatch) {
      // mongorestore builds indexes itself.
      if (entry.o.createIndexes || entry.o.startIndexBuild || entry.o.commitIndexBuild) continue;
      await to.ok('n1', { applyOps: [entry] }, 'admin');
    }
    for (const name of ['c', 'other']) expect(await to.documents('n1', name)).toEqual(await from.documents('n1', name));
    await from.set.close();
    await to.set.close();
  });

  test('a secondary refuses', async () => {
    const asked = await AskedSet.start(3);
    const secondary = asked.set.memberNames.find((name) => name !== asked.primary)!;
    expect(await asked.run(secondary, { applyOps: [insert(1)] }, 'admin')).toMatchObject({ ok: 0, code: 10107 });
    await asked.set.close();
  });

  test('it waits between entries at applyOpsPauseBetweenOperations', async () => {
    const asked = await lone();
    const set = (mode: string) =>
      asked.ok('n1', { configureFailPoint: 'applyOpsPauseBetweenOperations', mode }, 'admin');
    await set('alwaysOn');
    const waiting = asked.send('n1', { applyOps: [insert(2), insert(3)] });
    await asked.pass(1000);
    expect(await asked.documents('n1', 'c')).toHaveLength(2);
    await set('off');
    await asked.until(() => waiting.reply() !== undefined);
    expect(await asked.documents('n1', 'c')).toHaveLength(3);
    await asked.set.close();
  });
});

/** Nine levels of applyOps around some operations, and so many more. */
function nested(levels: number, operations: Doc[]): Doc {
  return levels === 0 ? { applyOps: operations } : { applyOps: [command(nested(levels - 1, operations))] };
}

describe('what is refused', () => {
  test.for<[what: string, command: Doc, code: number]>([
    ['what is no array', { applyOps: 'c' }, 14],
    ['a null', { applyOps: null }, 14],
    ['an element that is no document', { applyOps: [1] }, 14],
    ['an element without op', { applyOps: [{}] }, 4],
    ['an op of another type', { applyOps: [{ op: 1, ns: C }] }, 14],
    ['an op that is null', { applyOps: [{ op: null, ns: C }] }, 14],
    ['an empty op', { applyOps: [{ op: '', ns: C, o: { _id: 1 } }] }, 20],
    ['no ns', { applyOps: [{ op: 'i', o: { _id: 1 } }] }, 20],
    ['an ns of another type', { applyOps: [{ op: 'i', ns: 1, o: { _id: 1 } }] }, 20],
    ['an empty ns', { applyOps: [{ op: 'i', ns: '', o: { _id: 1 } }] }, 20],
    ['an ns that is none', { applyOps: [{ op: 'i', ns: 'c', o: { _id: 1 } }] }, 73],
    ['a command without o', { applyOps: [{ op: 'c', ns: 'app.$cmd' }] }, 4],
    ['a command whose o is a string', { applyOps: [{ op: 'c', ns: 'app.$cmd', o: 'x' }] }, 14],
    ['too deep a nest', nested(11, [insert(2)]), 9],
    ['dropDatabase inside', { applyOps: [command({ applyOps: [command({ dropDatabase: 1 })] })] }, 9585500],
    ['dropDatabase beside others', { applyOps: [insert(2), command({ dropDatabase: 1 })] }, 6275900],
    ['prepare', { applyOps: [], prepare: false }, 2],
    ['partialTxn', { applyOps: [], partialTxn: false }, 31056],
    ['count', { applyOps: [], count: Long.ONE }, 31240],
    ['count of another type', { applyOps: [], count: true }, 14],
    ['alwaysUpsert', { applyOps: [], alwaysUpsert: true }, 6711601],
    ['alwaysUpsert of another type', { applyOps: [], alwaysUpsert: new Int32(1) }, 14],
    ['preCondition', { applyOps: [], preCondition: [] }, 6711600],
    ['another mode', { applyOps: [], oplogApplicationMode: 'Nope' }, 9],
    ['a mode of oplog application that is not for clients', { applyOps: [], oplogApplicationMode: 'Secondary' }, 115],
  ])('at once: %s', async ([, sent, code]) => {
    const asked = await lone();
    const reply = await asked.run('n1', sent, 'admin');
    expect(reply).toMatchObject({ ok: 0, code });
    expect(reply).not.toHaveProperty('results');
    await asked.set.close();
  });

  test.for<[what: string, operation: Doc, code: number]>([
    ['an op that there is not', { op: 'x', ns: C, o: { _id: 1 } }, 2],
    ['no o', { op: 'i', ns: C }, 40414],
    ['an o that is an array', { op: 'i', ns: C, o: [] }, 14],
    ['a ts that is none', { ...insert(2), ts: 1 }, 14],
    ['an insert without _id', { op: 'i', ns: C, o: {} }, 4],
    ['a delete without _id', { op: 'd', ns: C, o: {} }, 4],
    ['an update without o2', { op: 'u', ns: C, o: { _id: 1 } }, 4],
    ['an update whose o2 has no _id', { op: 'u', ns: C, o: { _id: 1 }, o2: {} }, 4],
    ['$v: 1', { op: 'u', ns: C, o: { $v: new Int32(1), $set: { a: 1 } }, o2: { _id: 1 } }, 4772600],
    ['$v: 3', { op: 'u', ns: C, o: { $v: new Int32(3), diff: {} }, o2: { _id: 1 } }, 4772600],
    ['modifiers', { op: 'u', ns: C, o: { $set: { a: 1 } }, o2: { _id: 1 } }, 4772600],
    [
      'a diff with sections that there are not',
      { op: 'u', ns: C, o: { $v: new Int32(2), diff: { z: {} } }, o2: { _id: 1 } },
      4770503,
    ],
    [
      'a diff whose section is no document',
      { op: 'u', ns: C, o: { $v: new Int32(2), diff: { u: 1 } }, o2: { _id: 1 } },
      4770507,
    ],
    ['an insert where there is no collection', { op: 'i', ns: 'app.none', o: { _id: 1 } }, 26],
    ['an update where there is none', { op: 'u', ns: 'nodb.none', o: { _id: 1 }, o2: { _id: 1 } }, 26],
    ['a duplicate of a unique index', insert(2, { u: 1 }), 11000],
    ['a command that there is not', command({ nope: 1 }), 2],
    ['an empty command', command({}), 2],
    ['createIndexes', command({ createIndexes: 'c', v: 2, key: { a: 1 }, name: 'a_1' }), 115],
    ['startIndexBuild', command({ startIndexBuild: 'c' }), 115],
    ['commitTransaction', command({ commitTransaction: 1 }), 115],
    ['a command on no database', { op: 'c', ns: 'x', o: { create: 'd' } }, 73],
    ['what is wrong inside', command({ applyOps: [{ op: 'i', ns: 'app.none', o: { _id: 1 } }] }), 26],
  ])('where it stands, and what came before stays: %s', async ([, operation, code]) => {
    const asked = await lone();
    const reply = await asked.run('n1', { applyOps: [insert(5), operation, insert(6)] }, 'admin');
    expect(reply).toMatchObject({ ok: 0, code, applied: 2, results: [true, false] });
    expect((await asked.documents('n1', 'c')).map(({ _id }) => _id)).toEqual([1, 5]);
    await asked.set.close();
  });

  test.for<[what: string, operation: Doc]>([
    ['an update of what is not there', { op: 'u', ns: C, o: { _id: 9 }, o2: { _id: 9 } }],
    ['a UUID of nobody', { ...insert(2), ui: OTHER_UUID }],
    ['a document that is not valid', insert(2, { bad: true })],
  ])('and the rest goes on: %s', async ([, operation]) => {
    const asked = await lone();
    await asked.ok('n1', { collMod: 'c', validator: { bad: { $exists: false } } });
    const reply = await asked.run('n1', { applyOps: [operation, insert(6)] }, 'admin');
    expect(reply).toMatchObject({
      ok: 0,
      code: 8,
      codeName: 'UnknownError',
      errmsg: 'applyOps had one or more errors applying ops',
      applied: 2,
      results: [false, true],
    });
    expect((await asked.documents('n1', 'c')).map(({ _id }) => _id)).toEqual([1, 6]);
    await asked.set.close();
  });

  test('7.0 upserts, unless it is told not to', async () => {
    const asked = await lone('7.0');
    const missing = (_id: number) => ({ op: 'u', ns: C, o: { $v: 2, diff: { i: { x: 1 } } }, o2: { _id } });
    expect(await asked.run('n1', { applyOps: [missing(2)] }, 'admin')).toMatchObject({ ok: 1, applied: 1 });
    expect(await asked.run('n1', { applyOps: [missing(3)], alwaysUpsert: false }, 'admin')).toMatchObject({ code: 8 });
    expect((await asked.documents('n1', 'c')).slice(1)).toEqual([{ _id: 2, x: 1 }]);
    await asked.set.close();
  });

  test('a capped collection, a view and a transaction that holds a document', async () => {
    const asked = await lone();
    await asked.ok('n1', { create: 'capped', capped: true, size: 100_000, max: 3 });
    const capped = (_id: number) => ({ op: 'i', ns: 'app.capped', o: { _id } });
    await asked.ok('n1', { applyOps: [1, 2, 3, 4, 5].map(capped) });
    await asked.ok('n1', { applyOps: [{ op: 'd', ns: 'app.capped', o: { _id: 5 } }] });
    expect(await asked.documents('n1', 'capped')).toEqual([{ _id: 3 }, { _id: 4 }]);
    await asked.ok('n1', { create: 'v', viewOn: 'c', pipeline: [] });
    expect(await asked.run('n1', { applyOps: [{ op: 'i', ns: 'app.v', o: { _id: 1 } }] })).toMatchObject({ code: 166 });
    const session = { lsid: { id: new Binary(new Uint8Array(16), 4) }, txnNumber: Long.ONE, autocommit: false };
    await asked.ok('n1', {
      update: 'c',
      updates: [{ q: { _id: 1 }, u: { $set: { a: 5 } } }],
      ...session,
      startTransaction: true,
    });
    const waiting = asked.send('n1', { applyOps: [{ op: 'd', ns: C, o: { _id: 1 } }] });
    await asked.pass(500);
    expect(waiting.reply()).toBeUndefined();
    await asked.ok('n1', { commitTransaction: 1, ...session }, 'admin');
    await asked.until(() => waiting.reply() !== undefined);
    expect(await asked.documents('n1', 'c')).toEqual([]);
    await asked.set.close();
  });
});
