import mongoose, { type Mongoose, Schema } from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useServedSet } from './servedSets.ts';

// What mongoose's guide shows of transactions, and its models watched.

const served = useServedSet();
let goose: Mongoose;

const define = () => {
  const account = new Schema({ _id: String, balance: { type: Number, min: 0 } });
  const customer = new Schema({ name: { type: String, required: true }, rank: String });
  return { Account: goose.model('Account', account), Customer: goose.model('Customer', customer) };
};
let models: ReturnType<typeof define>;

beforeAll(async () => {
  goose = new mongoose.Mongoose();
  goose.set('transactionAsyncLocalStorage', true);
  await goose.connect(served().uri, { dbName: 'goose' });
  models = define();
  await Promise.all(Object.values(models).map((model) => model.init()));
});
afterAll(() => goose?.disconnect());
beforeEach(async () => {
  const { Account, Customer } = models;
  await Promise.all([Account.deleteMany(), Customer.deleteMany()]);
  await Account.create([
    { _id: 'a', balance: 100 },
    { _id: 'b', balance: 50 },
  ]);
});

const balances = async () =>
  Object.fromEntries((await models.Account.find().sort('_id').lean()).map(({ _id, balance }) => [_id, balance]));

test('connection.transaction: documents that were found with the session are saved with it', async () => {
  const { Account } = models;
  await goose.connection.transaction(async (session) => {
    const [from, to] = await Account.find().sort('_id').session(session).orFail();
    from!.balance! -= 30;
    to!.balance! += 30;
    expect(from!.$session()).toBe(session);
    await from!.save();
    await to!.save();
    const [sum] = await Account.aggregate([{ $group: { _id: null, sum: { $sum: '$balance' } } }]).session(session);
    expect(sum).toEqual({ _id: null, sum: 150 });
    expect(await Account.collection.findOne({ _id: 'a' as never })).toMatchObject({ balance: 100 });
  });
  expect(await balances()).toEqual({ a: 70, b: 80 });
});

test('one that throws leaves nothing, and its new documents are new again', async () => {
  const { Customer, Account } = models;
  const customer = new Customer({ name: 'Will' });
  const failed = goose.connection.transaction(async (session) => {
    await Account.updateOne({ _id: 'a' }, { $inc: { balance: -30 } }, { session });
    await customer.save({ session });
    expect(customer.isNew).toBe(false);
    throw new Error('thought better of it');
  });
  await expect(failed).rejects.toThrow('thought better of it');
  expect(customer.isNew).toBe(true);
  expect(await Customer.countDocuments()).toBe(0);
  expect(await balances()).toEqual({ a: 100, b: 50 });
  await customer.save();
  expect(await Customer.countDocuments()).toBe(1);
});

test('with transactionAsyncLocalStorage no operation has to name the session', async () => {
  const { Customer } = models;
  const failed = goose.connection.transaction(async () => {
    await Customer.create({ name: 'Ann' });
    await new Customer({ name: 'Ben' }).save();
    expect(await Customer.countDocuments()).toBe(2);
    expect(await Customer.collection.countDocuments()).toBe(0);
    throw new Error('thought better of it');
  });
  await expect(failed).rejects.toThrow('thought better of it');
  expect(await Customer.countDocuments()).toBe(0);
});

test('one that another has overtaken is tried again, on a document read anew', async () => {
  const { Account } = models;
  let tries = 0;
  await goose.connection.transaction(async (session) => {
    tries += 1;
    const account = await Account.findById('a').session(session).orFail();
    if (tries === 1) await Account.collection.updateOne({ _id: 'a' as never }, { $inc: { balance: 1 } });
    account.balance! *= 2;
    await account.save();
  });
  expect(tries).toBe(2);
  expect(await balances()).toEqual({ a: 202, b: 50 });
});

test('startSession: a collection is made inside, abort leaves none and commit leaves it', async () => {
  const Late = goose.model('Late', new Schema({ x: Number }, { autoCreate: false, autoIndex: false }));
  const names = async () => (await goose.connection.listCollections()).map(({ name }) => name);
  const session = await goose.startSession();
  for (const end of ['abortTransaction', 'commitTransaction'] as const) {
    session.startTransaction();
    await Late.createCollection({ session });
    await Late.create([{ x: 1 }, { x: 2 }], { session, ordered: true });
    await session[end]();
    expect((await names()).includes('lates')).toBe(end === 'commitTransaction');
  }
  await session.endSession();
  expect(await Late.countDocuments()).toBe(2);
});

test('Model.watch(): a transaction is seen when it is committed, in order, and as documents if asked for', async () => {
  const { Customer } = models;
  // A stream is opened when its first listener comes, and what is written meanwhile might be before it.
  const startAtOperationTime = (await goose.connection.db!.command({ ping: 1 })).operationTime;
  const stream = Customer.watch([], { hydrate: true, fullDocument: 'updateLookup', startAtOperationTime });
  const seen: { operationType: string; fullDocument?: unknown }[] = [];
  const three = new Promise<void>((resolve, reject) => {
    stream.on('change', (event) => {
      seen.push(event);
      if (seen.length === 3) resolve();
    });
    stream.on('error', reject);
  });
  await goose.connection
    .transaction(async () => {
      await Customer.create({ name: 'never' });
      throw new Error('thought better of it');
    })
    .catch(() => {});
  await goose.connection.transaction(async () => {
    const customer = await Customer.create({ name: 'Will' });
    customer.rank = 'Captain';
    await customer.save();
    await customer.deleteOne();
  });
  await three;
  expect(seen.map(({ operationType }) => operationType)).toEqual(['insert', 'update', 'delete']);
  expect(seen[0]!.fullDocument).toBeInstanceOf(Customer);
  await stream.close();
});
