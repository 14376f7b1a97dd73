import { ServedSet } from '@replsim/server';
import { type Collection, MongoClient, type WriteConcernSettings } from 'mongodb';
import type { Figure } from './measure.ts';
import { costFigure, sideBySide } from './sideBySide.ts';

const TRANSACTIONS = 150;
const ROUNDS = 21;
const WARM_UPS = 6;
const MANY = 50_000;

/** What transactions cost through the driver, against plain writes of the same set. */
export async function transactions(): Promise<readonly Figure[]> {
  const served = await ServedSet.start();
  const client = new MongoClient(served.uri);
  const lines = [await twoUpdates(client, { w: 'majority' }), await twoUpdates(client, { w: 1 }), await many(client)];
  await client.close();
  await served.stop();
  return lines;
}

async function twoUpdates(client: MongoClient, writeConcern: WriteConcernSettings): Promise<Figure> {
  const plain = client.db('app').collection('plain');
  const accounts = client.db('app').collection<{ _id: number; balance: number }>('accounts');
  for (const _id of [1, 2]) await accounts.replaceOne({ _id }, { balance: 0 }, { upsert: true });
  const inserts = async () => {
    for (let x = 0; x < TRANSACTIONS; x++) await plain.insertOne({ x }, { writeConcern });
  };
  const transfers = () =>
    client.withSession(async (session) => {
      for (let i = 0; i < TRANSACTIONS; i++) {
        session.startTransaction({ writeConcern });
        await accounts.updateOne({ _id: 1 }, { $inc: { balance: -1 } }, { session });
        await accounts.updateOne({ _id: 2 }, { $inc: { balance: 1 } }, { session });
        await session.commitTransaction();
      }
    });
  const costs = await sideBySide(
    [
      { name: 'insertOne', times: TRANSACTIONS, work: inserts },
      { name: 'transaction', times: TRANSACTIONS, work: transfers },
    ],
    { rounds: ROUNDS, warmUps: WARM_UPS },
  );
  return costFigure(`transaction of two updates, w: ${writeConcern.w}`, costs, 4);
}

/** Both wait for every member, so that what secondaries have to do counts. */
async function many(client: MongoClient): Promise<Figure> {
  const writeConcern: WriteConcernSettings = { w: 3 };
  const db = client.db('app');
  const collection = db.collection('many');
  const documents = () => Array.from({ length: MANY }, (_, k) => ({ x: k, s: 'some text' }));
  const prepare = async () => {
    await collection.drop({ writeConcern });
    await db.createCollection('many', { writeConcern });
  };
  const plain = async () => void (await collection.insertMany(documents(), { writeConcern }));
  const inOne = async () => {
    await client.withSession(async (session) => {
      session.startTransaction({ writeConcern });
      await collection.insertMany(documents(), { session });
      await session.commitTransaction();
    });
    if ((await collection.estimatedDocumentCount()) !== MANY) throw new Error('the transaction lost documents');
  };
  const costs = await sideBySide(
    [
      { name: 'insertMany', times: MANY, work: plain, prepare },
      { name: 'transaction', times: MANY, work: inOne, prepare },
    ],
    { rounds: 9, warmUps: 2 },
  );
  return costFigure(`a document of ${MANY} in one transaction`, costs, 2.5);
}

const PLAIN = 400;

/** A plain write in a session, as the driver sends all of its writes. `--against` shows what transactions have added to it. */
export async function sessionWrites(): Promise<Figure> {
  const served = await ServedSet.start();
  const client = new MongoClient(served.uri);
  const session = client.startSession();
  const collection: Collection = client.db('app').collection('c');
  const work = async () => {
    for (let x = 0; x < PLAIN; x++) await collection.insertOne({ x }, { session, writeConcern: { w: 1 } });
  };
  const costs = await sideBySide([{ name: 'insertOne', times: PLAIN, work }], { rounds: 60, warmUps: 15 });
  await session.endSession();
  await client.close();
  await served.stop();
  return costFigure('insertOne in a session, w: 1', costs);
}
