import { Binary, Long } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What a rollback leaves behind beside the documents: indexes and who knows them, sessions, and what a restart finds.

const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];

/** n1 is cut off with what it does in `alone`, another is elected, and n1 comes back and rolls back. */
async function rolledBack(asked: AskedSet, alone: () => Promise<unknown>): Promise<void> {
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await alone();
  await asked.until(() => ['n2', 'n3'].some((name) => asked.now(name, { hello: 1 }).isWritablePrimary));
  asked.set.heal('all');
  await asked.until(() => Number(asked.now('n1', { replSetGetRBID: 1 }).rbid) === 2);
  await asked.untilState('n1', 2);
}

const ids = async (asked: AskedSet, member: string): Promise<unknown[]> =>
  (await asked.documents(member, 'c')).map(({ _id }) => _id);

test('a document expires by an index that a rollback brought back', async () => {
  const asked = await AskedSet.start(MEMBERS, { parameters: { ttlMonitorSleepSecs: 1 } });
  const indexes = [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 60 }];
  await asked.ok('n1', { createIndexes: 'c', indexes, writeConcern: { w: 3 } });
  await rolledBack(asked, async () => {
    await asked.ok('n1', { dropIndexes: 'c', index: 'at_1', writeConcern: { w: 1 } });
    // The pass that finds it gone forgets it.
    await asked.pass(3000);
  });
  await asked.untilPrimary('n1');
  const old = new Date(asked.set.wallMs('n1') - 3_600_000);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, at: old }] });
  await asked.pass(5000);
  expect(await ids(asked, 'n1')).toEqual([]);
  await asked.set.close();
});

test('a retry of a write that was rolled back writes', async () => {
  const asked = await AskedSet.start(MEMBERS);
  const lsid = { id: new Binary(new Uint8Array(16).fill(7), Binary.SUBTYPE_UUID) };
  const write: Doc = { insert: 'c', documents: [{ _id: 1 }], lsid, txnNumber: Long.ONE };
  await rolledBack(asked, () => asked.ok('n1', { ...write, writeConcern: { w: 1 } }));
  expect(await ids(asked, 'n1')).toEqual([]);
  // What the member remembers of sessions, beside the data, goes with them.
  const { logicalSessionRecordCache } = asked.now('n1', { serverStatus: 1 });
  expect(Number(logicalSessionRecordCache.sessionCatalogSize)).toBe(0);
  await asked.untilPrimary('n1');
  expect(await asked.ok('n1', write)).toMatchObject({ n: 1 });
  expect(await ids(asked, 'n1')).toEqual([1]);
  await asked.set.close();
});

test('who reads from a member that rolls back reads nothing across the cut', async () => {
  const asked = await AskedSet.start([...MEMBERS, { name: 'n4', config: { priority: 0, votes: 0 } }]);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 4 } });
  const separate = (member: string) => {
    for (const other of ['n2', 'n3']) {
      asked.set.cut(member, other);
      asked.set.cut(other, member);
    }
  };
  // It has nobody but n1 to read from.
  separate('n4');
  await asked.pass(5000);
  separate('n1');
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 2 }, { _id: 3 }], writeConcern: { w: 2 } });
  expect(await ids(asked, 'n4')).toEqual([1, 2, 3]);
  await asked.until(() => ['n2', 'n3'].some((name) => asked.now(name, { hello: 1 }).isWritablePrimary));
  asked.set.heal(['n1', 'n2', 'n3']);
  await asked.until(() => Number(asked.now('n1', { replSetGetRBID: 1 }).rbid) === 2);
  await asked.untilPrimary('n1');
  for (let _id = 4; _id < 9; _id++) await asked.ok('n1', { insert: 'c', documents: [{ _id }] });
  await asked.pass(30_000);
  for (const member of ['n1', 'n4']) expect(await ids(asked, member)).toEqual([1, 4, 5, 6, 7, 8]);
  await asked.set.close();
});

/** n2 has the first of two writes of n1, of which nobody has told n1 that it is committed. */
async function beyondTheStableOpTime(): Promise<AskedSet> {
  const asked = await AskedSet.start(MEMBERS, { costs: { journalFlushMicros: 500_000 } });
  await asked.pass(5000);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 3, j: false } });
  await rolledBack(asked, () => asked.ok('n1', { insert: 'c', documents: [{ _id: 2 }], writeConcern: { w: 1 } }));
  return asked;
}

test('what lies between the stable optime and the common point is applied again', async () => {
  const asked = await beyondTheStableOpTime();
  for (const member of ['n1', 'n2', 'n3']) expect(await ids(asked, member)).toEqual([1]);
  await asked.set.close();
});

test('a member that is killed after its rollback comes back without what was rolled back', async () => {
  const asked = await beyondTheStableOpTime();
  const { rbid } = asked.now('n1', { replSetGetRBID: 1 });
  asked.set.kill('n1');
  await asked.set.start('n1');
  await asked.untilState('n1', 2);
  expect(asked.now('n1', { replSetGetRBID: 1 }).rbid).toEqual(rbid);
  expect(await ids(asked, 'n1')).toEqual([1]);
  const kept = asked.now('n1', { find: 'oplog.rs', filter: { op: 'i', ns: 'app.c' } }, 'local').cursor.firstBatch;
  expect((kept as Doc[]).map(({ o }) => o._id)).toEqual([1]);
  await asked.set.close();
});
