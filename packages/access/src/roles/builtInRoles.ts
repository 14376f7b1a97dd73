import type { RoleName } from '../names.ts';
import { type Actions, type ActionType, EVERY_ACTION } from '../privileges/actionType.ts';
import { type Privilege, united } from '../privileges/privilege.ts';
import type { ResourcePattern } from '../privileges/resourcePattern.ts';

/** The action names of a text. */
function actions(text: string): ActionType[] {
  return text.trim().split(/\s+/) as ActionType[];
}

// Sets of actions that several roles have, in the words of builtin_roles.yml.
const READ = actions(`changeStream collStats dbHash dbStats find killCursors listCollections listIndexes
  listSearchIndexes planCacheRead`);
const RW = [
  ...READ,
  ...actions(`cleanupStructuredEncryptionData compactStructuredEncryptionData convertToCapped createCollection createIndex
    createSearchIndexes dropCollection dropIndex dropSearchIndex insert remove renameCollectionSameDB update
    updateSearchIndex`),
];
const USER_ADMIN = actions(`changeCustomData changePassword createUser createRole dropUser dropRole grantRole revokeRole
  setAuthenticationRestriction viewUser viewRole`);
const DB_ADMIN =
  actions(`analyze bypassDocumentValidation collMod collStats compact convertToCapped createCollection dbStats
  dropCollection dropDatabase dropIndex dropSearchIndex createIndex createSearchIndexes enableProfiler listCollections
  listIndexes listSearchIndexes updateSearchIndex planCacheIndexFilter planCacheRead planCacheWrite reIndex
  renameCollectionSameDB storageDetails validate configureQueryAnalyzer`);
const PROFILE = [...READ, ...actions('convertToCapped createCollection dropCollection')];
const MONITORED = actions('collStats dbStats getDatabaseVersion getShardVersion indexStats');
const MANAGED =
  actions(`analyzeShardKey configureQueryAnalyzer clearJumboFlag splitChunk moveChunk moveCollection enableSharding
  splitVector refineCollectionShardKey reshardCollection`);
const RESTORED =
  actions(`bypassDocumentValidation collMod convertToCapped createCollection createIndex createSearchIndexes
  dropCollection insert updateSearchIndex`);
const FIND = actions('find');
const CHANGE = actions('insert update remove');

/**
 * Which things a row is about: `own` for the role's database, `own.NAME` for a collection in it, `*.NAME` for collections of
 * this name anywhere, a database, a namespace, or one of those that begin with `@`.
 */
type Resources = string;
type Row = readonly [resources: Resources, actions: readonly ActionType[]];

interface BuiltInRole {
  /** Roles of these names whose privileges it has too, on its own database, or on the one behind the `@`. */
  readonly contains: readonly string[];
  readonly privileges: readonly Row[];
}

/** Those that every database has. Source: builtin_roles.yml of the 8.0 line. */
const EVERYWHERE: Readonly<Record<string, BuiltInRole>> = {
  read: { contains: [], privileges: [['own own.system.js', READ]] },
  readWrite: { contains: [], privileges: [['own own.system.js', RW]] },
  dbAdmin: {
    contains: [],
    privileges: [
      ['own', DB_ADMIN],
      ['own.system.profile', PROFILE],
    ],
  },
  userAdmin: { contains: [], privileges: [['own', USER_ADMIN]] },
  dbOwner: { contains: ['readWrite', 'dbAdmin', 'userAdmin'], privileges: [] },
  enableSharding: {
    contains: [],
    privileges: [
      ['@normal', actions('analyzeShardKey enableSharding moveCollection refineCollectionShardKey reshardCollection')],
    ],
  },
};

const SOME_OF_LOCAL = 'local.replset.election local.replset.minvalid';

/** Those that `admin` alone has. Source: builtin_roles.yml of the 8.0 line. */
const ON_ADMIN: Readonly<Record<string, BuiltInRole>> = {
  readAnyDatabase: {
    contains: [],
    privileges: [
      ['@normal @buckets *.system.js', READ],
      ['@cluster', actions('listDatabases')],
    ],
  },
  readWriteAnyDatabase: { contains: ['readAnyDatabase'], privileges: [['@normal @buckets *.system.js', RW]] },
  userAdminAnyDatabase: {
    contains: [],
    privileges: [
      ['@normal', [...USER_ADMIN, ...actions('listCachedAndActiveUsers')]],
      ['local config', USER_ADMIN],
      ['@cluster', actions('listDatabases authSchemaUpgrade invalidateUserCache viewUser')],
      [
        'admin.system.users admin.system.roles',
        [...READ, ...actions('createIndex createSearchIndexes dropIndex dropSearchIndex')],
      ],
      ['*.system.users admin.system.version admin.system.backup_users', READ],
    ],
  },
  dbAdminAnyDatabase: {
    contains: [],
    privileges: [
      ['@normal @buckets', DB_ADMIN],
      ['*.system.profile', PROFILE],
      ['@cluster', actions('listDatabases applyOps')],
    ],
  },
  clusterMonitor: {
    contains: ['read@config', 'read@local'],
    privileges: [
      [
        '@cluster',
        actions(`connPoolStats getCmdLineOpts getDefaultRWConcern getLog getParameter getShardMap hostInfo listDatabases
          listSampledQueries listSessions listShards netstat operationMetrics replSetGetConfig replSetGetStatus serverStatus
          top useUUID inprog shardingState allCollectionStats shardedDataDistribution queryStatsRead
          queryStatsReadTransformed`),
      ],
      ['@normal config local config.system.sessions', MONITORED],
      [`local.system.replset ${SOME_OF_LOCAL} *.system.profile`, FIND],
    ],
  },
  hostManager: {
    contains: [],
    privileges: [
      [
        '@cluster',
        actions(`applicationMessage auditConfigure compact connPoolSync dropConnections logRotate oidReset setParameter shutdown
          touch unlock flushRouterConfig fsync invalidateUserCache killAnyCursor killAnySession killop replSetResizeOplog
          resync trafficRecord rotateCertificates oidcListKeys oidcRefreshKeys`),
      ],
      ['@normal', actions('killCursors')],
    ],
  },
  clusterManager: {
    contains: ['read@config'],
    privileges: [
      [
        '@cluster',
        actions(`appendOplogNote applicationMessage replSetConfigure replSetGetConfig replSetGetStatus replSetStateChange
          resync addShard removeShard listSessions listShards flushRouterConfig cleanupOrphaned getDefaultRWConcern
          runTenantMigration setDefaultRWConcern setFeatureCompatibilityVersion setClusterParameter getClusterParameter
          setChangeStreamState getChangeStreamState querySettings queryStatsRead queryStatsReadTransformed
          checkMetadataConsistency transitionFromDedicatedConfigServer transitionToDedicatedConfigServer`),
      ],
      ['@normal @buckets config local', MANAGED],
      [`config local ${SOME_OF_LOCAL}`, CHANGE],
      ['local.system.replset local.system.healthlog', READ],
      ['@any', actions('dbCheck')],
    ],
  },
  clusterAdmin: {
    contains: ['clusterMonitor', 'hostManager', 'clusterManager'],
    privileges: [
      ['@normal', actions('dropDatabase')],
      ['@any', actions('importCollection exportCollection')],
    ],
  },
  __queryableBackup: {
    contains: [],
    privileges: [
      ['@any', actions('collStats listCollections listIndexes listSearchIndexes')],
      ['@normal @buckets config local', FIND],
      [`${SOME_OF_LOCAL} *.system.js *.system.users *.system.profile`, FIND],
      ['admin.system.backup_users admin.system.roles admin.system.version config.settings', FIND],
      ['@cluster', actions('getParameter listDatabases useUUID')],
    ],
  },
  backup: {
    contains: ['__queryableBackup'],
    privileges: [
      ['@cluster', actions('appendOplogNote serverStatus setUserWriteBlockMode')],
      ['config.settings', actions('insert update')],
    ],
  },
  restore: {
    contains: [],
    privileges: [
      ['@cluster', actions('getParameter forceUUID useUUID bypassWriteBlockingMode setUserWriteBlockMode applyOps')],
      ['@normal', [...RESTORED, ...USER_ADMIN]],
      [`local config @buckets local.system.replset ${SOME_OF_LOCAL} *.system.js`, RESTORED],
      ['admin.system.backup_users', RESTORED],
      ['admin.system.version', [...RESTORED, ...FIND]],
      ['*.system.users', [...RESTORED, ...actions('find update remove')]],
      ['admin.system.roles', actions('createIndex')],
      ['admin.tempusers admin.temproles', FIND],
      ['@any', actions('listCollections')],
    ],
  },
  directShardOperations: { contains: [], privileges: [['@cluster', actions('issueDirectShardOperations')]] },
  root: {
    contains: [
      ...['clusterAdmin', 'userAdminAnyDatabase', 'dbAdminAnyDatabase', 'readWriteAnyDatabase', 'backup', 'restore'],
      'directShardOperations',
    ],
    privileges: [
      ['@any', actions('validate')],
      ['@cluster', actions('useTenant bypassDefaultMaxTimeMS')],
      ['config.system.preimages', actions('find remove')],
      ['config.system.change_collection', actions('find insert remove update')],
    ],
  },
  // What commands_lib.js says of it: it reads what there is, and writes in one database.
  searchCoordinator: {
    contains: ['readAnyDatabase', 'clusterMonitor'],
    privileges: [
      ['@cluster', actions('useUUID')],
      ['__mdb_internal_search', RW],
    ],
  },
  __system: { contains: [], privileges: [['@any', [...EVERY_ACTION]]] },
};

/** What a word of `Resources` means for a role of this database. */
function patternOf(word: string, own: string): ResourcePattern {
  switch (word) {
    case '@cluster':
      return { kind: 'cluster' };
    case '@any':
      return { kind: 'anyResource' };
    case '@normal':
      return { kind: 'anyNormal' };
    case '@buckets':
      return { kind: 'anyBuckets' };
  }
  const dot = word.indexOf('.');
  const first = dot === -1 ? word : word.slice(0, dot);
  const db = first === 'own' ? own : first;
  if (dot === -1) return { kind: 'database', db };
  const collection = word.slice(dot + 1);
  return db === '*' ? { kind: 'collection', collection } : { kind: 'exact', db, collection };
}

function tableOf({ role, db }: RoleName): BuiltInRole | undefined {
  if (db === '$external') return undefined;
  const onAdmin = db === 'admin' && Object.hasOwn(ON_ADMIN, role) ? ON_ADMIN[role] : undefined;
  return onAdmin ?? (Object.hasOwn(EVERYWHERE, role) ? EVERYWHERE[role] : undefined);
}

export function isBuiltInRole(name: RoleName): boolean {
  return tableOf(name) !== undefined;
}

/** The built-in roles of a database, in the order of their names. */
export function builtInRolesOf(db: string): readonly RoleName[] {
  if (db === '$external') return [];
  const names = [...Object.keys(EVERYWHERE), ...(db === 'admin' ? Object.keys(ON_ADMIN) : [])];
  return names.sort().map((role) => ({ role, db }));
}

/** What a built-in role allows, with what it contains; undefined if there is no such role. */
export function builtInPrivileges(name: RoleName): readonly Privilege[] | undefined {
  return tableOf(name) && united(grantedBy(name));
}

function* grantedBy(name: RoleName): Generator<Privilege> {
  const { contains = [], privileges = [] } = tableOf(name) ?? {};
  for (const each of contains) {
    const [role = '', db = name.db] = each.split('@');
    yield* grantedBy({ role, db });
  }
  for (const [resources, list] of privileges) {
    const granted: Actions = new Set(list);
    for (const word of resources.split(' ')) yield { resource: patternOf(word, name.db), actions: granted };
  }
}
