import { Binary, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// A client that sends a retryable write again gets the first answer again, and nothing is done twice: on the same member,
// after a failover, after a restart, after an initial sync.

const sessionOf = (n: number) => ({ lsid: { id: new Binary(new Uint8Array(16).fill(n), Binary.SUBTYPE_UUID) } });
const numbered = (command: Doc, txnNumber: number, session = 1): Doc => ({
  ...command,
  ...sessionOf(session),
  txnNumber: Long.fromNumber(txnNumber),
});

/** What a reply says of the write; times and the mark of a retry are left out. */
function result({ n, nModified, upserted, value, lastErrorObject, writeErrors, ok }: Doc): Doc {
  return { n, nModified, upserted, value, lastErrorObject, writeErrors, ok };
}

const seedDocuments = { insert: 'c', documents: [1, 2, 3].map((_id) => ({ _id, n: 0 })) };
const anUpdate = (filter: Doc, more: Doc = {}) => ({
  update: 'c',
  updates: [{ q: filter, u: { $inc: { n: 1 } }, ...more }],
});

const writes: readonly [what: string, command: Doc][] = [
  ['an insert of several', { insert: 'c', documents: [{ _id: 4 }, { _id: 5 }] }],
  [
    'an unordered insert with a duplicate',
    { insert: 'c', documents: [{ _id: 4 }, { _id: 1 }, { _id: 5 }], ordered: false },
  ],
  ['an update', anUpdate({ _id: 1 })],
  ['several updates', { update: 'c', updates: [1, 1, 2].map((_id) => ({ q: { _id }, u: { $inc: { n: 1 } } })) }],
  ['an upsert', anUpdate({ _id: 9 }, { upsert: true })],
  ['a replacement', { update: 'c', updates: [{ q: { _id: 1 }, u: { n: 7 } }] }],
  [
    'deletes',
    {
      delete: 'c',
      deletes: [
        { q: { n: 0 }, limit: 1 },
        { q: { n: 0 }, limit: 1 },
      ],
    },
  ],
  [
    'a findAndModify that shows the document before',
    { findAndModify: 'c', query: { _id: 1 }, update: { $inc: { n: 1 } } },
  ],
  [
    'a findAndModify that shows the document after',
    { findAndModify: 'c', query: { _id: 1 }, update: { $inc: { n: 1 } }, new: true },
  ],
  [
    'a findAndModify that makes one',
    { findAndModify: 'c', query: { _id: 9 }, update: { $inc: { n: 1 } }, upsert: true, new: true },
  ],
  [
    'a findAndModify that makes one and shows none',
    { findAndModify: 'c', query: { _id: 9 }, update: { n: 1 }, upsert: true },
  ],
  [
    'a findAndModify that removes',
    { findAndModify: 'c', query: { n: 0 }, sort: { _id: -1 }, remove: true, fields: { n: 1 } },
  ],
];

describe.for([
  { where: 'on the same member', between: async (_: AskedSet) => {} },
  { where: 'on the next primary', between: async (asked: AskedSet) => void (await asked.failOver()) },
  {
    where: 'after a restart',
    between: async (asked: AskedSet) => {
      for (const name of asked.set.memberNames) asked.set.kill(name);
      for (const name of asked.set.memberNames) await asked.set.start(name);
      await asked.until(() => asked.primaryIfAny() !== undefined);
    },
  },
])('$where', ({ between }) => {
  test.for(writes)('%s is answered again and not done again', async ([, command]) => {
    const asked = await AskedSet.start(3);
    await asked.ok(asked.primary, { ...seedDocuments, writeConcern: { w: 3, j: true } });
    const once = numbered({ ...command, writeConcern: { w: 3, j: true } }, 1);
    const first = await asked.run(asked.primary, once);
    const after = await asked.documents(asked.primary, 'c');
    await between(asked);
    const { writeConcern: _, ...again } = once;
    const second = await asked.run(asked.primary, again);
    expect(result(second)).toEqual(result(first));
    expect(second.retriedStmtIds ?? second.retriedStmtId).toBeDefined();
    expect(await asked.documents(asked.primary, 'c')).toEqual(after);
    await asked.set.close();
  });
});

test('entries carry the session, and each statement points at the one before', async () => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', numbered({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }, 7));
  const { cursor } = await asked.ok('n1', { find: 'oplog.rs', filter: { ns: 'app.c', op: 'i' } }, 'local');
  const [first, second] = cursor.firstBatch as Doc[];
  expect(first).toMatchObject({ txnNumber: 7, stmtId: 0, o: { _id: 1 } });
  expect(first!.prevOpTime.t).toBe(-1);
  expect(second).toMatchObject({ txnNumber: 7, stmtId: 1 });
  expect(second!.prevOpTime.ts).toEqual(first!.ts);
  expect(Object.keys(second!)).toEqual(
    // biome-ignore format: a list
    ['lsid', 'txnNumber', 'op', 'ns', 'ui', 'o', 'o2', 'ts', 't', 'v', 'wall', 'stmtId', 'prevOpTime'],
  );
  const [row] = await asked.documents('n1', 'transactions', 'config');
  expect(row).toMatchObject({ txnNum: 7, lastWriteOpTime: { t: second!.t } });
  expect(row!.lastWriteOpTime.ts).toEqual(second!.ts);
  await asked.set.close();
});

test('a partly executed bulk goes on where it stopped', async () => {
  const asked = await AskedSet.start(1);
  const bulk = (ids: number[]) => numbered({ insert: 'c', documents: ids.map((_id) => ({ _id })) }, 1);
  await asked.ok('n1', bulk([1, 2]));
  expect(await asked.ok('n1', bulk([1, 2, 3]))).toMatchObject({ n: 3, retriedStmtIds: [0, 1] });
  expect(await asked.ok('n1', { ...bulk([2, 4]), stmtIds: [1, 3] })).toMatchObject({ n: 2, retriedStmtIds: [1] });
  expect((await asked.documents('n1', 'c')).map(({ _id }) => _id)).toEqual([1, 2, 3, 4]);
  await asked.set.close();
});

test('a member that was copied knows which sessions wrote, though not every statement', async () => {
  const asked = await AskedSet.start(3);
  const old = numbered({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3 } }, 5);
  await asked.ok(asked.primary, old);
  await asked.ok(asked.primary, { insert: 'd', documents: [{ _id: 1 }], writeConcern: { w: 3 } });
  const copied = asked.set.memberNames.find((name) => name !== asked.primary)!;
  asked.set.kill(copied);
  await asked.pass(1000);
  await asked.set.start(copied, { wipe: true });
  await asked.until(() => asked.now(copied, { hello: 1 }).secondary === true);
  await asked.ok(copied, { replSetStepUp: 1 }, 'admin');
  await asked.until(() => asked.primaryIfAny() === copied);
  expect(await asked.run(copied, { ...old, txnNumber: Long.fromNumber(4) })).toMatchObject({ ok: 0, code: 225 });
  // Its oplog begins after the write, so it cannot tell what was done; it must not do it again.
  const again = await asked.run(copied, { ...old, writeConcern: { w: 1 } });
  expect([again.writeErrors?.[0]?.code, again.retriedStmtIds]).toEqual([217, undefined]);
  await asked.set.close();
});

test('an image that a copy cannot know is marked so, and a retry there learns that it is lost', async () => {
  const asked = await AskedSet.start(3, { costs: { initialSyncMicrosPerDocument: 3_000_000 } });
  // Copied after config, so that its sessions are there already when this database's are not.
  const db = 'zoo';
  await asked.ok(asked.primary, { ...seedDocuments, writeConcern: { w: 3 } }, db);
  const copied = asked.set.memberNames.find((name) => name !== asked.primary)!;
  asked.set.kill(copied);
  await asked.pass(1000);
  await asked.set.start(copied, { wipe: true });
  await asked.until(() => asked.now(copied, { replSetGetStatus: 1 }).initialSyncStatus?.databases?.zoo !== undefined);
  // While the documents are copied this write is fetched, to be applied on top of what it has changed already.
  const sent = numbered({ findAndModify: 'c', query: { _id: 1 }, update: { $inc: { n: 1 } } }, 1);
  const first = await asked.ok(asked.primary, sent, db);
  await asked.until(() => asked.now(copied, { hello: 1 }).secondary === true);
  const [kept] = await asked.documents(asked.primary, 'image_collection', 'config');
  expect(kept).toMatchObject({ txnNum: 1, imageKind: 'preImage', image: { _id: 1, n: 0 }, invalidated: false });
  const [copy] = await asked.documents(copied, 'image_collection', 'config');
  expect(copy).toMatchObject({ txnNum: 1, imageKind: 'preImage', invalidated: true });
  expect(await asked.run(asked.primary, sent, db)).toMatchObject({ value: first.value, retriedStmtId: 0 });
  await asked.ok(copied, { replSetStepUp: 1 }, 'admin');
  await asked.until(() => asked.primaryIfAny() === copied);
  expect(await asked.run(copied, sent, db)).toMatchObject({ ok: 0, code: 217 });
  await asked.set.close();
});

test('a write that is rolled back was never made, so that its retry makes it', async () => {
  const asked = await AskedSet.start(3);
  await asked.ok(asked.primary, { insert: 'c', documents: [{ _id: 0 }], writeConcern: { w: 3 } });
  const old = asked.primary;
  const others = asked.set.memberNames.filter((name) => name !== old);
  asked.set.partition([[old], others]);
  const insert = numbered({ insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 1 } }, 1);
  await asked.ok(old, insert);
  await asked.until(() => others.some((name) => asked.now(name, { hello: 1 }).isWritablePrimary));
  const next = others.find((name) => asked.now(name, { hello: 1 }).isWritablePrimary)!;
  await asked.ok(next, { insert: 'd', documents: [{ _id: 0 }] });
  asked.set.heal('all');
  await asked.until(() => asked.now(old, { replSetGetRBID: 1 }).rbid === 2);
  await asked.until(() => asked.now(old, { hello: 1 }).secondary === true);
  expect(await asked.documents(old, 'transactions', 'config')).toEqual([]);
  expect((await asked.ok(next, insert)).retriedStmtIds).toBeUndefined();
  expect((await asked.ok(next, insert)).retriedStmtIds).toEqual([0]);
  await asked.set.close();
});

describe('whatever is sent again and whenever, the end is that of sending everything once', () => {
  const id = fc.integer({ min: 1, max: 4 });
  const inc = { $inc: { n: 1 } };
  // Statements of one command touch different documents: one that finds nothing leaves no trace, and runs again.
  const anyWrite = fc.oneof(
    fc
      .uniqueArray(id, { minLength: 1, maxLength: 3 })
      .map((ids): Doc => ({ insert: 'c', ordered: false, documents: ids.map((_id) => ({ _id, n: 0 })) })),
    fc
      .uniqueArray(fc.record({ _id: id, upsert: fc.boolean() }), {
        selector: ({ _id }) => _id,
        minLength: 1,
        maxLength: 3,
      })
      .map((all): Doc => ({ update: 'c', updates: all.map(({ _id, upsert }) => ({ q: { _id }, u: inc, upsert })) })),
    fc
      .uniqueArray(id, { minLength: 1, maxLength: 2 })
      .map((ids): Doc => ({ delete: 'c', deletes: ids.map((_id) => ({ q: { _id }, limit: 1 })) })),
    fc
      .record({ _id: id, new: fc.boolean() })
      .map(({ _id, new: shown }): Doc => ({ findAndModify: 'c', query: { _id }, update: inc, new: shown })),
    id.map((_id): Doc => ({ findAndModify: 'c', query: { _id }, remove: true })),
  );

  /** Sends each write to a set of `members` and once more after `event`; and once to a set that nothing befalls. */
  const compare = (members: number, writeConcern: Doc, events: Record<string, (asked: AskedSet) => Promise<void>>) =>
    fc.asyncProperty(
      fc.array(fc.record({ command: anyWrite, event: fc.constantFrom(...Object.keys(events)) }), {
        minLength: 1,
        maxLength: 8,
      }),
      async (steps) => {
        const retrying = await AskedSet.start(members);
        const once = await AskedSet.start(1);
        for (const [number, { command, event }] of steps.entries()) {
          const sent = numbered({ ...command, writeConcern }, number);
          const expected = result(await once.run('n1', { ...sent, writeConcern: { w: 1 } }));
          expect(result(await retrying.run(retrying.primary, sent))).toEqual(expected);
          await events[event]!(retrying);
          await settled(retrying);
          expect(result(await retrying.run(retrying.primary, sent))).toEqual(expected);
        }
        const end = await once.documents('n1', 'c');
        for (const name of retrying.set.memberNames) expect(await retrying.documents(name, 'c')).toEqual(end);
        await retrying.set.close();
        await once.set.close();
      },
    );

  /** Everybody is primary or secondary. */
  async function settled(asked: AskedSet): Promise<void> {
    await asked.until(() =>
      asked.set.memberNames.every((name) => {
        const { isWritablePrimary, secondary } = asked.now(name, { hello: 1 });
        return isWritablePrimary || secondary;
      }),
    );
    await asked.until(() => asked.primaryIfAny() !== undefined);
  }

  test('on one member that is killed', async () => {
    const restart = async ({ set }: AskedSet) => {
      set.kill('n1');
      await set.start('n1');
    };
    const property = compare(1, { w: 1, j: true }, { nothing: async () => {}, restart });
    await fc.assert(property, { numRuns: 20, seed: 1 });
  });

  test('on a set that fails over, and whose members are copied anew', async () => {
    const failOver = async (asked: AskedSet) => {
      const { old } = await asked.failOver();
      await asked.set.start(old);
    };
    const stepDown = async (asked: AskedSet) => {
      await asked.ok(asked.primary, { replSetStepDown: 20, secondaryCatchUpPeriodSecs: 5 }, 'admin');
    };
    const copyAnew = async (asked: AskedSet) => {
      const secondary = asked.set.memberNames.find((name) => name !== asked.primary)!;
      asked.set.kill(secondary);
      await asked.pass(500);
      await asked.set.start(secondary, { wipe: true });
    };
    const property = compare(3, { w: 3, j: true }, { failOver, stepDown, copyAnew });
    await fc.assert(property, { numRuns: 5, seed: 1 });
  });
});

test.for([
  { what: 'a number below one that was begun', command: { txnNumber: Long.fromNumber(1) }, code: 225 },
  { what: 'a number without a session', command: { txnNumber: Long.ONE, lsid: undefined }, code: 72 },
  { what: 'a negative number', command: { txnNumber: Long.fromNumber(-1) }, code: 72 },
  { what: 'autocommit without a number', command: { txnNumber: undefined, autocommit: false }, code: 72 },
  { what: 'autocommit: true', command: { autocommit: true }, code: 72 },
  { what: 'startTransaction without autocommit', command: { startTransaction: true }, code: 72 },
  { what: 'startTransaction: false', command: { startTransaction: false, autocommit: false }, code: 72 },
  { what: 'a session without id', command: { lsid: {} }, code: 40414 },
  { what: 'a session with another field', command: { lsid: { ...sessionOf(1).lsid, x: 1 } }, code: 40415 },
  { what: 'an id that is no UUID', command: { lsid: { id: 'x' } }, code: 14 },
  { what: 'an id of another subtype', command: { lsid: { id: new Binary(new Uint8Array(16)) } }, code: 14 },
  { what: 'a UUID of 15 bytes', command: { lsid: { id: new Binary(new Uint8Array(15), 4) } }, code: 207 },
  { what: 'stmtIds of another number', command: { stmtIds: [1, 2] }, code: 16 },
  { what: 'stmtId beside stmtIds', command: { stmtIds: [1], stmtId: 1 }, code: 72 },
])('$what is refused with $code', async ({ command, code }) => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', numbered({ insert: 'other', documents: [{ _id: 0 }] }, 2));
  const reply = await asked.run('n1', { ...numbered({ insert: 'c', documents: [{ _id: 1 }] }, 3), ...command });
  expect([reply.ok, reply.code]).toEqual([0, code]);
  expect(await asked.documents('n1', 'c')).toEqual([]);
  await asked.set.close();
});

test.for([
  [{ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] }, 'multi must be false'],
  [{ delete: 'c', deletes: [{ q: {}, limit: 0 }] }, 'limit must be 1'],
] as const)('%o is no retryable write', async ([command, said]) => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', seedDocuments);
  const reply = await asked.run('n1', numbered(command, 1));
  expect(reply.writeErrors).toMatchObject([{ index: 0, code: 72, errmsg: expect.stringContaining(said) }]);
  expect(await asked.documents('n1', 'c')).toHaveLength(3);
  await asked.set.close();
});

test.for([
  { first: anUpdate({ _id: 1 }), second: { insert: 'c', documents: [{ _id: 8 }] }, code: 40636 },
  { first: { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }, second: anUpdate({ _id: 2 }), code: 40638 },
  { first: anUpdate({ _id: 1 }), second: { findAndModify: 'c', query: {}, remove: true }, code: 40612 },
  {
    first: { findAndModify: 'c', query: { _id: 1 }, remove: true },
    second: { findAndModify: 'c', query: { _id: 1 }, update: { n: 1 }, upsert: true },
    code: 40606,
  },
  {
    first: { delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] },
    second: { findAndModify: 'c', query: { _id: 1 }, remove: true },
    code: 40607,
  },
  {
    first: { insert: 'c', documents: [{ _id: 8 }] },
    second: { findAndModify: 'c', query: {}, update: { n: 1 } },
    code: 40608,
  },
  {
    first: { findAndModify: 'c', query: { _id: 1 }, update: { n: 1 } },
    second: { findAndModify: 'c', query: { _id: 1 }, update: { n: 1 }, new: true },
    code: 40611,
  },
  {
    first: { findAndModify: 'c', query: { _id: 1 }, update: { n: 1 }, new: true },
    second: { findAndModify: 'c', query: { _id: 1 }, update: { n: 1 } },
    code: 40612,
  },
])('another write under the same number is refused with $code', async ({ first, second, code }) => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', seedDocuments);
  await asked.ok('n1', numbered(first, 1));
  const reply = await asked.run('n1', numbered(second, 1));
  expect(reply.writeErrors?.[0]?.code ?? reply.code).toBe(code);
  await asked.set.close();
});

test('a standalone takes no transaction numbers, and reads take none anywhere', async () => {
  const asked = new AskedSet(await AskedSet.start(1).then(({ set }) => set));
  expect(await asked.run('n1', numbered({ find: 'c' }, 1))).toMatchObject({ ok: 0, code: 50768 });
  asked.set.kill('n1');
  await asked.set.start('n1', { as: 'standalone' });
  expect(await asked.run('n1', numbered({ insert: 'c', documents: [{}] }, 1))).toMatchObject({ ok: 0, code: 20 });
  expect((await asked.run('n1', { insert: 'c', documents: [{}], ...sessionOf(1) })).ok).toBe(1);
  await asked.set.close();
});
