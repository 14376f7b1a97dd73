import { compareOpTimes, type OpTime, type TraceEvent } from '@replsim/protocol';

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
  readonly #committed: Span[] = [];
  /** Entries that no commit point covers yet, oldest first. */
  #written: { readonly opTime: OpTime; readonly atMicros: number }[] = [];

  /** How long a majority took to have what was written: from the first entry that one commit point covers to that. */
  get commits(): readonly Span[] {
    const [oldest] = this.#written;
    if (!oldest) return this.#committed;
    return [...this.#committed, { kind: 'waiting', fromMicros: oldest.atMicros, toMicros: undefined }];
  }

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'oplogWritten':
        if (event.origin === 'self')
          for (const { opTime } of event.entries) this.#written.push({ opTime, atMicros: event.atMicros });
        break;
      case 'commitPoint':
        this.#commit(event.atMicros, event.opTime);
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
  #commit(atMicros: number, commitPoint: OpTime): void {
    const [oldest] = this.#written;
    if (!oldest || compareOpTimes(oldest.opTime, commitPoint) > 0) return;
    this.#written = this.#written.filter(({ opTime }) => compareOpTimes(opTime, commitPoint) > 0);
    this.#committed.push({ kind: 'acknowledged', fromMicros: oldest.atMicros, toMicros: atMicros });
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
