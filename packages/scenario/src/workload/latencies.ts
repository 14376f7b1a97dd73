import { nearestRank } from '@replsim/kernel';
import type { TraceEvent, TraceEventType } from '@replsim/protocol';
import type { LatencyName, Phase } from '../ledgerCounts.ts';

/** From when an operation was asked for until its application was told. Unit: µs since time zero. */
export interface Answered {
  readonly sentMicros: number;
  readonly toldMicros: number;
}

/** How long operations took, of a phase of the run. Unit: ms. */
export type Latency = { readonly operations: number } & Readonly<Record<LatencyName, number>>;

/** What faults come to, and what ends them. */
const FAULTS: ReadonlySet<TraceEventType> = new Set<TraceEventType>([
  'partitioned',
  'cut',
  'healed',
  'linkChanged',
  'clientsChanged',
  'processStopped',
  'processStarted',
  'processPaused',
  'processResumed',
  'partHeld',
  'partReleased',
  'diskChanged',
  'processorChanged',
  'writeMisdirected',
  'clockChanged',
]);

/** Knows when there were faults, and when a TTL monitor deleted something. */
export class Phases {
  #firstFaultMicros = Number.POSITIVE_INFINITY;
  #lastFaultMicros = Number.POSITIVE_INFINITY;
  /** Since when each member's monitor is in a pass. */
  readonly #inPass = new Map<string, number>();
  readonly #passes: { readonly fromMicros: number; readonly toMicros: number }[] = [];

  observe(event: TraceEvent): void {
    // At time zero processes start.
    if (FAULTS.has(event.type) && event.atMicros > 0) {
      this.#firstFaultMicros = Math.min(this.#firstFaultMicros, event.atMicros);
      this.#lastFaultMicros = event.atMicros;
    }
    if (event.type === 'ttlMonitor' && event.phase === 'inPass') this.#inPass.set(event.member, event.atMicros);
    if (event.type !== 'ttlPassEnded') return;
    const fromMicros = this.#inPass.get(event.member) ?? event.atMicros;
    if (event.deleted > 0 && event.acceptsWrites) this.#passes.push({ fromMicros, toMicros: event.atMicros });
  }

  has(phase: Phase, answered: Answered): boolean {
    switch (phase) {
      case 'beforeFaults':
        return answered.toldMicros < this.#firstFaultMicros;
      case 'afterFaults':
        return answered.sentMicros >= this.#lastFaultMicros;
      case 'duringFaults':
        return !this.has('beforeFaults', answered) && !this.has('afterFaults', answered);
      case 'ttlPass':
        return this.#passes.some(
          (pass) => pass.fromMicros < answered.toldMicros && answered.sentMicros < pass.toMicros,
        );
      case 'betweenTtlPasses':
        return !this.has('ttlPass', answered);
      case 'beforeTtlPasses':
        return this.#passes.every((pass) => answered.toldMicros <= pass.fromMicros);
      case 'afterTtlPasses':
        return this.has('betweenTtlPasses', answered) && !this.has('beforeTtlPasses', answered);
    }
  }
}

/** Percentiles by the nearest rank; undefined of nothing. */
export function latencyOf(answered: readonly Answered[]): Latency | undefined {
  const times = answered.map(({ sentMicros, toldMicros }) => (toldMicros - sentMicros) / 1000).sort((a, b) => a - b);
  const rank = (percent: number) => times[nearestRank(times.length, percent / 100)] ?? 0;
  if (times.length === 0) return undefined;
  return { operations: times.length, p50Ms: rank(50), p95Ms: rank(95), p99Ms: rank(99), maxMs: rank(100) };
}
