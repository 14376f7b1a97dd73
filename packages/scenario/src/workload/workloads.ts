import { Random } from '@replsim/kernel';
import { required } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { WorkloadAction } from '../scenario.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { RunUntil } from '../stage/stepClient.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import type { Ledgers } from './ledgers.ts';
import { Workload } from './workload.ts';

/** By then every timeout of a driver's has passed. */
const OVER_MICROS = 600_000_000;

/** The workloads of a run. */
export class Workloads {
  readonly #set: ReplicaSetApi;
  readonly #fillings: Fillings;
  readonly #runUntil: RunUntil;
  readonly #workloads = new Map<string, Workload>();

  constructor(set: ReplicaSetApi, fillings: Fillings, runUntil: RunUntil) {
    this.#set = set;
    this.#fillings = fillings;
    this.#runUntil = runUntil;
  }

  start(action: WorkloadAction): void {
    // A stream for each name: another workload beside it shifts nothing.
    const random = Random.fromSeed(this.#set.seed).split('workload', action.name);
    this.#workloads.set(action.name, new Workload(action, this.#set, this.#fillings, random));
  }

  /** Stops a workload, and waits for the operation that it has under way. */
  async stop(name: string): Promise<void> {
    const workload = required(this.#workloads.get(name), 'workload of that name');
    workload.stop();
    if (await this.#runUntil(() => workload.isOver, this.#set.nowMicros + OVER_MICROS)) return;
    throw new StepFailure(
      `${name} stops`,
      'its last operation waits for an answer that does not come: give it a socketTimeoutMS',
    );
  }

  /** Puts the accounts at the end of the trace. */
  close(ledgers: Ledgers): void {
    for (const { workload, operation, counts, losses } of ledgers.reports(this.#set.nowMicros))
      this.#set.record({ type: 'workloadEnded', workload, operation, counts, losses });
  }
}
