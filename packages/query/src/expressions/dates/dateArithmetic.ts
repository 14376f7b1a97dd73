/** `$dateAdd`, `$dateSubtract`, `$dateDiff` and `$dateTrunc`, once their arguments are read. Upstream: date_time_support.cpp. */
import { CommandError } from '@replsim/protocol';
import { DAY, dateOf, dayOf, daysInMonth, isoDayOfWeek, type Local, mod } from './calendar.ts';
import { instantOf, localOf, type Zone } from './zones.ts';

const HOUR = 3_600_000;
const DAYS_OF_UINT64 = 2n ** 64n / BigInt(DAY) + 1n;
const YEARS_OF_UINT64 = DAYS_OF_UINT64 / 365n + 1n;

/** Units of a fixed length, in ms. */
const LENGTHS: Readonly<Record<string, number>> = { hour: HOUR, minute: 60_000, second: 1000, millisecond: 1 };
/** Units of days. */
const DAYS: Readonly<Record<string, number>> = { day: 1, week: 7 };
/** Units of months. */
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

export const UNITS: ReadonlySet<string> = new Set([LENGTHS, DAYS, MONTHS].flatMap(Object.keys));

/**
 * An instant so many units later: hours and less are of a fixed length, days and more leave the clock of the zone where it is,
 * and a month that is too short ends with its last day. Errors: Location5976500, 5166406.
 */
export function addTo(instant: bigint, unit: string, amount: bigint, zone: Zone): bigint {
  if (unit !== 'millisecond' && !isReasonable(unit, amount)) {
    throw new CommandError(5976500, `invalid dateAdd 'amount' parameter value: ${amount} ${unit}`);
  }
  const length = LENGTHS[unit];
  const sum = length === undefined ? addDays(instant, unit, Number(amount), zone) : instant + amount * BigInt(length);
  if (BigInt.asIntN(64, sum) !== sum) throw new CommandError(5166406, 'dateAdd overflowed');
  return sum;
}

function isReasonable(unit: string, amount: bigint): boolean {
  const [length, months] = [LENGTHS[unit], MONTHS[unit]];
  const most =
    months !== undefined
      ? YEARS_OF_UINT64 * BigInt(12 / months)
      : length !== undefined
        ? DAYS_OF_UINT64 * BigInt(DAY / length)
        : DAYS_OF_UINT64 / BigInt(DAYS[unit] ?? 1);
  return -most < amount && amount < most;
}

function addDays(instant: bigint, unit: string, amount: number, zone: Zone): bigint {
  const { day, ms } = localOf(zone, instant);
  const months = MONTHS[unit];
  const moved = months === undefined ? day + amount * (DAYS[unit] ?? 1) : addMonths(day, amount * months);
  return instantOf(zone, { day: moved, ms }, zone.offsetAt(instant));
}

function addMonths(day: number, months: number): number {
  const { year, month, dayOfMonth } = dateOf(day);
  return dayOf(year, month + months, Math.min(dayOfMonth, daysInMonth(year, month + months)));
}

/** How many boundaries between units lie between two instants. Errors: Location5166308. @param startOfWeek 1 is Monday */
export function difference(start: bigint, end: bigint, unit: string, zone: Zone, startOfWeek: number): bigint {
  if (unit === 'millisecond') {
    if (BigInt.asIntN(64, end - start) !== end - start) throw new CommandError(5166308, 'dateDiff overflowed');
    return end - start;
  }
  const [from, to] = [localOf(zone, start), localOf(zone, end)];
  const length = LENGTHS[unit];
  if (length === undefined) return BigInt(bounds(from, to.day, unit, startOfWeek));
  // What clocks were put forward or back in between is no time that passed, as far as it makes whole units.
  const put = Math.trunc((zone.offsetAt(start) - zone.offsetAt(end)) / length);
  const inDay = Math.floor(to.ms / length) - Math.floor(from.ms / length);
  return BigInt((to.day - from.day) * (DAY / length) + inDay + put);
}

/** The same of days. */
function bounds(from: Pick<Local, 'day'>, to: number, unit: string, startOfWeek: number): number {
  const months = MONTHS[unit];
  if (months !== undefined) return Math.floor(monthOf(to) / months) - Math.floor(monthOf(from.day) / months);
  if (unit === 'day') return to - from.day;
  return (startOfWeekOf(to, startOfWeek) - startOfWeekOf(from.day, startOfWeek)) / 7;
}

/** Months since the year 0. */
function monthOf(day: number): number {
  const { year, month } = dateOf(day);
  return year * 12 + month - 1;
}

function startOfWeekOf(day: number, startOfWeek: number): number {
  return day - mod(isoDayOfWeek(day) - startOfWeek, 7);
}

/**
 * The beginning of the bin in which an instant lies; one begins with the year 2000, those of weeks with the first week that
 * begins in it. Errors: Location5439000 to 5439006.
 */
export function truncate(instant: bigint, unit: string, size: bigint, zone: Zone, startOfWeek: number): bigint {
  const newYear = dayOf(2000);
  const reference = unit === 'week' ? startOfWeekOf(newYear + 6, startOfWeek) : newYear;
  // mongod takes the offset of midnight in UTC.
  const origin = BigInt(reference) * BigInt(DAY) - BigInt(zone.offsetAt(BigInt(newYear) * BigInt(DAY)));
  const length = LENGTHS[unit];
  if (length !== undefined) {
    const bin = size * BigInt(length);
    if (BigInt.asIntN(64, bin) !== bin) throw new CommandError(5439002, 'dateTrunc overflowed');
    return inRange(instant - modulo(instant - origin, bin));
  }
  if (size > 100_000_000_000n) throw new CommandError(5439006, 'dateTrunc unsupported binSize value');
  const distance = BigInt(bounds({ day: reference }, localOf(zone, instant).day, unit, startOfWeek));
  return addTo(origin, unit, distance - modulo(distance, size), zone);
}

function inRange(instant: bigint): bigint {
  if (BigInt.asIntN(64, instant) !== instant) throw new CommandError(5439001, 'dateTrunc overflowed');
  return instant;
}

function modulo(value: bigint, by: bigint): bigint {
  return ((value % by) + by) % by;
}
