/**
 * Dates as texts, and back. Of what timelib reads this knows ISO 8601, the forms of JavaScript and of mail, and the American one.
 * Upstream: date_time_support.cpp, TimeZoneDatabase::fromString; third_party/timelib.
 */
import { CommandError } from '@replsim/protocol';

const YEAR_0 = -62_167_219_200_000n;
const YEAR_10000 = 253_402_300_800_000n;

/** With milliseconds and a Z. Errors: Location18537 for a year beyond 9999 or below 0. */
export function isoText(ms: bigint): string {
  if (ms < YEAR_0 || ms >= YEAR_10000) {
    throw new CommandError(18537, `Could not convert date to string: ${ms} ms is outside of the years 0 to 9999`);
  }
  return new Date(Number(ms)).toISOString();
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH =
  '(?<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?\\.?';
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const WEEKDAY = '(?:(?<weekday>sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday)?,? +)?';
const TIME = '(?<hour>\\d{1,2}):(?<minute>\\d{1,2})(?::(?<second>\\d{1,2})(?:[.,](?<fraction>\\d+))?)?';
const HALF = '(?: ?(?<half>[ap])\\.?m\\.?)?';
const ZONE = '(?: ?(?<zone>z|utc|gmt|[ec]dt|[ec]st|mdt|mst|pdt|pst|(?:gmt|utc)?(?<offset>[+-]\\d{1,2}(?::?\\d{2})?)))?';
const CLOCK = `(?:(?: +|t)${TIME}${HALF}${ZONE})?`;

const forms: readonly RegExp[] = [
  `(?<year>\\d{4})-(?<month>\\d{1,2})(?:-(?<day>\\d{1,2})${CLOCK})?`,
  `(?<year>\\d{4})/(?<month>\\d{1,2})/(?<day>\\d{1,2})${CLOCK}`,
  `(?<month>\\d{1,2})/(?<day>\\d{1,2})/(?<year>\\d{4})${CLOCK}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})${CLOCK}`,
  `(?<year>\\d{4})(?<month>\\d{2})(?<day>\\d{2})t?(?<hour>\\d{2})(?<minute>\\d{2})(?<second>\\d{2})${ZONE}`,
  `${WEEKDAY}(?<day>\\d{1,2})[ -]+${MONTH}[ -]+(?<year>\\d{4})${CLOCK}`,
  `${WEEKDAY}${MONTH} +(?:(?<day>\\d{1,2})(?:st|nd|rd|th)?,? +)?(?<year>\\d{4})${CLOCK}`,
  `${WEEKDAY}${MONTH} +(?<day>\\d{1,2}) +${TIME}${ZONE} +(?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const ZONE_HOURS: Readonly<Record<string, number>> = { est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 }; // biome-ignore format: a list

type Parts = Readonly<Record<string, string | undefined>>;

/** Milliseconds since 1970; UTC where a text names no zone. Errors: ConversionFailure 241. */
export function parseDate(text: string): bigint {
  const trimmed = text.trim();
  const [, seconds] = /^@(-?\d{1,15})$/.exec(trimmed) ?? [];
  if (seconds !== undefined) return BigInt(seconds) * 1000n;
  for (const form of forms) {
    const parts = form.exec(trimmed)?.groups;
    const ms = parts && timeOf(parts);
    if (ms !== undefined) return ms;
  }
  throw new CommandError('ConversionFailure', `Error parsing date string '${text}'; it is no date that can be read`);
}

/** Undefined for what no calendar or clock shows. */
function timeOf(parts: Parts): bigint | undefined {
  const { name, half, weekday, fraction = '' } = parts;
  const [year, day] = [Number(parts.year), Number(parts.day ?? 1)];
  const month = name === undefined ? Number(parts.month) - 1 : MONTHS.indexOf(name.toLowerCase());
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month || date.getUTCDate() !== day) return undefined;
  if (weekday !== undefined) date.setUTCDate(day + daysUntil(weekday, date));
  const hour = hourOf(Number(parts.hour ?? 0), half, fraction);
  const [minute, second] = [Number(parts.minute ?? 0), Number(parts.second ?? 0)];
  if (hour === undefined || minute > 59 || second > 59) return undefined;
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - 60 * minutesEast(parts);
  const micros = BigInt(seconds) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6));
  return micros / 1000n;
}

/** A day of the week that is not the date's moves it on to the next such day. */
function daysUntil(weekday: string, date: Date): number {
  return (WEEKDAYS.indexOf(weekday.toLowerCase()) - date.getUTCDay() + 7) % 7;
}

/** Hour 24 is the next day's first. */
function hourOf(hour: number, half: string | undefined, fraction: string): number | undefined {
  if (half === undefined) return hour <= 24 ? hour : undefined;
  if (hour < 1 || hour > 12 || fraction !== '') return undefined;
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
}

function minutesEast({ zone, offset }: Parts): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{1,2}):?(\d{2})?$/.exec(offset ?? '') ?? [];
  if (sign === undefined) return 60 * (ZONE_HOURS[zone?.toLowerCase() ?? ''] ?? 0);
  return (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
}
