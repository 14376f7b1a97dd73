import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { format } from 'node:util';
import { SetStoppedError } from '@replsim/server';
import { ReplicaSet } from '../index.ts';
import { debugLine } from './debugLine.ts';
import { GenericMMSError, UnexpectedCloseError } from './errors.ts';
import type { BinaryOpts, MongoMemoryInstanceOpts, StorageEngine } from './memoryOptions.ts';
import { pathInMemory } from './pathInMemory.ts';

/** Details of a server that is running, or that was stopped and kept its data. */
export interface MongoInstanceData {
  port: number;
  dbName: string;
  ip: string;
  storageEngine: StorageEngine;
  replSet?: string;
  /** Folder of the data. If the data is in memory, a path at which nothing exists. */
  dbPath: string;
  /** Always undefined: no temporary folder is created. */
  tmpDir?: string;
  instance: MongoInstance;
}

/** The options of a started server, including defaults. */
type InstanceOpts = MongoMemoryInstanceOpts & Omit<MongoInstanceData, 'instance' | 'tmpDir'> & { auth: boolean };

/** The exit code and signal of a mongod for each way to end. Upstream: exit_code.h; an fassert aborts. */
const ENDS = {
  shutdown: [0, null],
  killed: [null, 'SIGKILL'],
  fatal: [null, 'SIGABRT'],
} as const;

/**
 * The mongod behind a server: not a process, but a member that runs inside this one. It emits some of mongodb-memory-server's events:
 * `instanceClosed` when it ends, `instanceError` before that if it ended unexpectedly, and `instanceLaunched`, `instanceReady` and
 * `instanceStarted` when it starts again.
 */
export class MongoInstance extends EventEmitter implements AsyncDisposable {
  /** Its options, including defaults and the actual port. */
  readonly instanceOpts: InstanceOpts;
  /** Options of the MongoDB release. */
  readonly binaryOpts: Readonly<BinaryOpts>;
  /** Always undefined: there is no process. */
  readonly mongodProcess: ChildProcess | undefined = undefined;
  /** Always undefined: there is no process to end. */
  readonly killerProcess: ChildProcess | undefined = undefined;
  /** Whether it is a member of a set, rather than a standalone. */
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

  /** Not supported: use `MongoMemoryServer.create`. @throws GenericMMSError always */
  static create(_options?: object): Promise<MongoInstance> {
    return Promise.reject(noMongod('MongoInstance.create'));
  }

  /** The set that it belongs to. For a standalone, a set that contains only this server. */
  get replicaSet(): ReplicaSet {
    return this.#set;
  }

  /** TCP port that it listens on. */
  get port(): number {
    return Number(/:(\d+)$/.exec(this.#known.host)?.[1]);
  }

  /** Whether it is the primary and accepts writes. */
  get isInstancePrimary(): boolean {
    return this.#isReady && this.#set.primary === this.#member;
  }

  /** Whether it is running. */
  get isInstanceReady(): boolean {
    return this.#isReady;
  }

  /** Starts it again with its data. @param wiped start without its data */
  start(wiped = false): Promise<void> {
    return this.#set.start(wiped ? { member: this.#member, wipe: true } : this.#member);
  }

  /** Shuts it down cleanly. @returns false if it was not running */
  async stop(): Promise<boolean> {
    if (!this.#isReady) return false;
    try {
      await this.#set.shutdown(this.#member);
      return true;
    } catch (error) {
      // The whole set has stopped meanwhile, and this member with it.
      if (error instanceof SetStoppedError) return false;
      throw error;
    }
  }

  /** Stops it at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Writes a debug line if `DEBUG` asks for it. */
  protected debug(msg: string, ...extra: unknown[]): void {
    debugLine(format(msg, ...extra));
  }

  /** The set is in the middle of an event here, so listeners run later: nothing that they do or throw may affect it. */
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
    `${call}: there is no mongod to start; use MongoMemoryServer.create(), whose instanceInfo.instance is the simulated one`,
  );
}
