import type { ReplicaSet } from '../index.ts';
import type { MongoMemoryServerOpts } from './memoryOptions.ts';
import { instanceData, MongoMemoryServer } from './memoryServer.ts';
import { MongoInstance, type MongoInstanceData } from './mongoInstance.ts';

/** One of the `servers` of a `MongoMemoryReplSet`: it can be stopped and started by itself. */
export class SetMember extends MongoMemoryServer {
  readonly #set: ReplicaSet;
  readonly #member: string;
  /** Its data were cleared away: it starts without any. */
  #wiped = false;

  constructor(set: ReplicaSet, member: string, opts: MongoMemoryServerOpts) {
    super(opts);
    this.#set = set;
    this.#member = member;
  }

  protected override async launch(): Promise<MongoInstanceData> {
    const { instance = {}, binary = {} } = this.opts;
    const launched = new MongoInstance(this.#set, this.#member, { ...instance }, binary);
    // The set has started all its members.
    if (!launched.isInstanceReady) await launched.start(this.#wiped);
    this.#wiped = false;
    return instanceData(launched);
  }

  /** The others live on. */
  protected override async discard(instance: MongoInstance): Promise<void> {
    await instance.stop();
    this.#wiped = true;
  }
}
