import type { Costs, MemberConfig, MongodVersion, ReplSetSettings } from '@replsim/protocol';
import type { NetworkSettings } from '@replsim/replset';
import type { TlsOptions } from '@replsim/server';

/**
 * One member of the set. It combines fields of the member's entry in the replica set config with settings of its process, exactly
 * as an entry of a scenario's `members` does.
 */
export interface MemberOptions extends Partial<Omit<MemberConfig, '_id' | 'host' | 'newlyAdded'>> {
  /** The member's name in this API, for example `n1`. */
  readonly name: string;
  /** TCP port. 0 (the default) picks any free port. */
  readonly port?: number;
  /** The MongoDB release that this member imitates. Default: the set's `version`. */
  readonly version?: MongodVersion;
  /** `setParameter` values at startup. They take precedence over the set's `parameters`. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * The error of the member's wall clock: `offset` is how far ahead it starts (`"90s"`, or `"-2m"` for behind), and `drift` is
   * how many µs it gains each second. Default: no error.
   */
  readonly clock?: { readonly offset?: string; readonly drift?: number };
  /** Size of the oplog in MB. Any size is allowed. */
  readonly oplogSizeMB?: number;
  /** Keep oplog entries for at least this many hours, even if the oplog then exceeds its size. */
  readonly oplogMinRetentionHours?: number;
  /** Start the member without `--replSet` and leave it out of the config. Default: false. */
  readonly standalone?: boolean;
}

/** The `replSet` option, with mongodb-memory-server's names. */
export interface ReplSetOpts {
  /** Name of the set. Same as `ReplicaSetOptions.name`. */
  readonly name?: string;
  /** Number of members. Same as `ReplicaSetOptions.count`. */
  readonly count?: number;
  /** Address to listen on. Same as `ReplicaSetOptions.ip`. */
  readonly ip?: string;
  /** The database in the connection string that `getUri()` returns. */
  readonly dbName?: string;
  /** Only `wiredTiger` is accepted. It has no effect: replsim has a single storage engine. */
  readonly storageEngine?: string;
  /** `settings` of the replica set config. Same as `ReplicaSetOptions.settings`. */
  readonly configSettings?: Partial<ReplSetSettings>;
  /** Command-line arguments of mongod that apply to every member; see `InstanceOpts.args`. */
  readonly args?: readonly string[];
}

/** One entry of `instanceOpts`, with mongodb-memory-server's names: the options of one member. */
export interface InstanceOpts {
  /** TCP port. 0 (the default) picks any free port. */
  readonly port?: number;
  /** Command-line arguments of mongod. Supported: `--setParameter NAME=VALUE` and `--oplogSize MB`. */
  readonly args?: readonly string[];
  /** Only `wiredTiger` is accepted. It has no effect: replsim has a single storage engine. */
  readonly storageEngine?: string;
  /** Fields of the member's entry in the replica set config. */
  readonly replicaMemberConfig?: Omit<MemberOptions, 'name' | 'port'>;
}

/** A user to create, as `createUser` takes it. Names as in mongodb-memory-server. */
export interface CreateUser {
  /** Name of the user. */
  readonly createUser: string;
  readonly pwd: string;
  readonly roles: readonly (string | { readonly role: string; readonly db: string })[];
  readonly customData?: Readonly<Record<string, unknown>>;
  readonly authenticationRestrictions?: readonly {
    readonly clientSource?: readonly string[];
    readonly serverAddress?: readonly string[];
  }[];
  /** Default: `SCRAM-SHA-256`. */
  readonly mechanisms?: readonly ('SCRAM-SHA-1' | 'SCRAM-SHA-256')[];
  readonly digestPassword?: boolean;
  /** The database that defines the user. Default: admin. */
  readonly database?: string;
}

/** Access control with a root user. Names as in mongodb-memory-server. */
export interface AutomaticAuth {
  /** Require clients to log in. Default: false. */
  readonly enable?: boolean;
  /** Overrides `enable`. Default: false. */
  readonly disable?: boolean;
  /** Name of the user with the role `root` on `admin`. Default: `mongodb-memory-server-root`. */
  readonly customRootName?: string;
  /** Its password. Default: `rootuser`. */
  readonly customRootPwd?: string;
  /** Further users. */
  readonly extraUsers?: readonly CreateUser[];
  /** The key by which members know each other. Default: a random one. */
  readonly keyfileContent?: string;
}

/** Options of `ReplicaSet.start`. Options that share a name with one of mongodb-memory-server mean the same as there. */
export interface ReplicaSetOptions {
  /** The number of members, or a list with the name or the options of each. Default: 3, named n1, n2 and n3. */
  readonly members?: number | readonly (string | MemberOptions)[];
  /** Number of members. Same as a number given as `members`. */
  readonly count?: number;
  /**
   * Extra processes that start with the set but are not in its config, so that `rs.add()` can add them: their number, or a list
   * with the name or the options of each. Default: none.
   */
  readonly spares?: number | readonly (string | MemberOptions)[];
  /** Name of the set. Default: `rs0`. */
  readonly name?: string;
  /** Name of the set, or the `replSet` option of mongodb-memory-server. */
  readonly replSet?: string | ReplSetOpts;
  /** Options of each member in order, with mongodb-memory-server's names. */
  readonly instanceOpts?: readonly InstanceOpts[];
  /** mongodb-memory-server's name for the MongoDB release to imitate. Same as `version`. */
  readonly binary?: { readonly version?: string };
  /** Loopback address to listen on. Default: 127.0.0.1. */
  readonly ip?: string;
  /** TCP port of the first member; the others use the ports that follow it. Default: any free ports. */
  readonly port?: number;
  /** Keep the data in this folder, in one subfolder for each member. Default: the data is kept in memory only. */
  readonly dbpath?: string;
  /** Same as `dbpath`. */
  readonly dbPath?: string;
  /** Let the set start even if all data that it had under `dbpath`, or the newest of it, are gone. Default: false. */
  readonly acceptEmpty?: boolean;
  /** The MongoDB release to imitate. Of a full version such as 8.0.4, only `8.0` counts. Default: 8.0. */
  readonly version?: MongodVersion | (string & {});
  /** Seed of the random numbers. The same seed and the same input give the same run. Default: 1. */
  readonly seed?: number;
  /**
   * Virtual seconds that pass in a real second while no command is in progress. With 0, time stands still except during commands
   * and jumps. Default: 1.
   */
  readonly speed?: number;
  /**
   * How far commands may carry virtual time ahead of the wall clock before replies are held back: a duration such as `"250ms"`
   * (the default), or milliseconds. It applies at speed 1 and above.
   */
  readonly maxLead?: string | number;
  /** `setParameter` values for every member at startup. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /**
   * Passwords with which a client may log in as any user. Logging in is never required; without this option it always fails.
   */
  readonly anyUser?: string | readonly string[];
  /**
   * TLS on the members' ports: `true` makes certificates that last as long as the set, and `uri` names them; or mongod's options under
   * `net.tls`. Default: none.
   */
  readonly tls?: boolean | TlsOptions;
  /** How many connections a member takes at a time; more are closed at once. Default: 1,000,000. */
  readonly maxIncomingConnections?: number;
  /**
   * Turn access control on and create users: `{ enable: true, customRootName, customRootPwd, extraUsers }`. Default: nobody has to log in.
   */
  readonly auth?: AutomaticAuth;
  /**
   * The compressors that members offer to clients: `snappy`, `zstd` and `zlib`, as a list or with commas between them, or `disabled`. Same
   * as `serve --networkMessageCompressors`. Default: all three.
   */
  readonly networkMessageCompressors?: string | readonly string[];
  /** `settings` of the replica set config. */
  readonly settings?: Partial<ReplSetSettings>;
  /** The network between the members: latency, loss and so on. It does not affect the connections of clients. */
  readonly network?: NetworkSettings;
  /** How much virtual time operations take, in µs. */
  readonly costs?: Partial<Costs>;
  /** The time that the clocks show at the start: a Date, an ISO 8601 string, or milliseconds since 1970. Default: now. */
  readonly epoch?: Date | string | number;
  /** False starts the processes but leaves it to you to initiate the set. Default: true. */
  readonly initiate?: boolean;
  /**
   * Check the set against the invariants of MongoDB's replication and TTL. If one breaks, `stop()` rejects with
   * InvariantBroken. Default: true if the environment variable `CI` is set.
   */
  readonly invariants?: boolean;
  /** False turns off the ledger of acknowledged writes; `ledger()` and `lost()` then reject. Default: true. */
  readonly ledger?: boolean;
  /**
   * Record all input from outside to this file, as a scenario that `replsim run` can repeat. An existing recording is
   * overwritten; any other file, and a recording that another set is still writing, is not.
   */
  readonly record?: string | URL;
  /**
   * A folder that mongodump wrote, or one of files of mongoexport: its collections are in the set when `ReplicaSet.start` resolves. A set
   * that continues with the data under its `dbpath` loads nothing. Same as `serve --load`.
   */
  readonly load?: string | URL;
  /** A scenario file that describes the set. `ReplicaSet.start` resolves after its steps have run. */
  readonly scenario?: string | URL;
}

/** Thrown for invalid options. The message describes each mistake and, where possible, suggests what was meant. */
export class InvalidOptions extends TypeError {
  /** One message for each mistake. */
  readonly mistakes: readonly string[];

  /** @param asked the call whose options are invalid */
  constructor(mistakes: readonly string[], asked = 'ReplicaSet.start') {
    super(`${asked}: ${mistakes.join('\n')}`);
    this.name = 'InvalidOptions';
    this.mistakes = mistakes;
  }
}
