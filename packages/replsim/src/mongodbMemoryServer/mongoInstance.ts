import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { format } from 'node:util';
import { SetStoppedError } from '@replsim/server';
import { hearOfProcesses, type ReplicaSet } from '../replicaSet.ts';
import { debugLine } from './debugLine.ts';
import { UnexpectedCloseError } from './errors.ts';
import type { BinaryOpts, MongoMemoryInstanceOpts, StorageEngine } from './memoryOptions.ts';

/** What is known of a server that runs, or has run and kept its data. */
export interface MongoInstanceData {
  port: number;
  dbName: string;
  ip: string;
  storageEngine: StorageEngine;
  replSet?: string;
  /** Where the data are in memory, a path at which nothing is. */
  dbPath: string;
  /** None is made. */
  tmpDir?: string;
  instance: MongoInstance;
}

/** With which code and signal a mongod ends. Upstream: exit_code.h; an fassert aborts. */
const ENDS = {
  shutdown: [0, null],
  killed: [null, 'SIGKILL'],
  fatal: [null, 'SIGABRT'],
} as const;

/**
 * The mongod behind a server: not a process, but a member that lives in this one. Of mongodb-memory-server's events there are those
 * of a process that ends (`instanceClosed`, and where nobody had asked it to `instanceError`) and of one that starts again.
 */
export class MongoInstance extends EventEmitter {
  readonly instanceOpts: MongoMemoryInstanceOpts;
  readonly binaryOpts: Readonly<BinaryOpts>;
  /** There is no process. */
  readonly mongodProcess: ChildProcess | undefined = undefined;
  /** Nor one to end it. */
  readonly killerProcess: ChildProcess | undefined = undefined;
  readonly isReplSet: boolean;
  readonly #set: ReplicaSet;
  readonly #member: string;
  #isReady: boolean;

  constructor(set: ReplicaSet, member: string, instanceOpts: MongoMemoryInstanceOpts, binaryOpts: BinaryOpts) {
    super();
    this.#set = set;
    this.#member = member;
    this.instanceOpts = instanceOpts;
    this.binaryOpts = binaryOpts;
    this.isReplSet = instanceOpts.replSet !== undefined;
    this.#isReady = this.#known.running;
    hearOfProcesses(set, (name, how) => {
      if (name === member) this.#heard(how);
    });
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
    return this.#isReady && this.#set.primary === this.#member;
  }

  get isInstanceReady(): boolean {
    return this.#isReady;
  }

  /** Starts it again, where it was. @param wiped without its data */
  start(wiped = false): Promise<void> {
    return this.#set.start(wiped ? { member: this.#member, wipe: true } : this.#member);
  }

  /** A clean shutdown. @returns whether there was something to shut down */
  async stop(): Promise<boolean> {
    if (!this.#isReady) return false;
    try {
      await this.#set.shutdown(this.#member);
      return true;
    } catch (error) {
      // The whole set has ended meanwhile, and this member with it.
      if (error instanceof SetStoppedError) return false;
      throw error;
    }
  }

  /** A line where `DEBUG` asks for it. */
  protected debug(msg: string, ...extra: unknown[]): void {
    debugLine(format(msg, ...extra));
  }

  /** What listeners do, and throw, is none of the set's business, which is in the middle of something. */
  #heard(how: keyof typeof ENDS | undefined): void {
    this.#isReady = how === undefined;
    queueMicrotask(() => (how === undefined ? this.#tellOfStart() : this.#tellOfEnd(how)));
  }

  #tellOfStart(): void {
    for (const event of ['instanceLaunched', 'instanceReady', 'instanceStarted']) this.emit(event);
  }

  #tellOfEnd(how: keyof typeof ENDS): void {
    const [code, signal] = ENDS[how];
    if (code !== 0) this.emit('instanceError', new UnexpectedCloseError(code, signal));
    this.emit('instanceClosed', code, signal);
  }

  get #known() {
    const known = this.#set.members.find(({ name }) => name === this.#member);
    if (known === undefined) throw new Error(`the set has no member ${this.#member}`);
    return known;
  }
}
