import type { Doc } from '../../../../replset/test/askedSet.ts';

// Which built-in role may run which command. Source: jstests/auth/lib/commands_lib.js of the 8.0 line, in whose words the sets of
// roles are called where it has names for them; where a row differs, it says why.

/** Roles of the database `app`. */
export const ON_DATABASE = ['read', 'readWrite', 'dbAdmin', 'userAdmin', 'dbOwner', 'enableSharding'] as const;
/** Roles of `admin`. Left out are those whose definition commands_lib.js does not state for most commands. */
export const ON_ADMIN = [
  ...['readAnyDatabase', 'readWriteAnyDatabase', 'userAdminAnyDatabase', 'dbAdminAnyDatabase', 'clusterMonitor'],
  ...[
    'hostManager',
    'clusterManager',
    'clusterAdmin',
    'backup',
    'restore',
    'root',
    'directShardOperations',
    '__system',
  ],
];
const EVERY = [...ON_DATABASE, ...ON_ADMIN].join(' ');

const RD = 'read readAnyDatabase readWrite readWriteAnyDatabase dbOwner backup root __system';
const WR = 'readWrite readWriteAnyDatabase dbOwner root __system';
const DBA = 'dbAdmin dbAdminAnyDatabase dbOwner root __system';
const WD = 'readWrite readWriteAnyDatabase dbAdmin dbAdminAnyDatabase dbOwner root __system';
const MON = 'clusterMonitor clusterAdmin root __system';
const HOST = 'hostManager clusterAdmin root __system';
const CMGR = 'clusterManager clusterAdmin root __system';
const UA = 'userAdmin dbOwner userAdminAnyDatabase restore root __system';
const UA_ANY = 'userAdminAnyDatabase restore root __system';
const SYS = '__system';
const READS = 'read readWrite dbAdmin dbOwner readAnyDatabase readWriteAnyDatabase dbAdminAnyDatabase';

/** What runs for everybody, without a user too. */
const OPEN = 'open';
/** What needs a user and nothing more. */
const ALL = EVERY;

/**
 * A command, and who may run it on `app`, or on `admin` for `on: 'admin'`, as what names its database itself. On another database
 * roles of `app` allow nothing.
 */
export interface Row {
  readonly command: Doc;
  readonly allowed: string;
  readonly on?: 'admin';
}

const row = (command: Doc, allowed: string): Row => ({ command, allowed });
const admin = (command: Doc, allowed: string): Row => ({ command, allowed, on: 'admin' });

const QUERY = { q: {}, u: { $set: { a: 1 } } };
const ROLE = { role: 'read', db: 'app' };
const PRIVILEGE = { resource: { db: 'app', collection: 'c' }, actions: ['find'] };

/** Every command of `listCommands`, in its plainest form first. */
// biome-ignore format: a table
export const COMMANDS: Readonly<Record<string, readonly Row[]>> = {
  _isSelf: [admin({ _isSelf: 1 }, OPEN)],
  abortTransaction: [admin({ abortTransaction: 1 }, ALL)],
  aggregate: [
    row({ aggregate: 'c', pipeline: [], cursor: {} }, RD),
    row({ aggregate: 'c', pipeline: [{ $match: {} }, { $group: { _id: 1 } }], cursor: {} }, RD),
    row({ aggregate: 'c', pipeline: [{ $lookup: { from: 'd', pipeline: [], as: 'x' } }], cursor: {} }, RD),
    row({ aggregate: 'c', pipeline: [{ $facet: { a: [{ $unionWith: 'd' }] } }], cursor: {} }, RD),
    row({ aggregate: 'c', pipeline: [{ $graphLookup: { from: 'd', startWith: 1, connectFromField: 'a', connectToField: 'b', as: 'x' } }], cursor: {} }, RD),
    row({ aggregate: 'c', pipeline: [{ $geoNear: {} }], cursor: {} }, RD),
    row({ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }, WR),
    row({ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {}, bypassDocumentValidation: true }, 'dbOwner root __system'),
    row({ aggregate: 'c', pipeline: [{ $merge: { into: 'd', whenMatched: 'fail' } }], cursor: {} }, WR),
    row({ aggregate: 'c', pipeline: [{ $merge: 'd' }], cursor: {} }, WR),
    row({ aggregate: 'c', pipeline: [{ $collStats: {} }], cursor: {} }, `${READS} clusterMonitor clusterAdmin backup root __system`),
    row({ aggregate: 'c', pipeline: [{ $indexStats: {} }], cursor: {} }, MON),
    row({ aggregate: 'c', pipeline: [{ $planCacheStats: {} }], cursor: {} }, `${READS} root __system`),
    row({ aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} }, 'read readAnyDatabase readWrite readWriteAnyDatabase dbOwner root __system'),
    row({ aggregate: 1, pipeline: [{ $changeStream: {} }], cursor: {} }, 'read readAnyDatabase readWrite readWriteAnyDatabase dbOwner root __system'),
    admin({ aggregate: 1, pipeline: [{ $changeStream: { allChangesForCluster: true } }], cursor: {} }, 'readAnyDatabase readWriteAnyDatabase root __system'),
    admin({ aggregate: 1, pipeline: [{ $currentOp: { allUsers: true } }], cursor: {} }, MON),
    admin({ aggregate: 1, pipeline: [{ $currentOp: {} }], cursor: {} }, ALL),
    admin({ aggregate: 1, pipeline: [{ $listLocalSessions: { allUsers: true } }], cursor: {} }, `${MON} clusterManager`),
    admin({ aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} }, ALL),
    admin({ aggregate: 1, pipeline: [{ $documents: [{ a: 1 }] }], cursor: {} }, ALL),
    row({ aggregate: 'system.users', pipeline: [], cursor: {} }, 'userAdminAnyDatabase backup restore root __system'),
  ],
  appendOplogNote: [admin({ appendOplogNote: 1, data: {} }, `${CMGR} backup`)],
  // The operations inside need what they would by themselves.
  applyOps: [
    admin({ applyOps: [] }, 'dbAdminAnyDatabase restore root __system'),
    admin({ applyOps: [{ op: 'i', ns: 'app.c', o: { _id: 1 } }] }, 'restore root __system'),
    admin({ applyOps: [{ op: 'i', ns: 'admin.system.users', o: { _id: 1 } }] }, 'restore root __system'),
    admin({ applyOps: [{ op: 'd', ns: 'app.c', o: { _id: 1 } }] }, 'root __system'),
    admin({ applyOps: [{ op: 'c', ns: 'app.$cmd', o: { drop: 'c' } }] }, 'dbAdminAnyDatabase restore root __system'),
    admin({ applyOps: [{ op: 'c', ns: 'app.$cmd', o: { applyOps: [{ op: 'i', ns: 'admin.system.users', o: {} }] } }] }, 'restore root __system'),
    admin({ applyOps: [{ op: 'x', ns: 'app.c', o: {} }] }, SYS),
  ],
  authenticate: [row({ authenticate: 1 }, OPEN)],
  buildInfo: [row({ buildInfo: 1 }, OPEN)],
  bulkWrite: [
    admin({ bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'app.c' }] }, `${WR} restore`),
    admin({ bulkWrite: 1, ops: [{ update: 0, filter: {}, updateMods: {} }, { delete: 0, filter: {} }], nsInfo: [{ ns: 'app.c' }] }, WR),
    admin({ bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'app.c' }, { ns: 'shop.c' }], bypassDocumentValidation: true }, 'restore root __system'),
  ],
  cloneCollectionAsCapped: [row({ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 1 }, WR)],
  collMod: [
    row({ collMod: 'c' }, `${DBA} restore`),
    row({ collMod: 'v', viewOn: 'system.users', pipeline: [] }, `dbAdmin dbAdminAnyDatabase restore root __system`),
  ],
  collStats: [row({ collStats: 'c' }, `${READS} clusterMonitor clusterAdmin backup root __system`)],
  commitTransaction: [admin({ commitTransaction: 1 }, ALL)],
  compact: [row({ compact: 'c' }, DBA)],
  // Upstream everybody may: there nobody has test commands where there are users.
  configureFailPoint: [admin({ configureFailPoint: 'x', mode: 'off' }, HOST)],
  connPoolStats: [admin({ connPoolStats: 1 }, MON)],
  connectionStatus: [row({ connectionStatus: 1 }, OPEN)],
  convertToCapped: [row({ convertToCapped: 'c', size: 1 }, `${WD} restore`)],
  coordinateCommitTransaction: [admin({ coordinateCommitTransaction: 1 }, SYS)],
  count: [row({ count: 'c' }, RD)],
  create: [
    row({ create: 'c' }, `${WD} restore`),
    row({ create: 'c', capped: true, size: 1 }, `${WD} restore`),
    row({ create: 'v', viewOn: 'c', pipeline: [] }, `${WD} restore`),
    // Who may read the view could read by it what they may not.
    row({ create: 'v', viewOn: 'system.users', pipeline: [] }, 'dbAdmin dbAdminAnyDatabase restore root __system'),
  ],
  createIndexes: [row({ createIndexes: 'c', indexes: [] }, `${WD} restore`)],
  createRole: [
    row({ createRole: 'r', privileges: [], roles: [] }, UA),
    row({ createRole: 'r', privileges: [PRIVILEGE], roles: [ROLE] }, UA),
    row({ createRole: 'r', privileges: [{ resource: { cluster: true }, actions: ['find'] }], roles: [] }, UA_ANY),
  ],
  createSearchIndexes: [row({ createSearchIndexes: 'c', indexes: [] }, `${WD} restore`)],
  createUser: [
    row({ createUser: 'u', pwd: 'p', roles: [] }, UA),
    row({ createUser: 'u', pwd: 'p', roles: [ROLE], authenticationRestrictions: [] }, UA),
    row({ createUser: 'u', pwd: 'p', roles: [{ role: 'root', db: 'admin' }] }, UA_ANY),
  ],
  currentOp: [admin({ currentOp: 1 }, MON), admin({ currentOp: 1, $ownOps: true }, ALL)],
  dataSize: [admin({ dataSize: 'app.c' }, RD)],
  dbHash: [row({ dbHash: 1 }, 'read readAnyDatabase readWrite readWriteAnyDatabase dbOwner root __system')],
  dbStats: [row({ dbStats: 1 }, `${READS} clusterMonitor clusterAdmin root __system`)],
  delete: [row({ delete: 'c', deletes: [{ q: {}, limit: 1 }] }, WR)],
  distinct: [row({ distinct: 'c', key: 'a' }, RD)],
  drop: [row({ drop: 'c' }, `${WD} restore`)],
  dropAllRolesFromDatabase: [row({ dropAllRolesFromDatabase: 1 }, UA)],
  dropAllUsersFromDatabase: [row({ dropAllUsersFromDatabase: 1 }, UA)],
  dropDatabase: [row({ dropDatabase: 1 }, `${DBA} clusterAdmin`)],
  dropIndexes: [row({ dropIndexes: 'c', index: '*' }, WD)],
  dropRole: [row({ dropRole: 'r' }, UA)],
  dropSearchIndex: [row({ dropSearchIndex: 'c' }, WD)],
  dropUser: [row({ dropUser: 'u' }, UA)],
  endSessions: [row({ endSessions: [] }, ALL)],
  explain: [
    row({ explain: { find: 'c' } }, RD),
    row({ explain: { delete: 'c', deletes: [{ q: {}, limit: 1 }] } }, WR),
    row({ explain: { aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} } }, WR),
  ],
  features: [row({ features: 1 }, OPEN), row({ features: 1, oidReset: 1 }, HOST)],
  find: [
    row({ find: 'c' }, RD),
    row({ find: 'c', term: 1 }, SYS),
    row({ find: 'system.profile' }, `dbAdmin dbAdminAnyDatabase dbOwner clusterMonitor clusterAdmin backup root __system`),
    row({ find: 'system.js' }, RD),
    row({ find: 'system.views' }, SYS),
  ],
  findAndModify: [
    row({ findAndModify: 'c', remove: true }, WR),
    row({ findAndModify: 'c', update: {}, upsert: true }, WR),
    row({ findAndModify: 'c', update: {}, bypassDocumentValidation: true }, 'dbOwner root __system'),
  ],
  fsync: [admin({ fsync: 1 }, HOST)],
  fsyncUnlock: [admin({ fsyncUnlock: 1 }, HOST)],
  getClusterParameter: [admin({ getClusterParameter: '*' }, CMGR)],
  getCmdLineOpts: [admin({ getCmdLineOpts: 1 }, MON)],
  getDefaultRWConcern: [admin({ getDefaultRWConcern: 1 }, `${MON} clusterManager`)],
  getDiagnosticData: [admin({ getDiagnosticData: 1 }, MON)],
  getLog: [admin({ getLog: 'global' }, MON)],
  getMore: [row({ getMore: 77n, collection: 'c' }, ALL), row({ getMore: 77n, collection: 'c', term: 1 }, SYS)],
  getParameter: [admin({ getParameter: '*' }, `${MON} backup restore`)],
  grantPrivilegesToRole: [
    admin({ grantPrivilegesToRole: 'r', privileges: [PRIVILEGE] }, UA),
    row({ grantPrivilegesToRole: 'r', privileges: [{ resource: { db: '', collection: '' }, actions: ['find'] }] }, UA_ANY),
  ],
  grantRolesToRole: [row({ grantRolesToRole: 'r', roles: ['read'] }, UA)],
  grantRolesToUser: [
    row({ grantRolesToUser: 'u', roles: ['read'] }, UA),
    row({ grantRolesToUser: 'u', roles: [{ role: 'root', db: 'admin' }] }, UA_ANY),
  ],
  hello: [row({ hello: 1 }, OPEN)],
  hostInfo: [row({ hostInfo: 1 }, MON)],
  insert: [
    row({ insert: 'c', documents: [{}] }, `${WR} restore`),
    row({ insert: 'c', documents: [{}], bypassDocumentValidation: true }, 'dbOwner restore root __system'),
    admin({ insert: 'system.users', documents: [{}] }, 'restore root __system'),
    admin({ insert: 'system.roles', documents: [{}] }, SYS),
  ],
  invalidateUserCache: [row({ invalidateUserCache: 1 }, `${HOST} userAdminAnyDatabase`)],
  isMaster: [row({ isMaster: 1 }, OPEN)],
  killAllSessions: [row({ killAllSessions: [] }, HOST)],
  killAllSessionsByPattern: [
    row({ killAllSessionsByPattern: [] }, HOST),
    row({ killAllSessionsByPattern: [{ users: [{ user: 'x', db: 'admin' }] }] }, SYS),
  ],
  killCursors: [row({ killCursors: 'c', cursors: [77n] }, ALL)],
  killOp: [admin({ killOp: 1, op: 123_456 }, HOST)],
  killSessions: [row({ killSessions: [] }, ALL)],
  listCollections: [
    row({ listCollections: 1 }, `${READS} backup restore root __system`),
    row({ listCollections: 1, authorizedCollections: true }, `${READS} backup restore root __system`),
  ],
  listCommands: [row({ listCommands: 1 }, OPEN)],
  listDatabases: [
    admin({ listDatabases: 1 }, ALL),
    admin({ listDatabases: 1, authorizedDatabases: false }, 'readAnyDatabase readWriteAnyDatabase userAdminAnyDatabase dbAdminAnyDatabase clusterMonitor clusterAdmin backup root __system'),
  ],
  listIndexes: [row({ listIndexes: 'c' }, `${READS} backup root __system`)],
  listSearchIndexes: [row({ listSearchIndexes: 'c' }, `${READS} backup root __system`)],
  lockInfo: [admin({ lockInfo: 1 }, `${MON} backup`)],
  logRotate: [admin({ logRotate: 1 }, HOST)],
  logout: [row({ logout: 1 }, ALL)],
  mapReduce: [row({ mapReduce: 'c' }, RD)],
  ping: [row({ ping: 1 }, OPEN)],
  planCacheClear: [row({ planCacheClear: 'c' }, DBA)],
  planCacheClearFilters: [row({ planCacheClearFilters: 'c' }, DBA)],
  planCacheListFilters: [row({ planCacheListFilters: 'c' }, DBA)],
  planCacheSetFilter: [row({ planCacheSetFilter: 'c' }, DBA)],
  prepareTransaction: [admin({ prepareTransaction: 1 }, SYS)],
  profile: [row({ profile: -1 }, `${DBA} backup clusterMonitor clusterAdmin`), row({ profile: 0 }, DBA), row({ profile: -1, slowms: 1 }, DBA)],
  reIndex: [row({ reIndex: 'c' }, DBA)],
  reapLogicalSessionCacheNow: [admin({ reapLogicalSessionCacheNow: 1 }, ALL)],
  refreshLogicalSessionCacheNow: [admin({ refreshLogicalSessionCacheNow: 1 }, ALL)],
  refreshSessions: [row({ refreshSessions: [] }, ALL)],
  renameCollection: [
    admin({ renameCollection: 'app.c', to: 'app.d' }, WD),
    admin({ renameCollection: 'app.c', to: 'app.d', dropTarget: true }, WD),
    admin({ renameCollection: 'app.c', to: 'shop.c' }, 'readWriteAnyDatabase root __system'),
    admin({ renameCollection: 'app.c', to: 'admin.system.users', dropTarget: true }, 'root __system'),
    admin({ renameCollection: 'admin.system.users', to: 'admin.c' }, 'dbAdminAnyDatabase restore root __system'),
  ],
  replSetAbortPrimaryCatchUp: [admin({ replSetAbortPrimaryCatchUp: 1 }, CMGR)],
  replSetFreeze: [admin({ replSetFreeze: 1 }, CMGR)],
  replSetGetConfig: [admin({ replSetGetConfig: 1 }, `${MON} clusterManager`)],
  replSetGetRBID: [admin({ replSetGetRBID: 1 }, SYS)],
  replSetGetStatus: [admin({ replSetGetStatus: 1 }, `${MON} clusterManager`)],
  replSetHeartbeat: [admin({ replSetHeartbeat: 'rs0' }, SYS)],
  replSetInitiate: [admin({ replSetInitiate: {} }, CMGR)],
  replSetMaintenance: [admin({ replSetMaintenance: 1 }, CMGR)],
  replSetReconfig: [admin({ replSetReconfig: {} }, CMGR)],
  replSetRequestVotes: [admin({ replSetRequestVotes: 1 }, SYS)],
  replSetResizeOplog: [admin({ replSetResizeOplog: 1 }, HOST)],
  replSetStepDown: [admin({ replSetStepDown: 1 }, CMGR)],
  replSetStepUp: [admin({ replSetStepUp: 1 }, CMGR)],
  replSetSyncFrom: [admin({ replSetSyncFrom: 'b:1' }, CMGR)],
  // Ours.
  replsimRollbackFiles: [admin({ replsimRollbackFiles: 1 }, HOST)],
  revokePrivilegesFromRole: [admin({ revokePrivilegesFromRole: 'r', privileges: [PRIVILEGE] }, UA)],
  revokeRolesFromRole: [row({ revokeRolesFromRole: 'r', roles: ['read'] }, UA)],
  revokeRolesFromUser: [row({ revokeRolesFromUser: 'u', roles: ['read'] }, UA)],
  rolesInfo: [row({ rolesInfo: 1 }, UA), row({ rolesInfo: [] }, ALL), row({ rolesInfo: 'other' }, UA)],
  saslContinue: [row({ saslContinue: 1 }, OPEN)],
  saslStart: [row({ saslStart: 1 }, OPEN)],
  serverStatus: [row({ serverStatus: 1 }, `${MON} backup`)],
  setClusterParameter: [admin({ setClusterParameter: {} }, CMGR)],
  setDefaultRWConcern: [admin({ setDefaultRWConcern: 1 }, CMGR)],
  setFeatureCompatibilityVersion: [admin({ setFeatureCompatibilityVersion: '8.0' }, CMGR)],
  setIndexCommitQuorum: [row({ setIndexCommitQuorum: 'c', indexNames: [], commitQuorum: 1 }, `${WD} restore`)],
  setParameter: [admin({ setParameter: 1 }, HOST)],
  setUserWriteBlockMode: [admin({ setUserWriteBlockMode: 1 }, 'backup restore root __system')],
  shutdown: [admin({ shutdown: 1 }, HOST)],
  startSession: [row({ startSession: 1 }, ALL)],
  // For tests of drivers.
  testDeprecation: [row({ testDeprecation: 1 }, OPEN)],
  testDeprecationInVersion2: [row({ testDeprecationInVersion2: 1 }, OPEN)],
  testRemoval: [row({ testRemoval: 1 }, OPEN)],
  testVersion2: [row({ testVersion2: 1 }, OPEN)],
  testVersions1And2: [row({ testVersions1And2: 1 }, OPEN)],
  top: [admin({ top: 1 }, MON)],
  update: [
    row({ update: 'c', updates: [QUERY] }, WR),
    row({ update: 'c', updates: [{ ...QUERY, upsert: true }] }, WR),
    row({ update: 'c', updates: [QUERY], bypassDocumentValidation: true }, 'dbOwner root __system'),
  ],
  updateRole: [row({ updateRole: 'r', roles: [] }, UA_ANY)],
  updateSearchIndex: [row({ updateSearchIndex: 'c' }, `${WD} restore`)],
  updateUser: [
    row({ updateUser: 'u', pwd: 'p' }, UA),
    row({ updateUser: 'u', mechanisms: ['SCRAM-SHA-1'] }, UA),
    // Ours: what is kept of a password, in its place.
    row({ updateUser: 'u', replsimCredentials: {} }, UA),
    row({ updateUser: 'u', customData: {} }, UA),
    row({ updateUser: 'u', roles: [] }, UA_ANY),
  ],
  usersInfo: [row({ usersInfo: 1 }, UA), row({ usersInfo: [] }, ALL), row({ usersInfo: 'other' }, UA), row({ usersInfo: { forAllDBs: true } }, 'userAdminAnyDatabase root __system')],
  validate: [row({ validate: 'c' }, DBA), row({ validate: 'system.users' }, 'root __system')],
  waitForFailPoint: [admin({ waitForFailPoint: 'x' }, HOST)],
  whatsmyuri: [row({ whatsmyuri: 1 }, OPEN)],
};

/** Whether everybody may run it, without a user too. */
export function isOpenRow({ allowed }: Row): boolean {
  return allowed === OPEN;
}

/** Whether a role may, which is one of `app` or of `admin`. */
export function mayRun({ allowed, on }: Row, role: string, db: 'app' | 'shop' | 'admin'): boolean {
  if (allowed === OPEN || allowed === ALL) return true;
  const isElsewhere = on !== 'admin' && db !== 'app';
  return allowed.split(' ').includes(role) && !(isElsewhere && (ON_DATABASE as readonly string[]).includes(role));
}
