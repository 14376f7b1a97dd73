import { pathToFileURL } from 'node:url';
import { ServedSet } from '@replsim/server';
import { type Collection, MongoClient, type WriteConcernSettings } from 'mongodb';
import { costLine, type Side, sideBySide } from './sideBySide.ts';

const TRANSACTIONS = 150;
const ROUNDS = 21;
const WARM_UPS = 6;
const MANY = 50_000;

/** What transactions cost through the driver, against plain writes of the same set. */
export async function transactions(): Promise<readonly string[]> {
  const served = await ServedSet.start();
  const client = new MongoClient(served.uri);
  const lines = [await twoUpdates(client, { w: 'majority' }), await twoUpdates(client, { w: 1 }), await many(client)];
  await client.close();
  await served.stop();
  return lines;
}

async function twoUpdates(client: MongoClient, writeConcern: WriteConcernSettings): Promise<string> {
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
  return costLine(`transaction of two updates, w: ${writeConcern.w}`, costs, '4');
}

/** Both wait for every member, so that what secondaries have to do counts. */
async function many(client: MongoClient): Promise<string> {
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
  return costLine(`a document of ${MANY} in one transaction`, costs, '2.5');
}

const PLAIN = 400;

/**
 * A plain write in a session, as the driver sends all of its writes: beside that of another build of this repository if a folder is
 * named, as what transactions add to it must be seen against what knew none.
 */
export async function sessionWrites(before: string | undefined): Promise<string> {
  const here = await insertsOf('insertOne', ServedSet);
  const there = before === undefined ? undefined : await insertsOf('the other build', await serverOf(before));
  const sides = there === undefined ? [here.side] : [there.side, here.side];
  const costs = await sideBySide(sides, { rounds: 60, warmUps: 15 });
  for (const each of [here, there]) await each?.end();
  const aim = there === undefined ? undefined : '1.03';
  return costLine('insertOne in a session, w: 1', costs, aim);
}

type Server = Pick<typeof ServedSet, 'start'>;

async function serverOf(folder: string): Promise<Server> {
  const entry = new URL('packages/server/dist/index.js', pathToFileURL(`${folder}/`));
  return ((await import(entry.href)) as { ServedSet: Server }).ServedSet;
}

async function insertsOf(name: string, server: Server): Promise<{ side: Side; end: () => Promise<void> }> {
  const served = await server.start();
  const client = new MongoClient(served.uri);
  const session = client.startSession();
  const collection: Collection = client.db('app').collection('c');
  const work = async () => {
    for (let x = 0; x < PLAIN; x++) await collection.insertOne({ x }, { session, writeConcern: { w: 1 } });
  };
  const end = async () => {
    await session.endSession();
    await client.close();
    await served.stop();
  };
  return { side: { name, times: PLAIN, work }, end };
}
