import type { TraceEvent } from '@replsim/protocol';

/** What is counted, in the order in which it is shown: how a row is called, and what of a trace is one of it. */
const ROWS: Readonly<Record<string, (event: TraceEvent) => boolean>> = {
  'elections won': (event) => event.type === 'electionWon',
  'elections lost': (event) => event.type === 'electionLost' && !event.dryRun,
  'step-downs': (event) => event.type === 'steppedDown',
  rollbacks: (event) => event.type === 'rolledBack',
  'initial syncs': (event) => event.type === 'initialSync' && event.phase === 'started',
  kills: (event) => event.type === 'processStopped' && event.how === 'killed',
  'config changes': (event) => event.type === 'configInstalled' && event.config.version > 1,
  'TTL passes that deleted': (event) => event.type === 'ttlPassEnded' && event.deleted > 0,
  'writes that got their write concern': (event) => event.type === 'clientWrote',
};

const NAMES = Object.keys(ROWS);

/** How often each came about. */
export type Coverage = Readonly<Record<string, number>>;

export const NO_COVERAGE: Coverage = Object.fromEntries(NAMES.map((name) => [name, 0]));

export function plus(one: Coverage, other: Coverage): Coverage {
  return Object.fromEntries(NAMES.map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]));
}

/** Counts a run as it comes about. */
export class CoverageCount {
  readonly #counts: Record<string, number> = { ...NO_COVERAGE };

  observe(event: TraceEvent): void {
    for (const [name, isOne] of Object.entries(ROWS))
      if (isOne(event)) this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }

  get counts(): Coverage {
    return { ...this.#counts };
  }
}

/** The rows of a table. */
export function coverageRows(coverage: Coverage): readonly (readonly [name: string, count: number])[] {
  return NAMES.map((name) => [name, coverage[name] ?? 0]);
}
