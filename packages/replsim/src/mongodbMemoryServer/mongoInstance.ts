import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { format } from 'node:util';
import { SetStoppedError } from '@replsim/server';
import { ReplicaSet } from '../index.ts';
import { debugLine } from './debugLine.ts';
import { GenericMMSError, UnexpectedCloseError } from './errors.ts';
import type { BinaryOpts, MongoMemoryInstanceOpts, StorageEngine } from './memoryOptions.ts';
import { pathInMemory } from './pathInMemory.ts';

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

/** The options of a server that was started, what it was not told among them. */
type InstanceOpts = MongoMemoryInstanceOpts & Omit<MongoInstanceData, 'instance' | 'tmpDir'> & { auth: boolean };

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
export class MongoInstance extends EventEmitter implements AsyncDisposable {
  /** As it was started: with the port that it has, and all that is there by default. */
  readonly instanceOpts: InstanceOpts;
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
    if (!(set instanceof ReplicaSet)) throw noMongod('new MongoInstance()');
    this.#set = set;
    this.#member = member;
    this.instanceOpts = withDefaults(instanceOpts, this.port);
    this.binaryOpts = binaryOpts;
    this.isReplSet = instanceOpts.replSet !== undefined;
    this.#isReady = this.#known.running;
    set.onProcess((name, how) => {
      if (name === member) this.#heard(how);
    });
  }

  /** @throws GenericMMSError always: a `MongoMemoryServer` starts it */
  static create(_options?: object): Promise<MongoInstance> {
    return Promise.reject(noMongod('MongoInstance.create'));
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

  /** `await using` stops it at the end of the block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
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

function withDefaults(given: MongoMemoryInstanceOpts, port: number): InstanceOpts {
  const { dbName = '', ip = '127.0.0.1', dbPath = pathInMemory(port) } = given;
  return { ...given, port, dbName, ip, dbPath, storageEngine: 'wiredTiger', auth: false };
}

function noMongod(call: string): GenericMMSError {
  return new GenericMMSError(
    `${call}: there is no mongod to start; MongoMemoryServer.create() starts a member in its place, and instanceInfo.instance is it`,
  );
}
