import type { TraceEvent } from '@replsim/protocol';
import { DRAWN_KINDS } from '@replsim/scenario';

/** What is counted, in the order in which it is shown: how a row is called, and what of a trace is one of it. */
const ROWS: Readonly<Record<string, (event: TraceEvent) => boolean>> = {
  'elections won': (event) => event.type === 'electionWon',
  'elections lost': (event) => event.type === 'electionLost' && !event.dryRun,
  'step-downs': (event) => event.type === 'steppedDown',
  rollbacks: (event) => event.type === 'rolledBack',
  'initial syncs': (event) => event.type === 'initialSync' && event.phase === 'started',
  kills: (event) => event.type === 'processStopped' && event.how === 'killed',
  'deaths by a fatal error': (event) => event.type === 'processStopped' && event.how === 'fatal',
  'config changes': (event) => event.type === 'configInstalled' && event.config.version > 1,
  'TTL passes that deleted': (event) => event.type === 'ttlPassEnded' && event.deleted > 0,
  'writes that got their write concern': (event) => event.type === 'clientWrote',
  'writes that missed their write concern': (event) => isError(event) && event.opTime !== undefined,
  'operations of workloads that were refused': (event) => isError(event) && event.opTime === undefined,
  'operations of workloads in doubt': (event) => event.type === 'clientTold' && event.outcome === 'unknown',
};

function isError(event: TraceEvent): event is TraceEvent & { type: 'clientTold' } {
  return event.type === 'clientTold' && event.outcome === 'error';
}

const NAMES = Object.keys(ROWS);
/** How the row of a kind of fault is called that happened by itself. */
const faultRow = (kind: string): string => `fault: ${kind}`;
const FAULT_ROWS = DRAWN_KINDS.map(faultRow);

/** How often each came about; of faults only those that did. */
export type Coverage = Readonly<Record<string, number>>;

export const NO_COVERAGE: Coverage = Object.fromEntries(NAMES.map((name) => [name, 0]));

export function plus(one: Coverage, other: Coverage): Coverage {
  const sum = (name: string) => (one[name] ?? 0) + (other[name] ?? 0);
  return inOrder(sum);
}

function inOrder(count: (name: string) => number): Coverage {
  const faults = FAULT_ROWS.filter((name) => count(name) > 0);
  return Object.fromEntries([...NAMES, ...faults].map((name) => [name, count(name)]));
}

/** Counts a run as it comes about. */
export class CoverageCount {
  readonly #counts: Record<string, number> = { ...NO_COVERAGE };

  observe(event: TraceEvent): void {
    for (const [name, isOne] of Object.entries(ROWS)) if (isOne(event)) this.#count(name);
    // The steps of what happens meanwhile count down from -1.
    if (event.type === 'step' && event.index < 0) this.#count(faultRow(/^\w+/.exec(event.text)?.[0] ?? ''));
  }

  #count(name: string): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
  }

  get counts(): Coverage {
    return inOrder((name) => this.#counts[name] ?? 0);
  }
}

/** The rows of a table. @param kinds of faults that may be drawn, each of which has a row whether it came about or not */
export function coverageRows(
  coverage: Coverage,
  kinds: readonly string[] = [],
): readonly (readonly [name: string, count: number])[] {
  const faults = FAULT_ROWS.filter((name) => (coverage[name] ?? 0) > 0 || kinds.map(faultRow).includes(name));
  return [...NAMES, ...faults].map((name) => [name, coverage[name] ?? 0]);
}
