import { formatInstant } from '@replsim/kernel';
import type { History } from '../core/history/history.ts';

/** The instant, of how long a run, and which step of how many. */
export function clockText({ steps, endMicros }: Pick<History, 'steps' | 'endMicros'>, atMicros: number): string {
  const time = `${formatInstant(atMicros)} of ${formatInstant(endMicros)}`;
  const begun = steps.filter((step) => step.atMicros <= atMicros).length;
  return begun === 0 ? time : `${time} · step ${begun} of ${steps.length}`;
}
