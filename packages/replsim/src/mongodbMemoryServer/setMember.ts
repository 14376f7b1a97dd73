import type { ReplicaSet } from '../index.ts';
import type { MongoMemoryServerOpts } from './memoryOptions.ts';
import { instanceData, MongoMemoryServer } from './memoryServer.ts';
import { MongoInstance, type MongoInstanceData } from './mongoInstance.ts';

/** One of the `servers` of a `MongoMemoryReplSet`. It can be stopped and started by itself. */
export class SetMember extends MongoMemoryServer {
  readonly #set: ReplicaSet;
  readonly #member: string;
  /** Whether its data was discarded, so that it starts without any. */
  #wiped = false;

  constructor(set: ReplicaSet, member: string, opts: MongoMemoryServerOpts) {
    super(opts);
    this.#set = set;
    this.#member = member;
  }

  protected override async launch(): Promise<MongoInstanceData> {
    const { instance = {}, binary = {} } = this.opts;
    const launched = new MongoInstance(this.#set, this.#member, { ...instance }, binary);
    // At the first launch, the set has already started all its members.
    if (!launched.isInstanceReady) await launched.start(this.#wiped);
    this.#wiped = false;
    return instanceData(launched);
  }

  /** Stops only this member; the others continue. */
  protected override async discard(instance: MongoInstance): Promise<void> {
    await instance.stop();
    this.#wiped = true;
  }
}
