import type {
  ConnectionPeer,
  ConnectionRefusal,
  Costs,
  MemberConfig,
  MongodVersion,
  ReplSetSettings,
  TraceEvent,
} from '@replsim/protocol';

/** Who may use a process, and by what it and the others know each other. */
export interface AccessSettings {
  /** Whether clients may only do what privileges allow. Default: true with `keys`, unless `transitionToAuth`. */
  readonly authorization?: boolean;
  /** The path of the key file, as `getCmdLineOpts` shows it. */
  readonly keyFile?: string;
  /** What the key file holds: one key, or two while they are being changed. Members without a common key refuse each other. */
  readonly keys?: readonly string[];
  /** Like `--transitionToAuth`: clients and members may show who they are, but need not. Default: false. */
  readonly transitionToAuth?: boolean;
}

/** One process of the set: its entry in the first config, and how to start it. */
export interface MemberSpec {
  readonly name: string;
  /** `HOST:PORT` as in the config and in `hello`. Default: the name, with port 27017. */
  readonly host?: string;
  /** Fields of the member's entry in the config, apart from `_id` and `host`. */
  readonly config?: Partial<Omit<MemberConfig, '_id' | 'host' | 'newlyAdded'>>;
  /** Leave the process out of the first config. Default: false. */
  readonly spare?: boolean;
  /** Start without `--replSet`, and leave the process out of the config. Default: false. */
  readonly standalone?: boolean;
  /** The MongoDB release to imitate. Default: the set's. */
  readonly version?: MongodVersion;
  /** `setParameter` values at startup. They take precedence over the set's. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The error of the wall clock: how far ahead it starts, in ms, and how many µs it gains each second. */
  readonly clock?: { readonly offsetMs?: number; readonly driftPpm?: number };
  /** Access control of this member. Properties take precedence over the set's. */
  readonly access?: AccessSettings;
  /** Size of the oplog in MB. */
  readonly oplogSizeMB?: number;
  /** Keep oplog entries for at least this many hours, even if the oplog then exceeds its size. */
  readonly oplogMinRetentionHours?: number;
}

/** How long a message takes: a fixed time, or a range to draw from. Unit: ms. */
export type Latency = number | readonly [min: number, max: number];

/** How messages travel between members. */
export interface NetworkSettings {
  /** How long a message takes. Unit: ms. */
  readonly latencyMs?: Latency;
  /** Probability that a message is lost, from 0 to 1. */
  readonly loss?: number;
  /** Probability that a message arrives twice, from 0 to 1. */
  readonly duplicate?: number;
  /** Probability that a message is held up so that later ones overtake it, from 0 to 1. */
  readonly reorder?: number;
}

/** Options of `ReplSet.create`. */
export interface ReplSetOptions {
  /** The processes of the set. */
  readonly members: readonly MemberSpec[];
  /** Other host names that reach the members at `localhost`, `127.0.0.1` or `[::1]`, each at its port. */
  readonly machineNames?: readonly string[];
  /** Name of the set. Default: `rs0`. */
  readonly setName?: string;
  /** Seed of the random numbers. The same seed and the same input give the same run. Default: 1. */
  readonly seed?: number;
  /** The MongoDB release to imitate. */
  readonly version?: MongodVersion;
  /** `settings` of the replica set config. */
  readonly settings?: Partial<ReplSetSettings>;
  /** `writeConcernMajorityJournalDefault` of the first config. Default: true. */
  readonly writeConcernMajorityJournalDefault?: boolean;
  /** Whether the first member initiates the set at time zero. Default: true. */
  readonly initiate?: boolean;
  /** `setParameter` values for every member at startup. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Access control. Default: none. */
  readonly access?: AccessSettings;
  /** The network between the members. */
  readonly network?: NetworkSettings;
  /** How much virtual time operations take, in µs. */
  readonly costs?: Partial<Costs>;
  /** Time zero, in ms since 1970. Default: 2025-01-01T00:00:00Z. */
  readonly epochMs?: number;
  /** Keep the data in this folder on a real disk, in one subfolder for each member. Default: the data is kept in memory only. */
  readonly dbpath?: string;
  /** `icuVersion()`, recorded in the first line of the trace, for a run that uses a collation, a text search or a time zone. */
  readonly icu?: string;
  /**
   * Also trace what each turn of the loop handles and what caused it (`turn`, `input`, `clientTurn`), what happens to messages
   * (`sent`, `delivered`, `lost`), and `deadline`s. This does not change the run. Default: false.
   */
  readonly causes?: boolean;
  /**
   * Stop virtual time here. An attempt to let more time pass throws `TimeIsUp`, and the set can then be queried as it is after
   * everything up to this instant. For a look into a run that is known to go on. Unit: µs.
   */
  readonly endMicros?: number;
}

/** Faults of a member's disk. Properties that are left out stay as they are. */
export interface DiskFaultSettings {
  /** Extra time that each write takes; 0 ends it. Unit: ms. */
  readonly latencyMs?: number;
  /** True: the disk is full. The process ends at its next write and cannot start again until `full: false`. */
  readonly full?: boolean;
  /** Corrupts a bit on the disk, which is noticed at the next checkpoint or start. Only starting with `wipe` repairs it. */
  readonly corrupt?: true;
  /**
   * True: writes are reported done and stay in the disk's cache. If the process is killed, as by a power failure, they are gone, and it
   * does not know that. False: the cache is written.
   */
  readonly lost?: boolean;
  /** True: the next kill leaves the last record of the journal cut in half, although it was reported done. */
  readonly torn?: boolean;
  /** True: the journal's next write is reported done, but goes to another place of the disk and destroys what is there. */
  readonly misdirected?: boolean;
}

/** How to start a process, where this differs from its last start. */
export interface StartOptions {
  /** Start as a standalone, or as a member of a different set. Default: as a member of its own set. */
  readonly as?: 'standalone' | { readonly replSet: string };
  /** `setParameter` values at startup. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Start with `--queryableBackupMode`: nothing is written and nothing expires. Default: false. */
  readonly queryableBackupMode?: boolean;
  /** Delete the member's data first. Default: false. */
  readonly wipe?: boolean;
  /** The MongoDB release that the member imitates from now on. */
  readonly version?: MongodVersion;
  /** What its key file holds from now on. */
  readonly keys?: readonly string[];
}

/** A command in progress. `reply` is defined once the member has answered. */
export interface PendingReply {
  readonly member: string;
  readonly startedMicros: number;
  /** The reply as BSON. If the process dies first, it is an error of replsim's own, `HostUnreachable`. */
  readonly reply: Uint8Array | undefined;
  readonly endedMicros: number | undefined;
}

/** How a client's request ended. */
export type Answer =
  | { readonly kind: 'reply'; readonly reply: Uint8Array }
  /** The command never reached a process: none listens there, or the host is unknown. */
  | { readonly kind: 'refused'; readonly errmsg: string }
  /** The process ended with the command in progress. The client cannot know whether it was carried out. */
  | { readonly kind: 'closed'; readonly errmsg: string };

/** A user, and the database that defines it. */
export interface ActingUser {
  readonly user: string;
  readonly db: string;
}

/** A client's end of the network, for clients that run alongside the steps. Everything they do happens in its callbacks. */
export interface ClientEnd {
  readonly nowMicros: number;
  /**
   * Sends a command (BSON, with `$db`) to a host. `answered` is called once, when the answer arrives, or never if a partition
   * swallows it.
   * @returns a function that gives the request up: it is not sent again, and `answered` is no longer called
   */
  send(host: string, command: Uint8Array, answered: (answer: Answer) => void): () => void;
  /** Calls `happen` after this much virtual time. @returns a function that cancels the call */
  schedule(afterMicros: number, happen: () => void): () => void;
}

/** Callbacks of a connection. Each is called at the virtual time of its event. */
export interface ConnectionListener {
  /** The answer to a request. */
  reply(requestId: number, reply: Uint8Array): void;
  /** A fault has frozen the connection, so that nothing is read or answered, or has unfrozen it. */
  frozen?(isFrozen: boolean): void;
  /** A request waits for a change; call `awaitEnded` after `forMs`, unless the reply comes first. */
  awaiting(requestId: number, forMs: number): void;
  /** The member closed the connection, or its process ended. No more callbacks follow. */
  closed(): void;
}

/**
 * A client's connection to one process of a member, from outside the network: everything it sends arrives at once. Requests
 * are answered in any order; the code behind a real socket sends one at a time.
 */
export interface Connection {
  readonly connectionId: number;
  /** `application.name`, once the handshake has set it. */
  readonly appName: string | undefined;
  /** Whether a fault holds back everything that is sent, in both directions. */
  readonly isFrozen: boolean;
  /** Whether its user may manage the member's host now; everybody may without access control. */
  readonly managesHost: boolean;
  /** @param command BSON with `$db`; the bytes must not change afterwards. @returns the request's id */
  send(command: Uint8Array, flags?: { readonly exhaustAllowed?: boolean; readonly moreToCome?: boolean }): number;
  /** Tells the member that a waiting request has waited as long as its client wants. */
  awaitEnded(requestId: number): void;
  /** Tells the member how the connection is secured, before anything is sent. */
  secured(peer: ConnectionPeer): void;
  /** Closes the connection because the member's port does not let the client in. */
  refused(refusal: ConnectionRefusal): void;
  /** Closes the connection from the client's side. Its requests in progress are interrupted. */
  close(): void;
}

/** Called when a member's process starts (`how` is then undefined), and when it ends. */
export type ProcessListener = (member: string, how?: 'killed' | 'shutdown' | 'fatal') => void;

/** Whether a member's process runs, and how. */
export interface MemberStatus {
  readonly running: boolean;
  readonly paused: boolean;
  readonly mode: 'replSet' | 'standalone';
  /** Grows with every event that may change the member's answers. While it stays the same, only clocks in answers change. */
  readonly changes: number;
  /** Whether a truncation of its oplog is waiting for a checkpoint that no longer needs the oldest entries. */
  readonly truncatesOplog: boolean;
  /** What its `hello` would report as `isWritablePrimary`; false if it would not answer. */
  readonly saysPrimary: boolean;
  /** What its `hello` would report as `arbiterOnly`. Undefined before the process has handled its first event. */
  readonly saysArbiter: boolean | undefined;
}

/** Whether a member can follow a primary. */
export interface Standing {
  /** It would stand for election now, if it had to. */
  readonly electable: boolean;
  /** Until when it may not, because it was frozen or stepped down; in the past or 0 if nothing of the kind holds it. Unit: µs of virtual time. */
  readonly barredUntilMicros: number;
}

/** Called with each event of a run, in order. */
export type TraceListener = (event: TraceEvent) => void;
