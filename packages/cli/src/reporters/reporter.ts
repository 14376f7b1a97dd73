import type { ChallengeResult, LedgerReport, PlayFailure, Sometimes, TtlIndexReport } from '@replsim/scenario';
import { durationText } from '@replsim/scenario';

/** What came of one scenario. */
export interface Outcome {
  readonly path: string;
  readonly name: string;
  readonly ok: boolean;
  readonly seed: number;
  readonly steps: number;
  /** How many invariants watched it. */
  readonly invariants: number;
  /** How many events its trace has. */
  readonly events: number;
  /** Virtual time that passed, ms. */
  readonly virtualMs: number;
  /** Wall-clock time that it took, ms; not part of what a run repeats. */
  readonly wallMs: number;
  readonly transcript: readonly string[];
  /** The part of it that is shown; undefined: all. */
  readonly shown?: readonly string[];
  /** The ledgers of its workloads. */
  readonly workloads: readonly LedgerReport[];
  /** What need not hold in each run; absent where nothing of the kind is asked. */
  readonly sometimes?: readonly Sometimes[];
  /** What became of the task that it sets; absent if it sets none, or failed before its end. */
  readonly challenge?: ChallengeResult;
  /** How late TTL deleted, by index; where it was measured. */
  readonly ttl?: readonly TtlIndexReport[];
  /** Why it failed, in a few lines, and at which line of its file; there is more if a step failed. */
  readonly failure?: Pick<PlayFailure, 'title' | 'detail' | 'line'> & Partial<PlayFailure>;
  /** Why it neither held nor failed, where that is so: mistakes in its file, which was not run, or a bug of ours. `failure` says more. */
  readonly error?: 'mistakes' | 'bug';
  /** The command that repeats this run. */
  readonly repeat: string;
}

/** A run of all scenarios that were asked for, when it is over. */
export interface Played {
  readonly outcomes: readonly Outcome[];
  /** Wall-clock time from the first to the last, ms. */
  readonly tookMs: number;
  /** How many were played at once. */
  readonly atOnce: number;
}

/** Shows outcomes, in the order of the files; each format is one of these. */
export interface Reporter {
  /** A scenario begins; `index` counts from 0. */
  began?(name: string, index: number, total: number): void;
  /** A transcript line, while the scenario runs; only where one alone does. */
  line?(text: string): void;
  finished?(outcome: Outcome): void;
  ended(played: Played): void;
  /** Instead of `ended`: a run came to no outcome, and none comes after it. @param why in a few words */
  brokenOff?(why: string): void;
}

/** The last line of every run that people read. */
export function countsLine(outcomes: readonly Outcome[]): string {
  const passed = outcomes.filter(({ ok }) => ok).length;
  const errors = outcomes.filter(({ error }) => error !== undefined).length;
  const counts = `${passed} passed, ${outcomes.length - passed - errors} failed`;
  return errors === 0 ? counts : `${counts}, ${errors} ${errors === 1 ? 'error' : 'errors'}`;
}

/** A name may go over several lines; where a format has one for it, they are one. */
export function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** Virtual time as durations are written in scenarios. */
function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)}s`;
}

/** Virtual time for people: as above, from an hour on as `1h 43.7s`. */
export function virtualText(ms: number): string {
  return ms < 3_600_000 ? seconds(ms) : durationText(Math.round(ms) * 1000);
}

/** Wall-clock time, as exactly as somebody wants to know it: `0.4 s`, `12 s`. */
export function wallText(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9950 ? 1 : 0)} s`;
}
