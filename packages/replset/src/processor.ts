import type { Costs } from '@replsim/protocol';

/** The processor that a member runs on; it outlives its processes. */
export interface Processor {
  /** How many times longer everything takes that it computes. */
  slowdown: number;
  /** How many operations it computes at a time; 0: however many there are. */
  cores: number;
}

/** What disks take is theirs: it stays as it is. */
const OF_DISKS: ReadonlySet<keyof Costs> = new Set(['journalFlushMicros', 'checkpointMicros']);

/** What operations cost on a processor. */
export function costsOn({ slowdown }: Processor, costs: Costs): Costs {
  if (slowdown === 1) return costs;
  const slowed = Object.entries(costs).map(([name, micros]) => [
    name,
    OF_DISKS.has(name as keyof Costs) ? micros : micros * slowdown,
  ]);
  return Object.fromEntries(slowed) as Costs;
}

/**
 * What one process computes, by the timers that end it, and what waits for a core, in order. Each goes on until it is over or
 * cancelled: a processor that loses cores finishes what it has begun.
 */
export class Computing {
  readonly #running = new Set<string>();
  readonly #waiting = new Map<string, number>();

  /** @returns whether it begins now; otherwise it waits */
  begin(key: string, micros: number, cores: number): boolean {
    if (cores === 0) return true;
    if (this.#running.size < cores && this.#waiting.size === 0) {
      this.#running.add(key);
      return true;
    }
    this.#waiting.set(key, micros);
    return false;
  }

  /** Something is over, or given up. @returns whether a core is free now that was not */
  end(key: string): boolean {
    this.#waiting.delete(key);
    return this.#running.delete(key);
  }

  /** Takes what waits, as far as there are cores. */
  *next(cores: number): Generator<readonly [key: string, micros: number]> {
    for (const [key, micros] of this.#waiting) {
      if (cores > 0 && this.#running.size >= cores) return;
      this.#waiting.delete(key);
      if (cores > 0) this.#running.add(key);
      yield [key, micros];
    }
  }
}
