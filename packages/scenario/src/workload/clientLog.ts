import type { Attempt, Outcome } from '@replsim/driver';
import { toHex } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Told } from './told.ts';

/** Puts into the trace what one client of a workload sends and is told. */
export class ClientLog {
  readonly #set: ReplicaSetApi;
  readonly #name: string;

  /** @param name that of the ledger */
  constructor(set: ReplicaSetApi, name: string) {
    this.#set = set;
    this.#name = name;
  }

  attempt(turn: number, { attempt, server, session, txnNumber, again }: Attempt): void {
    this.#set.record({
      type: 'clientSent',
      workload: this.#name,
      turn,
      attempt,
      server: this.#memberAt(server),
      lsid: toHex(session.id.buffer),
      ...(txnNumber !== undefined && { txnNumber: Number(txnNumber) }),
      ...(again && { again }),
    });
  }

  outcome(turn: number, sinceMicros: number, outcome: Outcome, told: Told): void {
    const server = outcome.server === undefined ? {} : { server: this.#memberAt(outcome.server) };
    this.#set.record({ type: 'clientTold', workload: this.#name, turn, sinceMicros, ...server, ...told });
  }

  #memberAt(address: string): string {
    return this.#set.memberAt(address) ?? address;
  }
}
