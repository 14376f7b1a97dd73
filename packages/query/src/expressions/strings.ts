/** Strings: by bytes, or by code points where the name says CP. Upstream: evaluate_string.cpp, str_trim_utils.h. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  readDouble,
  readString,
  readTimestamp,
  readUtf8,
} from '@replsim/protocol';
import { intValue } from '../arithmetic.ts';
import { compareValues } from '../compare.ts';
import { formatValue } from '../format.ts';
import type { Slices } from '../turns/parts.ts';
import { typeName } from '../typeNames.ts';
import { fromJs, jsOf, readInteger, readTruncated } from '../values.ts';
import { codePointBefore, countCodePoints, skipCodePoints } from './codePoints.ts';
import { ArrayBuilder, int32In, isNullish, millis, NULL, numberIn, textOf } from './operands.ts';
import type { Operand, Operator, Operators } from './operator.ts';

const trim = (name: string, left: boolean, right: boolean): Operator => ({
  named: ({ input, ...more }) => {
    if (isNullish(input)) return NULL;
    const text = trimmedText(name, 'input', 50699, input);
    let spare = WHITE_SPACE;
    if ('chars' in more) {
      if (isNullish(more.chars)) return NULL;
      spare = new Set(trimmedText(name, 'chars', 50700, more.chars));
    }
    let [from, to] = [0, text.length];
    for (let end = 0; left && from < to; from = end) {
      end = skipCodePoints(text, 1, from);
      if (!spare.has(text.slice(from, end))) break;
    }
    for (let start = 0; right && from < to; to = start) {
      start = codePointBefore(text, to);
      if (!spare.has(text.slice(start, to))) break;
    }
    return fromJs(text.slice(from, to));
  },
});

/** Words of the value as well as of its type. */
function trimmedText(name: string, what: 'input' | 'chars', code: number, value: BsonValue): string {
  if (value.type === BsonType.string) return readString(value);
  const whose = what === 'input' ? 'its input' : "'chars'";
  const found = `${formatValue(value)} (of type ${typeName(value.type)})`;
  throw new CommandError(code, `${name} requires ${whose} to be a string, got ${found} instead.`);
}

const WHITE_SPACE: ReadonlySet<string> = new Set(
  '\0 \t\n\v\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a',
);

const replace = (name: string, put: (input: string, find: string, replacement: string) => string): Operator => ({
  named: ({ input, find, replacement }) => {
    const given = [
      [input, 51746, 'input'],
      [find, 51745, 'find'],
      [replacement, 51744, 'replacement'],
    ] as const;
    const [a, b, c] = given.map(([value, code, what]) => {
      if (isNullish(value)) return undefined;
      if (value.type === BsonType.string) return readString(value);
      throw new CommandError(code, `${name} requires that '${what}' be a string, found: ${formatValue(value)}`);
    });
    return a === undefined || b === undefined || c === undefined ? NULL : fromJs(put(a, b, c));
  },
});

const substrBytes: Operator = { positional: ([text, start, length]) => substringOfBytes(text, start, length) };

export const stringOperators: Operators = {
  $toUpper: { positional: ([text]) => fromJs(upper(coerced(text))) },
  $toLower: { positional: ([text]) => fromJs(lower(coerced(text))) },
  $strcasecmp: {
    // As strings, for these are ordered by their bytes.
    positional: ([a, b]) => intValue(Math.sign(compareValues(fromJs(upper(coerced(a))), fromJs(upper(coerced(b)))))),
  },
  $substr: substrBytes,
  $substrBytes: substrBytes,
  $substrCP: { positional: ([text, start, length]) => substringOfCodePoints(text, start, length) },
  $strLenBytes: {
    positional: ([text]) => {
      textOf(text, 34473, '$strLenBytes requires a string argument, found: ');
      return intValue(utf8Of(text).length);
    },
  },
  $strLenCP: {
    positional: ([text]) =>
      intValue(countCodePoints(textOf(text, 34471, '$strLenCP requires a string argument, found: '))),
  },
  $split: { positionalInParts: ([text, separator]) => split(text, separator) },
  $indexOfBytes: { positional: indexOfBytes },
  $indexOfCP: { positional: indexOfCodePoints },
  $trim: trim('$trim', true, true),
  $ltrim: trim('$ltrim', true, false),
  $rtrim: trim('$rtrim', false, true),
  $replaceOne: replace('$replaceOne', (input, find, replacement) => {
    const at = input.indexOf(find);
    return at < 0 ? input : input.slice(0, at) + replacement + input.slice(at + find.length);
  }),
  $replaceAll: replace('$replaceAll', (input, find, replacement) =>
    // Nothing is found before each character and at the end.
    (find === '' ? ['', ...input, ''] : input.split(find)).join(replacement),
  ),
};

/** Of ASCII alone, as in the C locale. */
function upper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : text.replace(/[a-z]+/g, (part) => part.toUpperCase());
}

function lower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (part) => part.toLowerCase());
}

/** Then JavaScript changes it as a whole, which is much faster for a long one. */
function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Errors: Location16007 for what has no text, Location18537 for a date outside of the years 0 to 9999. Upstream: value.cpp, coerceToString. */
function coerced(value: Operand): string {
  if (isNullish(value)) return '';
  switch (value.type) {
    case BsonType.string:
    case BsonType.symbol:
    case BsonType.javascript:
      return readString(value);
    case BsonType.int:
    case BsonType.long:
      return String(readInteger(value));
    case BsonType.double:
      return textOfDouble(readDouble(value.bytes, value.offset));
    case BsonType.decimal:
      return String(jsOf(value));
    case BsonType.date:
      return isoDate(Number(millis(value)));
    case BsonType.timestamp:
      return textOfTimestamp(value);
    default:
      throw new CommandError(16007, `can't convert from BSON type ${typeName(value.type)} to String`);
  }
}

/** As printf has it with %.16g. */
function textOfDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
  const [mantissa = '', power = ''] = value.toExponential(15).split('e');
  const exponent = Number(power);
  const short = (digits: string) => digits.replace(/\.?0+$/, '');
  if (Object.is(value, -0)) return '-0';
  if (value === 0) return '0';
  if (exponent >= -4 && exponent < 16) {
    const digits = value.toPrecision(16);
    return digits.includes('.') ? short(digits) : digits;
  }
  return `${short(mantissa)}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function isoDate(ms: number): string {
  const year = Math.abs(ms) <= 8.64e15 ? new Date(ms).getUTCFullYear() : -1;
  if (year >= 0 && year <= 9999) return new Date(ms).toISOString();
  throw new CommandError(18537, 'failed while coercing date to string: only years 0 to 9999 can be');
}

/** `Jan  2 03:04:05:1`, in UTC. Upstream: timestamp.cpp, toStringPretty. */
function textOfTimestamp(value: BsonValue): string {
  const { t, i } = readTimestamp(value);
  const [, day = '', month = '', , time = ''] = new Date(t * 1000).toUTCString().split(' ');
  return `${month} ${String(Number(day)).padStart(2)} ${time}:${i}`;
}

function utf8Of(value: Operand): Uint8Array {
  const { bytes, offset, size } = value?.type === BsonType.string ? value : fromJs(coerced(value));
  return bytes.subarray(offset + 4, offset + size - 1);
}

function substringOfBytes(value: Operand, start: Operand, length: Operand): BsonValue {
  const text = utf8Of(value);
  const what = (name: string) => `the ${name} of $substrBytes`;
  const from = toLong(numberIn(start, 16034, what('starting index')));
  const count = toLong(numberIn(length, 16035, what('length')));
  if (from < 0) throw new CommandError(50752, `${what('starting index')} must be 0 or more, not ${from}`);
  const to = count < 0 ? text.length : from + count;
  const isInside = (at: number) => at < text.length && ((text[at] ?? 0) & 0xc0) === 0x80;
  if (isInside(from)) throw new CommandError(28656, `${what('starting index')} is in the middle of a UTF-8 character`);
  if (isInside(to)) throw new CommandError(28657, `${what('ending index')} is in the middle of a UTF-8 character`);
  return fromJs(from >= text.length ? '' : readUtf8(text, from, Math.min(to, text.length)));
}

/** A number with its fraction cut off; NaN is 0. */
function toLong(value: BsonValue): number {
  if (value.type === BsonType.double) return Math.trunc(readDouble(value.bytes, value.offset)) || 0;
  return Number(readTruncated(value) ?? 0);
}

function substringOfCodePoints(value: Operand, start: Operand, length: Operand): BsonValue {
  const text = coerced(value);
  const [first, second] = ['the starting index of $substrCP', 'the length of $substrCP'];
  const from = int32In(numberIn(start, 34450, first), 34451, first);
  const count = int32In(numberIn(length, 34452, second), 34453, second);
  if (count < 0) throw new CommandError(34454, `${second} must be 0 or more, not ${count}`);
  if (from < 0) throw new CommandError(34455, `${first} must be 0 or more, not ${from}`);
  const begin = skipCodePoints(text, from);
  return fromJs(text.slice(begin, skipCodePoints(text, count, begin)));
}

function* split(value: Operand, separator: Operand): Slices<BsonValue> {
  if (isNullish(value) || isNullish(separator)) return NULL;
  const text = textOf(
    value,
    40085,
    '$split requires an expression that evaluates to a string as a first argument, found: ',
  );
  const by = textOf(
    separator,
    40086,
    '$split requires an expression that evaluates to a string as a second argument, found: ',
  );
  if (by === '') throw new CommandError(40087, '$split requires a separator that is not empty');
  const pieces = new ArrayBuilder();
  let from = 0;
  for (let to = text.indexOf(by); to >= 0; to = text.indexOf(by, from)) {
    pieces.push(fromJs(text.slice(from, to)));
    from = to + by.length;
    yield 1;
  }
  pieces.push(fromJs(text.slice(from)));
  return pieces.finish();
}

function indexOfBytes([value, token, ...bounds]: readonly Operand[]): BsonValue {
  if (isNullish(value)) return NULL;
  textOf(value, 40091, '$indexOfBytes requires a string as the first argument, found: ');
  textOf(token, 40092, '$indexOfBytes requires a string as the second argument, found: ');
  const [text, wanted] = [utf8Of(value), utf8Of(token)];
  const [start, end] = boundsOf('$indexOfBytes', bounds, text.length);
  for (let at = start; at + wanted.length <= end; at++) {
    if (wanted.every((byte, i) => byte === text[at + i])) return intValue(at);
  }
  return intValue(-1);
}

function indexOfCodePoints([value, token, ...bounds]: readonly Operand[]): BsonValue {
  if (isNullish(value)) return NULL;
  const text = textOf(value, 40093, '$indexOfCP requires a string as the first argument, found: ');
  const wanted = textOf(token, 40094, '$indexOfCP requires a string as the second argument, found: ');
  const [start, end] = boundsOf('$indexOfCP', bounds, countCodePoints(text));
  if (text === '' && wanted === '') return intValue(start > end ? -1 : 0);
  if (start >= end) return intValue(-1);
  // What is found begins before the end, and may go beyond it.
  const begin = skipCodePoints(text, start);
  const found = indexOfWhole(text, wanted, begin);
  const at = found < 0 ? -1 : start + countCodePoints(text, begin, found);
  return intValue(at < end ? at : -1);
}

/** Not in the middle of a code point. */
function indexOfWhole(text: string, wanted: string, from: number): number {
  for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isInside = at > 0 && codePointBefore(text, at + 1) < at;
    if (!isInside) return at;
  }
  return -1;
}

/** Where to begin, and before what to end. Errors: Location40096 and 40097. */
export function boundsOf(name: string, bounds: readonly Operand[], length: number): [start: number, end: number] {
  const [start = 0, end = length] = bounds.map((bound, i) => {
    const what = `the ${i === 0 ? 'starting' : 'ending'} index of ${name}`;
    const index = int32In(bound, 40096, what);
    if (index < 0) throw new CommandError(40097, `${what} must be 0 or more, not ${index}`);
    return index;
  });
  return [start, Math.min(end, length)];
}
