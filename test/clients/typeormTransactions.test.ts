import type { ObjectId } from 'mongodb';
import { DataSource, EntitySchema, type MongoRepository } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { useServedSet } from './servedSets.ts';

// TypeORM's own `transaction()` does nothing for MongoDB. What its users do is to take a session of the driver that it holds, and to hand it
// to the methods of a repository that take the driver's options.

const served = useServedSet();

interface Account {
  id: ObjectId;
  owner: string;
  balance: number;
}

const account = new EntitySchema<Account>({
  name: 'account',
  columns: {
    id: { type: String, objectId: true, primary: true, generated: true },
    owner: { type: String },
    balance: { type: Number },
  },
  indices: [{ columns: ['owner'], unique: true }],
});

let source: DataSource;
let accounts: MongoRepository<Account>;

beforeAll(async () => {
  source = new DataSource({
    type: 'mongodb',
    url: served().uri.replace('/?', '/orm?'),
    entities: [account],
    synchronize: true,
    ignoreUndefined: true,
  });
  await source.initialize();
  accounts = source.getMongoRepository(account);
});
afterAll(() => (source?.isInitialized ? source.destroy() : undefined));
beforeEach(async () => {
  await accounts.deleteMany({});
  await accounts.insert([
    { owner: 'ann', balance: 100 },
    { owner: 'ben', balance: 50 },
  ]);
});

const client = () => source.mongoManager.mongoQueryRunner.databaseConnection;
const balances = async () => Object.fromEntries((await accounts.find()).map(({ owner, balance }) => [owner, balance]));

test('a session of its driver makes one of several updates', async () => {
  await client().withSession((session) =>
    session.withTransaction(async () => {
      await accounts.updateOne({ owner: 'ann' }, { $inc: { balance: -30 } }, { session });
      const ben = await accounts.findOneAndUpdate({ owner: 'ben' }, { $inc: { balance: 30 } }, { session });
      expect(ben).toMatchObject({ balance: 50 });
      expect(await accounts.countDocuments({ balance: { $gt: 75 } }, { session })).toBe(1);
      expect(await balances()).toEqual({ ann: 100, ben: 50 });
    }),
  );
  expect(await balances()).toEqual({ ann: 70, ben: 80 });
});

test('aborted, it leaves nothing, and a key that is there already ends it', async () => {
  const session = client().startSession();
  session.startTransaction();
  await accounts.insertOne({ owner: 'cay', balance: 0 }, { session });
  await session.abortTransaction();
  session.startTransaction();
  await accounts.deleteOne({ owner: 'ann' }, { session });
  await expect(accounts.insertOne({ owner: 'ben', balance: 0 }, { session })).rejects.toMatchObject({ code: 11000 });
  await expect(accounts.insertOne({ owner: 'dot', balance: 0 }, { session })).rejects.toMatchObject({ code: 251 });
  await session.abortTransaction();
  await session.endSession();
  expect(await balances()).toEqual({ ann: 100, ben: 50 });
});

test('an entity is watched', async () => {
  const stream = source.mongoManager.watch(account, [{ $match: { operationType: { $in: ['insert', 'update'] } } }]);
  expect(await stream.tryNext()).toBeNull();
  await accounts.insert({ owner: 'eve', balance: 1 });
  await client().withSession((session) =>
    session.withTransaction(() => accounts.updateOne({ owner: 'eve' }, { $inc: { balance: 1 } }, { session })),
  );
  expect(await stream.next()).toMatchObject({ operationType: 'insert', fullDocument: { owner: 'eve', balance: 1 } });
  expect(await stream.next()).toMatchObject({ updateDescription: { updatedFields: { balance: 2 } } });
  await stream.close();
});
