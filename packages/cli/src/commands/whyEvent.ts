import { formatInstant } from '@replsim/kernel';
import type { CauseLink, Causes } from '@replsim/why';
import { InputError } from '../io.ts';

/** The chain that led to an event. @param subject its number; without one, the last of which something is to be told */
export function chainOf(causes: Causes, subject: string | undefined, on: string | undefined): readonly CauseLink[] {
  const number = subject === undefined ? causes.latest(on) : Number(subject);
  const [first, last] = causes.range ?? [0, 0];
  const chain = number === undefined ? undefined : causes.chain(number);
  if (chain) return chain;
  if (subject === undefined) throw new InputError(`nothing had happened yet${on === undefined ? '' : ` on ${on}`}`);
  throw new InputError(
    `there is no event ${subject}: events have the numbers ${first} to ${last}; --at finds the last one before a time`,
  );
}

export function chainText(links: readonly CauseLink[]): string {
  return links.map(({ turn, atMicros, text }) => `${formatInstant(atMicros).padStart(10)} #${turn} ${text}\n`).join('');
}
