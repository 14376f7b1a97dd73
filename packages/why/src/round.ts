import type { Term } from '@replsim/protocol';

/** What a voter said. */
export interface Answer {
  readonly granted: boolean;
  readonly reason: string;
  /** Since when what it says cannot reach the candidate. Unit: µs. */
  readonly unheardSince: number | undefined;
}

/** One candidacy, its dry run and its election apart. */
export interface Round {
  readonly atMicros: number;
  /** What made it stand: `electionTimeout`, `stepUpRequest` and the like. */
  readonly cause: string;
  readonly term: Term;
  readonly dryRun: boolean;
  /** By the voter's name. An answer that left may not have arrived. */
  readonly answers: Map<string, Answer>;
  /** Of which voters nothing could be heard when they were asked, and why. */
  silent?: ReadonlyMap<string, string>;
  /** Why it was lost, once it was. */
  lost?: string;
}
