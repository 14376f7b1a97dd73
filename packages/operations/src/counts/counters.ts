import { ApiVersionCounts } from './apiVersionCounts.ts';
import { AuthenticationCounts } from './authenticationCounts.ts';
import { CommandStats } from './commandStats.ts';
import { ReadConcernCounts } from './readConcernCounts.ts';
import { WorkCounts } from './workCounts.ts';
import { WriteConcernCounts } from './writeConcernCounts.ts';

/** `opcounters` of serverStatus, since the process started. Upstream: op_counters.h, OpCounters. */
export interface OpCounters {
  insert: number;
  query: number;
  update: number;
  delete: number;
  getmore: number;
  command: number;
}

/** `batchedDeletes` of serverStatus. Upstream: batched_delete_stage.cpp. */
export interface BatchedDeleteCounters {
  batches: number;
  docs: number;
  stagedSizeBytes: number;
  timeInBatchMillis: number;
  refetchesDueToYield: number;
}

/** `asserts` of serverStatus; `user` counts commands refused for what the client sent. Upstream: assert_util.h. */
export interface AssertionCounters {
  regular: number;
  warning: number;
  msg: number;
  user: number;
  tripwire: number;
  rollovers: number;
}

/** `network` of serverStatus: clients' commands and the answers to them, in bytes. Upstream: counters.h. */
export interface NetworkCounters {
  bytesIn: number;
  bytesOut: number;
  numRequests: number;
}

/** `metrics.changeStreams` of serverStatus. Upstream: document_source_change_stream's ServerStatusMetrics. */
export interface ChangeStreamCounters {
  largeEventsFailed: number;
  largeEventsSplit: number;
  /** Streams that were opened with it. */
  showExpandedEvents: number;
}

/** `changeStreamPreImages` of serverStatus. Upstream: change_stream_pre_images_collection_manager.h, PurgingJobStats. */
export interface PreImageCounters {
  docsInserted: number;
  docsDeleted: number;
  bytesDeleted: number;
  scannedCollections: number;
  /** The collections whose images were looked at, each time. */
  scannedInternalCollections: number;
  /** The newest `operationTime` of those that were removed. Unit: ms since 1970. */
  maxStartWallTimeMillis: number;
}

/** `metrics.query` of serverStatus: writes by what they are for. Upstream: counters.h, QueryCounters. */
export interface WriteKindCounters {
  updateManyCount: number;
  deleteManyCount: number;
  updateOneUnshardedCount: number;
  deleteOneUnshardedCount: number;
  findAndModifyUnshardedCount: number;
  externalRetryableWriteCount: number;
}

/** What one process counts; whoever does the work adds to it. */
export class ServerCounters {
  /** Statements that clients sent here. */
  readonly opcounters: OpCounters = emptyOpCounters();
  /** Operations that came through the oplog. */
  readonly opcountersRepl: OpCounters = emptyOpCounters();
  readonly asserts: AssertionCounters = { regular: 0, warning: 0, msg: 0, user: 0, tripwire: 0, rollovers: 0 };
  readonly network: NetworkCounters = { bytesIn: 0, bytesOut: 0, numRequests: 0 };
  /** `metrics.operation.writeConflicts`: attempts that met another's write. */
  writeConflicts = 0;
  /** What commands did with documents. */
  readonly work = new WorkCounts();
  readonly writeConcerns = new WriteConcernCounts();
  readonly apiVersions = new ApiVersionCounts();
  readonly authentication = new AuthenticationCounts();
  /** How often each stage stood in a pipeline that was run. Upstream: counters.h, AggStageCounters. */
  readonly stages = new Map<string, number>();
  /** Documents with a `.` in a name or a `$` before one, inserted and updated to. Upstream: DotsAndDollarsFieldsCounters. */
  readonly dotsAndDollars = { inserts: 0, updates: 0 };
  readonly writes: WriteKindCounters = emptyWriteKinds();
  /** Reads of kinds that a primary could send to others as well. Upstream: mirror_maestro.cpp, MirroredReadsSection. */
  mirrorableReads = 0;
  /** Between a connection's beginning and its first command other than of a handshake or login, in sum. Unit: ms. */
  toFirstCommandMillis = 0;
  /** Of each command, by its name and by its collection. */
  readonly commands = new CommandStats();
  readonly changeStreams: ChangeStreamCounters = { largeEventsFailed: 0, largeEventsSplit: 0, showExpandedEvents: 0 };
  readonly preImages: PreImageCounters = {
    docsInserted: 0,
    docsDeleted: 0,
    bytesDeleted: 0,
    scannedCollections: 0,
    scannedInternalCollections: 0,
    maxStartWallTimeMillis: 0,
  };
  readonly readConcerns = { nonTransactionOps: new ReadConcernCounts(), transactionOps: new ReadConcernCounts() };
  /** Rows of `config.transactions` that this process wrote as a primary. */
  transactionsCollectionWrites = 0;
  /** Batches of multi-deletes by clients and by the TTL monitor. */
  readonly batchedDeletes: BatchedDeleteCounters = {
    batches: 0,
    docs: 0,
    stagedSizeBytes: 0,
    timeInBatchMillis: 0,
    refetchesDueToYield: 0,
  };
}

function emptyWriteKinds(): WriteKindCounters {
  return {
    updateManyCount: 0,
    deleteManyCount: 0,
    updateOneUnshardedCount: 0,
    deleteOneUnshardedCount: 0,
    findAndModifyUnshardedCount: 0,
    externalRetryableWriteCount: 0,
  };
}

function emptyOpCounters(): OpCounters {
  return { insert: 0, query: 0, update: 0, delete: 0, getmore: 0, command: 0 };
}
