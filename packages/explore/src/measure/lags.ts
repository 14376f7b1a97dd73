import { nearestRank } from '@replsim/kernel';
import { databaseOf, type OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';

/** How far secondaries lag behind. Unit: µs. */
export interface Lag {
  readonly medianMicros: number;
  readonly worstMicros: number;
}

/**
 * From the instant at which a primary wrote an entry to that at which another member has applied it. Members that are to be late do not count, nor do
 * entries that change no client's data: a new set writes a dozen for itself, long before the others fetch.
 */
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
    for (const entry of entries) if (changesData(entry)) this.#written.set(keyOf(entry.opTime), atMicros);
  }

  #applied(batch: readonly OplogEntry[], atMicros: number): void {
    for (const { opTime } of batch) {
      const written = this.#written.get(keyOf(opTime));
      if (written !== undefined) this.#lags.push(atMicros - written);
    }
  }
}

const INTERNAL: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

function changesData({ operations }: OplogEntry): boolean {
  return operations.some(({ op, ns }) => op !== 'n' && !INTERNAL.has(databaseOf(ns)));
}

function keyOf({ ts, t }: OpTime): string {
  return `${ts.t} ${ts.i} ${t}`;
}
