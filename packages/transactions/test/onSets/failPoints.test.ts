import { Timestamp } from 'bson';
import { beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { TransactionClient } from './transactionClient.ts';

// The fail points of transactions, and their limit of bytes.

let asked: AskedSet;
let sessions = 0;
beforeAll(async () => {
  asked = await AskedSet.start(3);
  await asked.ok(asked.primary, { insert: 'c', documents: [{ _id: 1, n: 0 }], writeConcern: { w: 3 } });
});

function another(): TransactionClient {
  sessions += 1;
  return new TransactionClient(asked, sessions);
}

const set = (name: string, mode: unknown, data: Doc = {}) =>
  asked.ok(asked.primary, { configureFailPoint: name, mode, data }, 'admin');
const now = (client: TransactionClient, command: Doc, db = 'admin') =>
  asked.send(asked.primary, client.statement(command), db);
const opidOf = async (commandName: string): Promise<number> => {
  const { inprog } = await asked.ok(asked.primary, { currentOp: 1 }, 'admin');
  return inprog.find(({ command }: Doc) => command && commandName in command).opid;
};

describe.for(['hangBeforeCommitingTxn', 'hangBeforeAbortingTxn'])('%s', (point) => {
  const command = point === 'hangBeforeCommitingTxn' ? 'commitTransaction' : 'abortTransaction';

  test('holds up one session, if one is named', async () => {
    const [held, other] = [another(), another()];
    for (const client of [held, other]) await client.begin().find('c');
    await set(point, 'alwaysOn', { uuid: held.lsid.id });
    const { reply } = now(held, { [command]: 1 });
    expect(await other.run({ [command]: 1 }, asked.primary, 'admin')).toMatchObject({ ok: 1 });
    await asked.pass(1000);
    expect(reply()).toBeUndefined();
    await set(point, 'off');
    await asked.pass(1000);
    expect(reply()).toMatchObject({ ok: 1 });
  });

  test.for([true, false])('hears that it was killed at once only if it is to look: %s', async (looks) => {
    const client = another().begin();
    await client.insert('c', { _id: `${point}${looks}` });
    await set(point, 'alwaysOn', { shouldCheckForInterrupt: looks });
    const { reply } = now(client, { [command]: 1 });
    await asked.pass(100);
    await asked.ok(asked.primary, { killOp: 1, op: await opidOf(command) }, 'admin');
    await asked.pass(100);
    expect(reply() !== undefined).toBe(looks);
    await set(point, 'off');
    await asked.pass(100);
    expect(reply()).toMatchObject({ ok: 0, code: 11601 });
  });
});

test('hangAfterPreallocateSnapshot: what is written meanwhile is not seen', async () => {
  await set('hangAfterPreallocateSnapshot', 'alwaysOn');
  const client = another().begin();
  const { reply } = now(client, { find: 'd', readConcern: { level: 'snapshot' } }, 'app');
  await asked.pass(100);
  await asked.ok(asked.primary, { insert: 'd', documents: [{ _id: 1 }], writeConcern: { w: 3 } });
  await set('hangAfterPreallocateSnapshot', 'off');
  await asked.pass(100);
  expect(reply()).toMatchObject({ ok: 1, cursor: { firstBatch: [] } });
});

test('failTransactionNoopWrite: whether there is such a transaction is not known in time', async () => {
  const client = another().begin();
  await client.find('c');
  await client.abort();
  expect(await client.commit()).toMatchObject({ code: 251 });
  await set('failTransactionNoopWrite', 'alwaysOn');
  expect(await client.commit({ writeConcern: { w: 'majority' } })).toMatchObject({ code: 50 });
  await set('failTransactionNoopWrite', 'off');
});

test('a commit that is repeated is answered, whatever commitTimestamp it brings', async () => {
  const client = another().begin();
  await client.insert('c', { _id: 'repeated' });
  expect(await client.commit()).toMatchObject({ ok: 1 });
  expect(await client.commit({ commitTimestamp: new Timestamp({ t: 1, i: 1 }) })).toMatchObject({ ok: 1 });
});

describe('transactionSizeLimitBytes', () => {
  const limit = (transactionSizeLimitBytes: number) =>
    asked.ok(asked.primary, { setParameter: 1, transactionSizeLimitBytes }, 'admin');

  test('is none at first', async () => {
    const command = { getParameter: 1, transactionSizeLimitBytes: 1 };
    expect(String(asked.typed(asked.primary, command).transactionSizeLimitBytes)).toBe('9223372036854775807');
  });

  test('ends the transaction whose statement passes it', async () => {
    await limit(1000);
    const client = another().begin();
    await client.insert('c', { _id: 'small', text: 'x'.repeat(500) });
    const reply = await client.run({ insert: 'c', documents: [{ _id: 'more', text: 'x'.repeat(500) }] });
    expect(reply).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, code: 257 }] });
    expect(reply.writeErrors[0].errmsg).toMatch(/'transactionSizeLimitBytes' = 1000$/);
    expect(await client.commit()).toMatchObject({ code: 251 });
  });

  test.for([true, false])('counts the images that are kept, which these are: %s', async (enabled) => {
    await limit(1000);
    const ns = `images${enabled}`;
    await asked.ok(asked.primary, { create: ns, changeStreamPreAndPostImages: { enabled } });
    const documents = [1, 2].map((_id) => ({ _id, text: 'x'.repeat(1000) }));
    await asked.ok(asked.primary, { insert: ns, documents });
    const fails = (reply: Doc) => reply.writeErrors?.[0].code === 257;
    const update = { update: ns, updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] };
    expect(fails(await another().begin().run(update))).toBe(enabled);
    expect(
      fails(
        await another()
          .begin()
          .run({ delete: ns, deletes: [{ q: { _id: 2 }, limit: 1 }] }),
      ),
    ).toBe(enabled);
  });
});
