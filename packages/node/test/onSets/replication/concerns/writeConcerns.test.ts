import { Binary, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../../replset/test/askedSet.ts';

// What a client is told of its write concern by a real set: the result of the write stays beside whatever fails.

const TAGGED = [
  { name: 'n1', config: { priority: 2, tags: { dc: 'east' } } },
  { name: 'n2', config: { tags: { dc: 'east' } } },
  { name: 'n3', config: { tags: { dc: 'west' } } },
];
const settings = { getLastErrorModes: { centres: { dc: 2 } } };
const insert = (writeConcern: Doc | undefined, _id = 1): Doc => ({
  insert: 'c',
  documents: [{ _id }],
  ...(writeConcern && { writeConcern }),
});

/** Two documents of one `_id`, where there must be one. */
const TWO_ALIKE = [{ $set: { _id: 1, both: [1, 2] } }, { $unwind: '$both' }, { $out: 'out' }];

/** A set whose n3 is down, so that two of three members have what is written. */
async function withoutThird(options: Doc = {}): Promise<AskedSet> {
  const asked = await AskedSet.start(TAGGED, { settings, ...options });
  asked.set.kill('n3');
  await asked.pass(1000);
  return asked;
}

describe('what fails', () => {
  test.for<[what: string, writeConcern: Doc, tookMs: number, error: Doc]>([
    [
      'more members than there are, at once',
      { w: 4 },
      0,
      { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' },
    ],
    ['a mode that nobody defined, at once', { w: 'nope' }, 0, { code: 79, codeName: 'UnknownReplWriteConcern' }],
    ['a tag that nobody has, at once', { w: { rack: 1 } }, 0, { code: 4, codeName: 'NoSuchKey' }],
    ['more values of a tag than there are, at once', { w: { dc: 3 } }, 0, { code: 100 }],
    [
      'a member that is down, after wtimeout',
      { w: 3, wtimeout: 500 },
      500,
      { code: 64, codeName: 'WriteConcernFailed', errmsg: 'waiting for replication timed out' },
    ],
    ['a mode that needs it', { w: 'centres', wtimeout: 500 }, 500, { code: 64 }],
    ['a tag count that needs it', { w: { dc: 2 }, wtimeout: 500 }, 500, { code: 64 }],
    ['a wtimeout below 0 is over at once', { w: 3, wtimeout: -1 }, 0, { code: 64 }],
  ])('%s', async ([, writeConcern, tookMs, error]) => {
    const asked = await withoutThird();
    const start = asked.set.nowMicros;
    const reply = await asked.run('n1', insert(writeConcern));
    expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: error });
    expect(Math.round((asked.set.nowMicros - start) / 1000 / 50) * 50).toBe(tookMs);
    const { w, wtimeout = 0 } = writeConcern;
    expect(reply.writeConcernError.errInfo).toEqual({
      ...(error.code === 64 && { wtimeout: true }),
      writeConcern: { w, j: false, wtimeout, provenance: 'clientSupplied' },
    });
    // The write is made, whoever may lose it.
    expect(await asked.documents('n1', 'c')).toEqual([{ _id: 1 }]);
    await asked.set.close();
  });

  // Upstream: jstests/libs/write_concern_all_commands.js, the cases called `failure`.
  test.for<[what: string, command: Doc, code: number, waits: boolean, db?: string]>([
    [
      'a document that a validator refuses',
      { findAndModify: 'strict', query: {}, update: { $unset: { x: 1 } } },
      121,
      true,
    ],
    ['a key that is taken', { findAndModify: 'c', query: { _id: 2 }, update: { x: 1 }, upsert: true }, 11_000, true],
    ['an index that is missing, to change', { collMod: 'c', index: { name: 'none', hidden: true } }, 27, true],
    ['an index that is missing, to drop', { dropIndexes: 'c', index: 'none' }, 27, true],
    ['another index of this name', { createIndexes: 'c', indexes: [{ key: { y: 1 }, name: 'x_1' }] }, 86, true],
    ['a collection of other options', { create: 'c', capped: true, size: 1000 }, 48, true],
    ['a collection that is missing', { convertToCapped: 'none', size: 1000 }, 26, true],
    ['a target that exists', { renameCollection: 'app.c', to: 'app.strict' }, 48, true, 'admin'],
    ['a user that is missing', { dropUser: 'none' }, 11, true],
    [
      'an entry that cannot be applied',
      { applyOps: [{ op: 'u', ns: 'app.c', o2: { _id: 1 }, o: { _id: 2 } }] },
      66,
      true,
    ],
    ['a key that is taken, behind a pipeline', { aggregate: 'c', pipeline: TWO_ALIKE, cursor: {} }, 11_000, true],
    ['wrong arguments', { findAndModify: 'c', query: {}, update: { $set: 1 } }, 9, false],
    ['arguments of a wrong type', { insert: 'c', documents: 1 }, 14, false],
  ])('an error waits if it tells of the data: %s', async ([, command, code, waits, db = 'app']) => {
    const asked = await AskedSet.start(TAGGED);
    await asked.ok('n1', { create: 'strict', validator: { x: 1 } });
    await asked.ok('n1', { insert: 'strict', documents: [{ x: 1 }] });
    await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, x: 1 }] });
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x_1', unique: true }] });
    asked.set.kill('n3');
    await asked.ok('n1', { insert: 'others', documents: [{}], writeConcern: { w: 1 } });
    const start = asked.set.nowMicros;
    const reply = await asked.run('n1', { ...command, writeConcern: { w: 3, wtimeout: 500 } }, db);
    expect(reply).toMatchObject({ ok: 0, code });
    expect(reply.writeConcernError?.code).toBe(waits ? 64 : undefined);
    expect(asked.set.nowMicros - start >= 500_000).toBe(waits);
    await asked.set.close();
  });

  test('an error that waits when its member steps down says so', async () => {
    const asked = await withoutThird();
    asked.set.kill('n2');
    await asked.ok('n1', insert({ w: 1 }));
    const reply = await asked.run('n1', { dropIndexes: 'none', index: '*', writeConcern: { w: 'majority' } });
    expect(reply).toMatchObject({ ok: 0, code: 26, writeConcernError: { code: 189 }, topologyVersion: {} });
    await asked.set.close();
  });

  test('a majority is one that journals, where nothing else is said', async () => {
    const asked = await withoutThird();
    asked.set.kill('n2');
    const reply = await asked.run('n1', insert({ w: 'majority', wtimeout: 100 }));
    expect(reply.writeConcernError.errInfo.writeConcern).toMatchObject({ w: 'majority', j: true });
    await asked.set.close();
  });

  test('8.2 calls it WriteConcernTimeout', async () => {
    const asked = await withoutThird({ version: '8.2' });
    const reply = await asked.run('n1', insert({ w: 3, wtimeout: 100 }));
    expect(reply.writeConcernError).toMatchObject({ code: 64, codeName: 'WriteConcernTimeout' });
    await asked.set.close();
  });

  test('maxTimeMS ends the wait, not the write', async () => {
    const asked = await withoutThird();
    const reply = await asked.run('n1', { ...insert({ w: 3 }), maxTimeMS: 300 });
    expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 50, codeName: 'MaxTimeMSExpired' } });
    await asked.set.close();
  });

  test('a session that is killed', async () => {
    const asked = await withoutThird();
    const lsid = { id: new Binary(new Uint8Array(16), 4) };
    const waiting = asked.send('n1', { ...insert({ w: 3 }), lsid });
    const other = asked.send('n1', { ...insert({ w: 3 }, 2), lsid: { id: new Binary(new Uint8Array(16).fill(1), 4) } });
    await asked.pass(100);
    await asked.ok('n1', { killSessions: [lsid] }, 'admin');
    expect(waiting.reply()?.writeConcernError).toMatchObject({ code: 11601, codeName: 'Interrupted' });
    expect(other.reply()).toBeUndefined();
    await asked.ok('n1', { killAllSessions: [] }, 'admin');
    expect(other.reply()?.writeConcernError).toMatchObject({ code: 11601 });
    await asked.set.close();
  });

  test('a step-down: 189, also for a member that is elected again', async () => {
    const asked = await withoutThird();
    const command = { ...insert({ w: 3 }), lsid: { id: new Binary(new Uint8Array(16), 4) }, txnNumber: Long.ONE };
    const waiting = asked.send('n1', command);
    await asked.pass(100);
    await asked.run('n1', { replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true }, 'admin');
    await asked.until(() => asked.primaryIfAny() === 'n1');
    expect(waiting.reply()).toMatchObject({
      ok: 1,
      n: 1,
      errorLabels: ['RetryableWriteError'],
      writeConcernError: {
        code: 189,
        codeName: 'PrimarySteppedDown',
        errmsg: 'Primary stepped down while waiting for replication',
        errInfo: { writeConcern: { w: 3, j: false, wtimeout: 0, provenance: 'clientSupplied' } },
      },
    });
    await asked.set.close();
  });

  test('a shutdown that could hand over to nobody: 11600', async () => {
    const asked = await withoutThird();
    asked.set.kill('n2');
    const waiting = asked.send('n1', insert({ w: 3 }));
    await asked.pass(100);
    asked.send('n1', { shutdown: 1, force: true, timeoutSecs: 1 }, 'admin');
    await asked.until(() => !asked.set.status('n1').running);
    expect(waiting.reply()).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 11600 } });
    await asked.set.close();
  });

  test('a config that takes the mode away', async () => {
    const asked = await withoutThird();
    const waiting = asked.send('n1', insert({ w: 'centres' }));
    await asked.pass(100);
    const { config } = await asked.ok('n1', { replSetGetConfig: 1 }, 'admin');
    const next = { ...config, version: config.version + 1, settings: { ...config.settings, getLastErrorModes: {} } };
    await asked.ok('n1', { replSetReconfig: next }, 'admin');
    await asked.until(() => waiting.reply() !== undefined);
    expect(waiting.reply()?.writeConcernError).toMatchObject({ code: 79 });
    await asked.set.close();
  });
});

describe('what holds', () => {
  test.for<[writeConcern: Doc | undefined, acknowledgedBefore: boolean]>([
    [{ w: 1 }, true],
    [{ w: 0 }, true],
    [{ w: 2 }, true],
    [{ w: 'majority' }, true],
    [{ w: 'majority', j: false }, true],
    [{ w: '$majority' }, true],
    [{ w: { dc: 1 } }, true],
    [undefined, true],
    [{ j: true }, true],
    [{ wtimeout: 10 }, true],
    [{ w: 3 }, false],
    [{ w: 'centres' }, false],
    [{ w: { dc: 2 } }, false],
  ])('writeConcern %o: with one of three down %s, and when it is back', async ([writeConcern, before]) => {
    const asked = await withoutThird();
    const { reply } = asked.send('n1', insert(writeConcern));
    await asked.pass(1500);
    expect(reply() !== undefined).toBe(before);
    await asked.set.start('n3');
    await asked.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ ok: 1, n: 1 });
    expect(reply()).not.toHaveProperty('writeConcernError');
    await asked.set.close();
  });

  test('j: true on the primary alone waits for its journal', async () => {
    const asked = await AskedSet.start(1, { costs: { journalFlushMicros: 500_000 } });
    const start = asked.set.nowMicros;
    await asked.ok('n1', insert({ w: 1 }));
    expect(asked.set.nowMicros - start).toBeLessThan(10_000);
    await asked.ok('n1', insert({ w: 1, j: true }, 2));
    expect(asked.set.nowMicros - start).toBeGreaterThan(500_000);
    await asked.set.close();
  });

  test('w: 2 with j: true asks the own journal, though two others have journalled it', async () => {
    const asked = await AskedSet.start(3);
    const pause = (mode: string) =>
      asked.ok(asked.primary, { configureFailPoint: 'pauseJournalFlusherThread', mode }, 'admin');
    await pause('alwaysOn');
    const { reply } = asked.send(asked.primary, insert({ w: 2, j: true }));
    await asked.pass(3000);
    expect(reply()).toBeUndefined();
    await pause('off');
    await asked.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ ok: 1, n: 1 });
    await asked.set.close();
  });

  test('a majority write is not acknowledged by one of three', async () => {
    const asked = await withoutThird();
    asked.set.hold('n2', 'fetch');
    expect(await asked.run('n1', insert({ w: 'majority', wtimeout: 500 }))).toMatchObject({
      writeConcernError: { code: 64 },
    });
    await asked.set.close();
  });

  test('a write that changes nothing waits for what nobody else has', async () => {
    const asked = await withoutThird();
    asked.set.hold('n2', 'fetch');
    await asked.ok('n1', insert({ w: 1 }));
    const nothing = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { _id: 1 } } }] };
    const reply = await asked.run('n1', { ...nothing, writeConcern: { w: 2, wtimeout: 500 } });
    expect(reply).toMatchObject({ n: 1, nModified: 0, writeConcernError: { code: 64 } });
    await asked.set.close();
  });

  test('a write that changes nothing waits for what was there: the client may be told of it', async () => {
    const asked = await withoutThird();
    await asked.ok('n1', insert({ w: 1 }));
    const nothing = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { _id: 1 } } }] };
    const reply = await asked.run('n1', { ...nothing, writeConcern: { w: 3, wtimeout: 100 } });
    expect(reply).toMatchObject({ n: 1, nModified: 0, writeConcernError: { code: 64 } });
    await asked.set.close();
  });

  test('replies to writes tell the election, the entry and the time', async () => {
    const asked = await AskedSet.start(1);
    const reply = await asked.ok('n1', insert({ w: 1 }));
    expect(reply.opTime.ts).toEqual(reply.operationTime);
    expect(reply.electionId.toHexString()).toBe('7fffffff0000000000000001');
    expect(Object.keys(reply)).toEqual(['n', 'electionId', 'opTime', 'ok', '$clusterTime', 'operationTime']);
    await asked.set.close();
  });
});

describe('defaults', () => {
  test.for<[letters: string, w: Doc | undefined]>([
    ['P', { w: 'majority', wtimeout: 0 }],
    ['PSS', { w: 'majority', wtimeout: 0 }],
    ['PSA', undefined],
    ['PSSSA', { w: 'majority', wtimeout: 0 }],
  ])('the implicit one of %s', async ([letters, defaultWriteConcern]) => {
    const members = Array.from(letters, (letter, i) => ({
      name: `n${i + 1}`,
      ...(letter === 'A' && { config: { arbiterOnly: true, priority: 0 } }),
    }));
    const asked = await AskedSet.start(members);
    const reply = await asked.ok('n1', { getDefaultRWConcern: 1 }, 'admin');
    expect(reply.defaultWriteConcern).toEqual(defaultWriteConcern);
    expect(reply).toMatchObject({
      defaultReadConcern: { level: 'local' },
      defaultWriteConcernSource: 'implicit',
      defaultReadConcernSource: 'implicit',
    });
    expect(reply.localUpdateWallClockTime).toBeInstanceOf(Date);
    expect(reply).not.toHaveProperty('updateOpTime');
    await asked.set.close();
  });

  test('set once, they hold on every member, after failovers too, for commands that name none', async () => {
    const asked = await AskedSet.start(TAGGED);
    const set = await asked.ok(
      'n1',
      {
        setDefaultRWConcern: 1,
        defaultWriteConcern: { w: 3, wtimeout: 200 },
        defaultReadConcern: { level: 'majority' },
        writeConcern: { w: 3 },
      },
      'admin',
    );
    expect(set).toMatchObject({
      defaultWriteConcern: { w: 3, wtimeout: 200 },
      defaultReadConcern: { level: 'majority' },
      defaultWriteConcernSource: 'global',
      defaultReadConcernSource: 'global',
    });
    expect(set.updateWallClockTime).toBeInstanceOf(Date);
    // What is acknowledged is on its disk, and applied in a moment.
    await asked.pass(100);
    const stored = await asked.documents('n2', 'settings', 'config');
    expect(stored).toMatchObject([{ _id: 'ReadWriteConcernDefaults', defaultWriteConcern: { w: 3, wtimeout: 200 } }]);
    const { primary } = await asked.failOver();
    const get = await asked.ok(primary, { getDefaultRWConcern: 1, inMemory: true }, 'admin');
    expect(get).toMatchObject({ defaultWriteConcern: { w: 3 }, inMemory: true });
    const reply = await asked.run(primary, insert(undefined));
    expect(reply.writeConcernError.errInfo).toEqual({
      wtimeout: true,
      writeConcern: { w: 3, j: false, wtimeout: 200, provenance: 'customDefault' },
    });
    // What a client names itself is not mixed with the default.
    expect(await asked.run(primary, insert({ j: true }, 2))).not.toHaveProperty('writeConcernError');
    await asked.set.close();
  });

  test.for<[command: Doc, code: number]>([
    [{}, 2],
    [{ defaultWriteConcern: { w: 0 } }, 2],
    [{ defaultWriteConcern: { w: 1, provenance: 'clientSupplied' } }, 2],
    [{ defaultWriteConcern: { w: 51 } }, 9],
    [{ defaultWriteConcern: { w: 'nope' } }, 79],
    [{ defaultWriteConcern: { x: 1 } }, 40415],
    [{ defaultWriteConcern: {} }, 20],
    [{ defaultWriteConcern: 1 }, 14],
    [{ defaultReadConcern: { level: 'linearizable' } }, 2],
    [{ defaultReadConcern: { level: 'snapshot' } }, 2],
    [{ defaultReadConcern: { level: 'local', provenance: 'clientSupplied' } }, 2],
    [{ defaultReadConcern: { level: 'nope' } }, 9],
    [{ other: 1 }, 40415],
  ])('setDefaultRWConcern with %o is refused with %i', async ([command, code]) => {
    const asked = await AskedSet.start(1);
    await asked.ok('n1', { setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } }, 'admin');
    expect(await asked.run('n1', { setDefaultRWConcern: 1, ...command }, 'admin')).toMatchObject({ ok: 0, code });
    const { defaultWriteConcern } = await asked.ok('n1', { getDefaultRWConcern: 1 }, 'admin');
    expect(defaultWriteConcern).toEqual({ w: 1, wtimeout: 0 });
    await asked.set.close();
  });

  test('an empty read concern unsets the default; nobody but a primary sets it; a standalone has none', async () => {
    const asked = await AskedSet.start(3);
    const set = (defaultReadConcern: Doc) => ({ setDefaultRWConcern: 1, defaultReadConcern });
    await asked.ok(asked.primary, set({ level: 'majority' }), 'admin');
    expect((await asked.ok(asked.primary, set({}), 'admin')).defaultReadConcernSource).toBe('implicit');
    const secondary = asked.set.memberNames.find((name) => name !== asked.primary)!;
    expect((await asked.run(secondary, set({ level: 'local' }), 'admin')).code).toBe(10107);
    expect((await asked.run(secondary, { getDefaultRWConcern: 1 }, 'app')).code).toBe(13);
    asked.set.kill(secondary);
    await asked.set.start(secondary, { as: 'standalone' });
    expect((await asked.run(secondary, set({ level: 'local' }), 'admin')).code).toBe(51300);
    expect((await asked.run(secondary, { getDefaultRWConcern: 1 }, 'admin')).code).toBe(51300);
    await asked.set.close();
  });
});

// Upstream: service_entry_point_shard_role.cpp, waitForWriteConcern: nobody waits unless a namespace of the command is replicated.
describe('what no other member gets waits for nobody', () => {
  const CONCERNS: [what: string, writeConcern: Doc | undefined][] = [
    ['the default', undefined],
    ['a majority', { w: 'majority', wtimeout: 200 }],
    ['more members than there are', { w: 7 }],
    ['a mode that nobody defined', { w: 'nope' }],
    ['a tag that nobody has', { w: { rack: 1 } }],
  ];
  const LOCAL: [what: string, command: Doc, db: string][] = [
    ['insert', { insert: 'c', documents: [{ a: 1 }] }, 'local'],
    ['update', { update: 'c', updates: [{ q: {}, u: { $inc: { a: 1 } } }] }, 'local'],
    ['delete', { delete: 'c', deletes: [{ q: {}, limit: 1 }] }, 'local'],
    ['findAndModify', { findAndModify: 'c', query: {}, update: { $inc: { a: 1 } } }, 'local'],
    ['create', { create: 'made' }, 'local'],
    ['createIndexes', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] }, 'local'],
    ['collMod', { collMod: 'c', validationLevel: 'moderate' }, 'local'],
    ['dropIndexes', { dropIndexes: 'c', index: '*' }, 'local'],
    ['drop', { drop: 'made' }, 'local'],
  ];
  const ON_PRIMARY: typeof LOCAL = [
    ['renameCollection', { renameCollection: 'local.c', to: 'local.renamed', dropTarget: true }, 'admin'],
    ['bulkWrite', { bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'local.c' }] }, 'admin'],
    ['create', { create: 'system.profile', capped: true, size: 4096 }, 'app'],
    ['drop', { drop: 'system.profile' }, 'app'],
  ];

  test.for([
    ...CONCERNS.map(([what, concern]) => [what, concern, '8.0'] as const),
    ['the default', undefined, '7.0'] as const,
    ['the default', undefined, '8.2'] as const,
  ])('%s, in local on any member (%o, %s)', async ([, writeConcern, version]) => {
    const asked = await AskedSet.start(TAGGED, { version });
    asked.set.partition([['n1'], ['n2', 'n3']]);
    for (const member of ['n1', 'n3']) {
      const rows = member === 'n1' ? [...LOCAL, ...ON_PRIMARY] : LOCAL;
      for (const [what, command, db] of rows) {
        if (what === 'bulkWrite' && version === '7.0') continue;
        const reply = await asked.run(member, { ...command, ...(writeConcern && { writeConcern }) }, db);
        expect(reply, `${what} in ${db} on ${member}`).toMatchObject({ ok: 1 });
        expect(reply, `${what} in ${db} on ${member}`).not.toHaveProperty('writeConcernError');
        expect(reply.writeErrors ?? [], `${what} in ${db} on ${member}`).toEqual([]);
      }
      // Only until the primary that is cut off notices.
      expect(asked.state('n1')).toBe(1);
    }
    await asked.set.close();
  });

  test('one replicated namespace among several is enough to wait', async () => {
    const asked = await withoutThird();
    const ops = [
      { insert: 0, document: {} },
      { insert: 1, document: {} },
    ];
    const bulk = (...names: string[]) =>
      asked.run(
        'n1',
        {
          bulkWrite: 1,
          ops: ops.slice(0, names.length),
          nsInfo: names.map((ns) => ({ ns })),
          writeConcern: { w: 3, wtimeout: 50 },
        },
        'admin',
      );
    expect(await bulk('local.c')).not.toHaveProperty('writeConcernError');
    expect(await bulk('local.c', 'app.c')).toMatchObject({ writeConcernError: { code: 64 } });
    // Where it reads decides, not where it writes.
    const out = (db: string) =>
      asked.run(
        'n1',
        {
          aggregate: 'c',
          pipeline: [{ $out: { db: 'app', coll: 'copy' } }],
          cursor: {},
          writeConcern: { w: 3, wtimeout: 50 },
        },
        db,
      );
    expect(await out('local')).not.toHaveProperty('writeConcernError');
    expect(await out('app')).toMatchObject({ ok: 1, writeConcernError: { code: 64 } });
    await asked.set.close();
  });

  test('what is malformed is refused all the same', async () => {
    const asked = await AskedSet.start(1);
    const reply = await asked.run('n1', { insert: 'c', documents: [{}], writeConcern: { w: 51 } }, 'local');
    expect(reply).toMatchObject({ ok: 0, code: 9 });
    await asked.set.close();
  });
});

// Upstream: jstests/replsets/await_replication_timeout.js, drop_databases_two_phase.js.
describe('dropDatabase', () => {
  const errmsg = (cause: string) =>
    expect.stringMatching(
      new RegExp(
        `^dropDatabase app failed waiting for 1 collection drop.*Timestamp.*replicate. :: caused by :: ${cause}`,
      ),
    );

  test.for<[what: string, writeConcern: Doc, tookMs: number]>([
    ['a weaker write concern', { w: 1, wtimeout: 500 }, 500],
    ['a wtimeout alone', { wtimeout: 500 }, 500],
  ])('with %s a majority has to have the drops of the collections', async ([, writeConcern, tookMs]) => {
    const asked = await withoutThird();
    await asked.ok('n1', insert({ w: 2 }));
    await asked.ok('n2', { configureFailPoint: 'stopReplProducer', mode: 'alwaysOn' }, 'admin');
    await asked.pass(1000);
    const start = asked.set.nowMicros;
    const { reply } = asked.send('n1', { dropDatabase: 1, writeConcern });
    await asked.pass(100);
    // Meanwhile nothing can be created in it.
    expect(await asked.run('n1', insert({ w: 1 }))).toMatchObject({ writeErrors: [{ code: 215 }] });
    await asked.until(() => reply() !== undefined, 700_000);
    expect(reply()).toMatchObject({ ok: 0, code: 64, errmsg: errmsg('waiting for replication timed out') });
    expect(Math.round((asked.set.nowMicros - start) / 1000 / 50) * 50).toBe(tookMs);
    const dropped = { filter: { ns: /^app\./, op: 'c' }, sort: { $natural: -1 }, limit: 1 };
    const newest = await asked.ok('n1', { find: 'oplog.rs', ...dropped }, 'local');
    expect(newest.cursor.firstBatch[0].o).toMatchObject({ drop: 'c' });
    // The name is free again.
    await asked.ok('n1', insert({ w: 1 }));
    await asked.set.close();
  });

  test('without a write concern its failure, as all failures over the data, waits for the default one', async () => {
    const asked = await withoutThird();
    await asked.ok('n1', insert({ w: 2 }));
    await asked.ok('n2', { configureFailPoint: 'stopReplProducer', mode: 'alwaysOn' }, 'admin');
    await asked.pass(1000);
    const { reply } = asked.send('n1', { dropDatabase: 1 });
    await asked.pass(700_000);
    expect(reply()).toBeUndefined();
    await asked.ok('n2', { configureFailPoint: 'stopReplProducer', mode: 'off' }, 'admin');
    await asked.until(() => reply() !== undefined);
    expect(reply()).toMatchObject({ ok: 0, code: 64, errmsg: errmsg('waiting for replication timed out') });
    await asked.set.close();
  });

  test('whose time is over, it waits for nothing more, although it has written', async () => {
    const asked = await withoutThird();
    await asked.ok('n1', insert({ w: 2 }));
    await asked.ok('n2', { configureFailPoint: 'stopReplProducer', mode: 'alwaysOn' }, 'admin');
    await asked.pass(1000);
    const { reply } = asked.send('n1', { dropDatabase: 1, maxTimeMS: 500 });
    await asked.pass(600);
    expect(reply()).toMatchObject({ ok: 0, code: 50 });
    expect(reply()).not.toHaveProperty('writeConcernError');
    await asked.set.close();
  });

  test.for([
    ['8.0', 'WriteConcernFailed'],
    ['8.2', 'WriteConcernTimeout'],
  ])('%s calls that %s', async ([version, codeName]) => {
    const asked = await withoutThird({ version });
    await asked.ok('n1', insert({ w: 2 }));
    const drop = { dropDatabase: 1, writeConcern: { w: 3, wtimeout: 500 } };
    expect(await asked.run('n1', drop)).toMatchObject({ ok: 0, code: 64, codeName });
    await asked.set.close();
  });

  test('a stronger one holds for them as well', async () => {
    const asked = await withoutThird();
    await asked.ok('n1', insert({ w: 2 }));
    const drop = (w: number | string) => asked.run('n1', { dropDatabase: 1, writeConcern: { w, wtimeout: 500 } });
    expect(await drop(3)).toMatchObject({ ok: 0, code: 64 });
    await asked.ok('n1', insert({ w: 2 }));
    expect(await drop('nope')).toMatchObject({ ok: 0, code: 79, errmsg: errmsg('No write concern mode') });
    await asked.ok('n1', insert({ w: 2 }));
    expect(await drop(2)).toMatchObject({ ok: 1, dropped: 'app' });
    await asked.set.close();
  });
});

test.for([
  { j: true, left: [{ _id: 1 }] },
  { j: false, left: [] },
])('a collection that no other member gets is in the journal when j is $j: $left', async ({ j, left }) => {
  const asked = await AskedSet.start([{ name: 'n1' }]);
  await asked.ok('n1', insert({ w: 1, j }), 'local');
  asked.set.kill('n1');
  await asked.set.start('n1');
  await asked.pass(30_000);
  expect((await asked.ok('n1', { find: 'c' }, 'local')).cursor.firstBatch).toEqual(left);
  await asked.set.close();
});

// Upstream: jstests/core, aggregation_accepts_write_concern.
test('an aggregation that writes nothing takes a write concern, and waits for nobody', async () => {
  const asked = await withoutThird();
  const aggregate = { aggregate: 'c', pipeline: [], cursor: {}, writeConcern: { w: 3 } };
  expect(await asked.ok('n1', aggregate)).not.toHaveProperty('writeConcernError');
  await asked.set.close();
});
