import type { ClientSession, Collection, MongoServerError } from 'mongodb';
import { expect, test } from 'vitest';
import { directUri, useClients, useServedSet } from './servedSets.ts';

// Multi-document transactions, as an application meets them through the driver.

const served = useServedSet({ members: 3, settings: { electionTimeoutMillis: 2000 } });
const newClient = useClients();

interface Account {
  _id: string;
  balance: number;
}

/** Two collections that nobody else uses, of which the first holds `a` and `b` with 100 each. */
async function bank(name: string) {
  const client = newClient(served().uri);
  const accounts = client.db('bank').collection<Account>(name);
  const log = client.db('bank').collection<{ _id: number; from: string; to: string }>(`${name}Log`);
  await accounts.insertMany([
    { _id: 'a', balance: 100 },
    { _id: 'b', balance: 100 },
  ]);
  await client.db('bank').createCollection(`${name}Log`);
  return { client, accounts, log };
}

const balances = async (accounts: Collection<Account>, session?: ClientSession) =>
  Object.fromEntries(
    (await accounts.find({}, session && { session }).toArray()).map((each) => [each._id, each.balance]),
  );

async function transfer(accounts: Collection<Account>, session: ClientSession, amount: number): Promise<void> {
  await accounts.updateOne({ _id: 'a' }, { $inc: { balance: -amount } }, { session });
  await accounts.updateOne({ _id: 'b' }, { $inc: { balance: amount } }, { session });
}

test('withTransaction writes two collections together, and reads what it has written', async () => {
  const { client, accounts, log } = await bank('together');
  await client.withSession((session) =>
    session.withTransaction(async () => {
      await transfer(accounts, session, 30);
      await log.insertOne({ _id: 1, from: 'a', to: 'b' }, { session });
      expect(await balances(accounts, session)).toEqual({ a: 70, b: 130 });
      expect(await balances(accounts)).toEqual({ a: 100, b: 100 });
      expect(await log.countDocuments()).toBe(0);
      expect(await log.countDocuments({}, { session })).toBe(1);
    }),
  );
  expect(await balances(accounts)).toEqual({ a: 70, b: 130 });
  expect(await log.countDocuments()).toBe(1);
  for (const member of served().set.memberNames) {
    const there = newClient(directUri(served(), member)).db('bank').collection<Account>('together');
    expect(await balances(there)).toEqual({ a: 70, b: 130 });
  }
});

test('an aborted one leaves nothing behind', async () => {
  const { client, accounts } = await bank('aborted');
  await client.withSession(async (session) => {
    session.startTransaction();
    await transfer(accounts, session, 30);
    await session.abortTransaction();
  });
  expect(await balances(accounts)).toEqual({ a: 100, b: 100 });
});

test('one that meets another conflicts at once, and withTransaction tries it again', async () => {
  const { client, accounts } = await bank('conflicts');
  const first = client.startSession();
  first.startTransaction();
  await accounts.updateOne({ _id: 'a' }, { $inc: { balance: 1 } }, { session: first });
  const second = client.startSession();
  second.startTransaction();
  const error = await accounts
    .updateOne({ _id: 'a' }, { $inc: { balance: 10 } }, { session: second })
    .catch((caught: unknown) => caught as MongoServerError);
  expect(error).toMatchObject({ code: 112, codeName: 'WriteConflict' });
  expect((error as MongoServerError).hasErrorLabel('TransientTransactionError')).toBe(true);
  await second.abortTransaction();
  let tries = 0;
  await second.withTransaction(async () => {
    tries += 1;
    if (tries === 2) await first.commitTransaction();
    await accounts.updateOne({ _id: 'a' }, { $inc: { balance: 10 } }, { session: second });
  });
  expect(tries).toBe(2);
  expect(await balances(accounts)).toEqual({ a: 111, b: 100 });
  await Promise.all([first.endSession(), second.endSession()]);
});

test('withTransaction survives a step-down in its middle', async () => {
  const { client, accounts } = await bank('steppedDown');
  let tries = 0;
  await client.withSession((session) =>
    session.withTransaction(async () => {
      tries += 1;
      await accounts.updateOne({ _id: 'a' }, { $inc: { balance: -30 } }, { session });
      if (tries === 1)
        await client.db('admin').command({ replSetStepDown: 5, secondaryCatchUpPeriodSecs: 1, force: true });
      await accounts.updateOne({ _id: 'b' }, { $inc: { balance: 30 } }, { session });
    }),
  );
  expect(tries).toBeGreaterThan(1);
  expect(await balances(accounts)).toEqual({ a: 70, b: 130 });
});
