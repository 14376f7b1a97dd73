/** What follows a backslash. Upstream: pcre2_compile.c, check_escape. */
import { complementOf, LETTER_CLASSES, MAX_CODE_POINT, propertyRanges, type Range } from './characterSet.ts';
import { PatternError } from './patternError.ts';
import type { PatternReader } from './patternReader.ts';

export type Escape =
  | { readonly kind: 'character'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly ranges: readonly Range[] }
  | { readonly kind: 'number'; readonly group: number }
  | { readonly kind: 'name'; readonly name: string }
  /** Another letter that means something, such as `b`. */
  | { readonly kind: 'letter'; readonly letter: string };

const CONTROLS: Readonly<Record<string, number>> = { a: 7, e: 0x1b, f: 12, n: 10, r: 13, t: 9 };
const LETTERS = 'AbBGKNQERXZz';
const HEX = /[0-9a-fA-F]/;

/**
 * Reads what follows the backslash.
 * @param groups how many groups were opened before; by it a number is a group's or an octal one. Undefined in a class, where none is.
 * Throws PatternError for what PCRE refuses, and for `\C`, `\X` and calls of groups, which are not supported.
 */
export function readEscape(reader: PatternReader, groups: number | undefined): Escape {
  const letter = reader.next();
  if (letter in CONTROLS) return { kind: 'character', codePoint: CONTROLS[letter]! };
  if (/[0-9]/.test(letter)) return readDigits(reader, letter, groups);
  const small = letter.toLowerCase();
  if (/[A-Za-z]/.test(letter) && small in LETTER_CLASSES) {
    const ranges = LETTER_CLASSES[small]!;
    return { kind: 'class', ranges: letter === small ? ranges : complementOf(ranges) };
  }
  switch (letter) {
    case 'c':
      return { kind: 'character', codePoint: controlOf(reader.next()) };
    case 'g':
      return readReference(reader);
    case 'k':
      return { kind: 'name', name: readName(reader) };
    case 'o':
      if (!reader.take('{')) throw new PatternError('\\o is not followed by {');
      return { kind: 'character', codePoint: numberOf(reader.until('}'), /^[0-7]+$/, 8) };
    case 'p':
    case 'P':
      return readProperty(reader, letter === 'P');
    case 'x':
      return { kind: 'character', codePoint: readHex(reader) };
    case 'N':
      if (!reader.take('{U+')) break;
      return { kind: 'character', codePoint: numberOf(reader.until('}'), /^[0-9a-fA-F]+$/, 16) };
    default:
  }
  if (LETTERS.includes(letter)) return { kind: 'letter', letter };
  if (/[A-Za-z]/.test(letter)) throw new PatternError(`nothing is known as \\${letter}`);
  return { kind: 'character', codePoint: letter.codePointAt(0)! };
}

/** A group's number, or octal digits. */
function readDigits(reader: PatternReader, first: string, groups: number | undefined): Escape {
  if (first !== '0' && groups !== undefined) {
    const start = reader.at;
    const group = Number(first + reader.takeWhile(/[0-9]/));
    if (group > 65_535 && group <= groups) throw new PatternError('too large a number');
    if (group < 10 || first >= '8' || group <= groups) return { kind: 'number', group };
    reader.at = start;
  }
  if (first >= '8') return { kind: 'character', codePoint: first.codePointAt(0)! };
  return { kind: 'character', codePoint: Number.parseInt(first + reader.takeWhile(/[0-7]/, 2), 8) };
}

function controlOf(character: string): number {
  if (!/^[ -~]$/.test(character)) throw new PatternError('\\c is not followed by a printable ASCII character');
  return character.toUpperCase().codePointAt(0)! ^ 0x40;
}

function readHex(reader: PatternReader): number {
  if (reader.take('{')) return numberOf(reader.until('}'), /^[0-9a-fA-F]+$/, 16);
  return Number.parseInt(reader.takeWhile(HEX, 2) || '0', 16);
}

function numberOf(digits: string, form: RegExp, base: number): number {
  const codePoint = form.test(digits) ? Number.parseInt(digits, base) : Number.NaN;
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (!(codePoint <= MAX_CODE_POINT) || isSurrogate) throw new PatternError(`'${digits}' is no code point`);
  return codePoint;
}

/** `\g1`, `\g{-1}`, `\g{name}`. */
function readReference(reader: PatternReader): Escape {
  if (/[<']/.test(reader.peek())) throw new PatternError('calls of groups are not supported');
  const isBraced = reader.take('{');
  const text = isBraced ? reader.until('}') : reader.takeWhile(/[+-]/, 1) + reader.takeWhile(/[0-9]/);
  if (/^[+-]?\d+$/.test(text)) return { kind: 'letter', letter: `g${text}` };
  if (!isBraced) throw new PatternError('\\g is not followed by a group');
  return { kind: 'name', name: checkedName(text) };
}

/** A name in brackets of any kind, as it follows `\k`. */
function readName(reader: PatternReader): string {
  const open = reader.next();
  const close = { '<': '>', "'": "'", '{': '}' }[open];
  if (!close) throw new PatternError('\\k is not followed by a name');
  return checkedName(reader.until(close));
}

/** Upstream: pcre2_compile.c, read_name. */
export function checkedName(name: string): string {
  if (!/^[\p{L}_][\p{L}\p{Nd}_]{0,31}$/u.test(name)) throw new PatternError(`'${name}' is no name of a group`);
  return name;
}

function readProperty(reader: PatternReader, isNegated: boolean): Escape {
  const first = reader.next();
  const text = first === '{' ? reader.until('}') : first;
  const negate = text.startsWith('^') ? !isNegated : isNegated;
  const ranges = propertyRanges(text.replace(/^\^/, ''));
  return { kind: 'class', ranges: negate ? complementOf(ranges) : ranges };
}
