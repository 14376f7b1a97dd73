/**
 * A date's string without a format: the usual forms of dates, times and zones in any order. Relative ones (`+1 day`, `next
 * Monday`) are refused. Upstream: timelib's parse_date.re, of whose rules the longest match wins, and else the first.
 */
import { dateOf, isoDay } from './calendar.ts';
import { instantParsed, monthNamed, type Parsed, unreadable, zoneAt } from './parsed.ts';
import type { Zone } from './zones.ts';

type Groups = Readonly<Record<string, string | undefined>>;
interface Form {
  readonly pattern: RegExp;
  /** What may be there once. */
  readonly kind: 'hasDate' | 'hasTime' | undefined;
  readonly read: (parsed: Parsed, groups: Groups) => void;
}

const MONTH = '(?<month>0?\\d|1[0-2])';
const MONTH2 = '(?<month>0\\d|1[0-2])';
const DAY = '(?<day>[0-2]?\\d|3[01])(?:st|nd|rd|th)?';
const DAY2 = '(?<day>[0-2]\\d|3[01])';
const YEAR = '(?<year>\\d{1,4})';
const YEAR4 = '(?<year>\\d{4})';
const NAME = '(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|i[vx]|vi{0,3}|xi{0,2}|i{1,3})'; // biome-ignore format: one line
const GAP = '[ \\t.-]*';
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

const form = (pattern: string, kind: Form['kind'], read: Form['read']): Form => ({
  pattern: new RegExp(`^(?:${pattern})`, 'i'),
  kind,
  read,
});
const date = (pattern: string) => form(pattern, 'hasDate', readDate);
const time = (pattern: string) => form(pattern, 'hasTime', readTime);

const FORMS: readonly Form[] = [
  form('noon', 'hasTime', (parsed) => setTime(parsed, 12, 0, 0, 0)),
  form('midnight|today', 'hasTime', (parsed) => setTime(parsed, 0, 0, 0, 0)),
  time(
    '(?<hour>0?[1-9]|1[0-2])(?:[:.](?<minute>[0-5]?\\d)(?:[:.](?<second>[0-5]?\\d))?)?[ \\t]*(?<half>[ap])\\.?m\\.?(?![^ \\t])',
  ),
  time('t?(?<hour>[01]?\\d|2[0-4])[:.](?<minute>[0-5]?\\d)(?:[:.](?<second>[0-5]?\\d|60)(?<fraction>\\.\\d+)?)?'),
  time('t(?<hour>[01]?\\d|2[0-4])'),
  time('t?(?<hour>[01]\\d|2[0-4])(?<minute>[0-5]\\d)(?<second>[0-5]\\d|60)?'),
  date(`${MONTH}/${DAY}(?:/${YEAR})?`),
  date(`[+]?${YEAR4}-${MONTH2}-${DAY2}`),
  date(`${YEAR4}/${MONTH}/${DAY}/?`),
  date(`${YEAR}-${MONTH}-${DAY}`),
  date(`${YEAR4}-${MONTH}`),
  date(`${DAY}${GAP}${NAME}${GAP}${YEAR}`),
  date(`${DAY}[.\\t-]${MONTH}[.-]${YEAR4}`),
  date(`${DAY}[.\\t]${MONTH}\\.(?<year>\\d\\d)`),
  date(`${NAME}${GAP}${YEAR4}`),
  date(`${YEAR4}${GAP}${NAME}`),
  date(`${NAME}${GAP}${DAY}[,.stndrh\\t ]+${YEAR}`),
  date(`${NAME}-${DAY2}-${YEAR}`),
  date(`${YEAR}-${NAME}-${DAY2}`),
  date(`${YEAR4}${MONTH2}${DAY2}`),
  form(`${YEAR4}-?w(?<week>0[1-9]|[1-4]\\d|5[0-3])(?:-?(?<dayOfWeek>[0-7]))?`, 'hasDate', readWeek),
  form(YEAR4, undefined, (parsed, { year }) => {
    parsed.year = Number(year);
  }),
  form(
    `(?<weekday>${WEEKDAYS.join('|')})(?:s?day|nesday|rsday|urday)?(?![a-z])`,
    undefined,
    (parsed, { weekday = '' }) => {
      parsed.weekday = WEEKDAYS.indexOf(weekday.toLowerCase()) + 1;
    },
  ),
];

/** Errors: ConversionFailure 241. */
export function parseFreely(whole: string, zone: Zone): bigint {
  const text = whole.trim();
  const parsed: Parsed = {};
  let at = 0;
  if (text === '') throw unreadable(whole, 'Empty string');
  while (at < text.length) at += readNext(text, at, parsed);
  return instantParsed(whole, parsed, zone);
}

/** @returns how much of the text was read */
function readNext(text: string, at: number, parsed: Parsed): number {
  const rest = text.slice(at);
  const between = /^[ \t\n.,]+/.exec(rest)?.[0].length;
  if (between) return between;
  const match = longestMatch(rest);
  const zone = zoneAt(rest);
  const twice = (what: string) => unreadable(text, `${at}: Double ${what} specification`);
  if (zone && zone.length > (match?.length ?? 0)) {
    if (parsed.offset !== undefined) throw twice('timezone');
    parsed.offset = zone.offset;
    return zone.length;
  }
  if (!match) throw unreadable(text, `${at}: Unexpected character '${text[at]}'`);
  const { kind, read } = match.form;
  if (kind && parsed[kind]) throw twice(kind === 'hasDate' ? 'date' : 'time');
  if (kind) parsed[kind] = true;
  read(parsed, match.groups);
  return match.length;
}

interface Match {
  readonly form: Form;
  readonly length: number;
  readonly groups: Groups;
}

function longestMatch(rest: string): Match | undefined {
  let longest: Match | undefined;
  for (const form of FORMS) {
    const match = form.pattern.exec(rest);
    if (match && match[0].length > (longest?.length ?? 0)) {
      longest = { form, length: match[0].length, groups: match.groups ?? {} };
    }
  }
  return longest;
}

function readDate(parsed: Parsed, { year, month, day, name }: Groups): void {
  if (year !== undefined) parsed.year = fullYear(year);
  parsed.month = name === undefined ? Number(month) : (monthNamed(name) ?? 0);
  parsed.dayOfMonth = day === undefined ? 1 : Number(day);
}

/** Two digits are of the years from 1970 to 2069. */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length >= 4 || year >= 100) return year;
  return year < 70 ? year + 2000 : year + 1900;
}

function readWeek(parsed: Parsed, { year, week, dayOfWeek = '1' }: Groups): void {
  const day = isoDay(Number(year), Number(week), Number(dayOfWeek));
  Object.assign(parsed, dateOf(day));
}

function readTime(parsed: Parsed, { hour, minute = '0', second = '0', fraction = '.', half }: Groups): void {
  const onClock = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  setTime(parsed, onClock, Number(minute), Number(second), Number(fraction.slice(1, 4).padEnd(3, '0')));
}

function setTime(parsed: Parsed, hour: number, minute: number, second: number, millisecond: number): void {
  Object.assign(parsed, { hour, minute, second, millisecond });
}
