import type { Db } from 'mongodb';
import { begun, begunStream, type Operations } from './operation.ts';

export const DATABASE: Operations<Db> = {
  runCommand: (db, { command, commandName, ...options }) => db.command(command, options),
  runCursorCommand: (db, args) => commandCursor(db, args).toArray(),
  createCommandCursor: (db, args) => begun(commandCursor(db, args)),
  aggregate: (db, { pipeline, ...options }) => db.aggregate(pipeline, options).toArray(),
  listCollections: (db, { filter, ...options }) => db.listCollections(filter, options).toArray(),
  listCollectionObjects: (db, { filter, ...options }) => db.listCollections(filter, options).toArray(),
  listCollectionNames: async (db, { filter, ...options }) => {
    const found = await db.listCollections(filter, { ...options, nameOnly: true }).toArray();
    return found.map(({ name }) => name);
  },
  createCollection: (db, { collection, ...options }) => db.createCollection(collection, options),
  dropCollection: (db, { collection, ...options }) => db.dropCollection(collection, options),
  modifyCollection: (db, { collection, session, ...changes }) =>
    db.command({ collMod: collection, ...changes }, { session }),
  createChangeStream: (db, { pipeline, ...options }) => begunStream(db.watch(pipeline, options)),
};

function commandCursor(db: Db, args: Parameters<(typeof DATABASE)[string]>[1]) {
  const { command, commandName, batchSize, maxTimeMS, comment, cursorType, ...options } = args;
  const cursor = db.runCursorCommand(command, options);
  if (batchSize !== undefined) cursor.setBatchSize(batchSize);
  if (maxTimeMS !== undefined) cursor.setMaxTimeMS(maxTimeMS);
  if (comment !== undefined) cursor.setComment(comment);
  return cursor;
}
