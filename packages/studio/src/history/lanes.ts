import { maxOpTime, NULL_OP_TIME, type OpTime, type TraceEvent } from '@replsim/protocol';

/** A stretch of time of one kind on a lane beside those of the members. */
export interface Span {
  readonly kind: 'waiting' | 'acknowledged' | 'read' | 'error' | 'unknown';
  readonly fromMicros: number;
  /** Undefined: to the end of the run, so far. */
  toMicros: number | undefined;
}

/** What clients wait for, and what a majority does not have yet: from when to when. */
export class Lanes {
  /** By workload, in the order in which they began. */
  readonly workloads = new Map<string, Span[]>();
  /** From the first entry that a majority lacks to the commit point that covers all. */
  readonly uncommitted: Span[] = [];
  #written: OpTime = NULL_OP_TIME;
  #committed: OpTime = NULL_OP_TIME;

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'oplogWritten':
        if (event.origin === 'self')
          this.#compare(event.atMicros, event.entries.at(-1)?.opTime ?? NULL_OP_TIME, NULL_OP_TIME);
        break;
      case 'commitPoint':
        this.#compare(event.atMicros, NULL_OP_TIME, event.opTime);
        break;
      case 'workloadStarted':
        this.workloads.set(event.workload, this.workloads.get(event.workload) ?? []);
        break;
      case 'clientSent':
        if (event.attempt === 1)
          this.#of(event.workload).push({ kind: 'waiting', fromMicros: event.atMicros, toMicros: undefined });
        break;
      case 'clientTold':
        this.#told(event);
        break;
      default:
    }
  }

  /** An entry of an earlier term than the commit point is none that anybody waits for. */
  #compare(atMicros: number, written: OpTime, committed: OpTime): void {
    this.#written = maxOpTime(this.#written, written);
    this.#committed = maxOpTime(this.#committed, committed);
    const last = this.uncommitted.at(-1);
    const isOpen = last !== undefined && last.toMicros === undefined;
    const isDue = maxOpTime(this.#written, this.#committed) !== this.#committed && this.#written !== this.#committed;
    if (isDue && !isOpen) this.uncommitted.push({ kind: 'waiting', fromMicros: atMicros, toMicros: undefined });
    if (!isDue && isOpen) last.toMicros = atMicros;
  }

  /** What was told took from when the application asked, which may be before anything was sent. */
  #told({ atMicros, workload, sinceMicros, outcome }: Extract<TraceEvent, { type: 'clientTold' }>): void {
    const spans = this.#of(workload);
    if (spans.at(-1)?.toMicros === undefined) spans.pop();
    spans.push({ kind: outcome, fromMicros: sinceMicros, toMicros: atMicros });
  }

  #of(workload: string): Span[] {
    let spans = this.workloads.get(workload);
    if (spans === undefined) {
      spans = [];
      this.workloads.set(workload, spans);
    }
    return spans;
  }
}
