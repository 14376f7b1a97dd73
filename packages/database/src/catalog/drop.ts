import { type Operation, parseWriteConcern, pauseWhileSet, spend } from '@replsim/operations';
import { checkCollectionUuid, fieldSet, type Reply, timeseriesCollection, viewRecord } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { ITS_COLLECTION, ITS_DATABASE } from './excluded.ts';

const dropFields = fieldSet('drop', 'collectionUUID');
const dropDatabaseFields = fieldSet('dropDatabase');

/**
 * `{ drop }` → `{ ns, nIndexesWas }`, without them if there was nothing of this name. Errors: NamespaceNotFound 26 for that
 * before 7.0, IllegalOperation 20 for the set's own collections, and for
 * `system.profile` while it is written to, Location5255000 for the oplog.
 * Upstream: dbcommands.cpp, CmdDrop.
 */
const drop: CommandDefinition = {
  name: 'drop',
  help: 'drops a collection or a view',
  auth: { action: 'dropCollection', resource: 'collection' },
  api: 'v1',
  ...ON_PRIMARY,
  excludes: ITS_COLLECTION,
  run: runDrop,
};

/**
 * `{ dropDatabase: 1 }` → `{ dropped }`, without it if there was none, once a majority has the drops of its collections.
 * Errors: IllegalOperation 20; WriteConcernFailed 64 if no majority had them in time, and the database is then empty but not
 * dropped. Upstream: drop_database.cpp.
 */
const dropDatabase: CommandDefinition = {
  name: 'dropDatabase',
  help: 'drops a database',
  auth: { action: 'dropDatabase', resource: 'database' },
  api: 'v1',
  ...ON_PRIMARY,
  excludes: ITS_DATABASE,
  run: runDropDatabase,
};

export const dropCommands: readonly CommandDefinition[] = [drop, dropDatabase];

function* runDrop(context: CommandContext): Operation<Reply> {
  const { args, data, member, writes } = context;
  args.allow(dropFields);
  const { ns, db, collection: name } = args;
  if (isOplog(db, name)) throw liveOplog(member.memberState === 'STANDALONE');
  if (db === 'local' && (name.startsWith('system.') || name.startsWith('replset.'))) {
    throw new CommandError('IllegalOperation', `can't drop ${ns} while replicating`);
  }
  if (name === 'system.profile' && member.profiler.settings.of(db).level > 0) {
    throw new CommandError('IllegalOperation', 'system.profile can only be dropped once profiling is off');
  }
  yield* spend(member.costs.commitMicros);
  checkCollectionUuid(args, data, ns);
  if (data.collection(ns)) checkDroppable(db, name);
  const collection = timeseriesCollection(data, ns)?.buckets ?? data.collection(ns);
  if (!collection) return dropViewAlone(context, ns);
  const nIndexesWas = collection.indexes.length;
  dropView(context, ns);
  writes.dropCollection(collection.ns);
  return { nIndexesWas, ns };
}

function isOplog(db: string, name: string): boolean {
  return db === 'local' && name.startsWith('oplog.');
}

/** No member lets go of its oplog; a standalone that once was one could only resize it. Upstream: drop_collection_cmd.cpp. */
function liveOplog(isStandalone: boolean): CommandError {
  if (!isStandalone) return new CommandError(5255000, "can't drop live oplog while replicating");
  return new CommandError(5255001, "can't drop oplog on storage engines that support replSetResizeOplog command");
}

/** Errors: IllegalOperation 20 for a collection that a mongod holds on to. Upstream: database_impl.cpp, isDroppableSystemCollection. */
function checkDroppable(db: string, name: string): void {
  if (!name.startsWith('system.') || DROPPABLE.test(name)) return;
  const ofConfig = db === 'config' && ['system.sessions', 'system.preimages'].includes(name);
  if (ofConfig || (db === 'admin' && name === 'system.keys')) return;
  throw new CommandError('IllegalOperation', `can't drop system collection ${db}.${name}`);
}

const DROPPABLE = /^system\.((profile|views|js|healthlog)$|(buckets|resharding|statistics)\.)/;

/** Errors: NamespaceNotFound 26 before 7.0, if there is nothing of this name. */
function dropViewAlone(context: CommandContext, ns: string): Reply {
  if (!viewRecord(context.data, ns)) {
    if (context.member.traits.ddlTwiceSucceeds) return {};
    throw new CommandError('NamespaceNotFound', 'ns not found');
  }
  dropView(context, ns);
  return { ns };
}

/** A view of any kind, if there is one. */
function dropView({ data, writes }: CommandContext, ns: string): void {
  const record = viewRecord(data, ns);
  if (record) writes.delete(record.views, [record.recordId], { grouped: false });
}

function* runDropDatabase(context: CommandContext): Operation<Reply> {
  const { args, data, member, writes } = context;
  args.allow(dropDatabaseFields);
  const { db } = args;
  if (args.number('dropDatabase') !== 1) {
    throw new CommandError(5255100, "Expected '1' as the value of dropDatabase");
  }
  if (db === 'local' || db === 'admin' || db === 'config') {
    throw new CommandError('IllegalOperation', `Dropping the '${db}' database is prohibited.`);
  }
  yield* spend(member.costs.commitMicros);
  const collections = [...data.collections()].filter(({ ns }) => ns.startsWith(`${db}.`));
  if (collections.length === 0) return {};
  for (const { ns } of collections) writes.dropCollection(ns);
  writes.setDropPending(db, true);
  try {
    yield* awaitDrops(context, collections.length);
    yield* hangWithoutCollections(context);
  } finally {
    writes.setDropPending(db, false);
  }
  writes.dropDatabase(db);
  member.counters.commands.databaseDropped(db);
  member.counters.work.forget((ns) => ns.startsWith(`${db}.`));
  return { dropped: db };
}

/** A majority has the drops of the collections before the database itself is dropped, whatever the write concern. */
function* awaitDrops({ args, member }: CommandContext, count: number): Operation<void> {
  try {
    yield* member.awaitMajorityAnd(parseWriteConcern(args));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const { ts = { t: 0, i: 0 }, t = 0 } = member.lastOpTime ?? {};
    const newest = `{ ts: Timestamp(${ts.t}, ${ts.i}), t: ${t} }`;
    const what = `${count} collection drop(s) (most recent drop optime: ${newest}) to replicate.`;
    const errmsg = `dropDatabase ${args.db} failed waiting for ${what} :: caused by :: ${error.message}`;
    throw new CommandError(error.code, errmsg, error.extra);
  }
}

/** `dropDatabaseHangAfterAllCollectionsDrop`: the collections are gone, and the database is not. What ends the command is heard of afterwards. */
function* hangWithoutCollections({ member }: CommandContext): Operation<void> {
  const name = 'dropDatabaseHangAfterAllCollectionsDrop';
  if (!member.failPoints.areConfigured || !member.failPoints.enter(name)) return;
  member.log('I', 'COMMAND', 20343, `Standing still until the fail point ${name} is off`);
  yield* pauseWhileSet(member, name, { uninterrupted: true });
}
