import { didYouMeanOneOf } from '@replsim/kernel';
import { either, strict, text } from '@replsim/replset';
import * as z from 'zod';
import { readCheck } from '../checks/readCheck.ts';
import type { CheckInput } from '../checks/row.ts';
import { checkSchema } from '../checks/table.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import type { Challenge, Hint } from '../scenario.ts';
import { plainSteps } from '../steps/plainSteps.ts';
import { rowOf, STEP_GROUPS } from '../steps/table.ts';

/** What changes nothing in the set: whoever solves a challenge may always wait, look and explain. */
const ALWAYS_ALLOWED = ['at', 'advance', 'note', 'act', 'focus', 'ask', 'expect', 'eventually', 'always', 'sometimes'];
const NAMES = STEP_GROUPS.flatMap(([, keys]) => keys);

const said = (what: string) => text.min(1, { error: `expected ${what}` });
const listOf = (what: string, example: string) =>
  z.array(said(what), { error: `expected a list: ${example}` }).min(1, { error: `expected at least one: ${example}` });

const askingHint = strict(
  'hint',
  {
    hint: said('a hint').describe('What helps, in a sentence or two'),
    why: said('primary, or the name of a member').describe(
      'What to ask about the end of the run: primary (why it has one or none), or a member (why it is in its state)',
    ),
  },
  { text: 'did you mean "hint"?', ask: 'did you mean "why"?' },
).describe('A hint that asks why');

/** What somebody is to bring about by steps of their own. */
export const challengeShape = strict(
  'challenge',
  {
    task: said('what is to be brought about').describe('What is to be brought about, in a sentence or two'),
    goal: either('a check, or a list of checks', [
      checkSchema,
      z.array(checkSchema).min(1, { error: 'expected at least one check' }),
    ]).describe('What must hold behind the last step for the challenge to be solved'),
    allowed: listOf('the name of a step, such as kill', '[kill, partition]')
      .optional()
      .describe('The steps that the scenario may have, those of the setup among them; without it, all'),
    hints: z
      .array(either('a hint, or { hint, why }', [said('a hint'), askingHint]), {
        error: 'expected a list: [Look at who votes]',
      })
      .min(1, { error: 'expected at least one: [Look at who votes]' })
      .optional()
      .describe('What helps, one after the other'),
  },
  {
    goals: 'did you mean "goal"?',
    hint: 'did you mean "hints"?',
    steps: 'they stand beside "challenge"',
    name: 'it stands beside "challenge"',
  },
).describe('A task for the reader: the run says whether it is solved, and does not fail if it is not');

type ChallengeInput = z.infer<typeof challengeShape>;
type HintInput = NonNullable<ChallengeInput['hints']>[number];

/** Reads the task; a step that it does not allow is a mistake. @param steps plain */
export function readChallenge(
  reader: Reader,
  input: ChallengeInput | undefined,
  steps: unknown,
): Challenge | undefined {
  if (input === undefined) return undefined;
  const { task, goal, allowed, hints = [] } = input;
  if (allowed) judgeAllowed(reader, allowed, steps);
  const path = ['challenge', 'goal'];
  const goals = Array.isArray(goal)
    ? goal.map((each, i) => readCheck(reader, [...path, i], each as CheckInput))
    : [readCheck(reader, path, goal as CheckInput)];
  return {
    ...{ task: task.trim(), goals, ...(allowed && { allowed }) },
    hints: hints.map((hint, i) => readHint(reader, hint, ['challenge', 'hints', i])),
  };
}

function readHint({ source, members }: Reader, hint: HintInput, path: Path): Hint {
  if (typeof hint === 'string') return { text: hint.trim() };
  const { hint: text, why } = hint;
  if (why !== 'primary' && !members.has(why)) {
    const names = ['primary', ...members.keys()];
    const suggestion = didYouMeanOneOf(why, names) ?? `write one of ${names.join(', ')}`;
    source.mistakeAtPath([...path, 'why'], `no member is called "${why}"`, suggestion);
  }
  return { text: text.trim(), why };
}

function judgeAllowed({ source }: Reader, allowed: readonly string[], steps: unknown): void {
  allowed.forEach((name, i) => {
    if (rowOf(name)) return;
    const suggestion = didYouMeanOneOf(name, NAMES) ?? 'for example kill, partition or insert';
    source.mistakeAtPath(['challenge', 'allowed', i], `no step is called "${name}"`, suggestion);
  });
  const may = new Set([...allowed, ...ALWAYS_ALLOWED]);
  for (const { path, step } of plainSteps(steps)) {
    const key = Object.keys(step).find((each) => !may.has(each) && rowOf(each));
    if (key !== undefined)
      source.mistakeAtPath(
        [...path, key],
        `this challenge does not allow "${key}"`,
        `it is to be solved by ${allowed.join(', ')}`,
      );
  }
}
