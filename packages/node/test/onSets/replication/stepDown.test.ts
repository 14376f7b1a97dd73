import { Binary, Long } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';
import { TransactionClient } from '../../../../transactions/test/onSets/transactionClient.ts';

// What a step-down ends, and what it lets go on: whoever holds locks for writing is killed, readers are not, waiters for a
// write concern are told. Connections and cursors stay; only a rollback and the removal from the set close them.

const SESSION = { lsid: { id: new Binary(new Uint8Array(16), 4) }, txnNumber: Long.ONE };
const LABELS = ['RetryableWriteError', 'NoWritesPerformed'];
const slow = {
  updateMicros: 1_000_000,
  deleteMicros: 1_000_000,
  scanKeyMicros: 200_000,
  journalFlushMicros: 1_500_000,
};

/** n1 is primary and has twenty documents; each that is scanned takes a fifth of a second. */
async function started(): Promise<AskedSet> {
  const members = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
  const asked = await AskedSet.start(members, { costs: slow });
  await asked.ok('n1', { insert: 'c', documents: Array.from({ length: 20 }, (_, _id) => ({ _id, n: 0 })) });
  await asked.pass(20_000);
  return asked;
}

async function stepDown(asked: AskedSet): Promise<void> {
  const command = { replSetStepDown: 60, secondaryCatchUpPeriodSecs: 0, force: true };
  await asked.ok('n1', command, 'admin');
}

const updateAll = { update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] };
const linearizable = { find: 'c', filter: { _id: 1 }, readConcern: { level: 'linearizable' } };

test.for<[what: string, command: Doc, outcome: Doc]>([
  [
    'an update',
    { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] },
    { ok: 0, code: 11602, codeName: 'InterruptedDueToReplStateChange', topologyVersion: {} },
  ],
  ['an update of many', updateAll, { ok: 0, code: 11602 }],
  [
    'a retryable update',
    { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }], ...SESSION },
    { ok: 0, code: 11602, errorLabels: LABELS },
  ],
  ['a delete of many', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }, { ok: 0, code: 11602 }],
  ['a findAndModify', { findAndModify: 'c', query: { _id: 1 }, remove: true }, { ok: 0, code: 11602 }],
  ['a linearizable read that waits', linearizable, { ok: 0, code: 11602 }],
  [
    'a write that waits for all',
    { insert: 'c', documents: [{ _id: 99 }], writeConcern: { w: 3 } },
    { ok: 1, n: 1, writeConcernError: { code: 189 } },
  ],
  [
    'a write that waits for its journal',
    { insert: 'c', documents: [{ _id: 99 }], writeConcern: { w: 1, j: true } },
    { ok: 1, n: 1 },
  ],
  ['a read that scans', { find: 'c', filter: { n: 0 } }, { ok: 1 }],
  ['a count', { count: 'c', query: { n: 0 } }, { ok: 1, n: 20 }],
  ['an aggregation', { aggregate: 'c', pipeline: [{ $match: { n: 0 } }], cursor: {} }, { ok: 1 }],
])('%s', async ([, command, outcome]) => {
  const asked = await started();
  if (command === linearizable || command.writeConcern?.w === 3) asked.set.partition([['n1'], ['n2', 'n3']]);
  const { reply } = asked.send('n1', command);
  await asked.pass(700);
  expect(reply()).toBeUndefined();
  await stepDown(asked);
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject(outcome);
  if (!('writeConcernError' in outcome)) expect(reply()).not.toHaveProperty('writeConcernError');
  await asked.set.close();
});

test.for<[what: string, command: Doc, outcome: Doc]>([
  ['a write', { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] }, { ok: 0, code: 11602 }],
  [
    'a retryable write',
    { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }], ...SESSION },
    { ok: 0, code: 11602, errorLabels: LABELS },
  ],
  ['a findAndModify', { findAndModify: 'c', query: { _id: 1 }, remove: true }, { ok: 0, code: 11602 }],
])('%s that waits for what a transaction has open', async ([, command, outcome]) => {
  const asked = await AskedSet.start([{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }]);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, n: 0 }] });
  const client = new TransactionClient(asked, 7).begin();
  await client.ok({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { n: 9 } } }] });
  const { reply } = asked.send('n1', command);
  await asked.pass(700);
  expect(reply()).toBeUndefined();
  await stepDown(asked);
  await asked.until(() => reply() !== undefined);
  expect(reply()).toMatchObject(outcome);
  await asked.until(() => asked.primaryIfAny() !== undefined);
  expect(await asked.documents(asked.primary, 'c')).toEqual([{ _id: 1, n: 0 }]);
  await asked.set.close();
});

test('a cursor goes on where it was, and so does a getMore that waits for data', async () => {
  const asked = await started();
  const { cursor } = await asked.ok('n1', { find: 'c', batchSize: 2 });
  const tail = (
    await asked.ok('n1', { find: 'oplog.rs', filter: { ns: 'app.new' }, tailable: true, awaitData: true }, 'local')
  ).cursor;
  const { reply } = asked.send(
    'n1',
    { getMore: Long.fromValue(tail.id), collection: 'oplog.rs', maxTimeMS: 60_000 },
    'local',
  );
  await asked.pass(100);
  await stepDown(asked);
  expect(reply()).toBeUndefined();
  const more = await asked.ok('n1', { getMore: Long.fromValue(cursor.id), collection: 'c', batchSize: 2 });
  expect(more.cursor.nextBatch).toHaveLength(2);
  await asked.until(() => asked.primaryIfAny() !== undefined);
  await asked.ok(asked.primary, { insert: 'new', documents: [{ _id: 1 }], writeConcern: { w: 1 } });
  await asked.until(() => reply() !== undefined);
  expect(reply()?.cursor.nextBatch.length).toBeGreaterThan(0);
  await asked.set.close();
});

test('a rollback closes cursors', async () => {
  const asked = await started();
  const { cursor } = await asked.ok('n1', { find: 'c', batchSize: 2 });
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 99 }], writeConcern: { w: 1 } });
  await asked.until(
    () => asked.now('n2', { hello: 1 }).isWritablePrimary || asked.now('n3', { hello: 1 }).isWritablePrimary,
  );
  asked.set.heal('all');
  await asked.until(() => asked.now('n1', { replSetGetRBID: 1 }).rbid === 2);
  await asked.until(() => asked.now('n1', { hello: 1 }).secondary === true);
  const reply = await asked.run('n1', { getMore: Long.fromValue(cursor.id), collection: 'c' });
  expect(reply).toMatchObject({ ok: 0, code: 43, codeName: 'CursorNotFound' });
  await asked.set.close();
});

test('a removed member closes connections and cursors', async () => {
  const asked = await started();
  const onN3 = { $readPreference: { mode: 'nearest' } };
  const { cursor } = await asked.ok('n3', { find: 'c', batchSize: 2, ...onN3 });
  const tailing = { find: 'oplog.rs', filter: { ns: 'app.new' }, tailable: true, awaitData: true };
  const { cursor: tail } = await asked.ok('n3', tailing, 'local');
  const { topologyVersion } = asked.now('n3', { hello: 1 });
  const { processId, counter } = topologyVersion;
  const waiting = [
    asked.send('n3', { getMore: Long.fromValue(tail.id), collection: 'oplog.rs', maxTimeMS: 60_000 }, 'local'),
    asked.send('n3', {
      hello: 1,
      topologyVersion: { processId, counter: Long.fromNumber(counter) },
      maxAwaitTimeMS: 60_000,
    }),
  ];
  await asked.pass(1);
  const { config } = asked.now('n1', { replSetGetConfig: 1 });
  const members = config.members.filter(({ host }: Doc) => host !== 'n3:27017');
  await asked.ok('n1', { replSetReconfig: { ...config, members, version: config.version + 1 } }, 'admin');
  await asked.until(() => asked.now('n3', { hello: 1 }).isreplicaset === true);
  for (const { reply } of waiting) expect(reply()).toMatchObject({ ok: 0, code: 6, codeName: 'HostUnreachable' });
  // Nothing is read there any more, and nothing is left to read from.
  const reply = await asked.run('n3', { getMore: Long.fromValue(cursor.id), collection: 'c' });
  expect(reply).toMatchObject({ ok: 0, code: 13436, codeName: 'NotPrimaryOrSecondary' });
  expect(asked.now('n3', { serverStatus: 1 }).metrics.cursor.open).toMatchObject({ total: 0 });
  await asked.set.close();
});
