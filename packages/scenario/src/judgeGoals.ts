import type { ReplicaSetApi } from '@replsim/replset';
import type { Reasons } from '@replsim/why';
import type { Checks } from './checks/checks.ts';
import { reasonsOf } from './reasonsOf.ts';
import type { Challenge, Check } from './scenario.ts';
import type { Members } from './stage/members.ts';

/** What became of one of the goals of a challenge. */
export interface GoalResult {
  /** The check as it stands in the file, on one line. */
  readonly text: string;
  readonly held: boolean;
  /** What is the case instead, if it does not hold. */
  readonly got?: string;
  /** What stood in the way, in sentences, as far as the trace shows. */
  readonly reasons: readonly string[];
}

/** What became of a challenge. */
export interface ChallengeResult {
  readonly task: string;
  /** Whether all goals hold. */
  readonly solved: boolean;
  readonly goals: readonly GoalResult[];
}

interface Judges {
  readonly set: ReplicaSetApi;
  readonly checks: Checks;
  readonly members: Members;
  /** They are looked for only if a goal does not hold. */
  readonly reasons: () => Reasons;
}

/** Judges the goals as of this very instant, behind the last step; the trace says of each whether it held. */
export function judgeGoals(challenge: Challenge | undefined, judges: Judges): ChallengeResult | undefined {
  if (!challenge) return undefined;
  const goals = challenge.goals.map((goal) => judged(goal, judges));
  return { task: challenge.task, solved: goals.every(({ held }) => held), goals };
}

function judged(goal: Check, { set, checks, members, reasons }: Judges): GoalResult {
  const { text } = goal;
  const refusal = checks.refusal(goal);
  const part = refusal ? checks.refused : undefined;
  set.record({ type: 'sometimes', text: `goal: ${text}`, held: !refusal, ...(refusal && { detail: refusal.got }) });
  return {
    text,
    held: !refusal,
    ...(refusal && { got: refusal.got }),
    reasons: part ? reasonsOf(part, reasons(), members) : [],
  };
}
