import { CommandError } from '@replsim/protocol';
import { ClockOutOfRange } from '@replsim/replset';
import { FillError } from '../file/placeholder.ts';

/** A step of a repetition, as far as a failure tells of it. */
export interface FailedTurn {
  readonly index: number;
  readonly line: number;
  readonly text: string;
  readonly isCheck: boolean;
  /** In which turn. */
  readonly where: string;
}

/** What is known of a failure besides what was asked and what came back. */
interface About {
  /** What it failed for, where that is known. */
  readonly wanted?: 'writeConcern' | 'primary' | undefined;
  /** What may be done about it. */
  readonly advice?: string | undefined;
}

/** A step that did not do what the scenario says: what was asked, and what came back. */
export class StepFailure extends Error {
  readonly asked: string;
  readonly got: string;
  readonly about: About;

  /** In a repetition: the step in it that failed, and in which turn. */
  inner: FailedTurn | undefined;

  constructor(asked: string, got: string, about: About = {}) {
    super(`${asked}: ${got}`);
    this.name = 'StepFailure';
    this.asked = asked;
    this.got = got;
    this.about = about;
  }
}

/** What every set begins with, without a step. */
export const INITIATED = 'that the first member initiates the set (replSetInitiate)';

/** What a scenario's failure is; what only a bug of ours can throw is none. */
export function stepFailureOf(error: unknown): StepFailure | undefined {
  if (error instanceof StepFailure) return error;
  if (error instanceof FillError) return new StepFailure('values that placeholders can have', error.message);
  if (error instanceof ClockOutOfRange) return new StepFailure('clocks between 1970 and 2106', error.message);
  // What the set itself refuses, such as its first config, or a filter that cannot be compiled.
  if (!(error instanceof CommandError)) return undefined;
  const asked = error.message.startsWith('replSetInitiate ') ? INITIATED : 'a command that is understood';
  return new StepFailure(asked, `${error.codeName}: ${error.message}`);
}
