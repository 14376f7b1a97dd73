/** Dates as strings, by format. Upstream: date_time_support.cpp and .h. */
import { CommandError } from '@replsim/protocol';
import { dateOf, dayOfYear, isoDayOfWeek, isoWeekOf, type Local, weekOf } from './calendar.ts';

export const MONTH_NAMES: readonly string[] = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** What `$dateFromString` knows. */
export const READABLE = 'bBdGHjLmMSuVYzZ';
/** What `$dateToString` knows. */
export const WRITABLE = `${READABLE}wU`;

/** Errors: Location18535 and 18536. */
export function checkFormat(format: string, known: string): void {
  for (let i = format.indexOf('%'); i >= 0; i = format.indexOf('%', i + 2)) {
    const specifier = format[i + 1];
    if (specifier === undefined) throw new CommandError(18535, "Unmatched '%' at end of format string");
    if (specifier !== '%' && !known.includes(specifier)) {
      throw new CommandError(18536, `Invalid format character '%${specifier}' in format string`);
    }
  }
}

/** @param offset of the zone, in ms. Errors: Location18537 for years that have not four digits. */
export function formatted(format: string, { day, ms }: Local, offset: number): string {
  const { year, month, dayOfMonth } = dateOf(day);
  const parts: Readonly<Record<string, () => string>> = {
    '%': () => '%',
    Y: () => padded(year, 4),
    m: () => padded(month, 2),
    d: () => padded(dayOfMonth, 2),
    H: () => padded(Math.floor(ms / 3_600_000), 2),
    M: () => padded(Math.floor(ms / 60_000) % 60, 2),
    S: () => padded(Math.floor(ms / 1000) % 60, 2),
    L: () => padded(ms % 1000, 3),
    b: () => (MONTH_NAMES[month - 1] ?? '').slice(0, 3),
    B: () => MONTH_NAMES[month - 1] ?? '',
    j: () => padded(dayOfYear(day), 3),
    w: () => `${(isoDayOfWeek(day) % 7) + 1}`,
    u: () => `${isoDayOfWeek(day)}`,
    U: () => padded(weekOf(day), 2),
    V: () => padded(isoWeekOf(day).week, 2),
    G: () => padded(isoWeekOf(day).year, 4),
    z: () => offsetText(Math.trunc(offset / 60_000), offset < 0),
    Z: () => `${Math.trunc(offset / 60_000)}`,
  };
  return format.replace(/%(.)/gs, (_, specifier: string) => parts[specifier]?.() ?? '');
}

function offsetText(minutes: number, isWest: boolean): string {
  const distance = Math.abs(minutes);
  return `${isWest ? '-' : '+'}${padded(Math.floor(distance / 60), 2)}${padded(distance % 60, 2)}`;
}

function padded(value: number, width: number): string {
  if (value < 0 || value > 9999) {
    const reason = `date component was outside the supported range of 0-9999: ${value}`;
    throw new CommandError(18537, `Could not convert date to string: ${reason}`);
  }
  return String(value).padStart(width, '0');
}
