import { formatDuration } from '@replsim/kernel';
import { duration, strict } from '@replsim/replset';
import { readCheck } from '../checks/readCheck.ts';
import type { Refusal } from '../checks/refusal.ts';
import { checkSchema, checkShape, ELSEWHERE } from '../checks/table.ts';
import type { Action, Check } from '../scenario.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import { findAnswer } from './findings.ts';
import { step } from './row.ts';
import type { Stage } from './stage.ts';

/** A set needs time to have a primary: an election timeout, and what is done before and after it. */
const FIRST_PRIMARY_MICROS = 11_000_000;

/** The steps that ask whether something holds. */
export const checkSteps = {
  expect: step({
    shape: checkSchema,
    tellsItself: true,
    writesNothing: true,
    read: (reader, path, input) => ({ kind: 'expect', check: readCheck(reader, path, input) }),
    perform: async (action, stage, { text }) => {
      const check = new TimedCheck(text, action, stage);
      check.tell(stage.checks.refusal(action.check), {
        question: true,
        tooSoon: '"expect" does not wait; before it: eventually: { within: 30s, primary: any }',
      });
      return undefined;
    },
  }),
  eventually: step({
    shape: strict(
      'eventually',
      {
        within: duration.describe('How long to wait, at most, until the check holds'),
        after: duration.optional().describe('The check must not hold before this time'),
        ...checkShape,
      },
      { for: 'did you mean "within"?' },
    ).describe('Waits until a check holds'),
    tellsItself: true,
    writesNothing: true,
    read: (reader, path, { within, after, ...check }) => {
      const withinMicros = reader.span([...path, 'within'], within);
      const afterMicros = after === undefined ? undefined : reader.span([...path, 'after'], after);
      if (afterMicros !== undefined && afterMicros >= withinMicros)
        reader.source.mistakeAtPath(
          [...path, 'after'],
          `"after" must be less than "within"`,
          `after ${after} nothing is left of ${within}`,
        );
      if (afterMicros) reader.elapsed.lasts([...path, 'after'], afterMicros - 1);
      return { kind: 'eventually', check: readCheck(reader, path, check), withinMicros, afterMicros };
    },
    perform: async (action, stage, { text }) => {
      const check = new TimedCheck(text, action, stage);
      check.tell(await refusalWithin(action, stage), {
        question: true,
        tooSoon:
          action.withinMicros >= FIRST_PRIMARY_MICROS
            ? undefined
            : `a set has its first primary some ${formatDuration(FIRST_PRIMARY_MICROS)} after it starts: within: 30s`,
      });
      return undefined;
    },
  }),
  always: step({
    shape: strict(
      'always',
      {
        for: duration.describe('How long the check must hold'),
        ...checkShape,
      },
      { within: 'did you mean "for"?' },
    ).describe('Checks that something holds all the time for a while'),
    tellsItself: true,
    writesNothing: true,
    read: (reader, path, { for: lasting, ...check }) => {
      const forMicros = reader.span([...path, 'for'], lasting);
      if (forMicros === 0)
        reader.source.mistakeAtPath(
          [...path, 'for'],
          'in no time nothing can break it',
          'for example for: 30s; to check once, use "expect"',
        );
      reader.elapsed.lasts([...path, 'for'], forMicros);
      return { kind: 'always', check: readCheck(reader, path, check), forMicros };
    },
    perform: async (action, stage, { text }) => {
      const check = new TimedCheck(text, action, stage);
      check.tell(await refusalFor(action, stage), { question: false });
      return undefined;
    },
  }),
  sometimes: step({
    shape: strict('sometimes', checkShape, ELSEWHERE).describe(
      'Looks whether it holds now. A run goes on either way; of many runs, it must hold in one at least',
    ),
    tellsItself: true,
    writesNothing: true,
    read: (reader, path, input) => ({ kind: 'sometimes', asked: readCheck(reader, path, input) }),
    perform: ({ asked }, { set, checks, sometimes }, step) => {
      const refusal = checks.refusal(asked);
      sometimes(step, !refusal);
      set.record({ type: 'sometimes', text: step.text, held: !refusal, ...(refusal && { detail: refusal.got }) });
      return undefined;
    },
  }),
};

interface CheckAction extends Action {
  readonly check: Check;
}

/** A check whose line in the trace stands where its answer is known. */
class TimedCheck {
  readonly #text: string;
  readonly #check: Check;
  readonly #stage: Stage;
  readonly #sinceMicros: number;

  constructor(text: string, { check }: CheckAction, stage: Stage) {
    this.#text = text;
    this.#check = check;
    this.#stage = stage;
    this.#sinceMicros = stage.set.nowMicros;
  }

  /**
   * @param question whether it could have been asked as well, as of now
   * @param tooSoon what to do where no primary was there to be asked
   */
  tell(refusal: Refusal, { question, tooSoon }: { readonly question: boolean; readonly tooSoon?: string | undefined }) {
    const { set } = this.#stage;
    set.record({
      type: 'checked',
      text: this.#text,
      held: !refusal,
      ...(set.nowMicros > this.#sinceMicros && { sinceMicros: this.#sinceMicros }),
      ...(refusal && { detail: refusal.got }),
      ...(question && questionOf(this.#check, refusal, this.#stage)),
    });
    if (!refusal) return;
    const advice = refusal.advice ?? (refusal.noPrimary ? tooSoon : undefined);
    throw new StepFailure(refusal.asked, refusal.got, { advice });
  }
}

/** What could have been asked instead of checked, and the answer; nothing where nobody could give one. */
function questionOf({ asks, text }: Check, refusal: Refusal, stage: Stage) {
  if (refusal?.unanswered) return {};
  if (!asks) return { form: { holds: text }, found: refusal ? 'no' : 'yes' };
  const finding = findAnswer(asks.look, stage);
  return 'found' in finding ? { form: asks.form, found: finding.found } : {};
}

interface Waiting extends CheckAction {
  readonly withinMicros: number;
  readonly afterMicros: number | undefined;
}

async function refusalWithin({ check, withinMicros, afterMicros }: Waiting, stage: Stage): Promise<Refusal> {
  const { set, checks, runUntil } = stage;
  const start = set.nowMicros;
  // Before no time at all there is no instant at which it could hold.
  if (afterMicros && (await runUntil(() => !checks.refusal(check), start + afterMicros - 1)))
    return {
      asked: `it does not hold before ${formatDuration(afterMicros)}`,
      got: `it holds after ${formatDuration(set.nowMicros - start)}`,
    };
  if (await runUntil(() => !checks.refusal(check), start + withinMicros)) return undefined;
  const last = checks.refusal(check);
  return last && { ...last, asked: `within ${formatDuration(withinMicros)}: ${last.asked}` };
}

interface Lasting extends CheckAction {
  readonly forMicros: number;
}

async function refusalFor({ check, forMicros }: Lasting, { set, checks, runUntil }: Stage): Promise<Refusal> {
  const start = set.nowMicros;
  if (!(await runUntil(() => checks.refusal(check) !== undefined, start + forMicros))) return undefined;
  const broken = checks.refusal(check);
  return (
    broken && {
      ...broken,
      asked: `for ${formatDuration(forMicros)}: ${broken.asked}`,
      got: `after ${formatDuration(set.nowMicros - start)}: ${broken.got}`,
    }
  );
}
