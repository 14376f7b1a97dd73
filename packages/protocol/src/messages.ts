import type { ReplSetConfig } from './config.ts';
import type { MemberState } from './memberState.ts';
import type { OplogEntry } from './oplogEntry.ts';
import type { SharedDocument } from './oplogOperation.ts';
import type { OpTime, Term, Timestamp } from './opTime.ts';

/**
 * What members say to each other: the commands of MongoDB with their field names, as frozen plain objects.
 * `mongod` encodes them as OP_MSG; here nothing leaves the process, so nothing is encoded.
 */
export type MemberMessage = MemberRequest | MemberResponse;

/**
 * The purpose of a connection between two members; each keeps its order, different ones may overtake each other.
 * `vote` carries elections, `fetch` oplog cursors, `progress` position reports, `admin` all else.
 */
export type Channel = 'heartbeat' | 'vote' | 'fetch' | 'progress' | 'admin';

export interface MemberRequest {
  readonly kind: 'request';
  /** Unique for the sending process. */
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly channel: Channel;
  readonly command: MemberCommand;
  /** The greatest timestamp that the sender has seen. Upstream: rpc/metadata, `$clusterTime`, without its signature. */
  readonly $clusterTime?: Timestamp | undefined;
  /** Absent where members do not show who they are. */
  readonly auth?: MemberAuth | undefined;
}

/**
 * By what a member shows that it belongs to the set. A mongod proves by SCRAM that it knows a key, once for each
 * connection; here the key goes with each request and is compared.
 */
export interface MemberAuth {
  /** Tried one after the other. */
  readonly keys: readonly string[];
  /** The request goes on where none of them is accepted. */
  readonly optional: boolean;
}

export interface MemberResponse {
  readonly kind: 'response';
  /** The request's id. */
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly channel: Channel;
  readonly reply: MemberReply | ErrorReply;
  readonly $clusterTime?: Timestamp | undefined;
}

export interface ErrorReply {
  readonly ok: 0;
  readonly code: number;
  readonly errmsg: string;
}

export type MemberCommand =
  | HeartbeatCommand
  | RequestVotesCommand
  | OplogFindCommand
  | OplogGetMoreCommand
  | OplogScanCommand
  | OplogProbeCommand
  | UpdatePositionCommand
  | StepUpCommand
  | GetRbidCommand
  | ClonerQueryCommand
  | ClonerListIndexesCommand
  | RunCommand
  | VoteCommitIndexBuildCommand
  | VoteAbortIndexBuildCommand;

export type MemberReply =
  | HeartbeatReply
  | RequestVotesReply
  | OplogReply
  | OplogScanReply
  | OplogProbeReply
  | OkReply
  | RbidReply
  | ClonerQueryReply
  | ClonerListIndexesReply
  | RunCommandReply;

export interface OkReply {
  readonly ok: 1;
}

/** Upstream: repl_set_heartbeat_args_v1. A member without config sends version -2. */
export interface HeartbeatCommand {
  readonly replSetHeartbeat: string;
  readonly checkEmpty?: true;
  readonly configVersion: number;
  readonly configTerm: Term;
  readonly from: string;
  readonly fromId: number;
  readonly term: Term;
  /** `_id` of the member that the sender believes is primary, -1 if none. */
  readonly primaryId: number;
}

/** Upstream: repl_set_heartbeat_response. */
export interface HeartbeatReply {
  readonly ok: 1;
  readonly set: string;
  readonly state: MemberState;
  readonly v: number;
  readonly configTerm: Term;
  readonly term: Term;
  readonly primaryId: number;
  readonly electable: boolean;
  readonly syncingTo?: string | undefined;
  /** Only from a primary. */
  readonly electionTime?: Timestamp | undefined;
  /** Last applied; null while in STARTUP2. */
  readonly opTime: OpTime;
  readonly wallTimeMs: number;
  readonly writtenOpTime: OpTime;
  readonly writtenWallTimeMs: number;
  readonly durableOpTime: OpTime;
  readonly durableWallTimeMs: number;
  /** The whole config, when the responder's is newer than the sender's. */
  readonly config?: ReplSetConfig | undefined;
  readonly $replData: ReplData;
  /** `checkEmpty`: whether the responder holds user data. */
  readonly hasData?: boolean | undefined;
}

/** Metadata that rides on replies between members. Upstream: rpc/metadata/repl_set_metadata. */
export interface ReplData {
  readonly term: Term;
  readonly lastOpCommitted: OpTime;
  readonly lastCommittedWallMs: number;
  readonly configVersion: number;
  readonly configTerm: Term;
  /** Absent while the sender has no config. */
  readonly replicaSetId?: string | undefined;
  /** Index in the members array of the primary that the sender knows, -1 if none. */
  readonly primaryIndex: number;
  readonly syncSourceIndex: number;
  readonly isPrimary: boolean;
}

/** Upstream: repl_set_request_votes_args. `candidateIndex` is an index, not an `_id`. */
export interface RequestVotesCommand {
  readonly replSetRequestVotes: 1;
  readonly setName: string;
  readonly dryRun: boolean;
  readonly term: Term;
  readonly candidateIndex: number;
  readonly configVersion: number;
  readonly configTerm: Term;
  readonly lastWrittenOpTime: OpTime;
  readonly lastAppliedOpTime: OpTime;
}

export interface RequestVotesReply {
  readonly ok: 1;
  readonly term: Term;
  readonly voteGranted: boolean;
  readonly reason: string;
}

/** Opens a tailing cursor on the source's oplog. Upstream: oplog_fetcher.cpp. */
export interface OplogFindCommand {
  readonly find: 'oplog.rs';
  readonly filter: { readonly ts: { readonly $gte: Timestamp } };
  readonly tailable: true;
  readonly awaitData: true;
  readonly batchSize: number;
  readonly maxTimeMS: number;
  readonly term: Term;
  readonly readConcern: { readonly level: 'local'; readonly afterClusterTime: Timestamp };
}

export interface OplogGetMoreCommand {
  readonly getMore: number;
  readonly collection: 'oplog.rs';
  readonly batchSize: number;
  readonly maxTimeMS: number;
  readonly term: Term;
  readonly lastKnownCommittedOpTime: OpTime;
}

/** Entries from the source's oplog with its metadata. Upstream: rpc/metadata/oplog_query_metadata. */
export interface OplogReply {
  readonly ok: 1;
  readonly cursorId: number;
  readonly batch: readonly OplogEntry[];
  readonly $replData: ReplData;
  readonly $oplogQueryData: {
    readonly lastOpCommitted: OpTime;
    readonly lastCommittedWallMs: number;
    readonly lastOpApplied: OpTime;
    readonly lastOpWritten: OpTime;
    readonly rbid: number;
    readonly primaryIndex: number;
    readonly syncSourceIndex: number;
    /** Empty if it has no source. */
    readonly syncSourceHost: string;
  };
}

/**
 * The first entry of an oplog, to see whether it reaches back far enough; or the one at `ts`, to see whether it is there.
 * Upstream: sync_source_resolver.cpp.
 */
export interface OplogProbeCommand {
  readonly find: 'oplog.rs';
  readonly filter?: { readonly ts: { readonly $gte: Timestamp; readonly $lte: Timestamp } };
  readonly limit: 1;
}

export interface OplogProbeReply {
  readonly ok: 1;
  /** The entry asked for; undefined if there is none. */
  readonly first: OpTime | undefined;
  /** The newest entry that the member's data show. */
  readonly lastEntry: OplogEntry | undefined;
  /** The first entry of the oldest transaction whose end the member has not applied. */
  readonly oldestActive?: OplogEntry | undefined;
  readonly rbid: number;
}

/** Reads an oplog backwards to find the common point. Upstream: roll_back_local_operations.cpp. */
export interface OplogScanCommand {
  readonly find: 'oplog.rs';
  readonly sort: { readonly $natural: -1 };
  /** Entries strictly before this one; from the end if absent. */
  readonly before?: Timestamp;
  readonly batchSize: number;
}

export interface OplogScanReply {
  readonly ok: 1;
  /** Newest first. */
  readonly opTimes: readonly OpTime[];
}

/** Upstream: update_position_args. Sent to the sync source, about oneself and everybody downstream. */
export interface UpdatePositionCommand {
  readonly replSetUpdatePosition: 1;
  readonly optimes: readonly MemberPosition[];
  readonly $replData: ReplData;
}

export interface MemberPosition {
  readonly memberId: number;
  readonly cfgver: number;
  readonly durableOpTime: OpTime;
  readonly durableWallTimeMs: number;
  readonly appliedOpTime: OpTime;
  readonly appliedWallTimeMs: number;
  readonly writtenOpTime: OpTime;
  readonly writtenWallTimeMs: number;
}

/** The hand-off of a stepping-down primary to its heir. */
export interface StepUpCommand {
  readonly replSetStepUp: 1;
  readonly skipDryRun: true;
}

export interface GetRbidCommand {
  readonly replSetGetRBID: 1;
}

export interface RbidReply {
  readonly ok: 1;
  readonly rbid: number;
}

/**
 * A stretch of a collection in natural order, for a member that copies it; by UUID, so that a rename does not matter, and
 * without a cursor, so that it goes on after any break. Upstream: collection_cloner.cpp, its resumable query.
 */
export interface ClonerQueryCommand {
  /** The collection's UUID, 16 bytes. */
  readonly find: Uint8Array;
  readonly hint: { readonly $natural: 1 };
  readonly $_requestResumeToken: true;
  /** From the last reply; from the beginning if absent. */
  readonly $_resumeAfter?: { readonly $recordId: number | string };
  /** 0: as many as fit. */
  readonly batchSize: number;
}

export interface ClonerQueryReply {
  readonly ok: 1;
  /** The documents themselves, which all members share. */
  readonly documents: readonly SharedDocument[];
  /** Where to go on; absent at the end of the collection. */
  readonly postBatchResumeToken?: { readonly $recordId: number | string };
}

/** The indexes of a collection, by UUID as above. */
export interface ClonerListIndexesCommand {
  readonly listIndexes: Uint8Array;
}

export interface ClonerListIndexesReply {
  readonly ok: 1;
  /** Specs, BSON. */
  readonly indexes: readonly Uint8Array[];
  /** Those that are being built, build by build. Upstream: `includeBuildUUIDs`. */
  readonly unfinished: readonly { readonly buildUUID: Uint8Array; readonly indexes: readonly Uint8Array[] }[];
  /** Documents and their bytes when this was asked. */
  readonly count: number;
  readonly size: number;
}

/**
 * A client's command that one member sends to another: while it copies its data (initial sync), or to tell the primary of sessions.
 * BSON both ways.
 */
export interface RunCommand {
  readonly runCommand: Uint8Array;
}

export interface RunCommandReply {
  readonly ok: 1;
  readonly reply: Uint8Array;
}

/**
 * A member has all documents in the indexes of a build, and is ready to commit them whenever the primary does.
 * Answered once a majority knows. Upstream: vote_index_build.cpp.
 */
export interface VoteCommitIndexBuildCommand {
  /** The build's UUID, 16 bytes. */
  readonly voteCommitIndexBuild: Uint8Array;
  readonly hostAndPort: string;
}

/** A member cannot go on with a build, and asks the primary to end it everywhere. Upstream: as above, from 7.1 on. */
export interface VoteAbortIndexBuildCommand {
  readonly voteAbortIndexBuild: Uint8Array;
  readonly hostAndPort: string;
  readonly reason: string;
}
