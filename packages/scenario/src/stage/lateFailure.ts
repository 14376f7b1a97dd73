import type { Step } from '../scenario.ts';
import type { StepFailure } from './stepFailure.ts';

/** What a step began that went wrong only after it. */
export interface LateFailure {
  readonly step: Step;
  readonly failure: StepFailure;
}
