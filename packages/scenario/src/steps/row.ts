import type { RecordedInput } from '@replsim/replset';
import type * as z from 'zod';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Action, Step } from '../scenario.ts';
import type { Stage } from './stage.ts';

/** A step as it stands in a file, plain: one key, and perhaps `at`. */
export interface StepInput {
  readonly at?: string | undefined;
  readonly [key: string]: unknown;
}

/** What came of a step in a few words, where it is more than that it was done. */
export type Outcome = string | undefined;

/** How the steps that stand in a step are read. */
export interface Within {
  /** They are done more than once. */
  readonly isRepeated?: boolean;
  /** The session of those that send a command and name none. */
  readonly session?: string;
}
export type ReadInner = (path: Path, step: StepInput, within: Within) => readonly Step[];

/** How what a step does is done. */
export interface Performing<Doing extends Action> {
  /** @throws StepFailure */
  perform(action: Doing, stage: Stage, step: Step): Promise<Outcome> | Outcome;
  /** Its own events tell of it, and none that say when it began and ended. */
  readonly tellsItself?: true;
  /** The transcript has one line for everything that happens in it. */
  readonly folded?: true;
}

/** A kind of step: how it is written, what that means, and how it is done. */
export interface StepRow<Shape extends z.ZodType, Doing extends Action> extends Performing<Doing> {
  /** With a sentence that editors and the reference show. */
  readonly shape: Shape;
  /** Reads what the shape has found right, at `path`; mistakes that the shape cannot see are told here. */
  read(reader: Reader, path: Path, input: z.infer<Shape>, inner: ReadInner): Doing;
  /** How the transcript shows it, where that is not all of what stands in the file. */
  text?(input: z.infer<Shape>): string;
  /** What it is beside `at`: what came from outside at an instant. Without this, it cannot stand there. */
  outside?(reader: Reader, path: Path, input: z.infer<Shape>): readonly RecordedInput[];
  /** Its `steps` are steps. */
  readonly inner?: true;
  /** What it opens or starts has a name of its own, so that it cannot be repeated. */
  readonly once?: true;
  /** A `session` of a transaction around it is its own. */
  readonly takesSession?: true;
  /** Nothing in it can fail for what the set does. */
  readonly claimsNothing?: true;
  /** The namespaces in it are not written by it. */
  readonly writesNothing?: true;
}

/** Any row, where all are alike. */
export type AnyStep = StepRow<z.ZodType, Action>;

/** A row of the table of steps, whose parts fit each other. */
export function step<Shape extends z.ZodType, Doing extends Action>(row: StepRow<Shape, Doing>): StepRow<Shape, Doing> {
  return row;
}
