import { likelyDuration, parseDuration } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';

/**
 * A span of virtual time, as scenarios write it (`61s`, `1h30m`), or a number of milliseconds.
 * @returns microseconds
 * @throws CommandError BadValue
 */
export function durationMicros(name: string, value: unknown): number {
  const micros =
    typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? Math.round(value * 1000) : undefined;
  if (micros !== undefined && Number.isSafeInteger(micros) && micros >= 0) return micros;
  const meant = typeof value === 'string' && !value.startsWith('-') ? likelyDuration(value) : undefined;
  throw new CommandError(
    'BadValue',
    `${name} must be a duration, as "61s" or "1h30m", or a number of milliseconds, not ${JSON.stringify(value)}${
      meant === undefined ? '' : `; did you mean "${meant}"?`
    }`,
  );
}
