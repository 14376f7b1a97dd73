import type { LedgerReport, TtlIndexReport } from '@replsim/scenario';

/** What came of one scenario. */
export interface Outcome {
  readonly path: string;
  readonly name: string;
  readonly ok: boolean;
  readonly seed: number;
  readonly steps: number;
  /** Virtual time that passed, ms. */
  readonly virtualMs: number;
  /** Wall-clock time that it took, ms; not part of what a run repeats. */
  readonly wallMs: number;
  readonly transcript: readonly string[];
  /** The ledgers of its workloads. */
  readonly workloads: readonly LedgerReport[];
  /** How late TTL deleted, by index; where it was measured. */
  readonly ttl?: readonly TtlIndexReport[];
  /** Why it failed, in a few lines. */
  readonly failure?: { readonly title: string; readonly detail: string };
  /** The command that repeats this run. */
  readonly repeat: string;
}

/** Shows outcomes as they come; each format is one of these. */
export interface Reporter {
  /** A scenario begins; `index` counts from 0. */
  began?(name: string, index: number, total: number): void;
  /** A transcript line, while the scenario runs. */
  line?(text: string): void;
  finished(outcome: Outcome): void;
  ended(outcomes: readonly Outcome[]): void;
}

/** The last line of every run that people read. */
export function countsLine(outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ ok }) => ok).length;
  return `${passed} passed, ${outcomes.length - passed} failed`;
}

/** Virtual time as durations are written in scenarios. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}
