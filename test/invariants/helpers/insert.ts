import { MongoClient } from 'mongodb';

/** What a mutant of `early.ts` acknowledges too early. */
export async function insert(uri: string): Promise<void> {
  const client = new MongoClient(uri);
  await client
    .db('app')
    .collection('c')
    .insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
  await client.close();
}
