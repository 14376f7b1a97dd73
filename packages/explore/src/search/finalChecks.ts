import type { Scenario, Step } from '@replsim/scenario';
import type { Trial } from './trial.ts';

/** Steps that look, and words. */
const LOOKS = ['expect', 'eventually', 'sometimes', 'note', 'act', 'ask', 'focus', 'let'];
/** What may stand between them: clients stop, and time passes in which what they wrote arrives. */
const BETWEEN = [...LOOKS, 'stop', 'advance', 'always'];

/**
 * When the checks begin with which a scenario ends: those that follow each other, and those before them with some time between, unless most of
 * the run passes there, as in it something may go wrong.
 */
export function finalChecksAt({ steps }: Pick<Scenario, 'steps'>, base: Trial): number {
  const last = beginning(steps, LOOKS);
  const all = beginning(steps, BETWEEN);
  const first = steps.findIndex(({ key }, i) => i >= all && (key === 'expect' || key === 'eventually'));
  const lastAt = began(steps, last, base);
  if (first < 0 || first >= last) return lastAt;
  const firstAt = began(steps, first, base);
  return firstAt - base.beganMicros >= lastAt - firstAt ? firstAt : lastAt;
}

/** Where the steps begin that are all of these kinds, to the end. */
function beginning(steps: readonly Step[], kinds: readonly string[]): number {
  const before = steps.findLastIndex(({ key }) => !kinds.includes(key));
  return before + 1;
}

function began(steps: readonly Step[], index: number, { ends, beganMicros, endMicros }: Trial): number {
  // What takes no time, and says nothing of its end, is passed over.
  for (let i = index - 1; i >= 0; i--) {
    const { index: number, text } = steps[i] as Step;
    const at = ends.get(number) ?? ends.get(text);
    if (at !== undefined) return at;
  }
  return index >= steps.length ? endMicros : beganMicros;
}
