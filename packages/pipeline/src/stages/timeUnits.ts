import { CommandError } from '@replsim/protocol';

const fixedMs: ReadonlyMap<string, number> = new Map([
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
  ['millisecond', 1],
]);

const months: ReadonlyMap<string, number> = new Map([
  ['year', 12],
  ['quarter', 3],
  ['month', 1],
]);

/** Errors: FailedToParse 9 for a unit of time that there is not. Upstream: date_time_support.cpp, parseTimeUnit. */
export function checkTimeUnit(unit: string): void {
  if (fixedMs.has(unit) || months.has(unit)) return;
  throw new CommandError('FailedToParse', `unknown time unit value: ${unit}`);
}

/** A unit that is always as long. Errors: FailedToParse 9 for one that there is not, Location5490710 for one above a week. */
export function fixedMillis(unit: string): number {
  checkTimeUnit(unit);
  const millis = fixedMs.get(unit);
  if (millis !== undefined) return millis;
  throw new CommandError(5490710, "unit must be 'week' or smaller");
}

/** A date moved by units of time; of months, to the last day where the new one has not that many. In UTC. */
export function addTime(ms: number, amount: number, unit: string): number {
  const fixed = fixedMs.get(unit);
  if (fixed !== undefined) return ms + amount * fixed;
  const date = new Date(ms);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + amount * (months.get(unit) ?? 0));
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.getTime();
}
