/** `[…]`. Upstream: pcre2_compile.c, parse_regex. */
import { type CharacterSet, complementOf, POSIX_CLASSES, type Range } from './characterSet.ts';
import { readEscape } from './escapes.ts';
import { PatternError } from './patternError.ts';
import type { PatternReader } from './patternReader.ts';

/** What holds for a class. */
export interface ClassOptions {
  readonly ignoreCase: boolean;
  /** `(?xx)`: blanks in it mean nothing. */
  readonly skipsBlanks: boolean;
}

/** Reads the class whose bracket was passed over. Throws PatternError. */
export function readClass(reader: PatternReader, { ignoreCase, skipsBlanks }: ClassOptions): CharacterSet {
  if (posixAt(reader)) throw new PatternError('names of POSIX stand inside of a class');
  const negate = reader.take('^');
  const ranges: Range[] = [];
  const exact: Range[] = [];
  let isFirst = true;
  let isQuoted = false;
  for (;;) {
    if (isQuoted && reader.take('\\E')) isQuoted = false;
    else if (!isQuoted && reader.take('\\Q')) isQuoted = true;
    else if (!isQuoted && reader.take('\\E')) continue;
    else if (!isQuoted && skipsBlanks && /[ \t]/.test(reader.peek())) reader.next();
    else if (!isQuoted && !isFirst && reader.take(']')) return { ranges, exact, negate, ignoreCase };
    else {
      isFirst = false;
      const item = readItem(reader, isQuoted, ignoreCase);
      if (isQuoted && reader.take('\\E')) isQuoted = false;
      while (!isQuoted && reader.take('\\E'));
      if (isRangeAhead(reader, isQuoted, skipsBlanks))
        ranges.push(readRange(reader, item, { ignoreCase, skipsBlanks }));
      else if (typeof item === 'number') ranges.push([item, item]);
      else exact.push(...item.ranges);
    }
  }
}

type Item = number | { readonly ranges: readonly Range[] };

function readItem(reader: PatternReader, isQuoted: boolean, ignoreCase: boolean): Item {
  const posix = isQuoted ? undefined : posixOf(reader, ignoreCase);
  if (posix) return posix;
  const character = reader.next();
  if (character !== '\\' || isQuoted) return character.codePointAt(0)!;
  const escaped = readEscape(reader, undefined);
  if (escaped.kind === 'character') return escaped.codePoint;
  if (escaped.kind === 'class') return escaped;
  if (escaped.kind === 'letter' && escaped.letter === 'b') return 8;
  throw new PatternError('an escape that has no meaning in a class');
}

/** A hyphen that something follows. */
function isRangeAhead(reader: PatternReader, isQuoted: boolean, skipsBlanks: boolean): boolean {
  if (isQuoted || reader.peek() !== '-') return false;
  let ahead = 1;
  for (;;) {
    if (skipsBlanks && /^[ \t]$/.test(reader.peek(ahead))) ahead += 1;
    else if (reader.peek(ahead) === '\\' && reader.peek(ahead + 1) === 'E') ahead += 2;
    else return reader.peek(ahead) !== ']' && reader.peek(ahead) !== '';
  }
}

function readRange(reader: PatternReader, from: Item, { ignoreCase, skipsBlanks }: ClassOptions): Range {
  reader.next();
  if (skipsBlanks) reader.takeWhile(/[ \t]/);
  while (reader.take('\\E'));
  const to = readItem(reader, reader.take('\\Q'), ignoreCase);
  if (typeof from !== 'number' || typeof to !== 'number') throw new PatternError('a range from or to a class');
  if (from > to) throw new PatternError('a range out of order');
  return [from, to];
}

/** `:alpha:` in brackets, if it stands here. Upstream: check_posix_syntax. */
function posixAt(reader: PatternReader, ahead = 0): string | undefined {
  const kind = reader.peek(ahead);
  if (!/^[:.=]$/.test(kind)) return undefined;
  let text = '';
  for (let i = ahead + 1; ; i++) {
    const character = reader.peek(i);
    if (character === kind && reader.peek(i + 1) === ']') return `${kind}${text}${kind}`;
    if (character === '' || character === ']' || character === '\\') return undefined;
    if (character === '[' && /^[:.=]$/.test(reader.peek(i + 1))) return undefined;
    text += character;
  }
}

function posixOf(reader: PatternReader, ignoreCase: boolean): Item | undefined {
  const text = reader.peek() === '[' ? posixAt(reader, 1) : undefined;
  if (text === undefined) return undefined;
  reader.at += [...text].length + 2;
  const [, negation, name] = /^:(\^?)([a-z]+):$/.exec(text) ?? [];
  const meant = ignoreCase && (name === 'upper' || name === 'lower') ? 'alpha' : (name ?? '');
  const ranges = Object.hasOwn(POSIX_CLASSES, meant) ? POSIX_CLASSES[meant] : undefined;
  if (!ranges) throw new PatternError(`nothing is known as [${text}]`);
  return { ranges: negation ? complementOf(ranges) : ranges };
}
