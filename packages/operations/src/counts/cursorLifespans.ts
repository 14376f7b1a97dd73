/** How long cursors live: less than so many ms. */
const BOUNDS = [
  ['lessThan1Second', 1000],
  ['lessThan5Seconds', 5000],
  ['lessThan15Seconds', 15_000],
  ['lessThan30Seconds', 30_000],
  ['lessThan1Minute', 60_000],
  ['lessThan10Minutes', 600_000],
  ['greaterThanOrEqual10Minutes', Infinity],
] as const;
type Lifespan = (typeof BOUNDS)[number][0];

/** `metrics.cursor.lifespan` of serverStatus. Upstream: clientcursor.cpp, incrementCursorLifespanMetric. */
import type { Reply } from '@replsim/pipeline';
export class CursorLifespans {
  readonly #counts = new Map<Lifespan, number>();

  ended(livedMillis: number): void {
    const [name] = BOUNDS.find(([, bound]) => livedMillis < bound) ?? BOUNDS[BOUNDS.length - 1]!;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  report(): Reply {
    const names = BOUNDS.map(([name]) => name).sort();
    return Object.fromEntries(names.map((name) => [name, BigInt(this.#counts.get(name) ?? 0)]));
  }
}
