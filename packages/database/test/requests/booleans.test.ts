import { Decimal128, Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

// Upstream has three readers of booleans: BSONElement::trueValue takes anything, `safeBool` numbers as well, `bool` and `optionalBool`
// nothing else. Sources: find_command.idl, getmore_command.idl, write_ops.idl, bulk_write.idl, find_and_modify_command.idl,
// aggregate_command.idl, rename_collection.idl, create.idl, create_indexes.idl, coll_mod.idl, list_collections.idl, list_databases.idl,
// list_indexes.idl, dbcommands.idl, storage_stats_spec.idl, document_source_coll_stats.idl, document_source_list_sessions.idl,
// compact.idl, connection_status.idl, user_management_commands.idl, sasl_commands.idl, collation_spec (basic_types.idl),
// document_source_current_op.cpp, current_op_common.cpp, validate.cpp. Those of the set's own commands: packages/node/test/onSets/replCommands/booleans.test.ts.

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1 });
});

const numbers = [new Int32(1), Long.ONE, new Double(5.5), Decimal128.fromString('1')];
const others = ['x', {}, [true], new Date(0)];

type Command = (value: unknown) => object;
const find =
  (name: string): Command =>
  (value) => ({ find: 'c', [name]: value });
const update = (name: string): Command => (value) => ({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, [name]: value }] }); // biome-ignore format: one line
const findAndModify = (name: string, more: object): Command => (value) => ({ findAndModify: 'c', query: { _id: 9 }, ...more, [name]: value }); // biome-ignore format: one line
const validate =
  (name: string): Command =>
  (value) => ({ validate: 'c', [name]: value });
const collation =
  (name: string): Command =>
  (value) => ({ find: 'c', collation: { locale: 'en', [name]: value } });
const aggregate =
  (name: string): Command =>
  (value) => ({ aggregate: 'c', pipeline: [], cursor: {}, [name]: value });
const stage = (name: string, spec: Command, aggregate: string | number = 'c'): Command => (value) => ({ aggregate, pipeline: [{ [name]: spec(value) }], cursor: {} }); // biome-ignore format: one line
const index = (name: string): Command => (value) => ({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', [name]: value }] }); // biome-ignore format: one line
const collModIndex = (name: string): Command => (value) => ({ collMod: 'c', index: { name: 'a_1', [name]: value } }); // biome-ignore format: one line
const bulk = (more: object, op: object = {}): object => ({ bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: { $set: { a: 1 } }, ...op }], nsInfo: [{ ns: 'app.c' }], ...more }); // biome-ignore format: one line
const CHANGE = { update: { $set: { a: 1 } } };

/** Whether the value is of the wrong type (14) to the command, or to the one statement in it. */
function isRefused(command: object, db?: string): boolean {
  const { code, writeErrors, cursor } = member.run(command, db);
  return [code, writeErrors?.[0]?.code, cursor?.firstBatch?.[0]?.code].includes(14);
}

describe('a boolean and nothing else', () => {
  test.for<[name: string, command: Command, db?: string]>([
    ...['singleBatch', 'allowDiskUse', 'returnKey', 'showRecordId', 'tailable', 'awaitData', 'noCursorTimeout', 'allowPartialResults'].map((name): [string, Command] => [`find.${name}`, find(name)]),
    ['insert.ordered', (ordered) => ({ insert: 'c', documents: [{ _id: 2 }], ordered })],
    ['insert.bypassEmptyTsReplacement', (bypassEmptyTsReplacement) => ({ insert: 'c', documents: [{ _id: 2 }], bypassEmptyTsReplacement })],
    ['update.ordered', (ordered) => ({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }], ordered })],
    ['update.multi', update('multi')],
    ['update.upsert', update('upsert')],
    ['update.upsertSupplied', update('upsertSupplied')],
    ['delete.ordered', (ordered) => ({ delete: 'c', deletes: [{ q: {}, limit: 1 }], ordered })],
    ['bulkWrite.ordered', (ordered) => bulk({ ordered }), 'admin'],
    ['bulkWrite.multi', (multi) => bulk({}, { multi }), 'admin'],
    ['renameCollection.dropTarget', (dropTarget) => ({ renameCollection: 'app.c', to: 'app.d', dropTarget }), 'admin'],
    ['createIndexes.indexes.hidden', index('hidden')],
    ...['includeQueryStatsMetrics', 'readOnce', 'oplogReplay'].map((name): [string, Command] => [`find.${name}`, find(name)]),
    ['find.$_requestResumeToken', ($_requestResumeToken) => ({ find: 'c', hint: { $natural: 1 }, $_requestResumeToken })],
    ...['caseLevel', 'numericOrdering', 'normalization', 'backwards'].map((name): [string, Command] => [`collation.${name}`, collation(name)]),
    ['getMore.includeQueryStatsMetrics', (includeQueryStatsMetrics) => ({ getMore: 5n, collection: 'c', includeQueryStatsMetrics })],
    ...['explain', 'allowDiskUse', 'fromMongos', 'needsMerge', 'isMapReduceCommand', 'includeQueryStatsMetrics'].map((name): [string, Command] => [`aggregate.${name}`, aggregate(name)]),
    ...['verbose', 'waitForLock', 'numericOnly'].map((name): [string, Command] => [`collStats.${name}`, (value) => ({ collStats: 'c', [name]: value })]),
    ...['verbose', 'waitForLock', 'numericOnly'].map((name): [string, Command] => [`$collStats.storageStats.${name}`, stage('$collStats', (value) => ({ storageStats: { [name]: value } }))]),
    ['$collStats.latencyStats.histograms', stage('$collStats', (histograms) => ({ latencyStats: { histograms } }))],
    ['$planCacheStats.allHosts', stage('$planCacheStats', (allHosts) => ({ allHosts }))],
    ['$listSessions.allUsers', stage('$listSessions', (allUsers) => ({ allUsers }), 'system.sessions'), 'config'],
    ['$listLocalSessions.allUsers', stage('$listLocalSessions', (allUsers) => ({ allUsers }), 1), 'admin'],
    ...['allUsers', 'localOps'].map((name): [string, Command, string] => [`$currentOp.${name}`, stage('$currentOp', (value) => ({ [name]: value }), 1), 'admin']),
    ['bulkWrite.errorsOnly', (errorsOnly) => bulk({ errorsOnly }), 'admin'],
    ['bulkWrite.bypassEmptyTsReplacement', (bypassEmptyTsReplacement) => bulk({ bypassEmptyTsReplacement }), 'admin'],
    ['findAndModify.bypassEmptyTsReplacement', findAndModify('bypassEmptyTsReplacement', CHANGE)],
    ['create.recordIdsReplicated', (recordIdsReplicated) => ({ create: 'd', recordIdsReplicated })],
    ...['nameOnly', 'authorizedCollections'].map((name): [string, Command] => [`listCollections.${name}`, (value) => ({ listCollections: 1, [name]: value })]),
    ['listDatabases.authorizedDatabases', (authorizedDatabases) => ({ listDatabases: 1, authorizedDatabases }), 'admin'],
    ['compact.dryRun', (dryRun) => ({ compact: 'c', dryRun, force: true })],
    ['compact.force', (force) => ({ compact: 'c', force })],
    ['renameCollection.stayTemp', (stayTemp) => ({ renameCollection: 'app.c', to: 'app.d', stayTemp }), 'admin'],
  ])('$0', ([, command, db]) => {
    for (const value of [...numbers, ...others]) expect(isRefused(command(value), db), `${value}`).toBe(true);
    expect(isRefused(command(false), db)).toBe(false);
  }); // biome-ignore format: a table
});

describe('numbers as well', () => {
  test.for<[name: string, command: Command, db?: string]>([
    ['insert.bypassDocumentValidation', (bypassDocumentValidation) => ({ insert: 'c', documents: [{ _id: 2 }], bypassDocumentValidation })],
    ['findAndModify.new', findAndModify('new', CHANGE)],
    ['findAndModify.upsert', findAndModify('upsert', CHANGE)],
    ['findAndModify.remove', findAndModify('remove', {})],
    ['findAndModify.bypassDocumentValidation', findAndModify('bypassDocumentValidation', CHANGE)],
    ['listDatabases.nameOnly', (nameOnly) => ({ listDatabases: 1, nameOnly }), 'admin'],
    ...['includeBuildUUIDs', 'includeIndexBuildInfo'].map((name): [string, Command] => [`listIndexes.${name}`, (value) => ({ listIndexes: 'c', [name]: value })]),
    ['dbStats.freeStorage', (freeStorage) => ({ dbStats: 1, freeStorage })],
    ['dataSize.estimate', (estimate) => ({ dataSize: 'app.c', estimate })],
    ['connectionStatus.showPrivileges', (showPrivileges) => ({ connectionStatus: 1, showPrivileges })],
    ...['showPrivileges', 'showCredentials', 'showCustomData', 'showAuthenticationRestrictions'].map((name): [string, Command] => [`usersInfo.${name}`, (value) => ({ usersInfo: 1, [name]: value })]),
    ...['showBuiltinRoles', 'showAuthenticationRestrictions'].map((name): [string, Command] => [`rolesInfo.${name}`, (value) => ({ rolesInfo: 1, [name]: value })]),
    ['aggregate.bypassDocumentValidation', aggregate('bypassDocumentValidation')],
    ['update.bypassDocumentValidation', (bypassDocumentValidation) => ({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }], bypassDocumentValidation })],
    ['delete.bypassDocumentValidation', (bypassDocumentValidation) => ({ delete: 'c', deletes: [{ q: { _id: 9 }, limit: 1 }], bypassDocumentValidation })],
    ['bulkWrite.bypassDocumentValidation', (bypassDocumentValidation) => bulk({ bypassDocumentValidation }), 'admin'],
    ...['autoIndexId', 'temp'].map((name): [string, Command] => [`create.${name}`, (value) => ({ create: 'd', [name]: value })]),
    ['create.clusteredIndex.unique', (unique) => ({ create: 'd', clusteredIndex: { key: { _id: 1 }, unique } })],
    ['create.changeStreamPreAndPostImages.enabled', (enabled) => ({ create: 'd', changeStreamPreAndPostImages: { enabled } })],
    ['collMod.changeStreamPreAndPostImages.enabled', (enabled) => ({ collMod: 'c', changeStreamPreAndPostImages: { enabled } })],
    ['writeConcern.j', (j) => ({ insert: 'c', documents: [{}], writeConcern: { w: 1, j } })],
    ['writeConcern.fsync', (fsync) => ({ insert: 'c', documents: [{}], writeConcern: { w: 1, fsync } })],
    ...['background', 'unique', 'sparse', 'prepareUnique', 'dropDups'].map((name): [string, Command] => [`createIndexes.indexes.${name}`, index(name)]),
    ['createIndexes.ignoreUnknownIndexOptions', (ignoreUnknownIndexOptions) => ({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }], ignoreUnknownIndexOptions })],
    ...['hidden', 'unique', 'prepareUnique'].map((name): [string, Command] => [`collMod.index.${name}`, collModIndex(name)]),
    ['collMod.dryRun', (dryRun) => ({ collMod: 'c', index: { name: 'a_1', hidden: true }, dryRun })],
    ['create.capped', (capped) => ({ create: 'd', size: 4096, capped })],
  ])('$0', ([, command, db]) => {
    for (const value of numbers) expect(isRefused(command(value), db), `${value}`).toBe(false);
    for (const value of others) expect(isRefused(command(value), db), `${value}`).toBe(true);
  }); // biome-ignore format: a table
});

describe('anything', () => {
  test.for<[name: string, command: Command, db?: string]>([
    ...['full', 'background', 'metadata', 'repair', 'checkBSONConformance'].map((name): [string, Command] => [`validate.${name}`, validate(name)]),
    ...['$all', '$ownOps', '$truncateOps'].map((name): [string, Command, string] => [`currentOp.${name}`, (value) => ({ currentOp: 1, [name]: value }), 'admin']),
    ...['all', 'none', 'repl'].map((name): [string, Command] => [`serverStatus.${name}`, (value) => ({ serverStatus: 1, [name]: value })]),
  ])('$0', ([, command, db]) => {
    for (const value of [...numbers, ...others]) expect(isRefused(command(value), db), `${value}`).toBe(false);
  }); // biome-ignore format: a table
});

test.for(['idleConnections', 'idleSessions', 'truncateOps', 'idleCursors', 'backtrace'])('a boolean, by a code of its own: $currentOp.%s', (name) => {
  const command = stage('$currentOp', (value) => ({ [name]: value }), 1);
  for (const value of [...numbers, ...others]) expect(member.run(command(value), 'admin').code, `${value}`).toBe(9);
  expect(member.run(command(true), 'admin').ok).toBe(1);
}); // biome-ignore format: one line
