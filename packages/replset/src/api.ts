import type { Costs, MemberConfig, MongodVersion, ReplSetSettings, TraceEvent } from '@replsim/protocol';

/** One process of the set: its place in the first config, and how it is started. */
export interface MemberSpec {
  readonly name: string;
  /** `HOST:PORT` as the config and `hello` spell it; default: the name, at port 27017. */
  readonly host?: string;
  /** Fields of the config's member entry, besides `_id` and `host`. */
  readonly config?: Partial<Omit<MemberConfig, '_id' | 'host' | 'newlyAdded'>>;
  /** A process of the set that the first config does not contain. */
  readonly spare?: boolean;
  /** Started without `--replSet`; never in the config. */
  readonly standalone?: boolean;
  readonly version?: MongodVersion;
  /** `setParameter` at startup, over those of the set. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly clock?: { readonly offsetMs?: number; readonly driftPpm?: number };
  readonly oplogSizeMB?: number;
  /** Entries younger than this stay in the oplog even beyond its size. */
  readonly oplogMinRetentionHours?: number;
}

/** How long a message takes: always the same, or from the least to the greatest. Unit: ms. */
export type Latency = number | readonly [min: number, max: number];

/** How messages between members travel; chances are from 0 to 1. */
export interface NetworkSettings {
  readonly latencyMs?: Latency;
  readonly loss?: number;
  readonly duplicate?: number;
  readonly reorder?: number;
}

/** How a set is made. */
export interface ReplSetOptions {
  readonly members: readonly MemberSpec[];
  /** Other names of the machine on which all members run that are at `localhost`, `127.0.0.1` or `[::1]`: each is known by them, at its port. */
  readonly machineNames?: readonly string[];
  /** Default `rs0`. */
  readonly setName?: string;
  /** Default 1. */
  readonly seed?: number;
  readonly version?: MongodVersion;
  readonly settings?: Partial<ReplSetSettings>;
  /** Of the first config; default true. */
  readonly writeConcernMajorityJournalDefault?: boolean;
  /** Default true: the first member initiates the set at time zero. */
  readonly initiate?: boolean;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly network?: NetworkSettings;
  readonly costs?: Partial<Costs>;
  /** Time zero, ms since 1970; default 2025-01-01T00:00:00Z. */
  readonly epochMs?: number;
  /** Real disks, one folder a member; in memory if absent. */
  readonly dbpath?: string;
  /** Named in the first line of the trace: `icuVersion()`, for a run that uses a collation, a text search or a time zone. */
  readonly icu?: string;
  /**
   * Default false. The trace also says what the loop takes up and what caused it (`turn`, `input`, `clientTurn`), what becomes of
   * messages (`sent`, `delivered`, `lost`), and `deadline`s. The run is the same.
   */
  readonly causes?: boolean;
  /**
   * Virtual time goes no further: whoever would have it pass gets `TimeIsUp`, and the set can be asked as it is then, after all that
   * happens up to that instant. For a look at a run that is known to go on. Unit: µs.
   */
  readonly endMicros?: number;
}

/** What is to be wrong with a member's disk. */
export interface DiskFaultSettings {
  /** The extra time of each write; 0 mends it. */
  readonly latencyMs?: number;
  /** The process stops at its next write, and cannot be started until there is room again. */
  readonly full?: boolean;
  /** Changes a bit of what is on the disk: noticed at the next checkpoint or start. Only a `wipe` mends it. */
  readonly corrupt?: true;
}

/** How a process is started, otherwise than it was before. */
export interface StartOptions {
  readonly as?: 'standalone' | { readonly replSet: string };
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Started with `--queryableBackupMode`: nothing is written, and nothing expires. */
  readonly queryableBackupMode?: boolean;
  /** Empties the member's data first. */
  readonly wipe?: boolean;
  /** The release that it is from now on. */
  readonly version?: MongodVersion;
}

/** A command under way; `reply` is there once the member answered. */
export interface PendingReply {
  readonly member: string;
  readonly startedMicros: number;
  /** The reply, BSON; a process that dies meanwhile answers with an error of ours, `HostUnreachable`. */
  readonly reply: Uint8Array | undefined;
  readonly endedMicros: number | undefined;
}

/** How a client's request ended. */
export type Answer =
  | { readonly kind: 'reply'; readonly reply: Uint8Array }
  /** The command never reached a process: none listens there, or no such host is known. */
  | { readonly kind: 'refused'; readonly errmsg: string }
  /** The process went away with the command; whether it was carried out the client cannot know. */
  | { readonly kind: 'closed'; readonly errmsg: string };

/** A client's end of the network, for clients that work beside the steps: everything they do happens by its callbacks. */
export interface ClientEnd {
  readonly nowMicros: number;
  /**
   * Sends a command (BSON, with `$db`) to a host. `answered` is called once, when the answer is back, or never if it gets
   * lost behind a wall of the network.
   * @returns gives the request up: nothing more of it is sent again, and `answered` is not called any more
   */
  send(host: string, command: Uint8Array, answered: (answer: Answer) => void): () => void;
  /** Calls `happen` after so much virtual time. @returns takes it back */
  schedule(afterMicros: number, happen: () => void): () => void;
}

/** What whoever holds a connection hears of it. Everything is said at the virtual time at which it happens. */
export interface ConnectionListener {
  /** The answer to a request. */
  reply(requestId: number, reply: Uint8Array): void;
  /** From now on nothing is read from the connection and nothing answered, or that is over. */
  frozen?(isFrozen: boolean): void;
  /** A request waits for news; send `awaitEnded` after `forMs`, unless the reply comes first. */
  awaiting(requestId: number, forMs: number): void;
  /** The member closes the connection, or its process has ended; nothing more is heard of it. */
  closed(): void;
}

/**
 * A client's connection to one process of a member, from outside the network: all that it sends arrives at once. Its
 * requests are answered in any order; whoever speaks for a real socket sends one after the other.
 */
export interface Connection {
  readonly connectionId: number;
  /** `application.name`, when its handshake has said it. */
  readonly appName: string | undefined;
  /** A fault keeps all that is sent from the member, and all answers from the client. */
  readonly isFrozen: boolean;
  /** @param command BSON, with `$db`, which nobody changes afterwards. @returns the request's id */
  send(command: Uint8Array, flags?: { readonly exhaustAllowed?: boolean; readonly moreToCome?: boolean }): number;
  /** A request that waits for news has waited as long as its client would. */
  awaitEnded(requestId: number): void;
  /** The client hangs up: what it has under way is interrupted. */
  close(): void;
}

/** A member's process has started, or has ended. `how` is missing at a start. */
export type ProcessListener = (member: string, how?: 'killed' | 'shutdown' | 'fatal') => void;

/** Whether a member's process runs, and how. */
export interface MemberStatus {
  readonly running: boolean;
  readonly paused: boolean;
  readonly mode: 'replSet' | 'standalone';
  /** Grows with every event that may change what the member answers; while it stands, only clocks in answers move. */
  readonly changes: number;
  /** It was asked to let go of its oldest entries, and waits for a checkpoint that no longer needs them. */
  readonly truncatesOplog: boolean;
  /** What its `hello` would say as `isWritablePrimary`, without being asked; false where nobody answers. */
  readonly saysPrimary: boolean;
  /** The same for `arbiterOnly`: it holds no data. Undefined where only its `hello` knows, since its process sees its first event by that. */
  readonly saysArbiter: boolean | undefined;
}

/** Hears of each event of a run, in order. */
export type TraceListener = (event: TraceEvent) => void;
