import type { AuthorizedUser, Privilege, UserName } from '@replsim/access';
import type {
  ConcernDefaults,
  Connections,
  CursorStore,
  FsyncLock,
  LogicalSessionServices,
  OpenConnection,
  Operation,
  OperationDebug,
  ProfilerSettings,
  ReadConcernLevel,
  ReadConcernRequest,
  RunningOperation,
  ServerCounters,
  SessionCatalog,
  TransactionServices,
  WriteConcernRequest,
  WriteServices,
} from '@replsim/operations';
import type { BucketCatalog, CommitQuorum, FailPoints, ParameterStore, Reply } from '@replsim/pipeline';
import type {
  Costs,
  IdSource,
  LogLine,
  MemberState,
  Now,
  OplogEntry,
  OpTime,
  Timestamp,
  VersionTraits,
} from '@replsim/protocol';
import type { CollectionView, IndexSpec, ReadView } from '@replsim/storage';
import type { ObjectId } from 'bson';
import type { RamLog } from './ramLog.ts';

/** What a `createIndexes` asks for. */
export interface BuildRequest {
  readonly collection: CollectionView;
  readonly specs: readonly IndexSpec[];
  /** `votingMembers` if absent; of no meaning to a standalone. */
  readonly commitQuorum?: CommitQuorum | undefined;
}

/** What it led to. */
export interface BuildStats {
  /** All of them, unfinished ones included. */
  readonly numIndexesBefore: number;
  readonly numIndexesAfter: number;
}

/** Index builds as commands see them. */
export interface IndexBuildServices {
  /** Throws BackgroundOperationInProgressForNamespace 12587 while an index of the collection is being built. */
  checkNone(collection: CollectionView): void;
  /** Throws CannotCreateIndex 67 for a build that nobody goes on with: on a standalone, what a member of a set has begun. */
  checkGoesOn(collection: CollectionView, uuid: Uint8Array): void;
  /** Whether one more may be under way. Parameter: maxNumActiveUserIndexBuilds. */
  readonly mayStart: boolean;
  /** Waits until one more may. */
  awaitStart(): Operation<void>;
  /** Waits while a foreground build, before 4.4, keeps everybody else out of a database. */
  awaitDatabase(db: string): Operation<void>;
  /**
   * Builds indexes on a collection that has documents, and waits for the end. Throws what ended the build: DuplicateKey
   * 11000, IndexBuildAborted 276, 171, 16746, or what interrupted the client.
   */
  build(request: BuildRequest): Operation<BuildStats>;
  /** Throws UnsatisfiableCommitQuorum 278, UnknownReplWriteConcern 79, BadValue 2 on a standalone. */
  checkCommitQuorum(quorum: CommitQuorum): void;
  /** Throws as above, IndexNotFound 27 if no build makes just these indexes, CommandFailed 125 if it is too late. */
  setCommitQuorum(collection: CollectionView, names: readonly string[], quorum: CommitQuorum): void;
  /** Ends the build that makes just these indexes. @returns whether there was one */
  abortByNames(collection: CollectionView, names: readonly string[], reason: string): boolean;
  /** Ends all builds of the collection. */
  abortAll(collection: CollectionView, reason: string): void;
}

/**
 * What runs commands asks this beside. No command does: its context hands out data and writes, so that whoever runs it
 * decides which data it reads and where its writes go.
 */
export interface CommandHost extends MemberServices {
  /** The data that a read with this read concern sees, now; undefined while nothing is committed. */
  readView(readConcern: ReadConcernRequest): ReadView | undefined;
  readonly writes: WriteServices;
  readonly transactions: TransactionServices;
}

/** The parts of a member that commands use, in groups; whoever uses one alone asks for it alone. */
export interface MemberServices
  extends MemberFacts,
    DataServices,
    ClientServices,
    AccessServices,
    ConcernServices,
    ReplyServices,
    OplogServices,
    ProcessServices,
    StatusServices {}

/** Which member it is, and in what state. */
export interface MemberFacts {
  readonly now: Now;
  readonly costs: Costs;
  readonly traits: VersionTraits;
  readonly ids: IdSource;
  readonly memberState: MemberState | 'STANDALONE';
  /** Started so that nothing is written. */
  readonly isReadOnly: boolean;
  /** `name:port`. */
  readonly host: string;
  /** When the process started, of the monotonic clock. */
  readonly startedMicros: number;
  /** 12 bytes: which life of the process this is. */
  readonly processId: Uint8Array;
  acceptsWritesFor(db: string): boolean;
  /** It has told its clients to go elsewhere, and is about to end. */
  readonly inQuiesceMode: boolean;
}

/** What stands beside the data while they are read and changed. */
export interface DataServices {
  readonly indexBuilds: IndexBuildServices;
  readonly bucketCatalog: BucketCatalog;
  readonly fsyncLock: FsyncLock;
}

/** Clients, and what they have open. */
export interface ClientServices {
  readonly cursors: CursorStore;
  readonly sessions: SessionCatalog;
  readonly logicalSessions: LogicalSessionServices;
  readonly connections: Connections;
  /** Operations under way, the asking one included. */
  operations(): Iterable<RunningOperation>;
  /** What the operation that runs now has done so far. */
  readonly debug: OperationDebug;
}

/** Who clients are, and what they may do. */
export interface AccessServices {
  readonly access: MemberAccess;
}

/** Access control as commands see it. */
export interface MemberAccess {
  /** Nobody may do what no privilege allows: `--auth`, `--keyFile`. */
  readonly isEnabled: boolean;
  /**
   * Who is authenticated on a connection, with the roles and privileges of now: a change counts from the next command on, and
   * whoever was dropped is nobody. Upstream: authorization_session_impl.cpp, startRequest.
   */
  userOf(connection: OpenConnection | undefined): AuthorizedUser | undefined;
  /** What a connection may do: its user's privileges and, while it holds, those of the localhost exception. */
  privilegesOf(connection: OpenConnection | undefined): readonly Privilege[];
  /** Whether the localhost exception holds: whoever is not authenticated is judged by its privileges. */
  isExcepted(connection: OpenConnection | undefined): boolean;
  /** Known to the set alone: salts and nonces follow from it. */
  readonly secret: Uint8Array;
  /** Those of the key file, by any of which members know each other. */
  readonly keys: readonly string[];
  /** Somebody has shown to be this user. @returns what its restrictions have against it; then the connection stays as it was */
  logIn(connection: OpenConnection, name: UserName): string | undefined;
}

/** What waits for the other members. */
export interface ConcernServices {
  readonly defaults: ConcernDefaults;
  /** Fills in the defaults and waits. Gives the `writeConcernError` document, or undefined if the concern holds. */
  awaitWriteConcern(request: WriteConcernRequest | undefined): Operation<Reply | undefined>;
  /** Waits for a majority, and then for the write concern. Nothing to wait for on a standalone. Throws what ended the wait. */
  awaitMajorityAnd(request: WriteConcernRequest | undefined): Operation<void>;
  /**
   * Waits until data as the read concern wants it is there: `afterClusterTime`, a first committed snapshot.
   * Gives it back with the time of its snapshot.
   */
  awaitReadConcern(request: ReadConcernRequest): Operation<ReadConcernRequest>;
  /** Runs a command on the primary, and gives its reply. Errors: NotWritablePrimary 10107 where nobody is known to be, NetworkTimeout 89. */
  runOnPrimary(command: Uint8Array): Operation<Uint8Array>;
  /** After a linearizable read: writes a no-op and waits for a majority to have it. */
  confirmLinearizable(): Operation<void>;
  /** Notes what a read is about to see; what comes back is called once its client may be told, and traces it. */
  traceRead(request: ReadConcernRequest, startedMicros: number): (() => void) | undefined;
}

/** What requests and replies carry beside the command. */
export interface ReplyServices {
  /**
   * What every reply ends with after `ok`: `$clusterTime` and `operationTime` once there is a config.
   * @param level of a read, whose data are of that time
   */
  replyMetadata(level?: ReadConcernLevel): Reply;
  /** The newest entry that the operation which runs now has written. */
  readonly lastOpTime: OpTime | undefined;
  /** An unacknowledged write came to a member that is not primary. */
  unacknowledgedWriteRefused(): void;
  /** For replies to writes; nothing on a standalone. */
  writeMetadata(): { readonly electionId: ObjectId; readonly opTime: Reply } | undefined;
  /**
   * A client tells of a cluster time. With access control a stranger's is not listened to, and one that is ahead needs a member's signature.
   * Errors: ClusterTimeFailsRateLimiter 205 for one too far ahead of the clock, KeyNotFound 211, TimeProofMismatch 204.
   * @param given `$clusterTime` as it came
   */
  heardClusterTime(ts: Timestamp, given: Uint8Array, connection: OpenConnection | undefined): void;
  /** `{ processId, counter }` for errors that tell of a change of state; undefined on a standalone. */
  topologyVersion(): Reply | undefined;
}

/** The oplog, for those who read it. */
export interface OplogServices {
  /** `local.oplog.rs` as clients read it; undefined on a member that has none. */
  oplogDocuments(): OplogDocuments | undefined;
  /** The same as change streams read it; undefined on a standalone. */
  committedOplog(): CommittedOplog | undefined;
}

/** What can be set of the process, and what it writes down. */
export interface ProcessServices {
  readonly parameters: ParameterStore;
  /** A parameter got a new value; the TTL monitor may have to wake up. */
  parameterSet(name: string): void;
  readonly failPoints: FailPoints;
  readonly profiler: ProfilerServices;
  /** Writes a structured log line of this member. */
  log(severity: LogLine['severity'], component: string, id: number, msg: string, attr?: Reply): void;
  ramLog(name: 'global' | 'startupWarnings'): RamLog;
  /** The arguments that the process was started with, for `getCmdLineOpts`. */
  commandLine(): { readonly argv: readonly string[]; readonly parsed: Reply };
  /** The threads that the process has for itself, by their names. */
  threads(): readonly string[];
}

/** What has been counted, for `serverStatus` and the like. */
export interface StatusServices {
  readonly counters: ServerCounters;
  /** What `opcountersRepl` shows besides its counts: `constraintsRelaxed`, where there is something to tell. */
  relaxedConstraints(): Reply;
  /** From when to when snapshots can be read, and how often one was too old; null timestamps on a member of no set. */
  snapshotWindow(): SnapshotWindow;
  /** `metrics.ttl` of serverStatus, as int64s. */
  ttlMetrics(): Reply;
  /** `metrics.repl` of serverStatus. */
  replMetrics(): Reply;
  /**
   * Further top-level sections of serverStatus: `repl`, `electionMetrics` …
   * @param levelOf what the request says of a section, 0 where it says nothing
   */
  sections(levelOf: (section: string) => number): Reply;
}

/** The history that a member keeps. */
export interface SnapshotWindow {
  readonly oldest: Timestamp;
  readonly stable: Timestamp;
  readonly tooOldErrors: number;
}

/** The profiler as commands see it. */
interface ProfilerServices {
  readonly settings: ProfilerSettings;
  /** Makes `system.profile` of a database, with options of `create` other than its own. */
  prepare(db: string, options?: Uint8Array): void;
}

/** The oplog's entries as documents; an index grows for ever and stays good when the head is truncated. */
export interface OplogDocuments {
  readonly firstIndex: number;
  /** One past the newest entry that may be read. */
  readonly endIndex: number;
  readonly sizeBytes: number;
  readonly maxSizeBytes: number;
  /** The entry, BSON; undefined where it is truncated or not there yet. */
  at(index: number): Uint8Array | undefined;
  /** The index of the first entry whose `ts` is not before this one. */
  lowerBound(ts: Timestamp): number;
}

/** The majority-committed part of the oplog, whose changes can be seen in the committed data. */
export interface CommittedOplog {
  readonly firstIndex: number;
  /** One past the newest entry that is committed. */
  readonly endIndex: number;
  /** The newest entry that is applied here, committed or not. */
  readonly lastApplied: OpTime;
  at(index: number): OplogEntry | undefined;
  /** This very entry, while it is held. */
  entry(opTime: OpTime): OplogEntry | undefined;
  /** The index of the first entry whose `ts` is not before this one. */
  lowerBound(ts: Timestamp): number;
}
