import type { MemberConfig, ReplSetSettings } from '@replsim/protocol';

// The options of mongodb-memory-server 11, under its names. `optionFates.ts` says what each of them does here.

/** A storage engine. There is only one; both names select it. */
export type StorageEngine = 'ephemeralForTest' | 'wiredTiger';

/** What `stop` and `cleanup` remove. Nothing is removed unless `doCleanup` is true. */
export interface Cleanup {
  /** Discard the data, except data under a `dbPath` of your own. */
  doCleanup?: boolean;
  /** Together with `doCleanup`, also delete data under a `dbPath` of your own. Default: false. */
  force?: boolean;
}

/** What happens at the end of an `await using` block. */
export interface DisposeOptions {
  /** Stop at the end of the block. Default: true. */
  enabled?: boolean;
  /** What that `stop` removes. */
  cleanup?: Cleanup;
}

/** A user to create. */
export interface CreateUser {
  createUser: string;
  pwd: string;
  roles: (string | { role: string; db: string })[];
  customData?: Record<string, unknown>;
  authenticationRestrictions?: { clientSource?: string[]; serverAddress?: string[] }[];
  mechanisms?: ('SCRAM-SHA-1' | 'SCRAM-SHA-256')[];
  digestPassword?: boolean;
  /** The database that defines the user. Default: admin. */
  database?: string;
}

/** Access control with a root user. */
export interface AutomaticAuth {
  /** Require clients to log in. Default: false. */
  enable?: boolean;
  /** Users besides the root user. */
  extraUsers?: CreateUser[];
  /** Name of the user with the role `root` on `admin`. Default: `mongodb-memory-server-root`. */
  customRootName?: string;
  /** Its password. Default: `rootuser`. */
  customRootPwd?: string;
  /** Has no effect: the users are created whenever the server starts without data. */
  force?: boolean;
  /** The key by which members know each other. Default: `0123456789`. */
  keyfileContent?: string;
}

/** Options of the mongod binary. Only `version` has an effect: it selects the MongoDB release to imitate. */
export interface BinaryOpts {
  /**
   * The MongoDB release to imitate. A release that replsim does not imitate is replaced by the next older one that it does;
   * releases before 4.4 by 4.4, and 5.x by 6.0. Default: 8.2.
   */
  version?: string;
  downloadDir?: string;
  os?: object;
  arch?: string;
  platform?: string;
  systemBinary?: string;
  checkMD5?: boolean;
}

/** Fields of a member's entry in the replica set config. A value that mongod would reject, such as `votes: 2`, is rejected at startup. */
export interface ReplicaMemberConfig extends Partial<Omit<MemberConfig, '_id' | 'host' | 'newlyAdded' | 'votes'>> {
  votes?: number;
  /** The name of `secondaryDelaySecs` before MongoDB 5.0. Accepted only if `binary.version` is older than 5.0. */
  slaveDelay?: number;
}

/** Options of one member of a set. */
export interface InstanceOptsBase {
  /**
   * Command-line arguments of mongod. `--setParameter NAME=VALUE` and `--oplogSize MB` have an effect. Arguments about how the
   * process runs or logs are ignored; all others are rejected.
   */
  args?: string[];
  /** TCP port to try first. If it is in use, another is used. Default: any free port. */
  port?: number;
  /** Folder for the data. Default: the data is kept in memory only. Not supported in a set of several members. */
  dbPath?: string;
  /** Has no effect: there is only one storage engine. */
  storageEngine?: StorageEngine;
  /** Fields of the member's entry in the replica set config. */
  replicaMemberConfig?: ReplicaMemberConfig;
  /** Has no effect: no process is launched. Unit: ms. */
  launchTimeout?: number;
}

/** Options of one mongod. */
export interface MongoMemoryInstanceOpts extends InstanceOptsBase {
  /** Has no effect: `auth` beside `instance` decides. */
  auth?: boolean;
  /** Appears only in `instanceInfo`, not in `getUri()`, as in mongodb-memory-server. */
  dbName?: string;
  /** Loopback address to listen on. Default: 127.0.0.1. */
  ip?: string;
  /** Start as a member of a set of this name, which has not been initiated yet. Default: a standalone. */
  replSet?: string;
  /** Has no effect: the key is kept in memory. */
  keyfileLocation?: string;
}

/** Options of the server of a `MongoMemoryServer`. */
export interface MemoryServerInstanceOpts extends MongoMemoryInstanceOpts {
  /** Use another port if `port` is in use. Default: true. */
  portGeneration?: boolean;
}

/** Options of `MongoMemoryServer`. */
export interface MongoMemoryServerOpts {
  instance?: MemoryServerInstanceOpts;
  binary?: BinaryOpts;
  /** Options of `child_process.spawn`. They have no effect: no process is spawned. */
  spawn?: object;
  auth?: AutomaticAuth;
  dispose?: DisposeOptions;
}

/** `settings` of the replica set config. As in mongodb-memory-server, `electionTimeoutMillis` is 5000 by default. */
export type MongoMemoryReplSetConfigSettings = Partial<ReplSetSettings>;

/** Options of the set as a whole. */
export interface ReplSetOpts {
  auth?: AutomaticAuth;
  /** Command-line arguments for every member; see `InstanceOptsBase.args`. */
  args?: string[];
  /** Number of members. If `instanceOpts` has more entries, there is one member for each entry. Default: 1. */
  count?: number;
  /** Appears only in `instanceInfo`, not in `getUri()`, as in mongodb-memory-server. */
  dbName?: string;
  /** Loopback address to listen on. Default: 127.0.0.1. */
  ip?: string;
  /** Name of the set. Default: `testset`. */
  name?: string;
  /** Options of `child_process.spawn`. They have no effect: no process is spawned. */
  spawn?: object;
  storageEngine?: StorageEngine;
  configSettings?: MongoMemoryReplSetConfigSettings;
  dispose?: DisposeOptions;
}

/** Options of `MongoMemoryReplSet`. */
export interface MongoMemoryReplSetOpts {
  /** Options of each member, in order. */
  instanceOpts: InstanceOptsBase[];
  binary: BinaryOpts;
  /** Options of the set as a whole. */
  replSet: ReplSetOpts;
}
