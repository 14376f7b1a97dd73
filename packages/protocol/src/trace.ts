import type { ReplSetConfig } from './config.ts';
import type { MemberState } from './memberState.ts';
import type { MemberPosition } from './messages.ts';
import type { OplogEntry } from './oplogEntry.ts';
import type { OpTime, Term, Timestamp } from './opTime.ts';

/** The version that the first line of a trace file carries; it grows when a reader would have to change. */
export const TRACE_VERSION = 2;

/** Two unsigned 32-bit lanes of the hash over all replicated data of a member; equal data has equal hashes. */
export type DataHash = readonly [number, number];

/**
 * Everything that a run leaves behind. Transcripts, checkers and pictures read only this.
 * `atMicros` is virtual time since time zero; `member` is the member that did it or to which it happened.
 */
export type TraceEvent = { readonly atMicros: number } & (RunEvent | ({ readonly member: string } & MemberTrace));

export type TraceEventType = TraceEvent['type'];

/** What concerns the run as a whole. */
export type RunEvent =
  | {
      readonly type: 'runStarted';
      readonly traceVersion: number;
      readonly seed: number;
      readonly version: string;
      readonly setName: string;
      readonly members: readonly string[];
      /** Of each of them, if they are not simply their names at port 27017. */
      readonly hosts?: readonly string[];
      /** Other names of the machine on which they run, if it has some besides the loopback's. */
      readonly machineNames?: readonly string[];
      /** Time zero on every clock that is not set otherwise, ms since 1970. */
      readonly epochMs: number;
      /** What the set was made with besides, where it was not left to defaults: `settings`, `parameters`, `network`, `costs`. */
      readonly options?: Readonly<Record<string, unknown>>;
      /**
       * The ICU that orders strings where the run uses a collation, knows letters where it uses a text search and clocks where it
       * uses a time zone: another one may see some of them otherwise.
       */
      readonly icu?: string;
    }
  | { readonly type: 'note'; readonly text: string }
  /** A scenario's step begins; `text` is the step in one line, and `index` is below 0 for what happens while another is under way. */
  | {
      readonly type: 'step';
      readonly index: number;
      readonly text: string;
      /** What comes about until it has ended is how a set starts, and not what the scenario is about. */
      readonly folded?: true;
    }
  | {
      /** The step that `step` told of is over, since it began at `sinceMicros`. */
      readonly type: 'stepEnded';
      readonly index: number;
      readonly outcome: 'done' | 'failed';
      readonly sinceMicros: number;
      /** What it returned in a few words, or what it got instead of what it asked for. */
      readonly returned?: string;
    }
  | {
      readonly type: 'checked';
      readonly text: string;
      readonly held: boolean;
      /** When it was asked first; absent where it was answered at once. */
      readonly sinceMicros?: number;
      readonly detail?: string;
      /** The question to which this is the answer, and that answer; absent where nobody could give one. */
      readonly form?: AnswerForm;
      readonly found?: string | number;
    }
  /** Whether something holds that need not in each run, but in some of many. */
  | { readonly type: 'sometimes'; readonly text: string; readonly held: boolean; readonly detail?: string }
  | LessonTrace
  /** The run is over: all that was asked of it held, or the first thing that did not. */
  | { readonly type: 'runEnded'; readonly held: boolean; readonly failure?: string }
  | { readonly type: 'partitioned'; readonly groups: readonly (readonly string[])[] }
  | { readonly type: 'cut'; readonly from: string; readonly to: string }
  | { readonly type: 'healed'; readonly members: 'all' | readonly string[] }
  | {
      readonly type: 'linkChanged';
      readonly from: string;
      readonly to: string;
      readonly settings: Readonly<Record<string, unknown>>;
    }
  | ClientTrace
  | StreamTrace
  | {
      /** Something comes from outside the loop; what is scheduled from here to the next turn or input comes of it. */
      readonly type: 'input';
      /** Its number; turns and inputs are counted together, from 1. */
      readonly turn: number;
      readonly kind: 'step' | 'fault' | 'command';
      readonly what: string;
    }
  | {
      /** A client beside the set wakes, or something of its reaches the other end. */
      readonly type: 'clientTurn';
      readonly turn: number;
      readonly cause: number;
      readonly client: string;
      readonly what: 'timer' | 'request' | 'reply' | 'retransmission';
    }
  | { readonly type: 'invariantBroken'; readonly name: string; readonly detail: string };

/** What a scenario says to whom it teaches; nothing of the set comes of it. */
export type LessonTrace =
  /** A chapter begins. */
  | { readonly type: 'act'; readonly title: string }
  | {
      readonly type: 'asked';
      /** From 1, in the order in which they are asked. */
      readonly number: number;
      readonly question: string;
      readonly choices: readonly (string | number)[];
      readonly form: AnswerForm;
      /** The instant at which the answer is looked at, where that is not at once. */
      readonly dueMicros?: number;
    }
  | {
      readonly type: 'answered';
      readonly number: number;
      readonly question: string;
      /** One of the choices. */
      readonly answer: string | number;
    }
  /** Members by name, and parts of a page. */
  | { readonly type: 'focused'; readonly on: readonly string[] }
  /** Pictures fold away what comes before the first act. */
  | { readonly type: 'hidden'; readonly what: 'start' };

/**
 * What a question asks of a run. Its answers: a member's name or `nobody`; a member's state; a member's term; so many documents of a
 * collection on a member; whether a check holds, `yes` or `no`.
 */
export type AnswerForm =
  | 'primary'
  | { readonly state: string }
  | { readonly term: string }
  /** `where`, a filter, and `holds`, a check, in one line, as the scenario has them. */
  | { readonly count: { readonly in: string; readonly on: string; readonly where?: string } }
  | { readonly holds: string };

/** An event that a change stream has shown to its client, as far as the client could see of what it is. */
export interface StreamedEvent {
  readonly operationType: string;
  /** `db.collection`, or the database. */
  readonly ns?: string;
  /** In words. */
  readonly documentKey?: string;
  readonly clusterTime?: Timestamp;
  /** `_data` of the resume token. */
  readonly token: string;
}

/** What the client of a change stream lives through. */
export type StreamTrace =
  | {
      readonly type: 'streamOpened';
      readonly stream: string;
      readonly server: string;
      /** What it watches: a collection, a database, `the cluster`. */
      readonly ns: string;
      /** It goes on from the newest token that its client has. */
      readonly resumed: boolean;
      /** It has a pipeline, or options that choose what it shows or where it begins: it may leave changes out. */
      readonly selective: boolean;
    }
  | {
      readonly type: 'streamShowed';
      readonly stream: string;
      readonly server: string;
      readonly events: readonly StreamedEvent[];
    }
  | {
      readonly type: 'streamEnded';
      readonly stream: string;
      /** Of the error; 0 where there was none. */
      readonly code: number;
      readonly reason: string;
    };

/** What the client of a workload did and was told. `turn` counts its operations from 1. */
export type ClientTrace =
  | {
      readonly type: 'workloadStarted';
      readonly workload: string;
      readonly operation: WorkloadOperation;
      /** From the beginning of one operation to that of the next, unless one takes longer. */
      readonly everyMicros: number;
      readonly ns: string;
      /** As it is sent; absent where it is left to the set. */
      readonly concern?: string;
      /** The member whose links it shares. */
      readonly near?: string;
      /** Where a history of its clients is kept: how they read and write. */
      readonly history?: HistoryReads;
    }
  | { readonly type: 'workloadStopped'; readonly workload: string }
  | {
      readonly type: 'clientSent';
      readonly workload: string;
      readonly turn: number;
      /** 2 when it is sent once more. */
      readonly attempt: number;
      readonly server: string;
      /** The session's UUID, hex. */
      readonly lsid: string;
      readonly txnNumber?: number;
      /** Of a transaction: what of it is sent once more. */
      readonly again?: 'transaction' | 'commit';
    }
  | {
      readonly type: 'clientTold';
      readonly workload: string;
      readonly turn: number;
      /** When the application asked for it. */
      readonly sinceMicros: number;
      /** Unknown: the connection broke, and nobody can say whether the write was carried out. */
      readonly outcome: 'acknowledged' | 'read' | 'error' | 'unknown';
      /** Who answered; absent when no server was found. */
      readonly server?: string;
      readonly error?: { readonly name: string; readonly code?: number; readonly message: string };
      /** Of a write's reply. */
      readonly opTime?: OpTime;
      /** Of the reply: a write is in the data of this time, a read saw it. */
      readonly operationTime?: Timestamp;
      /** The `_id`s that a read returned, as mongosh writes them. */
      readonly ids?: readonly string[];
      /** What the snapshots that it read came to, those of transactions that were aborted too. */
      readonly sums?: readonly number[];
      /** Those of them that are not what they should be. */
      readonly torn?: readonly number[];
      /** How many transactions were aborted for it. */
      readonly aborted?: number;
    }
  /** A client of a workload whose history is kept begins something. */
  | {
      readonly type: 'clientCalled';
      readonly workload: string;
      /** Does one thing after the other. */
      readonly client: string;
      /** Its number, from 1, among those of this client. */
      readonly call: number;
      readonly kind: 'read' | 'write' | 'transaction';
      /** The `_id`, as mongosh writes it. */
      readonly key?: string;
      /** Of a write: what it leaves there, as mongosh writes it. */
      readonly value?: string;
      /** Of a transaction: what it will do. */
      readonly operations?: readonly ListOperation[];
    }
  /** What came of it, as far as the client can know. */
  | {
      readonly type: 'clientReturned';
      readonly workload: string;
      readonly client: string;
      readonly call: number;
      /** Done, certainly not done, or nobody can say. */
      readonly outcome: 'ok' | 'fail' | 'info';
      /** Of a read: what it found; absent where there was nothing. */
      readonly value?: string;
      /** Of a transaction: the same operations, with what they read. */
      readonly operations?: readonly ListOperation[];
    }
  /** A workload's account at the end of the run. */
  | {
      readonly type: 'workloadEnded';
      readonly workload: string;
      readonly operation: WorkloadOperation;
      /** Of operations by outcome, and of milliseconds without an answer and without a primary. */
      readonly counts: Readonly<Record<string, number>>;
      readonly losses: readonly WriteLosses[];
    };

/** What a workload does in each turn; a transfer is a transaction. */
export type WorkloadOperation = 'insert' | 'update' | 'find' | 'transfer' | 'sum' | 'append';

/** What a transaction does to a list: it adds an element at the end, or reads all of it. */
export type ListOperation =
  | { readonly f: 'append'; readonly key: string; readonly value: string }
  | { readonly f: 'read'; readonly key: string; readonly list?: readonly string[] };

/** How a workload reads back what it writes, as far as promises go. */
export interface HistoryReads {
  readonly readConcern?: string;
  /** `primary` where nobody says. */
  readonly readPreference: string;
  /** The reads of a client are in one causally consistent session; with `afterWrites` its writes are, too. */
  readonly causalConsistency: boolean;
  /** Whether a client reads what it has just written, or another reads now and then. */
  readonly afterWrites: boolean;
  /** Of the writes. */
  readonly w?: string | number;
}

/** Acknowledged writes that the same election lost. */
export interface WriteLosses {
  readonly writes: number;
  /** Who acknowledged them, and between which instants. */
  readonly server: string;
  readonly fromMicros: number;
  readonly toMicros: number;
  /** The election whose winner did not hold them. */
  readonly term: Term;
  readonly primary: string;
  readonly electedMicros: number;
  /** The fewest and the most members that had one of them when it was acknowledged. */
  readonly heldBy: readonly [least: number, most: number];
  /** The config by force without which a majority that had them could not have been passed over. */
  readonly forced?: ForcedConfigTrace;
  /** The weakest write concern that would have kept them, `{ w: "majority" }`, or `no write concern`. */
  readonly keptBy: string;
}

/** A config that was installed by force: by whom and when first, and which members with data it left out. */
export interface ForcedConfigTrace {
  readonly version: number;
  readonly member: string;
  readonly atMicros: number;
  readonly without: readonly string[];
}

/** What one member did. Rules hand these out as effects; the host adds the time and the member. */
export type MemberTrace =
  // --- the process ---
  | {
      readonly type: 'processStarted';
      readonly mode: 'replSet' | 'standalone';
      /** `local.system.replset` holds a document. */
      readonly hasReplSetConfig: boolean;
      readonly ttlMonitorStarted: boolean;
      readonly lastApplied: OpTime;
      /** Terms and votes that survived, in replica-set mode. */
      readonly term: Term;
      /** The rollback id that survived; absent on a standalone. */
      readonly rbid?: number;
      readonly dataHash: DataHash;
    }
  | { readonly type: 'processStopped'; readonly how: 'killed' | 'shutdown' | 'fatal'; readonly detail?: string }
  | { readonly type: 'processPaused' }
  | { readonly type: 'processResumed' }
  /** One part of the member stands still, or goes on. */
  | { readonly type: 'partHeld'; readonly part: string }
  | { readonly type: 'partReleased'; readonly part: string }
  /** The process is about to end: hello is refused for so long, all else goes on. */
  | { readonly type: 'quiesceBegan'; readonly forMs: number }
  | { readonly type: 'clockChanged'; readonly jumpMs?: number; readonly driftPpm?: number; readonly wallMs: number }
  | {
      readonly type: 'diskChanged';
      readonly latencyMs?: number;
      readonly full?: boolean;
      readonly corrupt?: true;
      readonly lost?: boolean;
      readonly torn?: boolean;
      readonly misdirected?: boolean;
    }
  /** The disk has written the journal's last record elsewhere, and reported it done. `over`: what that destroyed. */
  | { readonly type: 'writeMisdirected'; readonly over: 'checkpoint' | 'journal' | 'nothing' }
  /** `cores`: so many operations are computed at a time; 0: any number. */
  | { readonly type: 'processorChanged'; readonly slowdown?: number; readonly cores?: number }
  /** What befalls clients on their way to the member. */
  | {
      readonly type: 'clientsChanged';
      readonly appName?: string;
      readonly except?: readonly (string | number)[];
      readonly cut?: boolean;
      readonly freeze?: boolean;
      readonly delayMs?: number | readonly [number, number];
      readonly heal?: true;
    }
  /** A rollback keeps what it takes away: one BSON file a collection. */
  | { readonly type: 'rollbackFile'; readonly ns: string; readonly path: string; readonly documents: number }
  // --- membership and elections ---
  /** `forced`: it has no term, so no majority had to agree. Before 4.4 that held of every reconfig. */
  | { readonly type: 'configInstalled'; readonly config: ReplSetConfig; readonly forced: boolean }
  | {
      readonly type: 'stateChanged';
      readonly from: MemberState;
      readonly to: MemberState;
      readonly term: Term;
      /** Of RECOVERING, where it is not that the data are no consistent ones yet. */
      readonly cause?: 'maintenance' | 'unauthorized';
    }
  | {
      readonly type: 'termChanged';
      readonly from: Term;
      readonly to: Term;
      /** Whose message brought it, and which; both absent where a candidate raises its own, the first where a client said so. */
      readonly toldBy?: string;
      readonly how?: TermNews;
    }
  | {
      readonly type: 'memberSeen';
      readonly other: string;
      readonly from: MemberState;
      readonly to: MemberState;
      readonly detail?: string;
    }
  | { readonly type: 'electionStarted'; readonly reason: string; readonly term: Term; readonly dryRun: boolean }
  | { readonly type: 'electionNotStarted'; readonly reason: string; readonly detail: string }
  /** A candidate asks all other voters of its config at once. */
  | { readonly type: 'votesRequested'; readonly term: Term; readonly dryRun: boolean; readonly claim: VoteClaim }
  | {
      readonly type: 'voteAnswered';
      readonly candidate: string;
      readonly term: Term;
      readonly dryRun: boolean;
      readonly granted: boolean;
      readonly reason: string;
      /** The vote on disk when the answer left. */
      readonly lastVoteTerm: Term;
      /** What the candidate said of itself, and what the voter held against it when it decided. */
      readonly claim: VoteClaim;
      readonly own: VoteClaim;
      /** The voter's term, which is the request's at least. */
      readonly ownTerm: Term;
    }
  | { readonly type: 'votePersisted'; readonly term: Term; readonly candidate: string }
  | { readonly type: 'electionLost'; readonly term: Term; readonly dryRun: boolean; readonly reason: string }
  | { readonly type: 'electionWon'; readonly term: Term; readonly votes: number; readonly lastApplied: OpTime }
  | { readonly type: 'catchUpEnded'; readonly term: Term; readonly reason: string }
  /** The mode WritablePrimary begins or ends: the second of the two predicates. */
  | {
      readonly type: 'acceptsWrites';
      readonly value: boolean;
      readonly term: Term;
      /** Of a primary that begins: the entry before the first of its term. What lies beyond it in other logs is not in its own. */
      readonly follows?: OpTime;
    }
  | { readonly type: 'steppedDown'; readonly term: Term; readonly reason: string }
  /** What `hello` shows changed because of this member's own doing; waiting hellos are answered. */
  | { readonly type: 'topologyVersionRaised'; readonly counter: number }
  // --- the oplog ---
  | {
      /** Entries reached this member's oplog. `origin`: who wrote them first. */
      readonly type: 'oplogWritten';
      readonly entries: readonly OplogEntry[];
      readonly origin: 'self' | 'fetched';
      /** Of entries that were fetched: the sync source that sent them, which need not be the one of now. */
      readonly source?: string;
      /** Accepts writes at that moment; entries of origin `self` need it (but for the set's first). */
      readonly acceptsWrites: boolean;
      /** For entries of origin `self`: the greatest timestamp that this member had seen anywhere before. */
      readonly clusterTime?: Timestamp;
      /** Of a transaction of its own that takes several entries: its data before, but for the rows of sessions. */
      readonly documentsHash?: DataHash;
    }
  /** A delayed member has fetched entries up to `upTo`; they wait in memory until they are old enough for its oplog. */
  | { readonly type: 'entriesDelayed'; readonly upTo: OpTime }
  | {
      /** All data up to `opTime` is in place; on a primary after each storage transaction, else after each batch. */
      readonly type: 'applied';
      readonly opTime: OpTime;
      readonly entries: number;
      readonly dataHash: DataHash;
      /** What the stable optime is now, and with it what majority reads see. */
      readonly stable?: OpTime;
      /** Over the ready indexes of all replicated collections; absent where a member need not have them all. */
      readonly indexHash?: DataHash;
      /** Where `opTime` is within a transaction, or where one is given up: of all but the rows of sessions. */
      readonly documentsHash?: DataHash;
      /** The entries themselves when they came from another member. */
      readonly batch?: readonly OplogEntry[];
    }
  /** The oldest entries went, since the oplog exceeded its cap. */
  /** `asked`: from outside, and not by the oplog's size. */
  | { readonly type: 'oplogTruncated'; readonly first: OpTime; readonly asked?: true }
  | { readonly type: 'journalFlushed'; readonly opTime: OpTime }
  | { readonly type: 'checkpointed'; readonly stable: OpTime }
  | {
      readonly type: 'commitPoint';
      readonly opTime: OpTime;
      /** Computed by a primary from the positions it knows, or learned from another member. */
      readonly learned: boolean;
      /** Of one that was learned: from whom, and whether by a heartbeat or with a batch of entries. */
      readonly toldBy?: string;
      readonly how?: 'heartbeat' | 'sync source';
      readonly term: Term;
      /** What the stable optime is now. */
      readonly stable?: OpTime;
    }
  | {
      /** What `from` says of itself and of those behind it, word for word; from a heartbeat only on a primary, if it is news. */
      readonly type: 'positionsReceived';
      readonly from: string;
      readonly how: 'heartbeat' | 'updatePosition';
      readonly optimes: readonly MemberPosition[];
    }
  | { readonly type: 'syncSourceChanged'; readonly from: string | undefined; readonly to: string | undefined }
  | { readonly type: 'fetchFailed'; readonly source: string; readonly code: number; readonly detail: string }
  | { readonly type: 'tooStale'; readonly lastFetched: OpTime }
  | {
      readonly type: 'initialSync';
      readonly phase: 'started' | 'cloned' | 'done' | 'failed';
      /** Whose data are copied, as soon as somebody was chosen. */
      readonly source?: string;
      /** When it is done: the entry whose data these are now. */
      readonly opTime?: OpTime;
      readonly detail?: string;
    }
  | { readonly type: 'rollbackStarted'; readonly source: string }
  /** On its way to disk; what follows it may still fail, and then the next attempt raises it again. */
  | { readonly type: 'rollbackIdRaised'; readonly rbid: number }
  | {
      readonly type: 'rolledBack';
      readonly commonPoint: OpTime;
      readonly from: OpTime;
      readonly removedEntries: readonly OplogEntry[];
      readonly commitPoint: OpTime;
      readonly rbid: number;
      readonly dataHash: DataHash;
      /** As in `applied`, of the common point. */
      readonly documentsHash?: DataHash;
    }
  // --- data ---
  | {
      /** Documents left this member's copy of a replicated namespace, and why. */
      readonly type: 'documentsRemoved';
      readonly ns: string;
      readonly count: number;
      readonly by: 'client' | 'ttl' | 'oplog' | 'rollback' | 'initialSync' | 'drop';
      readonly memberState: MemberState | 'STANDALONE';
      readonly acceptsWrites: boolean;
    }
  /** `fsync` stopped all writes, or set them free. */
  | { readonly type: 'fsyncLockChanged'; readonly locked: boolean }
  | {
      readonly type: 'writeAcknowledged';
      readonly opTime: OpTime;
      readonly w: number | string;
      readonly majority: boolean;
    }
  /** A client was told that what it wrote has its write concern: of a retry, perhaps, that found all of it done. */
  | {
      readonly type: 'clientWrote';
      /** The command: `insert`, `commitTransaction`. */
      readonly name: string;
      readonly ns: string;
      /** The newest entry that it wrote, or that it found written by an earlier attempt. */
      readonly opTime: OpTime;
      /** When that was written; of what an earlier attempt wrote, as its wall clock says. */
      readonly writtenMicros: number;
      /** The first entries that it wrote. */
      readonly entries: readonly OplogEntry[];
      /** How many documents the reply says were written, if it says so. */
      readonly documents?: number;
      readonly w: number | string;
      /** The session's UUID, hex, of what can be retried. */
      readonly lsid?: string;
      readonly txnNumber?: number;
      readonly appName?: string;
    }
  | {
      /** A client got the answer to a read that promised more than this member's newest data. */
      readonly type: 'readAnswered';
      readonly level: string;
      /** Up to which entry the data that were read went. */
      readonly readAt: OpTime;
      /** When the read came in, on the run's clock. */
      readonly startedMicros: number;
      readonly afterClusterTime?: Timestamp;
    }
  | {
      /** A read of one snapshot is over: outside of transactions, or a statement of one. */
      readonly type: 'snapshotRead';
      /** The newest entry of the data that it was to see. */
      readonly opTime: OpTime;
      /** Over all replicated data as it saw them, without what its transaction wrote itself. */
      readonly dataHash: DataHash;
      /** The number of its transaction. */
      readonly txnNumber?: number;
    }
  // --- indexes ---
  | {
      /** An index build on this member goes into its next phase; all of them are gone through in this order. */
      readonly type: 'indexBuild';
      /** `scanned`: every document is in. `left`: the process or a rollback has stopped it, and it will begin anew. */
      readonly phase: 'started' | 'scanned' | 'ready' | 'aborted' | 'left';
      readonly ns: string;
      /** The build's UUID, hex. */
      readonly buildUuid: string;
      readonly indexes: readonly string[];
      /** Documents to scan when it starts, those that were when it has. */
      readonly documents?: number;
      /** Why it was aborted. */
      readonly cause?: string;
    }
  | {
      /** Indexes became ready: what they hold, and what the documents that are there now draw if asked anew. */
      readonly type: 'indexesReady';
      readonly ns: string;
      readonly indexes: readonly { readonly name: string; readonly keys: number; readonly drawn: number }[];
    }
  // --- ttl ---
  | {
      readonly type: 'ttlPassEnded';
      readonly deleted: number;
      /** What was deleted by namespace and index, empty if nothing. */
      readonly byIndex: readonly { readonly ns: string; readonly index: string; readonly deleted: number }[];
      readonly subPasses: number;
      readonly memberState: MemberState | 'STANDALONE';
      readonly acceptsWrites: boolean;
      readonly error?: string;
    }
  | {
      /** One storage transaction of the TTL monitor. */
      readonly type: 'ttlDeleted';
      readonly ns: string;
      readonly index: string;
      readonly expireAfterSeconds: number;
      /** This member's clock when the batch was committed, and the limit that the visit used. */
      readonly wallMs: number;
      readonly limitMs: number;
      /** Of a clustered collection: the earliest date that can be due, ms since 1970. */
      readonly fromMs?: number;
      /**
       * For each document deleted, the date that made it expire, ms since 1970; for a bucket of a time series, its time and
       * its span. In the order of the operations in the oplog entries, which follow in the member's next `oplogWritten`.
       */
      readonly dates: readonly number[];
      readonly acceptsWrites: boolean;
      readonly standaloneOnReplSetData: boolean;
    }
  | {
      /**
       * What the TTL monitor's thread does from now on. A sleep that begins anew means that it has woken in between, whether
       * or not it then was allowed a pass; a new `ttlMonitorSleepSecs` gives the same sleep another end.
       */
      readonly type: 'ttlMonitor';
      readonly phase: 'off' | 'sleeping' | 'hanging' | 'inPass';
      /** Of a sleep: when it began, and when the thread wakes if the member's wall clock goes right, in virtual time. */
      readonly sinceMicros?: number;
      readonly wakeMicros?: number;
      /** `ttlMonitorEnabled` is false: it wakes, and sleeps on. */
      readonly disabled?: true;
    }
  | {
      /** An index, or under the name `_id_` a collection's own option, is the monitor's business, with these seconds. */
      readonly type: 'ttlIndexRegistered';
      readonly ns: string;
      readonly index: string;
      /** Absent where there is no number on the disk. */
      readonly expireAfterSeconds?: number;
    }
  // --- talk ---
  | { readonly type: 'commandStarted'; readonly opId: number; readonly name: string; readonly ns: string }
  | {
      readonly type: 'commandEnded';
      readonly opId: number;
      readonly name: string;
      readonly ns: string;
      readonly tookMicros: number;
      readonly code: number;
      readonly errmsg?: string;
      /** What the `writeConcernError` beside a success says. */
      readonly writeConcernError?: { readonly code: number; readonly errmsg: string };
      /** Statements of a retryable write that were answered from the oplog. */
      readonly retriedStatements?: number;
      /** A few words on the reply, such as "n: 25". */
      readonly summary?: string;
    }
  /** `wallMs`: the member's own clock. */
  | { readonly type: 'log'; readonly line: LogLine; readonly wallMs: number }
  // --- causes: built only for a set that was asked for them ---
  | {
      /** The loop hands an event to this member; all that follows, up to the next turn or input, comes of it. */
      readonly type: 'turn';
      /** Its number; turns and inputs are counted together, from 1. */
      readonly turn: number;
      /** The turn or input in which the event was scheduled; 0 for what was there before time began. */
      readonly cause: number;
      readonly kind: 'started' | 'message' | 'timer' | 'disk' | 'command' | 'connection' | 'signal';
      /** Of a message: its sender. */
      readonly peer?: string;
      /** A message's command or its kind of reply, a timer's key, what the disk has done, a command's name. */
      readonly what: string;
    }
  /** A message leaves for `peer`. */
  | { readonly type: 'sent'; readonly peer: string; readonly what: string }
  /** A message of `peer` reaches this member. */
  | { readonly type: 'delivered'; readonly peer: string; readonly what: string }
  /** What this member has sent never reaches `peer`: something stands between them, the link loses it, or nobody is there any more. */
  | { readonly type: 'lost'; readonly peer: string; readonly what: string }
  | {
      /** Until when this member waits with something, unless it is put off or taken back before. */
      readonly type: 'deadline';
      readonly of: 'electionTimeout' | 'takeover' | 'catchUp' | 'stepDown';
      /** The earliest instant at which it acts; absent when it waits no more. */
      readonly dueMicros?: number;
      /** How much of the wait chance has added; absent while that is not drawn yet, or where it has no part in it. */
      readonly drawnMicros?: number;
    }
  | {
      /** How a candidate's round stands: at its start, and with each answer. */
      readonly type: 'votesCounted';
      readonly term: Term;
      readonly dryRun: boolean;
      /** Those it has, its own among them. */
      readonly votes: number;
      readonly needed: number;
      /** Voters that have not answered. */
      readonly waitingFor: number;
    };

/** By which message a member heard of a later term. */
export type TermNews = 'heartbeat' | 'vote request' | 'oplog query' | 'oplog query metadata' | 'updatePosition';

/** By what votes are decided: how far a log goes (`lastWritten`; before 8.0 both are what is applied), and which config is in force. */
export interface VoteClaim {
  readonly lastWritten: OpTime;
  readonly lastApplied: OpTime;
  readonly configVersion: number;
  readonly configTerm: Term;
}

/** A line of mongod's structured log, before it is written as JSON. Upstream: logv2. */
export interface LogLine {
  readonly severity: 'F' | 'E' | 'W' | 'I' | 'D1' | 'D2' | 'D3' | 'D4' | 'D5';
  readonly component: string;
  readonly id: number;
  /** From 8.0: `S` for a shard's service, which a plain member is too, `-` for none. */
  readonly svc?: 'S' | '-';
  /** The thread that wrote it. */
  readonly ctx: string;
  readonly msg: string;
  readonly attr: Readonly<Record<string, unknown>>;
  readonly tags?: readonly string[];
}

/** The types of which the fate of acknowledged writes follows; members trace these alone where nobody wants more. */
export const FATE_TRACES = [
  'acceptsWrites',
  'clientWrote',
  'configInstalled',
  'electionWon',
  'initialSync',
  'processStarted',
  'voteAnswered',
] as const satisfies readonly TraceEventType[];
