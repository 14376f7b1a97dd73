import type { ClientTrace, TraceEvent } from '@replsim/protocol';
import { type Change, statementKey } from './collectionHistory.ts';

type EventOf<T extends ClientTrace['type']> = { readonly atMicros: number } & Extract<ClientTrace, { type: T }>;

/** So many of the newest operations of a workload are remembered at least. */
const KEPT_TURNS = 20_000;

/** One operation of a workload. */
export interface Turn {
  readonly number: number;
  /** Each time it was sent, oldest first. */
  readonly sent: EventOf<'clientSent'>[];
  told: EventOf<'clientTold'> | undefined;
}

export interface Workload {
  readonly started: EventOf<'workloadStarted'>;
  readonly turns: Map<number, Turn>;
}

/** What the clients of workloads sent and were told. */
export class WorkloadTurns {
  readonly #workloads = new Map<string, Workload>();
  /** By session and number of a retryable write. */
  readonly #writers = new Map<string, string>();

  /** By their names. */
  get workloads(): ReadonlyMap<string, Workload> {
    return this.#workloads;
  }

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'workloadStarted':
        this.#workloads.set(event.workload, { started: event, turns: new Map() });
        return;
      case 'clientSent': {
        this.#turnOf(event.workload, event.turn)?.sent.push(event);
        if (event.txnNumber !== undefined) this.#write(event.lsid, event.txnNumber, `${event.workload}/${event.turn}`);
        return;
      }
      case 'clientTold': {
        const turn = this.#turnOf(event.workload, event.turn);
        if (turn) turn.told = event;
      }
    }
  }

  /** The operation that wrote something, such as `w1/13`. */
  writerOf({ operation }: Change): string | undefined {
    return this.#writers.get(statementKey(operation) ?? '');
  }

  #write(lsid: string, txnNumber: number, writer: string): void {
    this.#writers.set(`${lsid} ${txnNumber}`, writer);
    trim(this.#writers);
  }

  #turnOf(name: string, number: number): Turn | undefined {
    const turns = this.#workloads.get(name)?.turns;
    const known = turns?.get(number);
    if (!turns || known) return known;
    const turn = { number, sent: [], told: undefined };
    turns.set(number, turn);
    trim(turns);
    return turn;
  }
}

/** Takes out the oldest where there are too many. */
function trim(map: Map<unknown, unknown>): void {
  if (map.size <= KEPT_TURNS) return;
  const [oldest] = map.keys();
  map.delete(oldest);
}
