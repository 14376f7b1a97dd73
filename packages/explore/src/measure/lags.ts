import { nearestRank } from '@replsim/kernel';
import type { OplogEntry, OpTime, TraceEvent } from '@replsim/protocol';

/** How far secondaries lag behind. Unit: µs. */
export interface Lag {
  readonly medianMicros: number;
  readonly worstMicros: number;
}

/** From the instant at which a primary wrote an entry to that at which another member has applied it; members that are to be late do not count. */
export class Lags {
  readonly #written = new Map<string, number>();
  readonly #lags: number[] = [];
  #delayed: ReadonlySet<string> = new Set();

  observe(event: TraceEvent): void {
    if (event.type === 'configInstalled')
      this.#delayed = new Set(
        event.config.members.filter(({ secondaryDelaySecs }) => secondaryDelaySecs > 0).map(({ host }) => host),
      );
    else if (event.type === 'oplogWritten' && event.origin === 'self') this.#wrote(event.entries, event.atMicros);
    else if (event.type === 'applied' && event.batch && !this.#delayed.has(`${event.member}:27017`))
      this.#applied(event.batch, event.atMicros);
  }

  /** Undefined where no other member has applied anything. */
  get lag(): Lag | undefined {
    const sorted = this.#lags.sort((a, b) => a - b);
    const [medianMicros, worstMicros] = [sorted[nearestRank(sorted.length, 0.5)], sorted.at(-1)];
    return medianMicros === undefined || worstMicros === undefined ? undefined : { medianMicros, worstMicros };
  }

  #wrote(entries: readonly OplogEntry[], atMicros: number): void {
    for (const { opTime } of entries) this.#written.set(keyOf(opTime), atMicros);
  }

  #applied(batch: readonly OplogEntry[], atMicros: number): void {
    for (const { opTime } of batch) {
      const written = this.#written.get(keyOf(opTime));
      if (written !== undefined) this.#lags.push(atMicros - written);
    }
  }
}

function keyOf({ ts, t }: OpTime): string {
  return `${ts.t} ${ts.i} ${t}`;
}
