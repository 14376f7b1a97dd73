/**
 * Fields of serverStatus that public exporters of metrics read: mongodb_exporter (Percona), netdata, telegraf's mongodb input, the
 * integration of Datadog, the metrics of Atlas. Names only. A release that lacks one of them is in `ABSENT`, as is what replsim has not.
 */
export const READ_BY_EXPORTERS: readonly string[] = [
  ...under('asserts', ['regular', 'warning', 'msg', 'user', 'rollovers']),
  ...under('connections', ['current', 'available', 'totalCreated', 'active', 'threaded', 'exhaustIsMaster', 'exhaustHello', 'awaitingTopologyChanges']), // biome-ignore format: one line
  ...under('extra_info', ['page_faults', 'heap_usage_bytes']),
  ...under('flowControl', ['targetRateLimit', 'timeAcquiringMicros', 'isLagged']),
  ...under('globalLock', ['totalTime', 'lockTime', 'ratio']),
  ...under('globalLock.currentQueue', ['total', 'readers', 'writers']),
  ...under('globalLock.activeClients', ['total', 'readers', 'writers']),
  ...under('mem', ['bits', 'resident', 'virtual', 'supported', 'mapped', 'mappedWithJournal']),
  ...under('network', ['bytesIn', 'bytesOut', 'numRequests', 'numSlowDNSOperations', 'numSlowSSLOperations']),
  ...under('opcounters', ['insert', 'query', 'update', 'delete', 'getmore', 'command']),
  ...under('opcountersRepl', ['insert', 'query', 'update', 'delete', 'getmore', 'command']),
  ...['reads', 'writes', 'commands'].flatMap((kind) => under(`opLatencies.${kind}`, ['latency', 'ops'])),
  ...under('transactions', ['currentActive', 'currentInactive', 'currentOpen', 'totalAborted', 'totalCommitted', 'totalStarted', 'totalPrepared', 'commitTypes']), // biome-ignore format: one line
  ...under('storageEngine', ['name', 'supportsCommittedReads']),
  ...under('catalogStats', ['collections', 'capped', 'timeseries', 'views', 'internalCollections', 'internalViews']),
  ...under('security', ['authentication.mechanisms', 'authentication.saslSupportedMechsReceived']),
  ...under('logicalSessionRecordCache', [
    'activeSessionsCount',
    'sessionsCollectionJobCount',
    'transactionReaperJobCount',
  ]),
  ...under('repl', ['setName', 'setVersion', 'isWritablePrimary', 'secondary', 'hosts', 'me', 'rbid']),
  ...under('electionMetrics', ['stepUpCmd', 'priorityTakeover', 'catchUpTakeover', 'electionTimeout', 'freezeTimeout', 'numStepDownsCausedByHigherTerm', 'numCatchUps', 'averageCatchUpOps']), // biome-ignore format: one line
  ...under('oplogTruncation', ['totalTimeTruncatingMicros', 'truncateCount']),
  ...under('metrics.document', ['deleted', 'inserted', 'returned', 'updated']),
  ...under('metrics.cursor', [
    'timedOut',
    'totalOpened',
    'moreThanOneBatch',
    'open.noTimeout',
    'open.pinned',
    'open.total',
  ]),
  ...under('metrics.cursor.lifespan', ['greaterThanOrEqual10Minutes', 'lessThan10Minutes', 'lessThan15Seconds', 'lessThan1Minute', 'lessThan1Second', 'lessThan30Seconds', 'lessThan5Seconds']), // biome-ignore format: one line
  ...under('metrics.getLastError', ['wtime.num', 'wtime.totalMillis', 'wtimeouts', 'default.unsatisfiable', 'default.wtimeouts']), // biome-ignore format: one line
  ...under('metrics.operation', ['scanAndOrder', 'writeConflicts', 'fastmod', 'idhack']),
  ...under('metrics.queryExecutor', [
    'scanned',
    'scannedObjects',
    'collectionScans.total',
    'collectionScans.nonTailable',
  ]),
  ...under('metrics.query', [
    'updateManyCount',
    'deleteManyCount',
    'queryFramework',
    'planCacheTotalSizeEstimateBytes',
  ]),
  ...['aggregate', 'count', 'delete', 'distinct', 'find', 'findAndModify', 'getMore', 'insert', 'update', 'createIndexes'].flatMap((name) => under(`metrics.commands.${name}`, ['total', 'failed'])), // biome-ignore format: one line
  ...under('metrics.commands', ['eval.total', 'eval.failed']),
  ...under('metrics.ttl', ['deletedDocuments', 'passes']),
  ...under('metrics.record', ['moves']),
  ...under('metrics.storage', [
    'freelist.search.bucketExhausted',
    'freelist.search.requests',
    'freelist.search.scanned',
  ]),
  ...under('metrics.repl', ['apply.batches.num', 'apply.batches.totalMillis', 'apply.ops', 'network.bytes', 'network.getmores.num', 'network.getmores.totalMillis', 'network.ops', 'network.readersCreated']), // biome-ignore format: one line
  ...under('metrics.repl.buffer', ['apply.count', 'apply.maxSizeBytes', 'apply.sizeBytes', 'count', 'maxSizeBytes', 'sizeBytes']), // biome-ignore format: one line
  ...under('metrics.repl', ['oplog.insert.num', 'oplog.insert.totalMillis', 'oplog.insertBytes', 'preload.docs.num', 'preload.indexes.num', 'executor']), // biome-ignore format: one line
  ...['aggStageCounters', 'apiVersions', 'dotsAndDollarsFields', 'network', 'operatorCounters'].map((name) => `metrics.${name}`), // biome-ignore format: one line
  ...under('wiredTiger.cache', ['bytes currently in the cache', 'maximum bytes configured', 'modified pages evicted', 'unmodified pages evicted', 'pages read into cache', 'pages written from cache', 'tracked dirty bytes in the cache', 'pages evicted by application threads', 'application threads page read from disk to cache count', 'maximum page size at eviction']), // biome-ignore format: one line
  ...under('wiredTiger', ['concurrentTransactions', 'connection.files currently open', 'data-handle', 'transaction.transaction checkpoints']), // biome-ignore format: one line
  ...['Global', 'Database', 'Collection', 'Mutex', 'Metadata', 'oplog'].map((lock) => `locks.${lock}`),
  'tcmalloc',
  'backgroundFlushing',
  'dur',
  'cursors',
  'indexCounters',
  'indexStats.count',
  'recordStats',
];

/** What a set of 8.0 does not show of that, and why. A path stands for what is under it. */
export const ABSENT: Readonly<Record<string, string>> = {
  'extra_info.heap_usage_bytes': 'mongod 8.0 does not show it either',
  'globalLock.lockTime': 'mongod 8.0 does not show it either',
  'globalLock.ratio': 'mongod 8.0 does not show it either',
  'mem.mapped': 'MMAPv1 had it',
  'mem.mappedWithJournal': 'MMAPv1 had it',
  'transactions.commitTypes': 'mongos has it',
  'metrics.operation.fastmod': 'MongoDB 3.4 was the last to show it',
  'metrics.operation.idhack': 'MongoDB 3.4 was the last to show it',
  'metrics.query.planCacheTotalSizeEstimateBytes': 'replsim caches no plans',
  'metrics.commands.eval': 'the command is gone since MongoDB 4.2',
  'metrics.record': 'MMAPv1 had it: documents that moved',
  'metrics.storage': 'MMAPv1 had it: its free list',
  'metrics.repl.buffer.count': 'before 8.0, which has two buffers',
  'metrics.repl.buffer.maxSizeBytes': 'before 8.0, which has two buffers',
  'metrics.repl.buffer.sizeBytes': 'before 8.0, which has two buffers',
  'metrics.repl.oplog': 'MongoDB 3.x had it',
  'metrics.repl.preload': 'MMAPv1 had it',
  'metrics.repl.executor': 'replsim has no pool of threads for replication',
  'metrics.operatorCounters': 'replsim does not count the operators of queries and expressions',
  'wiredTiger.cache.application threads page read from disk to cache count': 'replsim reads no pages',
  'wiredTiger.cache.maximum page size at eviction': 'replsim evicts no pages',
  'wiredTiger.concurrentTransactions': 'before 8.0, which shows tickets in queues.execution',
  'wiredTiger.connection.files currently open': 'replsim has no files of WiredTiger',
  'wiredTiger.data-handle': 'replsim has no files of WiredTiger',
  'wiredTiger.transaction.transaction checkpoints': "replsim's checkpoints are its own",
  locks: 'replsim has no locks that could be counted',
  tcmalloc:
    'replsim runs on the memory of Node.js; buildInfo says allocator: system, and a mongod that was built so has no such section',
  backgroundFlushing: 'MMAPv1 had it',
  dur: 'MMAPv1 had it',
  cursors: 'MongoDB 2.6 replaced it by metrics.cursor',
  indexCounters: 'MongoDB 2.6 was the last to show it',
  recordStats: 'MMAPv1 had it',
};

/** Sections that mongod 8.0 shows or gives by name (ServerStatusSectionBuilder in its sources), and replsim too. */
export const SECTIONS: readonly string[] = [
  ...[
    'asserts',
    'batchedDeletes',
    'catalogStats',
    'changeStreamPreImages',
    'connections',
    'defaultRWConcern',
    'electionMetrics',
  ],
  ...[
    'extra_info',
    'featureCompatibilityVersion',
    'flowControl',
    'globalLock',
    'indexBuilds',
    'indexStats',
    'internalTransactions',
  ],
  ...['locks', 'logicalSessionRecordCache', 'mem', 'metrics', 'mirroredReads', 'network', 'opLatencies', 'opcounters'],
  ...[
    'opcountersRepl',
    'oplog',
    'oplogTruncation',
    'queues',
    'readConcernCounters',
    'repl',
    'security',
    'storageEngine',
  ],
  ...['transactions', 'wiredTiger'],
];

/** The others that mongod registers, in some release or edition, and why an answer does not have them. */
export const ABSENT_SECTIONS: Readonly<Record<string, string>> = {
  activeIndexBuilds: 'replsim shows builds in `indexBuilds` and `currentOp`',
  bucketCatalog: 'replsim keeps open buckets, and counts nothing of them',
  changeCollections: 'serverless has it',
  collectionCatalog: 'replsim has one catalog, and copies none',
  encryptionAtRest: 'MongoDB Enterprise has it',
  fle: 'replsim has no Queryable Encryption',
  freeMonitoring: 'the service is gone since MongoDB 7.1',
  health: 'mongos has it',
  heapProfile: 'a mongod shows it with `heapProfilingEnabled` alone',
  indexBulkBuilder: 'an index build of replsim sorts nothing on disk',
  latchAnalysis: 'a mongod shows it where it was built for that',
  ldapConnPool: 'MongoDB Enterprise has it',
  profiler: 'replsim has no filters of the profiler that it could count',
  queryAnalyzers: 'replsim does not sample queries',
  queryStats: 'replsim collects no statistics of query shapes',
  querySettings: 'replsim has no query settings',
  readPreferenceCounters: 'replsim does not count by read preference',
  resourceConsumption: 'serverless has it',
  scramCache: 'replsim derives keys anew each time',
  service: 'replsim is not a service of a sharded cluster',
  shardSplits: 'serverless has it',
  sharding: 'replsim is not a shard',
  shardedIndexConsistency: 'a config server has it',
  shardingStatistics: 'replsim is not a shard',
  tenantMigrations: 'serverless has it',
  trafficRecording: 'replsim records no traffic',
  transportSecurity: 'TLS ends before the members of replsim',
  twoPhaseCommitCoordinator: 'replsim coordinates no sharded transactions',
  watchdog: 'MongoDB Enterprise had it, and 8.0 shows it where `watchdogPeriodSeconds` is set',
  writeBacksQueued: 'MongoDB 2.4 was the last to have it',
};

function under(path: string, names: readonly string[]): string[] {
  return names.map((name) => `${path}.${name}`);
}
