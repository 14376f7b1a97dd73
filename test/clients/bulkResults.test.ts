import {
  type ClientBulkWriteModel,
  type MongoClient,
  MongoClientBulkWriteError,
  MongoNetworkTimeoutError,
} from 'mongodb';
import { expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// A client's bulkWrite whose results do not fit into one reply, which holds 16 MB of them: the driver reads them on with getMore.

const served = useServedSet({ members: 1 });
const newClient = useClients();
const MB = 1024 * 1024;

interface Item {
  _id: string;
  text?: string;
}
type Ops = ClientBulkWriteModel<{ 'app.items': Item; 'app.short': Item }>[];

/** The result of an upsert has its id. */
const upserts = (): Ops =>
  ['a', 'b'].map((letter) => ({
    name: 'updateOne',
    namespace: 'app.items',
    filter: { _id: letter.repeat(8 * MB) },
    update: { $set: { text: '' } },
    upsert: true,
  }));

/** The result of an insert that the validator refuses has the value that it refuses: as long, and no index has it for a key. */
const refused = (): Ops =>
  ['a', 'b'].map((_id) => ({
    name: 'insertOne',
    namespace: 'app.short',
    document: { _id, text: _id.repeat(8 * MB) },
  }));

/**
 * A client and the commands that it sends. So many bytes keep a busy machine from answering for a while, which must not be taken for the end of
 * the member: the driver would send the command again.
 */
async function listening(): Promise<{ client: MongoClient; sent: string[] }> {
  const client = newClient(served().uri, { monitorCommands: true, connectTimeoutMS: 180_000 });
  await client.connect();
  const sent: string[] = [];
  client.on('commandStarted', ({ commandName }) => sent.push(commandName));
  return { client, sent };
}

test.for([false, true])('the results of writes come in two replies; in a transaction: %s', async (inTransaction) => {
  const { client, sent } = await listening();
  const items = client.db('app').collection<Item>('items');
  await items.drop();
  sent.length = 0;
  await client.withSession(async (session) => {
    if (inTransaction) session.startTransaction();
    const result = await client.bulkWrite(upserts(), { verboseResults: true, session });
    expect([result.upsertedCount, result.updateResults?.size]).toEqual([2, 2]);
    if (inTransaction) await session.commitTransaction();
  });
  expect(sent).toEqual(['bulkWrite', 'getMore', ...(inTransaction ? ['commitTransaction'] : [])]);
  expect(await items.estimatedDocumentCount()).toBe(2);
});

test('an error of the getMore ends it, and the cursor is closed', async () => {
  const { client, sent } = await listening();
  const validator = { $jsonSchema: { properties: { text: { maxLength: 3 } } } };
  await client.db('app').createCollection('short', { validator });
  const data = { failCommands: ['getMore'], errorCode: 8 };
  await served().command('n1', { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
  sent.length = 0;
  const failure = await client.bulkWrite(refused(), { ordered: false }).catch((error) => error);
  expect(failure).toBeInstanceOf(MongoClientBulkWriteError);
  expect(failure.cause.code).toBe(8);
  expect(sent).toEqual(['bulkWrite', 'getMore', 'killCursors']);
});

/** The next getMore is answered only after so long. */
const blocks = (blockTimeMS: number) =>
  served().command('n1', {
    configureFailPoint: 'failCommand',
    mode: { times: 1 },
    data: { failCommands: ['getMore'], blockConnection: true, blockTimeMS },
  });

test('a socket that times out while the results are read ends it', async () => {
  const client = newClient(served().uri, { socketTimeoutMS: 3000 });
  await client.connect();
  await client.db('app').collection('items').drop();
  await blocks(600_000);
  const failure = await client.bulkWrite(upserts(), { verboseResults: true }).catch((error) => error);
  expect(failure).toBeInstanceOf(MongoNetworkTimeoutError);
  // The writes themselves were done before their results were read.
  expect(await client.db('app').collection('items').estimatedDocumentCount()).toBe(2);
});

// The driver deprecated its client-side timeout in 7.x: utils.ts, resolveTimeoutOptions, drops it, and so no deadline reaches the getMore.
test('timeoutMS has no effect: the driver waits for as long as the getMore takes', async () => {
  const { client, sent } = await listening();
  await client.db('app').collection('items').drop();
  await blocks(400);
  sent.length = 0;
  const options = { verboseResults: true, timeoutMS: 50 };
  expect((await client.bulkWrite(upserts(), options)).upsertedCount).toBe(2);
  expect(sent).toEqual(['bulkWrite', 'getMore']);
});
