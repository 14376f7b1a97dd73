import { likelyDuration, parseDuration } from '@replsim/kernel';
import { CommandError } from '@replsim/protocol';
import { shownValue } from './shownValue.ts';

/**
 * A span of virtual time, as scenarios write it (`61s`, `1h30m`), or a number of milliseconds.
 * @returns microseconds
 * @throws CommandError BadValue
 */
export function durationMicros(name: string, value: unknown): number {
  const micros =
    typeof value === 'string' ? parseDuration(value) : typeof value === 'number' ? Math.round(value * 1000) : undefined;
  if (micros !== undefined && Number.isSafeInteger(micros) && micros >= 0) return micros;
  throw new CommandError(
    'BadValue',
    `${name} must be a duration such as "61s" or "1h30m", or a number of milliseconds, not ${shownValue(value)}${meantBy(value)}`,
  );
}

function meantBy(value: unknown): string {
  if (typeof value !== 'string' || value.startsWith('-')) return '';
  // Milliseconds as text, of an environment variable perhaps, or seconds without their unit.
  if (/^\d+(\.\d+)?$/.test(value)) return `; did you mean "${value}ms" or "${value}s"?`;
  const meant = likelyDuration(value);
  return meant === undefined ? '' : `; did you mean "${meant}"?`;
}
