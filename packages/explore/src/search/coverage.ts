import type { TraceEvent, TraceEventType } from '@replsim/protocol';
import { DRAWN_KINDS, drawnKindOf } from '@replsim/scenario';

/** What is counted, in the order in which it is shown: how a row is called, the type of its events, and which of these are one of it. */
const ROWS = [
  row('elections won', 'electionWon'),
  row('elections lost', 'electionLost', ({ dryRun }) => !dryRun),
  row('step-downs', 'steppedDown'),
  row('rollbacks', 'rolledBack'),
  row('initial syncs', 'initialSync', ({ phase }) => phase === 'started'),
  row('kills', 'processStopped', ({ how }) => how === 'killed'),
  row('deaths by a fatal error', 'processStopped', ({ how }) => how === 'fatal'),
  row('config changes', 'configInstalled', ({ config }) => config.version > 1),
  row('TTL passes that deleted', 'ttlPassEnded', ({ deleted }) => deleted > 0),
  row('writes that got their write concern', 'clientWrote'),
  row('writes that missed their write concern', 'clientTold', (event) => isError(event) && event.opTime !== undefined),
  row(
    'operations of workloads that were refused',
    'clientTold',
    (event) => isError(event) && event.opTime === undefined,
  ),
  row('operations of workloads in doubt', 'clientTold', ({ outcome }) => outcome === 'unknown'),
];

interface Row {
  readonly name: string;
  readonly type: TraceEventType;
  readonly isOne: (event: TraceEvent) => boolean;
}

function row<Type extends TraceEventType>(
  name: string,
  type: Type,
  isOne: (event: Extract<TraceEvent, { type: Type }>) => boolean = () => true,
): Row {
  return { name, type, isOne: isOne as Row['isOne'] };
}

function isError({ outcome }: Extract<TraceEvent, { type: 'clientTold' }>): boolean {
  return outcome === 'error';
}

/** Most events are of a type that nobody counts. */
const ROWS_OF: ReadonlyMap<TraceEventType, readonly Row[]> = new Map(
  ROWS.map(({ type }) => [type, ROWS.filter((other) => other.type === type)]),
);

const NAMES = ROWS.map(({ name }) => name);
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

/** Every set has these when it begins; they say something from the first primary on. */
const OF_EVERY_START: readonly string[] = ['elections won', 'initial syncs'];

/** Counts a run as it comes about. */
export class CoverageCount {
  readonly #counts: Record<string, number> = { ...NO_COVERAGE };
  /** The kinds of faults that have begun, by the index of their step: one that cannot be done does not come about. */
  readonly #begun = new Map<number, string>();
  #hasBegun = false;

  observe(event: TraceEvent): void {
    for (const { name, isOne } of ROWS_OF.get(event.type) ?? [])
      if (isOne(event) && (this.#hasBegun || !OF_EVERY_START.includes(name))) this.#count(name);
    if (event.type === 'acceptsWrites' && event.value) this.#hasBegun = true;
    // The steps of what happens meanwhile count down from -1.
    if (event.type === 'step' && event.index < 0) this.#begun.set(event.index, drawnKindOf(event.text));
    if (event.type !== 'stepEnded') return;
    const kind = this.#begun.get(event.index);
    if (kind !== undefined && event.outcome === 'done') this.#count(faultRow(kind));
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
