import { Binary, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

const MINUTE_MS = 60_000;
const SESSIONS = 'system.sessions';
const lsid = (n: number) => ({ id: new Binary(new Uint8Array(16).fill(n), Binary.SUBTYPE_UUID) });

/** Which of these sessions' rows a member has. */
function rows(asked: AskedSet, member: string, collection = SESSIONS): number[] {
  const found = asked.now(member, { find: collection, $readPreference: { mode: 'secondaryPreferred' } }, 'config');
  return found.cursor.firstBatch.map((row: Doc) => row._id.id.buffer[0]).sort();
}

function secondaryOf(asked: AskedSet): string {
  return asked.set.memberNames.find((name) => name !== asked.primary) ?? '';
}

const retryable = (n: number, txnNumber: number, _id: number) => ({
  insert: 'c',
  documents: [{ _id }],
  lsid: lsid(n),
  txnNumber: Long.fromNumber(txnNumber),
});

describe('config.system.sessions', () => {
  test('is made by the primary at its first refresh, with a TTL index', async () => {
    const asked = await AskedSet.start(3);
    const names = (member: string) =>
      asked
        .now(member, { listCollections: 1, $readPreference: { mode: 'secondaryPreferred' } }, 'config')
        .cursor.firstBatch.map(({ name }: Doc) => name);
    await asked.pass(4 * MINUTE_MS);
    for (const member of asked.set.memberNames) expect(names(member)).not.toContain(SESSIONS);
    await asked.pass(2 * MINUTE_MS);
    for (const member of asked.set.memberNames) expect(names(member)).toContain(SESSIONS);
    const { cursor } = asked.now(asked.primary, { listIndexes: SESSIONS }, 'config');
    expect(cursor.firstBatch[1]).toMatchObject({ name: 'lsidTTLIndex', key: { lastUse: 1 }, expireAfterSeconds: 1800 });
    await asked.set.close();
  });

  test('has sessions that are used on any member, until nobody has used them for half an hour', async () => {
    const asked = await AskedSet.start(3);
    const other = secondaryOf(asked);
    await asked.pass(6 * MINUTE_MS);
    await asked.ok(asked.primary, { find: 'c', lsid: lsid(1) });
    await asked.ok(other, { find: 'c', lsid: lsid(2), $readPreference: { mode: 'secondary' } });
    expect(rows(asked, asked.primary)).toEqual([]);
    await asked.pass(5 * MINUTE_MS);
    for (const member of asked.set.memberNames) expect(rows(asked, member)).toEqual([1, 2]);
    await asked.pass(20 * MINUTE_MS);
    await asked.ok(other, { find: 'c', lsid: lsid(2), $readPreference: { mode: 'secondary' } });
    await asked.pass(15 * MINUTE_MS);
    for (const member of asked.set.memberNames) expect(rows(asked, member)).toEqual([2]);
    await asked.set.close();
  });

  test('loses those that are ended', async () => {
    const asked = await AskedSet.start(1);
    await asked.pass(6 * MINUTE_MS);
    await asked.ok(asked.primary, { find: 'c', lsid: lsid(1) });
    await asked.ok(asked.primary, { refreshLogicalSessionCacheNow: 1 }, 'admin');
    expect(rows(asked, asked.primary)).toEqual([1]);
    await asked.ok(asked.primary, { endSessions: [lsid(1)] }, 'admin');
    expect(rows(asked, asked.primary)).toEqual([1]);
    await asked.ok(asked.primary, { refreshLogicalSessionCacheNow: 1 }, 'admin');
    expect(rows(asked, asked.primary)).toEqual([]);
    await asked.set.close();
  });

  test('keeps a cursor on one member whose session is used on another', async () => {
    const asked = await AskedSet.start(3);
    const other = secondaryOf(asked);
    await asked.ok(asked.primary, { insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], writeConcern: { w: 3 } });
    await asked.pass(6 * MINUTE_MS);
    const first = await asked.ok(asked.primary, { find: 'c', batchSize: 1, lsid: lsid(1) });
    for (let i = 0; i < 4; i++) {
      await asked.pass(10 * MINUTE_MS);
      await asked.ok(other, { find: 'c', lsid: lsid(1), $readPreference: { mode: 'secondary' } });
    }
    const getMore = { getMore: Long.fromBigInt(BigInt(first.cursor.id)), collection: 'c', lsid: lsid(1) };
    expect(await asked.run(asked.primary, getMore)).toMatchObject({ ok: 1 });
    await asked.set.close();
  });

  test('is not made where members are told not to', async () => {
    const asked = await AskedSet.start([{ name: 'n1', parameters: { disableLogicalSessionCacheRefresh: true } }]);
    await asked.pass(11 * MINUTE_MS);
    const { cursor } = asked.now('n1', { listCollections: 1, filter: { name: SESSIONS } }, 'config');
    expect(cursor.firstBatch).toEqual([]);
    await asked.set.close();
  });
});

test('the time-out is a parameter, and a change of it one of the TTL index', async () => {
  const asked = await AskedSet.start([{ name: 'n1', parameters: { localLogicalSessionTimeoutMinutes: 10 } }]);
  await asked.pass(6 * MINUTE_MS);
  const index = () => asked.now('n1', { listIndexes: SESSIONS }, 'config').cursor.firstBatch[1].expireAfterSeconds;
  expect(index()).toBe(600);
  const collMod = { collMod: SESSIONS, index: { name: 'lsidTTLIndex', expireAfterSeconds: 60 } };
  await asked.ok('n1', collMod, 'config');
  await asked.ok('n1', { refreshLogicalSessionCacheNow: 1 }, 'admin');
  expect(index()).toBe(600);
  await asked.set.close();
});

describe('what a session wrote', () => {
  test('is removed everywhere once nobody has used it for long, and its write may be carried out again', async () => {
    const asked = await AskedSet.start(3);
    await asked.ok(asked.primary, retryable(1, 1, 1));
    await asked.ok(asked.primary, { findAndModify: 'c', query: { _id: 1 }, remove: true, lsid: lsid(1), txnNumber: Long.fromNumber(2) }); // biome-ignore format: one line
    await asked.pass(29 * MINUTE_MS);
    for (const member of asked.set.memberNames) {
      expect(rows(asked, member, 'transactions')).toEqual([1]);
      expect(rows(asked, member, 'image_collection')).toEqual([1]);
    }
    await asked.pass(13 * MINUTE_MS);
    for (const member of asked.set.memberNames) {
      expect(rows(asked, member, 'transactions')).toEqual([]);
      expect(rows(asked, member, 'image_collection')).toEqual([]);
    }
    expect(await asked.ok(asked.primary, retryable(1, 1, 1))).not.toHaveProperty('retriedStmtIds');
    await asked.set.close();
  });

  test('stays while the session is used, though it writes no more', async () => {
    const asked = await AskedSet.start(1);
    await asked.ok(asked.primary, retryable(1, 1, 1));
    for (let i = 0; i < 6; i++) {
      await asked.pass(10 * MINUTE_MS);
      await asked.ok(asked.primary, { find: 'c', lsid: lsid(1) });
    }
    expect(rows(asked, asked.primary, 'transactions')).toEqual([1]);
    expect(await asked.ok(asked.primary, retryable(1, 1, 1))).toMatchObject({ retriedStmtIds: [0] });
    await asked.set.close();
  });
});

test('serverStatus counts the runs, and what they wrote down and removed', async () => {
  const parameters = { TransactionRecordMinimumLifetimeMinutes: 1, localLogicalSessionTimeoutMinutes: 1 };
  const asked = await AskedSet.start([{ name: 'n1', parameters }]);
  const stats = () => asked.now('n1', { serverStatus: 1 }).logicalSessionRecordCache;
  expect(stats()).toMatchObject({ sessionsCollectionJobCount: 1, transactionReaperJobCount: 1 });
  await asked.pass(5 * MINUTE_MS);
  await asked.ok('n1', retryable(1, 1, 1));
  expect(stats()).toMatchObject({ activeSessionsCount: 1, sessionCatalogSize: 1 });
  await asked.ok('n1', { refreshLogicalSessionCacheNow: 1 }, 'admin');
  expect(stats()).toMatchObject({
    activeSessionsCount: 0,
    sessionsCollectionJobCount: 3,
    lastSessionsCollectionJobEntriesRefreshed: 1,
  });
  await asked.pass(3 * MINUTE_MS);
  await asked.ok('n1', { reapLogicalSessionCacheNow: 1 }, 'admin');
  expect(stats()).toMatchObject({ transactionReaperJobCount: 3, lastTransactionReaperJobEntriesCleanedUp: 1 });
  await asked.set.close();
});
