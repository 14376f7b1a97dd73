import { EventEmitter, once } from 'node:events';
import { format } from 'node:util';
import { limitArguments } from '@replsim/server';
import type { ReplicaSet } from '../index.ts';
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
 * mongodb-memory-server's `MongoMemoryServer`: a standalone mongod, here one that lives in this process. `stateChange` is
 * emitted with each new state. Upstream: MongoMemoryServer.ts of release 11.
 */
export class MongoMemoryServer extends EventEmitter implements AsyncDisposable {
  /** Read where a server begins: at the first start, and at the next one after a cleanup. One that was only stopped goes on as it was. */
  opts: MongoMemoryServerOpts;
  /** There is no access control. */
  readonly auth: Required<AutomaticAuth> | undefined = undefined;
  #state: States = States.new;
  #instanceInfo: MongoInstanceData | undefined;

  constructor(opts: MongoMemoryServerOpts = {}) {
    super();
    this.opts = { ...opts };
  }

  /** `new` and `start`. @throws what `start` throws */
  static async create(opts: MongoMemoryServerOpts = {}): Promise<MongoMemoryServer> {
    const server = new MongoMemoryServer(opts);
    await server.start();
    return server;
  }

  get state(): States {
    return this.#state;
  }

  /** Undefined before the first start, and after a cleanup. */
  get instanceInfo(): MongoInstanceData | undefined {
    return this.#instanceInfo;
  }

  /**
   * What mongodb-memory-server has not: the clock to turn, and faults; see `ReplicaSet`.
   * @throws StateError if it does not run
   */
  get replicaSet(): ReplicaSet {
    const { instance } = this.#running('replicaSet');
    return instance.replicaSet;
  }

  /**
   * Starts it; one that was stopped without a cleanup goes on with its data, where it was.
   * @param forceSamePort `instance.port` or none; default: as `instance.portGeneration` says
   * @throws StateError if it runs; InvalidOptions; StdoutInstanceError for a port that is taken; what `ReplicaSet.start` throws
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

  /** Starts it if it does not run yet. @returns what is known of it */
  async ensureInstance(): Promise<MongoInstanceData> {
    if (this.#state === States.starting) await this.#started();
    else if (this.#state !== States.running) await this.start();
    this.#expect('ensureInstance', States.running);
    return this.#running('ensureInstance');
  }

  /**
   * `mongodb://127.0.0.1:PORT/DATABASE`.
   * @throws StateError if it does not run
   */
  getUri(otherDb = '', otherIp?: string): string {
    const { port } = this.#running('getUri');
    return `mongodb://${otherIp || '127.0.0.1'}:${port}/${otherDb}`;
  }

  /**
   * Stops it, and by default clears its data away; a start that is under way ends first.
   * @returns false if it has never been started
   * @throws InvalidOptions for options that make no sense: then it has been stopped, and its data are kept
   */
  async stop(cleanupOptions?: Cleanup | boolean): Promise<boolean> {
    const cleanup = await this.#askedToStop(cleanupOptions);
    await this.#started();
    if (this.#instanceInfo === undefined) return false;
    const { instance } = this.#instanceInfo;
    const isOnDisk = !isPathInMemory(instance.instanceOpts.dbPath);
    // What nobody will see again need not be flushed.
    if (!cleanup.doCleanup || (isOnDisk && !cleanup.force)) await instance.stop();
    this.#become(States.stopped);
    if (cleanup.doCleanup) await this.cleanup(cleanup);
    return true;
  }

  /** Clears the data away, with `force` those under a `dbPath` too. @throws StateError if it runs */
  async cleanup(options?: Cleanup | boolean): Promise<void> {
    this.#expect('cleanup', States.stopped);
    const { doCleanup, force = false } = cleanupOf('MongoMemoryServer', 'cleanup', options);
    if (!doCleanup || this.#instanceInfo === undefined) return;
    await this.discard(this.#instanceInfo.instance, force);
    this.#instanceInfo = undefined;
    this.#become(States.new);
  }

  /** @throws GenericMMSError always: there is no access control */
  createAuth(_data?: unknown): Promise<void> {
    return Promise.reject(
      new GenericMMSError('createAuth: there is no access control yet, so there is no user to create'),
    );
  }

  /** `await using server = …` stops it at the end of the block, unless `dispose.enabled` is false. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { enabled = true, cleanup } = this.opts.dispose ?? {};
    if (enabled) await this.stop(cleanup);
  }

  /** Makes the mongod behind it. */
  protected async launch(forceSamePort: boolean | undefined): Promise<MongoInstanceData> {
    const { instance, binary } = this.opts;
    const set = await startOnPorts(serverStart(this.opts), keepsItsPort(instance, forceSamePort));
    return instanceData(new MongoInstance(set, 'n1', saidOf(instance), saidOf(binary)));
  }

  /** Ends the mongod behind it, whose data nobody wants any more. */
  protected async discard({ replicaSet }: MongoInstance, force: boolean): Promise<void> {
    await replicaSet.stop({ force });
  }

  /** A line where `DEBUG` asks for it. */
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

  /** Whoever wants it stopped, and misspells the rest, is not left with a server that runs, nor without the data. */
  async #askedToStop(cleanupOptions: Cleanup | boolean | undefined): Promise<Cleanup> {
    try {
      return cleanupOf('MongoMemoryServer', 'stop', cleanupOptions);
    } catch (error) {
      await this.stop({ doCleanup: false });
      throw error;
    }
  }

  /** A start that is under way has ended, in whatever way. */
  async #started(): Promise<void> {
    if (this.#state === States.starting) await once(this, MongoMemoryServerEvents.stateChange);
  }
}

/** What a server tells of the mongod behind it. */
export function instanceData(instance: MongoInstance): MongoInstanceData {
  const { port, dbName, ip, storageEngine, replSet, dbPath } = instance.instanceOpts;
  return { port, dbName, ip, storageEngine, ...(replSet !== undefined && { replSet }), dbPath, instance };
}
