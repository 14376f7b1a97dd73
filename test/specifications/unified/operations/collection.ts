import type { Collection, Document, UpdateResult } from 'mongodb';
import { begun, begunStream, type Operations } from './operation.ts';

export const COLLECTION: Operations<Collection> = {
  find: (c, { filter, ...options }) => c.find(filter, options).toArray(),
  findOne: (c, { filter, ...options }) => c.findOne(filter, options),
  createFindCursor: (c, { filter, ...options }) => begun(c.find(filter, options)),
  aggregate: (c, { pipeline, ...options }) => c.aggregate(pipeline, options).toArray(),
  count: (c, { filter, ...options }) => c.count(filter, options),
  countDocuments: (c, { filter, ...options }) => c.countDocuments(filter, options),
  estimatedDocumentCount: (c, options) => c.estimatedDocumentCount(options),
  distinct: (c, { fieldName, filter, ...options }) => c.distinct(fieldName, filter, options),
  createChangeStream: (c, { pipeline, ...options }) => begunStream(c.watch(pipeline, options)),

  insertOne: (c, { document, ...options }) => c.insertOne(document, options),
  insertMany: (c, { documents, ...options }) => c.insertMany(documents, options),
  updateOne: async (c, { filter, update, ...options }) => updated(await c.updateOne(filter, update, options)),
  updateMany: async (c, { filter, update, ...options }) => updated(await c.updateMany(filter, update, options)),
  replaceOne: async (c, { filter, replacement, ...options }) =>
    updated(await c.replaceOne(filter, replacement, options)),
  deleteOne: (c, { filter, ...options }) => c.deleteOne(filter, options),
  deleteMany: (c, { filter, ...options }) => c.deleteMany(filter, options),
  bulkWrite: (c, { requests, ...options }) => c.bulkWrite(requests, options),
  findOneAndDelete: (c, { filter, ...options }) => c.findOneAndDelete(filter, options),
  findOneAndUpdate: (c, { filter, update, returnDocument, ...options }) =>
    c.findOneAndUpdate(filter, update, { ...options, ...whichDocument(returnDocument) }),
  findOneAndReplace: (c, { filter, replacement, returnDocument, ...options }) =>
    c.findOneAndReplace(filter, replacement, { ...options, ...whichDocument(returnDocument) }),

  createIndex: (c, { keys, ...options }) => c.createIndex(keys, options),
  dropIndex: (c, { name, ...options }) => c.dropIndex(name, options),
  dropIndexes: (c, options) => c.dropIndexes(options),
  listIndexes: (c, options) => c.listIndexes(options).toArray(),
  listIndexNames: async (c, options) => (await c.listIndexes(options).toArray()).map(({ name }) => name),
  createSearchIndex: (c, { model }) => c.createSearchIndex(model),
  createSearchIndexes: (c, { models }) => c.createSearchIndexes(models),
  updateSearchIndex: (c, { name, definition }) => c.updateSearchIndex(name, definition),
  dropSearchIndex: (c, { name }) => c.dropSearchIndex(name),
  listSearchIndexes: (c, { name, aggregationOptions }) => c.listSearchIndexes(name, aggregationOptions).toArray(),

  rename: (c, { to, ...options }) => c.rename(to, options),
  drop: (c, options) => c.drop(options),
};

/** The driver says null of an upsert that was none, the format nothing. */
function updated({ upsertedId, ...result }: UpdateResult | Document): Document {
  return upsertedId === null ? result : { ...result, upsertedId };
}

function whichDocument(returnDocument: string | undefined): Document {
  return returnDocument === undefined ? {} : { returnDocument: returnDocument.toLowerCase() };
}
