import type { TraceEvent } from '@replsim/protocol';

/** Pictures of a run. Instants in µs. */
export interface Drawings {
  instant(atMicros: number): string;
  stretch(fromMicros: number, toMicros: number, format: 'svg' | 'mermaid'): string;
  /** Why a stretch is not drawn, if it is not: so much happens in it that nobody could read the picture. */
  refusal(fromMicros: number, toMicros: number): string | undefined;
}

/** Where a command line reads and writes: the process's streams, or a test's. */
export interface Io {
  /** Results. */
  out(text: string): void;
  /** Diagnostics and progress. */
  err(text: string): void;
  /** Whether somebody looks at the results, so that colours make sense. */
  readonly colours: boolean;
  /** Whether diagnostics go to a terminal, so that a progress line may be drawn over. */
  readonly progress: boolean;
  /** Whether nobody looks at what is done here but for its outcome, as the variable `CI` says. */
  readonly ci?: boolean;
  /** What plays scenarios in a process of its own, and how many there may be unless `--jobs` says; without it, one after the other. */
  readonly processes?: { readonly program: URL; readonly atOnce: number };
  /** The folder of the page that `replsim studio` serves. */
  readonly studioPage?: URL;
  /** What draws a run; `replsim draw` loads it, and nothing else does. */
  readonly drawings?: () => Promise<(events: readonly TraceEvent[]) => Drawings>;
  /** The file that a job's summary is added to, as the variable `GITHUB_STEP_SUMMARY` says. */
  readonly stepSummary?: string;
  /** Calls `stop` when the process is asked to end (Ctrl-C); who asks twice does not wait. */
  onInterrupt?(stop: () => void): void;
  /** Calls `stop` when the process that started this one is there no longer. */
  onParentGone?(stop: () => void): void;
  /**
   * Tells of keys that are pressed, where somebody sits at a terminal: `enter`, `escape`, `backspace`, or the character.
   * @returns what ends that
   */
  onKey?(pressed: (key: string) => void): () => void;
}

/** Exit codes; a shell script can rely on them. Of several files the worst counts, and the greater is the worse. */
export const ExitCodes = {
  /** All held. */
  ok: 0,
  /** An expectation or an invariant failed. */
  failed: 1,
  /** The input is wrong: the command line, of which nothing was run, or a file, which was not. */
  badInput: 2,
  /** A bug of ours. */
  bug: 3,
  /** A disk: data that nobody can read, no room, no right to write. What to do is said. */
  disk: 4,
  /** Somebody ended it before it had an answer; shells say so of what a Ctrl-C has ended. */
  interrupted: 130,
} as const;

/** What is wrong with a disk of this machine, in words for whoever can see to it. */
class DiskFailed extends Error {}

/** A failure that a disk of this machine has caused, as such; undefined for any other. */
export function diskFailure(error: unknown): DiskFailed | undefined {
  if (error instanceof DiskFailed) return error;
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'DiskError') return new DiskFailed(error.message, { cause: error });
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new DiskFailed(`the disk is full: ${message}; make room and start again`);
  return diskFailure(error.cause);
}

/** Whether whoever read what is written has gone away: `replsim run … --trace /dev/stdout | head`. */
export function isReaderGone(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EPIPE';
}

/** What is wrong with the command line or with files, in words for whoever typed it. */
export class InputError extends Error {}

/** Ends a command with that exit code; what there is to say has been said. */
export class AlreadyTold extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}
