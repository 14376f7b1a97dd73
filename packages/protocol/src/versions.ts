/** The mongod releases that a member can imitate. */
export type MongodVersion = '8.2' | '8.0' | '7.0' | '6.0' | '4.4' | '3.2';

/** One release's differences, as data. A row's source stands beside it where it has one of its own. */
export interface VersionTraits {
  /**
   * A new set makes collections of its own at once: sessions since 3.6, index builds since 4.4, images of retryable writes since
   * 5.0, pre-images since 6.0, query analysis since 7.0. Upstream: an oplog of a fresh 8.0.26 set; the others are taken to differ
   * in no more than that.
   */
  readonly systemCollections: boolean;
  /** What `buildInfo` says. */
  readonly versionString: string;
  readonly maxWireVersion: number;
  /** SERVER-96050: from 8.1 a secondary's monitor returns before it counts. */
  readonly ttlCountsPassesOnSecondaries: boolean;
  /** Line A reads the clock at every visit, line B once a pass. */
  readonly ttlLimitPerPass: boolean;
  /** `invalidTTLIndexSkips` exists on line B only. */
  readonly ttlInvalidSkipsMetric: boolean;
  /** `collSubpassesIncreasedPriority`, 6.3 to 8.0. */
  readonly ttlPriorityMetric: boolean;
  /** The newest code deletes a batch in reverse of the order in which it was found. */
  readonly ttlReverseBatch: boolean;
  /** Before 6.1 the monitor deletes document by document, index after index. */
  readonly ttlBatched: boolean;
  /**
   * How the monitor sleeps: a plain number of seconds; to a deadline that stands; to one that a new `ttlMonitorSleepSecs` moves.
   * Upstream: TTLMonitor::run of 3.2, 6.0 and 7.0; that of 4.4 is taken to be as in 6.0.
   */
  readonly ttlSleep: 'plain' | 'deadline' | 'movingDeadline';
  /** A pass is counted where it begins; from 5.0 on where it ends. Upstream: TTLMonitor::doTTLPass. */
  readonly ttlPassCountedAtStart: boolean;
  /** An interruption ends the pass; 3.2 goes on to the next index whatever happened. */
  readonly ttlInterruptionEndsPass: boolean;
  /**
   * How the monitor tells what it did: by ids of its own and of what took `slowms` alone, or, up to 4.4, at debug level 1 (22536).
   * Upstream: ttl.cpp of each branch.
   */
  readonly ttlLogsSlowOnly: boolean;
  /**
   * What createIndexes asks of `expireAfterSeconds`. 3.2: nothing. 4.4: a number of 0 to the seconds since 1970, NaN being none.
   * 6.0 takes NaN too, and stores 2147483647. From 6.2 on: an int32 of 0 or more. Upstream: create_indexes.cpp,
   * validateTTLOptions; index_key_validate.cpp; SERVER-68477.
   */
  readonly ttlSeconds: 'unchecked' | 'sinceEpoch' | 'sinceEpochOrNever' | 'int32';
  /** From 6.2 on the monitor validates a spec by the same rules as createIndexes (6909100); before, it asks for a number (22542). */
  readonly ttlValidatesSpecs: boolean;
  /** `collMod` gives an index its first `expireAfterSeconds`, from 5.1. Upstream: coll_mod.cpp, "no … field to update". */
  readonly ttlConversion: boolean;
  /** `ttlMonitorSleepSecs` must be above 0; 3.2 took any int. Upstream: ttl.idl; ttl.cpp of 3.2, MONGO_EXPORT_SERVER_PARAMETER. */
  readonly ttlSleepBounded: boolean;
  /** TTL indexes on capped collections, from 7.1. */
  readonly ttlOnCapped: boolean;
  /**
   * From 5.0 clients may delete from capped collections, and what one lets go of is in the oplog; before, each member kept to
   * the limits by itself. Upstream: SERVER-48598; get_executor.cpp, getExecutorDelete.
   */
  readonly cappedDeletes: boolean;
  /** The size of a capped collection is kept as it was asked for, from 7.0; before, it is rounded up. Upstream: featureFlagCappedCollectionsRelaxedSize. */
  readonly cappedSizesAsSent: boolean;
  /** Collections clustered by `_id`, with an `expireAfterSeconds` of their own, from 5.3. Upstream: clustered_collection_ttl.js. */
  readonly clusteredCollections: boolean;
  /** From 7.3 a number that passed validation is stored as int32. */
  readonly ttlStoresInt: boolean;
  /** From 4.4 on all members build an index at once and the primary commits it for all. Upstream: index_builds_coordinator_mongod.cpp. */
  readonly twoPhaseIndexBuilds: boolean;
  /** Indexes can be hidden, from 4.4. Upstream: SERVER-9306. */
  readonly hiddenIndexes: boolean;
  /** Below the top of an update's path a name may begin with a dollar, from 5.0. Upstream: storage_validation.cpp. */
  readonly dollarFieldNames: boolean;
  /** `collMod` makes indexes unique, and refuses new duplicates on the way, from 6.0. Upstream: SERVER-61158, gCollModIndexUnique. */
  readonly uniqueConversion: boolean;
  /** `collMod` finds an index by its `name` too, from 3.6; before that by `keyPattern` alone. Upstream: coll_mod.cpp. */
  readonly collModByName: boolean;
  /** 3.2 stands for what older descriptions say, and so for the engine they know; its default was WiredTiger already. */
  readonly storageEngine: 'wiredTiger' | 'mmapv1';
  /** Line A repairs invalid TTL indexes by collMod when it steps up. Upstream: TTLMonitor, onStepUp. */
  readonly ttlFixesInvalidIndexes: boolean;
  /** `setUserWriteBlockMode` exists from 6.0 on. Upstream: set_user_write_block_mode_command.cpp. */
  readonly userWriteBlocking: boolean;
  /** It takes a `reason`, which errors name. Upstream: UserWritesBlockReason, log 10296100; first release unverified. */
  readonly userWriteBlockReasons: boolean;
  /**
   * From 7.0 a `create` of just what is there already succeeds, and a `drop` of what is not there.
   * Upstream: SERVER-60064, SERVER-43894.
   */
  readonly ddlTwiceSucceeds: boolean;
  /** Release notes of 3.4: views. */
  readonly views: boolean;
  /** Release notes of 3.4: the `collation` of an index. */
  readonly indexCollations: boolean;
  /** 3.2 passes over options of `create` that it does not know; later releases answer 40415. Upstream: create.idl, strict. */
  readonly createIsStrict: boolean;
  /** Release notes of 6.0: `changeStreamPreAndPostImages`. */
  readonly preImages: boolean;
  /** What there is of images is counted in serverStatus, from 8.0. Upstream: change_stream_preimages_server_status.cpp. */
  readonly preImagesCounted: boolean;
  /** Release notes of 3.6: `$changeStream`. */
  readonly changeStreams: boolean;
  /** Change events show UUIDs, spelt-out paths and what a rename did to all, from 8.2. Upstream: always_show_expanded_fields.js. */
  readonly alwaysExpandedEvents: boolean;
  /** A change event of a `create` has an `nsType`, from 8.1 and 8.0.5 on. */
  readonly eventNsType: boolean;
  /** Streams that show system events tell of index builds that begin or are given up, from 8.1. */
  readonly indexBuildEvents: boolean;
  /** `$changeStream` takes what a router says of readers of change streams, from 8.2. Upstream: document_source_change_stream.idl. */
  readonly changeStreamReaders: boolean;
  /** `$geoNear` may leave its `distanceField` out, from 8.1. Upstream: SERVER-35581. */
  readonly distanceFieldOptional: boolean;
  /** Time-series collections, from 5.0. */
  readonly timeseries: boolean;
  /**
   * They have an index on metadata and time at once, and may have TTL indexes with a filter on metadata, from 6.3; before, their
   * own `expireAfterSeconds` alone. Upstream: gTimeseriesScalabilityImprovements.
   */
  readonly timeseriesIndexes: boolean;
  /** Line A leaves time series with times before 1970 or after 2038 alone, line B scans them twice. */
  readonly ttlExtendedRange: boolean;
  /** From 5.0 the implicit default write concern is "majority"; before, it was w: 1. Release notes of 5.0. */
  readonly implicitMajority: boolean;
  /** member_config.idl: a delayed member's field was called `slaveDelay` before 5.0. */
  readonly memberDelayField: 'secondaryDelaySecs' | 'slaveDelay';
  /** error_codes.yml: code 64 is WriteConcernTimeout from about 8.1 on. */
  readonly writeConcernTimeoutName: 'WriteConcernFailed' | 'WriteConcernTimeout';
  /**
   * From 8.0 what is written to the oplog counts before it is applied, and status shows both positions; before, a durable
   * position never exceeds the applied one. Upstream: SERVER-78556; before it, ApplyBatchFinalizerForJournal.
   */
  readonly showsWrittenOpTime: boolean;
  /** `metrics.repl.stateTransition` counts `userOperations…` before 8.0. */
  readonly stateTransitionCounts: 'totalOperations' | 'userOperations';
  /** Log lines have the field `svc` from 8.0 on. Upstream: logv2/json_formatter.cpp. */
  readonly logsService: boolean;
  /** Manual of 8.0, release notes: what is slow is judged by the time spent working, and both are shown. */
  readonly slowByWorkingMillis: boolean;
  /**
   * Whether what the TTL monitor deletes stands in `system.profile`. The manual of 3.2 says that it does ("TTL Indexes", Delete
   * Operations), and still said so when it no longer did.
   */
  readonly ttlProfiled: boolean;
  /** Manual of 8.0, "Explain Results", EXPRESS: equality on `_id` goes round the planner from 8.0 on; before it was IDHACK. */
  readonly expressPlans: boolean;
  /** Manual, "Explain Results": `explainVersion` from 5.1 on; before 5.0 there was `queryPlanner.plannerVersion` instead. */
  readonly explainVersion: boolean;
  /** Manual of 8.0, "Explain Results": `planCacheShapeHash` beside `queryHash`, and `isCached` in plans. */
  readonly explainsPlanCache: boolean;
  /** From 8.1 a primary that is hardly farther than the nearest source is preferred. */
  readonly syncSourcePrefersPrimary: boolean;
  /**
   * From 4.4 a reconfig changes one vote at most, once a majority has the config before it, and waits until a majority has the new one.
   * Before, the members of the new config were asked and nobody else. Release notes of 4.4.
   */
  readonly safeReconfig: boolean;
}

/** 8.0, and what others share with it. TTL's code has two lines: A, which 7.0 and 8.0 have, and B, which 8.2 has. */
const LINE_A = {
  systemCollections: true,
  ttlCountsPassesOnSecondaries: true,
  ttlLimitPerPass: false,
  ttlInvalidSkipsMetric: false,
  ttlPriorityMetric: true,
  ttlReverseBatch: false,
  ttlBatched: true,
  ttlSleep: 'movingDeadline',
  ttlPassCountedAtStart: false,
  ttlInterruptionEndsPass: true,
  ttlLogsSlowOnly: true,
  ttlSeconds: 'int32',
  ttlValidatesSpecs: true,
  ttlConversion: true,
  ttlSleepBounded: true,
  ttlOnCapped: true,
  cappedDeletes: true,
  cappedSizesAsSent: true,
  clusteredCollections: true,
  ttlStoresInt: true,
  ddlTwiceSucceeds: true,
  views: true,
  createIsStrict: true,
  indexCollations: true,
  preImages: true,
  preImagesCounted: true,
  changeStreams: true,
  alwaysExpandedEvents: false,
  eventNsType: true,
  indexBuildEvents: false,
  changeStreamReaders: false,
  distanceFieldOptional: false,
  timeseries: true,
  timeseriesIndexes: true,
  ttlExtendedRange: false,
  twoPhaseIndexBuilds: true,
  ttlFixesInvalidIndexes: true,
  hiddenIndexes: true,
  dollarFieldNames: true,
  uniqueConversion: true,
  collModByName: true,
  storageEngine: 'wiredTiger',
  userWriteBlocking: true,
  userWriteBlockReasons: false,
  writeConcernTimeoutName: 'WriteConcernFailed',
  showsWrittenOpTime: true,
  stateTransitionCounts: 'totalOperations',
  logsService: true,
  implicitMajority: true,
  memberDelayField: 'secondaryDelaySecs',
  syncSourcePrefersPrimary: false,
  safeReconfig: true,
  slowByWorkingMillis: true,
  ttlProfiled: false,
  expressPlans: true,
  explainVersion: true,
  explainsPlanCache: true,
} as const;

/** 7.0, and what releases before it share with it. */
const BEFORE_8_0 = {
  ...LINE_A,
  ttlOnCapped: false,
  preImagesCounted: false,
  eventNsType: false,
  ttlStoresInt: false,
  showsWrittenOpTime: false,
  stateTransitionCounts: 'userOperations',
  logsService: false,
  slowByWorkingMillis: false,
  expressPlans: false,
  explainsPlanCache: false,
} as const;

/** 6.0, and what releases before it share with it: the monitor that deletes document by document. */
const BEFORE_6_1 = {
  ...BEFORE_8_0,
  cappedSizesAsSent: false,
  ttlBatched: false,
  ttlPriorityMetric: false,
  ttlSleep: 'deadline',
  ttlSeconds: 'sinceEpochOrNever',
  ttlValidatesSpecs: false,
  timeseriesIndexes: false,
  ddlTwiceSucceeds: false,
} as const;

/** 4.4, and what 3.2 shares with it. */
const BEFORE_5_0 = {
  ...BEFORE_6_1,
  ttlPassCountedAtStart: true,
  ttlLogsSlowOnly: false,
  ttlSeconds: 'sinceEpoch',
  ttlConversion: false,
  ttlFixesInvalidIndexes: false,
  cappedDeletes: false,
  clusteredCollections: false,
  timeseries: false,
  preImages: false,
  dollarFieldNames: false,
  uniqueConversion: false,
  userWriteBlocking: false,
  implicitMajority: false,
  memberDelayField: 'slaveDelay',
  explainVersion: false,
} as const;

/** The releases, each by what sets it apart from 8.0. */
export const VERSIONS: Readonly<Record<MongodVersion, VersionTraits>> = {
  '8.2': {
    ...LINE_A,
    versionString: '8.2.1',
    maxWireVersion: 27,
    ttlCountsPassesOnSecondaries: false,
    alwaysExpandedEvents: true,
    indexBuildEvents: true,
    changeStreamReaders: true,
    distanceFieldOptional: true,
    ttlLimitPerPass: true,
    ttlInvalidSkipsMetric: true,
    ttlPriorityMetric: false,
    ttlReverseBatch: true,
    ttlExtendedRange: true,
    ttlFixesInvalidIndexes: false,
    userWriteBlockReasons: true,
    writeConcernTimeoutName: 'WriteConcernTimeout',
    syncSourcePrefersPrimary: true,
  },
  '8.0': { ...LINE_A, versionString: '8.0.15', maxWireVersion: 25 },
  '7.0': { ...BEFORE_8_0, versionString: '7.0.25', maxWireVersion: 21 },
  '6.0': { ...BEFORE_6_1, versionString: '6.0.26', maxWireVersion: 17 },
  '4.4': { ...BEFORE_5_0, versionString: '4.4.29', maxWireVersion: 9 },
  '3.2': {
    ...BEFORE_5_0,
    versionString: '3.2.22',
    maxWireVersion: 4,
    systemCollections: false,
    views: false,
    createIsStrict: false,
    indexCollations: false,
    changeStreams: false,
    ttlSleep: 'plain',
    ttlInterruptionEndsPass: false,
    ttlSeconds: 'unchecked',
    ttlSleepBounded: false,
    twoPhaseIndexBuilds: false,
    hiddenIndexes: false,
    collModByName: false,
    safeReconfig: false,
    storageEngine: 'mmapv1',
    ttlProfiled: true,
    ttlOnCapped: true,
  },
};
