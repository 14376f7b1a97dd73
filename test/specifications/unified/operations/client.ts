import type { ClientBulkWriteResult, Document, MongoClient } from 'mongodb';
import { begunStream, type Operations } from './operation.ts';

export const CLIENT: Operations<MongoClient> = {
  close: (client) => client.close(),
  dropDatabase: (client, { database, ...options }) => client.db(database).dropDatabase(options),
  listDatabases: (client, options) => databases(client, options),
  listDatabaseObjects: (client, options) => databases(client, options),
  listDatabaseNames: async (client, options) => {
    const found = await databases(client, { ...options, nameOnly: true });
    return found.map(({ name }) => name);
  },
  createChangeStream: (client, { pipeline, ...options }) => begunStream(client.watch(pipeline, options)),
  appendMetadata: (client, { driverInfoOptions }) => client.appendMetadata(driverInfoOptions),
  clientBulkWrite: async (client, { models, ...options }) =>
    bulkResult(await client.bulkWrite(models.map(modelOf), options)),
};

async function databases(client: MongoClient, options: Document): Promise<readonly Document[]> {
  return (await client.db('admin').admin().listDatabases(options)).databases;
}

/** The format names a model by its only field, the driver in the model. */
function modelOf(model: Document): Document {
  const [name, fields] = Object.entries(model)[0] ?? [];
  return { name, ...fields };
}

/** As the format writes it: documents for maps, and without what the driver adds. */
export function bulkResult(result: ClientBulkWriteResult): Document {
  const { insertResults, updateResults, deleteResults } = result;
  return {
    ...result,
    insertResults: documentOf(insertResults),
    updateResults: documentOf(updateResults),
    deleteResults: documentOf(deleteResults),
  };
}

function documentOf(results: ReadonlyMap<number, Document> | undefined): Document | undefined {
  if (!results) return undefined;
  return Object.fromEntries(Array.from(results, ([i, { didUpsert, ...result }]) => [i, result]));
}
