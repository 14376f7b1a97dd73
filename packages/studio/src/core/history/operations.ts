import type { TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** The newest operation of a workload. */
export interface Operation {
  readonly workload: string;
  readonly turn: number;
}

/** Which operations of workloads have been sent by each instant. */
export class Operations {
  readonly #sent = new Map<string, { readonly atMicros: number; readonly turn: number }[]>();

  observe(event: TraceEvent): void {
    if (event.type !== 'clientSent') return;
    const { workload, turn, atMicros } = event;
    const sent = this.#sent.get(workload);
    if (sent) sent.push({ atMicros, turn });
    else this.#sent.set(workload, [{ atMicros, turn }]);
  }

  /** The newest of each workload at an instant. */
  at(atMicros: number): readonly Operation[] {
    return [...this.#sent].flatMap(([workload, sent]) => {
      const newest = sent[countUpTo(sent, (each) => each.atMicros, atMicros) - 1];
      return newest ? [{ workload, turn: newest.turn }] : [];
    });
  }
}
