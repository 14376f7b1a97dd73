/**
 * What a privilege lets its owner do, in the order in which privileges list their actions. `anyAction` covers all of them.
 * Upstream: action_type.idl.
 */
// biome-ignore format: a list
export const ACTION_TYPES = [
  'addShard', 'advanceClusterTime', 'allCollectionStats', 'analyze', 'analyzeShardKey', 'anyAction',
  'appendOplogNote', 'applicationMessage', 'auditConfigure', 'auditLogRotate', 'authCheck', 'authenticate',
  'authSchemaUpgrade', 'bypassDefaultMaxTimeMS', 'bypassDocumentValidation', 'bypassWriteBlockingMode',
  'changeCustomData', 'changePassword', 'changeOwnPassword', 'changeOwnCustomData', 'changeStream',
  'checkFreeMonitoringStatus', 'checkMetadataConsistency', 'cleanupOrphaned', 'clearJumboFlag',
  'cleanupStructuredEncryptionData', 'closeAllDatabases', 'collMod', 'collStats', 'compact',
  'compactStructuredEncryptionData', 'configureQueryAnalyzer', 'connPoolStats', 'connPoolSync', 'convertToCapped',
  'cpuProfiler', 'createCollection', 'createDatabase', 'createIndex', 'createRole', 'createSearchIndexes',
  'createUser', 'dbCheck', 'dbHash', 'dbStats', 'dropAllRolesFromDatabase', 'dropAllUsersFromDatabase',
  'dropCollection', 'dropConnections', 'dropDatabase', 'dropIndex', 'dropRole', 'dropSearchIndex', 'dropUser',
  'emptycapped', 'enableProfiler', 'enableSharding', 'exportCollection', 'find', 'flushRouterConfig', 'forceUUID',
  'fsync', 'fsyncUnlock', 'getClusterParameter', 'getDatabaseVersion', 'getDefaultRWConcern', 'getCmdLineOpts',
  'getLog', 'getParameter', 'getShardMap', 'getShardVersion', 'grantRole', 'grantPrivilegesToRole',
  'grantRolesToRole', 'grantRolesToUser', 'hostInfo', 'impersonate', 'importCollection', 'indexStats', 'inprog',
  'insert', 'internal', 'invalidateUserCache', 'issueDirectShardOperations', 'killAnyCursor', 'killAnySession',
  'killCursors', 'killop', 'listCachedAndActiveUsers', 'listCollections', 'listCursors', 'listDatabases',
  'listIndexes', 'listSampledQueries', 'listSearchIndexes', 'listSessions', 'listShards', 'logRotate',
  'updateSearchIndex', 'moveChunk', 'moveCollection', 'netstat', 'oidcListKeys', 'oidcRefreshKeys', 'oidReset',
  'operationMetrics', 'planCacheIndexFilter', 'planCacheRead', 'planCacheWrite', 'querySettings', 'queryStatsRead',
  'queryStatsReadTransformed', 'refineCollectionShardKey', 'reIndex', 'remove', 'removeShard', 'renameCollection',
  'renameCollectionSameDB', 'repairDatabase', 'replSetConfigure', 'replSetGetConfig', 'replSetGetStatus',
  'replSetHeartbeat', 'replSetReconfig', 'replSetResizeOplog', 'replSetStateChange', 'reshardCollection', 'resync',
  'revokeRole', 'revokePrivilegesFromRole', 'revokeRolesFromRole', 'revokeRolesFromUser', 'rotateCertificates',
  'runAsLessPrivilegedUser', 'runTenantMigration', 'serverStatus', 'setAuthenticationRestriction',
  'setClusterParameter', 'setDefaultRWConcern', 'setFeatureCompatibilityVersion', 'setFreeMonitoring',
  'setParameter', 'setUserWriteBlockMode', 'shardCollection', 'shardedDataDistribution', 'shardingState', 'shutdown',
  'splitChunk', 'splitVector', 'storageDetails', 'top', 'touch', 'trafficRecord',
  'transitionFromDedicatedConfigServer', 'transitionToDedicatedConfigServer', 'unlock', 'useTenant', 'useUUID',
  'update', 'updateRole', 'updateUser', 'validate', 'viewRole', 'viewUser', 'applyOps', 'setChangeStreamState',
  'getChangeStreamState',
] as const;

/** One of `ACTION_TYPES`. */
export type ActionType = (typeof ACTION_TYPES)[number];

/** A set of actions. */
export type Actions = ReadonlySet<ActionType>;

export const EVERY_ACTION: Actions = new Set(ACTION_TYPES);

const BY_NAME: ReadonlySet<string> = EVERY_ACTION;

export function isAction(name: string): name is ActionType {
  return BY_NAME.has(name);
}

/** The same actions in the order of `ACTION_TYPES`; all of them where `anyAction` is among them. */
export function inOrder(actions: Actions): readonly ActionType[] {
  return actions.has('anyAction') ? ACTION_TYPES : ACTION_TYPES.filter((action) => actions.has(action));
}
