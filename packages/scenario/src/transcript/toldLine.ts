import type { TraceEvent } from '@replsim/protocol';

/** A line of a transcript, and what it tells of. */
export interface ToldLine {
  readonly line: string;
  /** Of several alike the first; of a commit point the last. */
  readonly event: TraceEvent;
  /** How many events of the trace were before that one. */
  readonly number: number;
}
