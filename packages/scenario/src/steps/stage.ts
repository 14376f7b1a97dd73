import type { ReplicaSetApi } from '@replsim/replset';
import type { Checks } from '../checks/checks.ts';
import type { Outside } from '../recording/outside.ts';
import type { Step } from '../scenario.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { Members } from '../stage/members.ts';
import type { RunUntil, StepClient } from '../stage/stepClient.ts';
import type { StepFailure } from '../stage/stepFailure.ts';
import type { Streams } from '../streams/streams.ts';
import type { Workloads } from '../workload/workloads.ts';
import type { Questions } from './questions.ts';

/** What steps work on. */
export interface Stage {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  readonly client: StepClient;
  readonly workloads: Workloads;
  readonly streams: Streams;
  readonly outside: Outside;
  readonly checks: Checks;
  readonly checksWith: (fillings: Fillings) => Checks;
  readonly questions: Questions;
  readonly runUntil: RunUntil;
  readonly advanceTo: (untilMicros: number) => Promise<void>;
  /** An invariant that has been broken. */
  readonly broken: () => StepFailure | undefined;
  /** What a step of this run asks that need not hold, and whether it does. */
  readonly sometimes: (step: Step, held: boolean) => void;
  /** Does a step that stands in another. */
  readonly perform: (step: Step) => Promise<void>;
}
