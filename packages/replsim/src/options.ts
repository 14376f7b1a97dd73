import type { Costs, MemberConfig, MongodVersion, ReplSetSettings } from '@replsim/protocol';
import type { NetworkSettings } from '@replsim/replset';

/** One member of the set: fields of its entry in the config, and how its process is started. As in a scenario's `members`. */
export interface MemberOptions extends Partial<Omit<MemberConfig, '_id' | 'host' | 'newlyAdded'>> {
  readonly name: string;
  /** 0, the default: any that is free. */
  readonly port?: number;
  readonly version?: MongodVersion;
  /** `setParameter` at startup, over those of the set. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** How wrong its wall clock goes: ahead by `offset` (`"90s"`, `"-2m"`), and gaining `drift` µs a second. */
  readonly clock?: { readonly offset?: string; readonly drift?: number };
  /** MB; any size. */
  readonly oplogSizeMB?: number;
  readonly oplogMinRetentionHours?: number;
  /** Started without `--replSet`; not in the config. */
  readonly standalone?: boolean;
}

/** `replSet` as mongodb-memory-server has it. */
export interface ReplSetOpts {
  readonly name?: string;
  readonly count?: number;
  readonly ip?: string;
  /** The database that `getUri()` names. */
  readonly dbName?: string;
  /** There is one, `wiredTiger`, by name alone. */
  readonly storageEngine?: string;
  readonly configSettings?: Partial<ReplSetSettings>;
  /** A mongod's arguments for every member; see `InstanceOpts.args`. */
  readonly args?: readonly string[];
}

/** One entry of `instanceOpts` as mongodb-memory-server has it. */
export interface InstanceOpts {
  readonly port?: number;
  /** `--setParameter NAME=VALUE` and `--oplogSize MB`. */
  readonly args?: readonly string[];
  readonly storageEngine?: string;
  /** Fields of the member's entry in the config. */
  readonly replicaMemberConfig?: Omit<MemberOptions, 'name' | 'port'>;
}

/** What `ReplicaSet.start` takes; names of mongodb-memory-server stand for the same as there. */
export interface ReplicaSetOptions {
  /** How many, or a name or more of each; default 3, called n1, n2, n3. */
  readonly members?: number | readonly (string | MemberOptions)[];
  /** The same as a number of `members`. */
  readonly count?: number;
  /** Processes that are started for the set but are not in its config, for `rs.add()`: how many, or each. Default none. */
  readonly spares?: number | readonly (string | MemberOptions)[];
  /** Of the set; default `rs0`. */
  readonly name?: string;
  /** The set's name, or `replSet` of mongodb-memory-server. */
  readonly replSet?: string | ReplSetOpts;
  readonly instanceOpts?: readonly InstanceOpts[];
  readonly binary?: { readonly version?: string };
  /** An address of this machine alone; default 127.0.0.1. */
  readonly ip?: string;
  /** Of the first member, the others follow; default any that are free. */
  readonly port?: number;
  /** Keep the data in this folder, one below it for each member; without it they live in memory. */
  readonly dbpath?: string;
  /** The same as `dbpath`. */
  readonly dbPath?: string;
  /** The set may begin anew though it had data in `dbpath`, of which nothing is left; default false. */
  readonly acceptEmpty?: boolean;
  /** Which mongod to imitate; default 8.0. Of a longer version, as 8.0.4, the beginning counts. */
  readonly version?: MongodVersion | (string & {});
  /** The same seed gives the same run for the same input; default 1. */
  readonly seed?: number;
  /** Virtual seconds a second while nobody waits; 0 holds time still between jumps and commands. Default 1. */
  readonly speed?: number;
  /**
   * From speed 1 on: how far commands may carry virtual time ahead of the wall clock, before replies wait. `"250ms"`, the
   * default, or ms.
   */
  readonly maxLead?: string | number;
  /** `setParameter` on every member at startup. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Passwords: who logs in with one of them is let in as whatever user it says it is. Nobody has to log in, and without this
   * nobody can.
   */
  readonly anyUser?: string | readonly string[];
  /** `settings` of the set's config. */
  readonly settings?: Partial<ReplSetSettings>;
  /** Between the members; clients stand outside of it. */
  readonly network?: NetworkSettings;
  /** What things cost in virtual time, µs. */
  readonly costs?: Partial<Costs>;
  /** What the clocks show at the start: a date, an ISO 8601 text, ms since 1970. Default: now. */
  readonly epoch?: Date | string | number;
  /** False: the processes run, and somebody else initiates the set. Default true. */
  readonly initiate?: boolean;
  /** Hold the invariants of MongoDB's replication and TTL against the set: what breaks one fails `stop()`. Default: whether `CI` is set. */
  readonly invariants?: boolean;
  /** False turns the ledger of acknowledged writes off: `ledger()` and `lost()` then reject. Default true. */
  readonly ledger?: boolean;
  /**
   * Write what comes from outside to this file, as a scenario: `replsim run` on it makes the same run again. A recording that it
   * holds is written over, anything else is not, nor what another set still writes.
   */
  readonly record?: string | URL;
  /** A scenario file: the set is as it says, and its steps have been done when the set is handed over. */
  readonly scenario?: string | URL;
}

/** Options that make no sense; the message names each, and what was probably meant. */
export class InvalidOptions extends TypeError {
  readonly mistakes: readonly string[];

  /** @param asked who was asked for something that makes no sense */
  constructor(mistakes: readonly string[], asked = 'ReplicaSet.start') {
    super(`${asked}: ${mistakes.join('\n')}`);
    this.name = 'InvalidOptions';
    this.mistakes = mistakes;
  }
}
