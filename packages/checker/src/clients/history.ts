import type { ListOperation, TraceEvent } from '@replsim/protocol';

/** How a call ended for its client: done, certainly not done, or nobody can say. */
export type CallOutcome = 'ok' | 'fail' | 'info';

/** What all calls of a history have. Times are microseconds since time zero. */
interface Call {
  /** Does one thing after the other. */
  readonly client: string;
  readonly calledMicros: number;
  /** Infinity while there is no answer, and for what may still be carried out: outcome `info`. */
  readonly returnedMicros: number;
  readonly outcome: CallOutcome;
}

/** A read or a write of one document, as its client saw it. */
export interface RegisterCall extends Call {
  readonly kind: 'read' | 'write';
  readonly key: string;
  /** As mongosh writes it; undefined where a read found nothing. */
  readonly value: string | undefined;
}

/** A transaction over lists, as its client saw it. */
export interface TransactionCall extends Call {
  readonly kind: 'transaction';
  /** In order; reads have what they found, if the transaction got so far. */
  readonly operations: readonly ListOperation[];
}

export type ClientCall = RegisterCall | TransactionCall;

/** How many calls of a workload are remembered. */
const MOST_CALLS = 50_000;

/** What the clients of a workload have called and been told, from the trace of a run. */
export class ClientHistory {
  readonly #calls: ClientCall[] = [];
  readonly #underWay = new Map<string, number>();
  #total = 0;

  observe(event: TraceEvent): void {
    if (event.type === 'clientCalled') {
      if (++this.#total > MOST_CALLS) return;
      const { client, kind, key = '', value, operations = [], atMicros: calledMicros } = event;
      const base = { client, calledMicros, returnedMicros: Number.POSITIVE_INFINITY, outcome: 'info' } as const;
      this.#underWay.set(`${client} ${event.call}`, this.#calls.length);
      this.#calls.push(kind === 'transaction' ? { ...base, kind, operations } : { ...base, kind, key, value });
    } else if (event.type === 'clientReturned') this.#returned(event);
  }

  /** In the order in which they were called. */
  get calls(): readonly ClientCall[] {
    return this.#calls;
  }

  /** More was called than is remembered: nothing can be said of it. */
  get isTooLong(): boolean {
    return this.#total > MOST_CALLS;
  }

  #returned(event: Extract<TraceEvent, { type: 'clientReturned' }>): void {
    const id = `${event.client} ${event.call}`;
    const index = this.#underWay.get(id);
    const call = index === undefined ? undefined : this.#calls[index];
    if (index === undefined || !call) return;
    this.#underWay.delete(id);
    const { outcome, value, operations } = event;
    const returnedMicros = outcome === 'info' ? Number.POSITIVE_INFINITY : event.atMicros;
    if (call.kind === 'transaction')
      this.#calls[index] = { ...call, outcome, returnedMicros, ...(operations && { operations }) };
    else this.#calls[index] = { ...call, outcome, returnedMicros, value: call.kind === 'read' ? value : call.value };
  }
}
