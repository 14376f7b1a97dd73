/** What was read of a date's string, and the instant that it means. Upstream: date_time_support.cpp, TimeZoneDatabase::fromString. */
import { CommandError } from '@replsim/protocol';
import { dayOf, isDate, isoDayOfWeek, mod } from './calendar.ts';
import { MONTH_NAMES } from './formats.ts';
import { instantOf, type Zone } from './zones.ts';

/** What was not there is undefined. */
export interface Parsed {
  year?: number;
  month?: number;
  dayOfMonth?: number;
  hour?: number;
  minute?: number;
  second?: number;
  millisecond?: number;
  /** How far the string's own zone is ahead of UTC. Unit: ms. */
  offset?: number;
  /** 1 is Monday; the date is the next such day. */
  weekday?: number;
  /** Whether there was a date, or a time, that another one may not follow. */
  hasDate?: boolean;
  hasTime?: boolean;
}

/** The refusal of a string: ConversionFailure 241. */
export function unreadable(text: string, why: string): CommandError {
  return new CommandError('ConversionFailure', `Error parsing date string '${text}'; ${why}`);
}

/** Errors: ConversionFailure 241 for what is incomplete, for no such date, and for two zones. */
export function instantParsed(text: string, parsed: Parsed, zone: Zone): bigint {
  const { year, month, dayOfMonth, hour, minute = 0, second = 0, millisecond = 0, offset, weekday } = parsed;
  if ((hour ?? 0) > 23 || minute > 59 || second > 59) throw unreadable(text, 'The parsed time was invalid');
  const isIncomplete = year === undefined || month === undefined || dayOfMonth === undefined;
  if (isIncomplete) {
    const why = `an incomplete date/time string has been found, with elements missing: "${text}"`;
    throw new CommandError('ConversionFailure', why);
  }
  if (!isDate(year, month, dayOfMonth)) throw unreadable(text, 'The parsed date was invalid');
  if (offset !== undefined && !zone.isUtc) {
    const why = 'you cannot pass in a date/time string with GMT offset together with a timezone argument';
    throw new CommandError('ConversionFailure', why);
  }
  const date = dayOf(year, month, dayOfMonth);
  const day = weekday === undefined ? date : date + mod(weekday - isoDayOfWeek(date), 7);
  const ms = (((hour ?? 0) * 60 + minute) * 60 + second) * 1000 + millisecond;
  return instantOf(offset === undefined ? zone : { isUtc: false, offsetAt: () => offset }, { day, ms });
}

const ROMAN = ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi', 'xii'];

/** By its name, its first three letters or its Roman number. */
export function monthNamed(word: string): number | undefined {
  const lower = word.toLowerCase();
  const names = MONTH_NAMES.map((name) => name.toLowerCase());
  const found = names.findIndex((name, i) => [name, name.slice(0, 3), ROMAN[i]].includes(lower));
  if (lower === 'sept') return 9;
  return found < 0 ? undefined : found + 1;
}

/** How far ahead of UTC a zone is by its usual letters. Unit: hours. */
const ABBREVIATIONS: Readonly<Record<string, number>> = {
  ...{ utc: 0, gmt: 0, wet: 0, west: 1, bst: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3, jst: 9, kst: 9 },
  ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7, akst: -9, akdt: -8, hst: -10 },
};

/** That of a ship's zone: all letters but J. */
function militaryHours(letter: string): number | undefined {
  const [east, west] = ['abcdefghiklm'.indexOf(letter), 'nopqrstuvwxy'.indexOf(letter)];
  if (letter === 'z') return 0;
  if (east >= 0) return east + 1;
  return west < 0 ? undefined : -west - 1;
}

/** What begins a text and is a zone: `GMT`, `+0530`, `GMT-02:00`, `(EST)`. Undefined if nothing is one. */
export function zoneAt(text: string): { length: number; offset: number } | undefined {
  const [ahead] = /^[ \t(]*/.exec(text) ?? [''];
  const rest = text.slice(ahead.length);
  const correction = /^(?:GMT)?([+-])(?:(\d\d):?(\d\d)|(\d\d?)(?::(\d\d?))?)(?!\d)\)*/.exec(rest);
  if (correction) {
    const [all, sign, hours, minutes, hour = hours, minute = minutes ?? '0'] = correction;
    const offset = (Number(hour) * 60 + Number(minute)) * 60_000;
    return { length: ahead.length + all.length, offset: sign === '-' ? -offset : offset };
  }
  const [all, word = ''] = /^([\w/+-]+)\)*/.exec(rest) ?? [''];
  const lower = word.toLowerCase();
  const hours = Object.hasOwn(ABBREVIATIONS, lower) ? ABBREVIATIONS[lower] : militaryHours(lower);
  return lower === '' || hours === undefined
    ? undefined
    : { length: ahead.length + all.length, offset: hours * 3_600_000 };
}
