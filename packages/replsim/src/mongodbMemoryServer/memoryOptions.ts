import type { MemberConfig, ReplSetSettings } from '@replsim/protocol';

// The options of mongodb-memory-server 11, under its names. What each of them does here says `optionFates.ts`.

export type StorageEngine = 'ephemeralForTest' | 'wiredTiger';

/** What is cleared away; nothing is, unless `doCleanup` says so. */
export interface Cleanup {
  /** The data are gone; those under a `dbPath` of your own are not. */
  doCleanup?: boolean;
  /** Those under a `dbPath` of your own too. */
  force?: boolean;
}

/** What `await using` does at the end of its block. */
export interface DisposeOptions {
  /** Default true: it stops. */
  enabled?: boolean;
  cleanup?: Cleanup;
}

/** There is no access control yet: refused where `enable` is true. */
export interface AutomaticAuth {
  enable?: boolean;
  extraUsers?: readonly object[];
  customRootName?: string;
  customRootPwd?: string;
  force?: boolean;
  keyfileContent?: string;
}

/** Of these the version counts: the release of MongoDB that is imitated. */
export interface BinaryOpts {
  /** `8.2`, `8.0` and `7.0` are imitated; another version, by the next of these below it. Default 8.2. */
  version?: string;
  downloadDir?: string;
  os?: object;
  arch?: string;
  platform?: string;
  systemBinary?: string;
  checkMD5?: boolean;
}

/** Fields of a member's entry in the set's config. What a mongod would refuse, as `votes: 2`, is refused at the start. */
export interface ReplicaMemberConfig extends Partial<Omit<MemberConfig, '_id' | 'host' | 'newlyAdded' | 'votes'>> {
  votes?: number;
  /** What `secondaryDelaySecs` was called before MongoDB 5.0: taken where `binary.version` is such a one. */
  slaveDelay?: number;
}

/** One member of a set. */
export interface InstanceOptsBase {
  /** `--setParameter NAME=VALUE` and `--oplogSize MB`; what only says how a process runs is ignored, the rest is refused. */
  args?: string[];
  /** The port to try first. */
  port?: number;
  /** A folder for the data, which are in memory without it; a set of several members has none. */
  dbPath?: string;
  /** There is one, `wiredTiger`, by name alone. */
  storageEngine?: StorageEngine;
  replicaMemberConfig?: ReplicaMemberConfig;
  /** ms; nothing is launched. */
  launchTimeout?: number;
}

export interface MongoMemoryInstanceOpts extends InstanceOptsBase {
  auth?: boolean;
  /** Not part of `getUri()`, as in mongodb-memory-server. */
  dbName?: string;
  /** An address of this machine alone; default 127.0.0.1. */
  ip?: string;
  /** Started as a member of this set, which nobody has initiated yet. */
  replSet?: string;
  keyfileLocation?: string;
}

/** The one server of a `MongoMemoryServer`. */
export interface MemoryServerInstanceOpts extends MongoMemoryInstanceOpts {
  /** True, the default: where `port` is taken, another is found. */
  portGeneration?: boolean;
}

export interface MongoMemoryServerOpts {
  instance?: MemoryServerInstanceOpts;
  binary?: BinaryOpts;
  /** Of `child_process.spawn`: no process is spawned. */
  spawn?: object;
  auth?: AutomaticAuth;
  dispose?: DisposeOptions;
}

/** `settings` of the set's config; `electionTimeoutMillis` is 5000 by default, as in mongodb-memory-server. */
export type MongoMemoryReplSetConfigSettings = Partial<ReplSetSettings>;

export interface ReplSetOpts {
  auth?: AutomaticAuth;
  /** Of every member; see `InstanceOptsBase.args`. */
  args?: string[];
  /** How many members at least: there is one for each entry of `instanceOpts`. Default 1. */
  count?: number;
  /** Not part of `getUri()`, as in mongodb-memory-server. */
  dbName?: string;
  /** An address of this machine alone; default 127.0.0.1. */
  ip?: string;
  /** Default `testset`. */
  name?: string;
  /** Of `child_process.spawn`: no process is spawned. */
  spawn?: object;
  storageEngine?: StorageEngine;
  configSettings?: MongoMemoryReplSetConfigSettings;
  dispose?: DisposeOptions;
}

export interface MongoMemoryReplSetOpts {
  instanceOpts: InstanceOptsBase[];
  binary: BinaryOpts;
  replSet: ReplSetOpts;
}
