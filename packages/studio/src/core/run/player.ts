import type { TraceEvent } from '@replsim/protocol';
import type { ChallengeResult } from '@replsim/scenario';
import type { CauseLink } from '@replsim/why';
import type { Look, Seen } from '../look/look.ts';
import type { StoryKind } from './storyKind.ts';

/** A line of the story, and where in the run it stands. */
export interface StoryLine {
  readonly atMicros: number;
  readonly kind: StoryKind;
  /** The turn in which what it tells of came about; 0 before the first. */
  readonly turn: number;
  /** As the transcript has it, without the time. */
  readonly text: string;
  /** The member with whose name it begins. */
  readonly member?: string;
  /** How many events of the trace there were by then: it came of the last of them, or one before. */
  readonly events: number;
}

/** A part of a run, in order. */
export interface Slice {
  readonly events: readonly TraceEvent[];
  readonly lines: readonly StoryLine[];
  /** What came before it is no longer there: the run, as far as it is known, begins with this part. */
  readonly begins?: true;
}

/** What is wrong with the text, and where; lines and columns count from 1. */
export interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly suggestion?: string;
}

/** How a run ended, or why there was none. */
export type Played =
  | {
      readonly kind: 'played';
      readonly ok: boolean;
      /** In one line, then in full. */
      readonly failure?: { readonly title: string; readonly detail: string };
      readonly virtualMicros: number;
      readonly seed: number;
      readonly name: string;
      /** What became of the task that the scenario sets, if it sets one and came to its end. */
      readonly challenge?: ChallengeResult;
    }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly Mistake[] };

/** Something that did, or did not, happen up to an instant. */
export type Question =
  | { readonly kind: 'primary'; readonly atMicros: number; readonly member?: string }
  | { readonly kind: 'state'; readonly atMicros: number; readonly member: string }
  | { readonly kind: 'data'; readonly atMicros: number; readonly member: string; readonly ns: string }
  | { readonly kind: 'write'; readonly atMicros: number }
  /** An operation of a workload: what became of it. */
  | { readonly kind: 'operation'; readonly atMicros: number; readonly workload: string; readonly turn: number }
  | { readonly kind: 'vote'; readonly atMicros: number; readonly member: string }
  /** What a member's TTL monitor is doing, and what keeps it from deleting. */
  | { readonly kind: 'monitor'; readonly atMicros: number; readonly member: string }
  /** A document's life on a member. @see DataRow.id */
  | {
      readonly kind: 'document';
      readonly atMicros: number;
      readonly member: string;
      readonly ns: string;
      readonly id: string;
    }
  | { readonly kind: 'event'; readonly turn: number };

/** What the worker does for the page: it runs the scenario that the text says, and answers questions about that run. */
export interface Player {
  /**
   * @param text a scenario, YAML
   * @param seed instead of its own
   * @param hear gets the run's parts while it is played, the last one before the run is said to have ended
   * @param playsOn behind checks that fail, as a run does that is compared with another
   * @returns undefined if another run was asked for meanwhile, which takes its place
   */
  play(
    text: string,
    seed: number | undefined,
    hear: (slice: Slice) => void | Promise<void>,
    playsOn?: boolean,
  ): Promise<Played | undefined>;
  /** About the run that was played last; a reason bears the instant that was asked about, and the last turn up to then. */
  why(question: Question): Promise<readonly CauseLink[]>;
  /**
   * Asks members of the run that was played last, as they are at an instant; nothing of what is shown moves by it.
   * @returns undefined if there is no run, or if another look was asked for meanwhile, at another instant or of another run
   */
  look(look: Look): Promise<Seen | undefined>;
}
