import { EventEmitter, once } from 'node:events';
import { format } from 'node:util';
import { limitArguments } from '@replsim/server';
import type { ReplicaSet } from '../index.ts';
import { cleanupOf } from './cleanupOf.ts';
import { debugLine } from './debugLine.ts';
import { InstanceInfoError, ReplsetCountLowError, StateError } from './errors.ts';
import type { BinaryOpts, Cleanup, InstanceOptsBase, MongoMemoryReplSetOpts, ReplSetOpts } from './memoryOptions.ts';
import type { MongoMemoryServer } from './memoryServer.ts';
import { saidOf } from './saidOf.ts';
import { SetMember } from './setMember.ts';
import { startOnPorts } from './startOnPorts.ts';
import { replSetStart } from './startOptions.ts';
import { MongoMemoryReplSetEvents, MongoMemoryReplSetStates as States } from './states.ts';

/**
 * mongodb-memory-server's `MongoMemoryReplSet`: a replica set that has a primary once `start` resolves. Here it runs inside this
 * process. Emits `stateChange` with each new state. Upstream: MongoMemoryReplSet.ts of release 11.
 */
export class MongoMemoryReplSet extends EventEmitter implements AsyncDisposable {
  /** One server for each member. Empty before the first start and after a cleanup. */
  servers: MongoMemoryServer[] = [];
  #state: States = States.stopped;
  #set: ReplicaSet | undefined;
  #instanceOpts: InstanceOptsBase[];
  #binaryOpts: BinaryOpts;
  #replSetOpts: Required<ReplSetOpts>;
  /** Unknown options. */
  readonly #others: object;

  /** @throws ReplsetCountLowError */
  constructor(opts: Partial<MongoMemoryReplSetOpts> = {}) {
    super();
    const { instanceOpts = [], binary = {}, replSet = {}, ...others } = saidOf(opts);
    this.#instanceOpts = instanceOpts;
    this.#binaryOpts = { ...binary };
    this.#replSetOpts = withDefaults(replSet);
    this.#others = others;
  }

  /** Creates a set and starts it. @throws whatever the constructor and `start` throw */
  static async create(opts: Partial<MongoMemoryReplSetOpts> = {}): Promise<MongoMemoryReplSet> {
    const replSet = new MongoMemoryReplSet(opts);
    await replSet.start();
    return replSet;
  }

  /** `init` while it starts, `running` or `stopped`. */
  get state(): States {
    return this.#state;
  }

  /** Options of each member. */
  get instanceOpts(): InstanceOptsBase[] {
    return this.#instanceOpts;
  }

  /** @throws StateError unless it is stopped */
  set instanceOpts(instanceOpts: InstanceOptsBase[]) {
    this.#expect('instanceOpts', States.stopped);
    this.#instanceOpts = instanceOpts;
  }

  /** Options of the MongoDB release. Only the version has an effect. */
  get binaryOpts(): BinaryOpts {
    return this.#binaryOpts;
  }

  /** @throws StateError unless it is stopped */
  set binaryOpts(binaryOpts: BinaryOpts) {
    this.#expect('binaryOpts', States.stopped);
    this.#binaryOpts = binaryOpts;
  }

  /** Options of the set, including defaults. */
  get replSetOpts(): ReplSetOpts {
    return this.#replSetOpts;
  }

  /** @throws StateError unless it is stopped; ReplsetCountLowError */
  set replSetOpts(replSetOpts: ReplSetOpts) {
    this.#expect('replSetOpts', States.stopped);
    this.#replSetOpts = withDefaults(replSetOpts);
  }

  /**
   * The set in replsim's own API, with what mongodb-memory-server lacks: control of the clock, and faults. See `ReplicaSet`.
   * @throws StateError if the set is not running
   */
  get replicaSet(): ReplicaSet {
    this.#expect('replicaSet', States.running);
    if (this.#set === undefined) throw new InstanceInfoError('MongoMemoryReplSet.replicaSet');
    return this.#set;
  }

  /**
   * Returns `mongodb://127.0.0.1:PORT,127.0.0.1:PORT/DATABASE?replicaSet=NAME`, with the ports of all members.
   * @param otherDb the database; default: none
   * @param otherIp use this address instead of 127.0.0.1
   * @throws StateError if the set is stopped
   * @throws InstanceInfoError if a member was stopped and its data removed
   */
  getUri(otherDb = '', otherIp?: string): string {
    this.#expect('getUri', States.running, States.init);
    const hosts = this.servers.map(({ instanceInfo }) => {
      if (instanceInfo === undefined) throw new InstanceInfoError('MongoMemoryReplSet.getUri');
      return `${otherIp || '127.0.0.1'}:${instanceInfo.port}`;
    });
    return `mongodb://${hosts.join(',')}/${otherDb}?replicaSet=${this.#replSetOpts.name}`;
  }

  /**
   * Starts the members and waits for a primary. A set that was stopped without a cleanup continues with its data.
   * @throws StateError if the set is running
   * @throws InvalidOptions
   * @throws whatever `ReplicaSet.start` throws
   */
  async start(): Promise<void> {
    this.#expect('start', States.stopped);
    this.#become(States.init);
    try {
      if (this.#set === undefined) await this.#launch();
      else for (const server of this.servers) await server.start(true);
      await this.#set?.untilPrimary();
    } catch (error) {
      // Stop the members that did start, so that `start` can be tried again.
      await this.#stopServers();
      this.#become(States.stopped);
      throw error;
    }
    this.#become(States.running);
  }

  /** Resolves when the set is running. @throws StateError if it is stopped, so that it will not start by itself */
  async waitUntilRunning(): Promise<void> {
    // Give a `start` that was just called the chance to change the state.
    await Promise.resolve();
    this.#expect('waitUntilRunning', States.running, States.init);
    await this.#started();
    this.#expect('waitUntilRunning', States.running);
  }

  /**
   * Stops all members and, by default, discards their data. If the set is starting, `stop` waits for that first.
   * @returns true
   * @throws InvalidOptions for invalid options. The set is stopped even then, and the data is kept
   */
  async stop(cleanupOptions?: Cleanup | boolean): Promise<boolean> {
    const cleanup = await this.#askedToStop(cleanupOptions);
    await this.#started();
    // Data that is about to be discarded need not be flushed.
    if (cleanup.doCleanup && (cleanup.force || !this.#isOnDisk)) await this.#set?.stop();
    await this.#stopServers();
    this.#become(States.stopped);
    if (cleanup.doCleanup) await this.cleanup(cleanup);
    return true;
  }

  /** Discards the data. With `force: true` it also deletes data under a `dbPath`. @throws StateError unless the set is stopped */
  async cleanup(options?: Cleanup | boolean): Promise<void> {
    this.#expect('cleanup', States.stopped);
    const cleanup = cleanupOf('MongoMemoryReplSet', 'cleanup', options);
    if (!cleanup.doCleanup) return;
    for (const server of this.servers) await server.cleanup(cleanup);
    await this.#set?.stop(cleanup);
    this.#set = undefined;
    this.servers = [];
  }

  /** Stops the set at the end of an `await using` block, unless `dispose.enabled` is false. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { enabled = true, cleanup } = this.#replSetOpts.dispose;
    if (enabled) await this.stop(cleanup);
  }

  /** Writes a debug line if `DEBUG` asks for it. */
  protected debug(msg: string, ...extra: unknown[]): void {
    debugLine(format(msg, ...extra));
  }

  static {
    limitArguments(MongoMemoryReplSet, { create: 1 }, true);
    limitArguments(MongoMemoryReplSet.prototype, { start: 0, waitUntilRunning: 0, stop: 1, cleanup: 1 }, true);
    limitArguments(MongoMemoryReplSet.prototype, { getUri: 2 }, false);
  }

  async #launch(): Promise<void> {
    const replSet = this.#replSetOpts;
    const binary = this.#binaryOpts;
    const start = replSetStart({ replSet, instanceOpts: this.#instanceOpts, binary, others: this.#others });
    const set = await startOnPorts(start, false);
    this.#set = set;
    const { args, dbName, ip, name, storageEngine } = replSet;
    this.servers = set.members.map((member, i) => {
      const own = saidOf(this.#instanceOpts[i]);
      const instance = { dbName, ip, storageEngine, ...own, replSet: name, args: [...args, ...(own.args ?? [])] };
      return new SetMember(set, member.name, { instance, binary });
    });
    for (const server of this.servers) await server.start();
  }

  /** Stops the secondaries first, so that the primary does not look for a successor. */
  async #stopServers(): Promise<void> {
    const primary = this.servers.filter(({ instanceInfo }) => instanceInfo?.instance.isInstancePrimary);
    const others = this.servers.filter((server) => !primary.includes(server));
    for (const server of [...others, ...primary]) await server.stop({ doCleanup: false });
  }

  /** Resolves when a start in progress has ended, successfully or not. */
  async #started(): Promise<void> {
    while (this.#state === States.init) await once(this, MongoMemoryReplSetEvents.stateChange);
  }

  get #isOnDisk(): boolean {
    return this.#instanceOpts.some((own) => saidOf(own).dbPath !== undefined);
  }

  #become(state: States): void {
    this.#state = state;
    this.emit(MongoMemoryReplSetEvents.stateChange, state);
  }

  #expect(method: string, ...states: States[]): void {
    if (!states.includes(this.#state)) throw new StateError(states, this.#state, `MongoMemoryReplSet.${method}`);
  }

  /** If the options are misspelled, still stop the set, but keep the data. */
  async #askedToStop(cleanupOptions: Cleanup | boolean | undefined): Promise<Cleanup> {
    try {
      return cleanupOf('MongoMemoryReplSet', 'stop', cleanupOptions);
    } catch (error) {
      await this.stop({ doCleanup: false });
      throw error;
    }
  }
}

/** Fills in the defaults of mongodb-memory-server 11. @throws ReplsetCountLowError */
function withDefaults(given: ReplSetOpts): Required<ReplSetOpts> {
  const defaults: Required<ReplSetOpts> = {
    auth: { enable: false },
    args: [],
    name: 'testset',
    count: 1,
    dbName: '',
    ip: '127.0.0.1',
    spawn: {},
    storageEngine: 'wiredTiger',
    configSettings: {},
    dispose: {},
  };
  const replSetOpts = { ...defaults, ...saidOf(given) };
  if (!(replSetOpts.count > 0)) throw new ReplsetCountLowError(replSetOpts.count);
  return replSetOpts;
}
