import { SetStoppedError } from '@replsim/server';
import type { ReplicaSet } from '../replicaSet.ts';
import type { BinaryOpts, MongoMemoryInstanceOpts, StorageEngine } from './memoryOptions.ts';

/** What is known of a server that runs, or has run and kept its data. */
export interface MongoInstanceData {
  port: number;
  dbName: string;
  ip: string;
  storageEngine: StorageEngine;
  replSet: string | undefined;
  /** Undefined where the data are in memory. */
  dbPath: string | undefined;
  /** None is made. */
  tmpDir: undefined;
  instance: MongoInstance;
}

/** The mongod behind a server: not a process, but a member that lives in this one. */
export class MongoInstance {
  readonly instanceOpts: MongoMemoryInstanceOpts;
  readonly binaryOpts: Readonly<BinaryOpts>;
  /** There is no process. */
  readonly mongodProcess = undefined;
  readonly isReplSet: boolean;
  readonly #set: ReplicaSet;
  readonly #member: string;

  constructor(set: ReplicaSet, member: string, instanceOpts: MongoMemoryInstanceOpts, binaryOpts: BinaryOpts) {
    this.#set = set;
    this.#member = member;
    this.instanceOpts = instanceOpts;
    this.binaryOpts = binaryOpts;
    this.isReplSet = instanceOpts.replSet !== undefined;
  }

  /** The set that it is a member of; of a standalone, it alone. */
  get replicaSet(): ReplicaSet {
    return this.#set;
  }

  get port(): number {
    return Number(/:(\d+)$/.exec(this.#known.host)?.[1]);
  }

  /** It has been elected, and accepts writes. */
  get isInstancePrimary(): boolean {
    return this.#set.primary === this.#member;
  }

  get isInstanceReady(): boolean {
    return this.#known.running;
  }

  /** Starts it again, where it was. @param wiped without its data */
  start(wiped = false): Promise<void> {
    return this.#set.start(wiped ? { member: this.#member, wipe: true } : this.#member);
  }

  /** A clean shutdown. @returns whether there was something to shut down */
  async stop(): Promise<boolean> {
    if (!this.isInstanceReady) return false;
    try {
      await this.#set.shutdown(this.#member);
      return true;
    } catch (error) {
      // The whole set has ended meanwhile, and this member with it.
      if (error instanceof SetStoppedError) return false;
      throw error;
    }
  }

  get #known() {
    const known = this.#set.members.find(({ name }) => name === this.#member);
    if (known === undefined) throw new Error(`the set has no member ${this.#member}`);
    return known;
  }
}
