/** A date's string by the format that was given. Upstream: timelib's parse_date.re, timelib_parse_from_format_with_map. */
import { dateOf, dayOf, isoDay } from './calendar.ts';
import { instantParsed, monthNamed, type Parsed, unreadable, zoneAt } from './parsed.ts';
import type { Zone } from './zones.ts';

interface IsoDate {
  year?: number;
  week?: number;
  dayOfWeek?: number;
}

/** Errors: ConversionFailure 241. @param format whose specifiers are known to be good */
export function parseByFormat(whole: string, format: string, zone: Zone): bigint {
  // To mongod's parser a string ends there.
  const [text = ''] = whole.split('\0');
  const [expected = ''] = format.split('\0');
  const reader = new Reader(text);
  for (let i = 0; i < expected.length; i++) {
    const character = expected[i];
    if (reader.isAtEnd) throw unreadable(text, 'Not enough data available to satisfy format');
    if (character !== '%') reader.literal(character);
    else reader.part(expected[++i] ?? '');
  }
  reader.end();
  return instantParsed(text, reader.parsed, zone);
}

class Reader {
  readonly parsed: Parsed = {};
  readonly #iso: IsoDate = {};
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  literal(character: string | undefined): void {
    if (this.#text[this.#at++] !== character) throw this.#unreadable('Format literal not found');
  }

  part(specifier: string): void {
    const { parsed } = this;
    switch (specifier) {
      case '%':
        return this.literal('%');
      case 'Y':
        parsed.year = this.#number(1, 4);
        return;
      case 'm':
        parsed.month = this.#number(1, 2);
        return;
      case 'd':
        parsed.dayOfMonth = this.#number(1, 2);
        return;
      case 'H':
        parsed.hour = this.#number(1, 2);
        return;
      case 'M':
        parsed.minute = this.#number(2, 2);
        return;
      case 'S':
        parsed.second = this.#number(2, 2);
        return;
      case 'L':
        parsed.millisecond = Number(this.#match(/\d{1,3}/y).padEnd(3, '0'));
        return;
      case 'b':
      case 'B':
        parsed.month = monthNamed(this.#match(/[a-z]+/iy)) ?? this.#refuse('A textual month could not be found');
        return;
      case 'j':
        return this.#dayOfYear();
      case 'z':
        return this.#zone();
      case 'Z':
        parsed.offset = Number(this.#match(/[+-]\d+/y)) * 60_000;
        return;
      default:
        return this.#isoPart(specifier);
    }
  }

  /** Errors: ConversionFailure 241 for what is left, and for a date that is half one of a week. */
  end(): void {
    if (!this.isAtEnd) throw this.#unreadable('Trailing data');
    const { parsed } = this;
    const { year, week, dayOfWeek } = this.#iso;
    if (year === undefined && week === undefined && dayOfWeek === undefined) return;
    const hasNatural = parsed.month !== undefined || parsed.dayOfMonth !== undefined;
    if (parsed.year !== undefined || (year !== undefined && hasNatural)) {
      throw this.#unreadable('Mixing of ISO dates with natural dates is not allowed');
    }
    if (year === undefined) throw this.#unreadable('The parsed date was invalid');
    Object.assign(parsed, dateOf(isoDay(year, week ?? 1, dayOfWeek ?? 1)));
  }

  #isoPart(specifier: string): void {
    // Whatever is no digit is passed over here.
    this.#match(/\D*/y);
    if (specifier === 'G') this.#iso.year = this.#number(1, 4);
    else if (specifier === 'V') this.#iso.week = this.#within(53, 'ISO Week must be between 1 and 53');
    else this.#iso.dayOfWeek = this.#within(7, 'Day of week must be between 1 and 7');
  }

  #within(most: number, why: string): number {
    const number = this.#number(1, most > 9 ? 2 : 1);
    return number >= 1 && number <= most ? number : this.#refuse(why);
  }

  /** It is counted from 0 here, as mongod does (SERVER-50336), and may be more than the year has. */
  #dayOfYear(): void {
    const { parsed } = this;
    const days = this.#number(1, 3);
    if (parsed.year === undefined) this.#refuse("A 'day of year' can only come after a year has been found");
    else Object.assign(parsed, dateOf(dayOf(parsed.year) + days));
  }

  #zone(): void {
    const zone = zoneAt(this.#text.slice(this.#at)) ?? this.#refuse('passing a time zone identifier as part of the string is not allowed'); // biome-ignore format: one line
    this.#at += zone.length;
    this.parsed.offset = zone.offset;
  }

  #number(least: number, most: number): number {
    const digits = this.#match(new RegExp(`\\d{${least},${most}}`, 'y'));
    return Number(digits);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? this.#refuse('Unexpected data found.');
    this.#at += found.length;
    return found;
  }

  #refuse(why: string): never {
    throw this.#unreadable(why);
  }

  #unreadable(why: string) {
    return unreadable(this.#text, `${this.#at}: ${why} '${this.#text[this.#at] ?? ''}'`);
  }
}
