import { EventEmitter, once } from 'node:events';
import { format } from 'node:util';
import { limitArguments } from '@replsim/server';
import type { ReplicaSet } from '../index.ts';
import { authDefault } from './authDefault.ts';
import { cleanupOf } from './cleanupOf.ts';
import { debugLine } from './debugLine.ts';
import { GenericMMSError, InstanceInfoError, StateError } from './errors.ts';
import type { AutomaticAuth, Cleanup, MongoMemoryServerOpts } from './memoryOptions.ts';
import { MongoInstance, type MongoInstanceData } from './mongoInstance.ts';
import { isPathInMemory } from './pathInMemory.ts';
import { saidOf } from './saidOf.ts';
import { startOnPorts } from './startOnPorts.ts';
import { keepsItsPort, serverStart } from './startOptions.ts';
import { MongoMemoryServerEvents, MongoMemoryServerStates as States } from './states.ts';

/**
 * mongodb-memory-server's `MongoMemoryServer`: a standalone mongod. Here it runs inside this process. Emits `stateChange` with
 * each new state. Upstream: MongoMemoryServer.ts of release 11.
 */
export class MongoMemoryServer extends EventEmitter implements AsyncDisposable {
  /** Options. They are read at the first start, and at the next start after a cleanup; a server that was only stopped ignores changes. */
  opts: MongoMemoryServerOpts;
  /** The options of access control with their defaults. Undefined if nobody has to log in. */
  readonly auth: Required<AutomaticAuth> | undefined;
  #state: States = States.new;
  #instanceInfo: MongoInstanceData | undefined;

  constructor(opts: MongoMemoryServerOpts = {}) {
    super();
    this.opts = { ...opts };
    this.auth = authDefault(this.opts.auth);
  }

  /** Creates a server and starts it. @throws whatever `start` throws */
  static async create(opts: MongoMemoryServerOpts = {}): Promise<MongoMemoryServer> {
    const server = new MongoMemoryServer(opts);
    await server.start();
    return server;
  }

  /** `new`, `starting`, `running` or `stopped`. */
  get state(): States {
    return this.#state;
  }

  /** Details of the running or stopped server. Undefined before the first start and after a cleanup. */
  get instanceInfo(): MongoInstanceData | undefined {
    return this.#instanceInfo;
  }

  /**
   * The server in replsim's own API, with what mongodb-memory-server lacks: control of the clock, and faults. See `ReplicaSet`.
   * @throws StateError if the server is not running
   */
  get replicaSet(): ReplicaSet {
    const { instance } = this.#running('replicaSet');
    return instance.replicaSet;
  }

  /**
   * Starts the server. A server that was stopped without a cleanup continues with its data.
   * @param forceSamePort fail if `instance.port` is in use, rather than use another; default: the opposite of `instance.portGeneration`
   * @throws StateError if the server is running
   * @throws InvalidOptions
   * @throws StdoutInstanceError if the port is in use
   * @throws whatever `ReplicaSet.start` throws
   */
  async start(forceSamePort?: boolean): Promise<void> {
    this.#expect('start', States.new, States.stopped);
    this.#become(States.starting);
    try {
      if (this.#instanceInfo === undefined) this.#instanceInfo = await this.launch(forceSamePort);
      else await this.#instanceInfo.instance.start();
    } catch (error) {
      this.#become(States.stopped);
      throw error;
    }
    this.#become(States.running);
  }

  /** Starts the server if it is not running yet. @returns its `instanceInfo` */
  async ensureInstance(): Promise<MongoInstanceData> {
    if (this.#state === States.starting) await this.#started();
    else if (this.#state !== States.running) await this.start();
    this.#expect('ensureInstance', States.running);
    return this.#running('ensureInstance');
  }

  /**
   * Returns `mongodb://127.0.0.1:PORT/DATABASE`.
   * @param otherDb the database; default: none
   * @param otherIp use this address instead of 127.0.0.1
   * @throws StateError if the server is not running
   */
  getUri(otherDb = '', otherIp?: string): string {
    const { port } = this.#running('getUri');
    return `mongodb://${otherIp || '127.0.0.1'}:${port}/${otherDb}`;
  }

  /**
   * Stops the server and, by default, discards its data. If the server is starting, `stop` waits for that first.
   * @returns false if the server was never started
   * @throws InvalidOptions for invalid options. The server is stopped even then, and its data is kept
   */
  async stop(cleanupOptions?: Cleanup | boolean): Promise<boolean> {
    const cleanup = await this.#askedToStop(cleanupOptions);
    await this.#started();
    if (this.#instanceInfo === undefined) return false;
    const { instance } = this.#instanceInfo;
    const isOnDisk = !isPathInMemory(instance.instanceOpts.dbPath);
    // Data that is about to be discarded need not be flushed.
    if (!cleanup.doCleanup || (isOnDisk && !cleanup.force)) await instance.stop();
    this.#become(States.stopped);
    if (cleanup.doCleanup) await this.cleanup(cleanup);
    return true;
  }

  /** Discards the data. With `force: true` it also deletes data under a `dbPath`. @throws StateError if the server is running */
  async cleanup(options?: Cleanup | boolean): Promise<void> {
    this.#expect('cleanup', States.stopped);
    const { doCleanup, force = false } = cleanupOf('MongoMemoryServer', 'cleanup', options);
    if (!doCleanup || this.#instanceInfo === undefined) return;
    await this.discard(this.#instanceInfo.instance, force);
    this.#instanceInfo = undefined;
    this.#become(States.new);
  }

  /** Not supported: `start` creates the users of `auth`. @throws GenericMMSError always */
  createAuth(_data?: unknown): Promise<void> {
    return Promise.reject(
      new GenericMMSError('createAuth: start() creates the users of "auth"; there is nothing to call'),
    );
  }

  /** Stops the server at the end of an `await using` block, unless `dispose.enabled` is false. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { enabled = true, cleanup } = this.opts.dispose ?? {};
    if (enabled) await this.stop(cleanup);
  }

  /** Starts the simulated mongod. */
  protected async launch(forceSamePort: boolean | undefined): Promise<MongoInstanceData> {
    const { instance, binary } = this.opts;
    const set = await startOnPorts(serverStart(this.opts), keepsItsPort(instance, forceSamePort));
    return instanceData(new MongoInstance(set, 'n1', saidOf(instance), saidOf(binary)));
  }

  /** Ends the simulated mongod and discards its data. */
  protected async discard({ replicaSet }: MongoInstance, force: boolean): Promise<void> {
    await replicaSet.stop({ force });
  }

  /** Writes a debug line if `DEBUG` asks for it. */
  protected debug(msg: string, ...extra: unknown[]): void {
    debugLine(format(msg, ...extra));
  }

  static {
    limitArguments(MongoMemoryServer, { create: 1 }, true);
    limitArguments(MongoMemoryServer.prototype, { start: 1, ensureInstance: 0, stop: 1, cleanup: 1 }, true);
    limitArguments(MongoMemoryServer.prototype, { getUri: 2 }, false);
  }

  #become(state: States): void {
    this.#state = state;
    this.emit(MongoMemoryServerEvents.stateChange, state);
  }

  #expect(method: string, ...states: States[]): void {
    if (!states.includes(this.#state)) throw new StateError(states, this.#state, `MongoMemoryServer.${method}`);
  }

  #running(method: string): MongoInstanceData {
    this.#expect(method, States.running, States.starting);
    if (this.#instanceInfo === undefined) throw new InstanceInfoError(`MongoMemoryServer.${method}`);
    return this.#instanceInfo;
  }

  /** If the options are misspelled, still stop the server, but keep the data. */
  async #askedToStop(cleanupOptions: Cleanup | boolean | undefined): Promise<Cleanup> {
    try {
      return cleanupOf('MongoMemoryServer', 'stop', cleanupOptions);
    } catch (error) {
      await this.stop({ doCleanup: false });
      throw error;
    }
  }

  /** Resolves when a start in progress has ended, successfully or not. */
  async #started(): Promise<void> {
    if (this.#state === States.starting) await once(this, MongoMemoryServerEvents.stateChange);
  }
}

/** The public details of a simulated mongod. */
export function instanceData(instance: MongoInstance): MongoInstanceData {
  const { port, dbName, ip, storageEngine, replSet, dbPath } = instance.instanceOpts;
  return { port, dbName, ip, storageEngine, ...(replSet !== undefined && { replSet }), dbPath, instance };
}
