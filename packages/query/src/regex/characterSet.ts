/** Sets of code points. Without PCRE2_UCP, which mongod does not set, `\d`, `\s`, `\w` and the names of POSIX know ASCII alone. */
import { PatternError } from './patternError.ts';

export type Range = readonly [from: number, to: number];

/** What one character may be. */
export interface CharacterSet {
  /** Characters that also mean those which differ in case, if it is to be ignored. */
  readonly ranges: readonly Range[];
  /** Those of classes such as `\d` and of properties, which mean themselves always. */
  readonly exact: readonly Range[];
  readonly negate: boolean;
  readonly ignoreCase: boolean;
}

export const MAX_CODE_POINT = 0x10ffff;

const DIGITS: Range[] = [[0x30, 0x39]];
const UPPER: Range[] = [[0x41, 0x5a]];
const LOWER: Range[] = [[0x61, 0x7a]];
const ALPHA = [...UPPER, ...LOWER];
const ALNUM = [...DIGITS, ...ALPHA];
const WORD: Range[] = [...ALNUM, [0x5f, 0x5f]];
const SPACE: Range[] = [[9, 13], [32, 32]]; // biome-ignore format: one line
const HORIZONTAL: Range[] = [[9, 9], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x180e, 0x180e], [0x2000, 0x200a],
  [0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000]]; // biome-ignore format: a list
const VERTICAL: Range[] = [[10, 13], [0x85, 0x85], [0x2028, 0x2029]]; // biome-ignore format: one line

/** The classes that one letter names, the small ones; the large ones mean all others. Upstream: pcre2pattern, "Generic character types". */
export const LETTER_CLASSES: Readonly<Record<string, readonly Range[]>> = {
  d: DIGITS,
  h: HORIZONTAL,
  s: SPACE,
  v: VERTICAL,
  w: WORD,
};

/** Upstream: pcre2pattern, "POSIX character classes". */
export const POSIX_CLASSES: Readonly<Record<string, readonly Range[]>> = {
  alnum: ALNUM,
  alpha: ALPHA,
  ascii: [[0, 127]],
  blank: [[9, 9], [32, 32]], // biome-ignore format: one line
  cntrl: [[0, 31], [127, 127]], // biome-ignore format: one line
  digit: DIGITS,
  graph: [[33, 126]],
  lower: LOWER,
  print: [[32, 126]],
  punct: [[33, 47], [58, 64], [91, 96], [123, 126]], // biome-ignore format: one line
  space: SPACE,
  upper: UPPER,
  word: WORD,
  xdigit: [...DIGITS, [0x41, 0x46], [0x61, 0x66]],
};

/** All other code points. */
export function complementOf(ranges: readonly Range[]): Range[] {
  const others: Range[] = [];
  let next = 0;
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > next) others.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= MAX_CODE_POINT) others.push([next, MAX_CODE_POINT]);
  return others;
}

const properties = new Map<string, readonly Range[]>();

/** What PCRE calls otherwise than JavaScript. */
const OWN_PROPERTIES: Readonly<Record<string, string>> = {
  any: '[^]',
  'l&': '[\\p{Lu}\\p{Ll}\\p{Lt}]',
  xan: '[\\p{L}\\p{N}]',
  xwd: '[\\p{L}\\p{N}_]',
  xsp: '[\\p{Z}\\t-\\r]',
  xps: '[\\p{Z}\\t-\\r]',
};

/** What has a Unicode property. Throws PatternError if nobody knows it. */
export function propertyRanges(name: string): readonly Range[] {
  const test = OWN_PROPERTIES[name.toLowerCase()] ?? propertyClass(name);
  const ranges = properties.get(test) ?? rangesOf(new RegExp(`${test}+`, 'gu'));
  properties.set(test, ranges);
  return ranges;
}

const PLANE = 0x10000;
const planes: string[] = [];

/** All code points of a plane but for surrogates, so that the engine looks through them at once. */
function planeText(plane: number): string {
  const codePoints = Array.from({ length: PLANE }, (_, i) => plane * PLANE + i);
  const isCharacter = (codePoint: number) => codePoint < 0xd800 || codePoint > 0xdfff;
  planes[plane] ??= codePoints
    .filter(isCharacter)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .join('');
  return planes[plane];
}

/** The runs of code points that a pattern finds. */
function rangesOf(runs: RegExp): Range[] {
  const ranges: Range[] = [];
  for (let plane = 0; plane * PLANE <= MAX_CODE_POINT; plane++) {
    for (const [run] of planeText(plane).matchAll(runs)) {
      const from = run.codePointAt(0)!;
      const to = run.codePointAt(run.length - (plane > 0 ? 2 : 1))!;
      ranges.push([from, to]);
    }
  }
  return ranges;
}

/** A category, or a script with what is used by it as well: both by their names, as PCRE spells them. */
function propertyClass(name: string): string {
  const plain = name.replace(/[\s_-]/g, '').toLowerCase();
  const category = `${plain.slice(0, 1).toUpperCase()}${plain.slice(1)}`;
  const words = name.split(/[\s_-]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase());
  const candidates = plain.length <= 2 ? [`gc=${category}`] : [`scx=${words.join('_')}`];
  for (const candidate of candidates) {
    try {
      new RegExp(`\\p{${candidate}}`, 'u');
      return `\\p{${candidate}}`;
    } catch {
      // Another name, or none.
    }
  }
  throw new PatternError(`unknown property ${name}`);
}

const ASCII = 128;

type CodePointTest = (codePoint: number) => boolean;

const tests = new WeakMap<CharacterSet, CodePointTest>();

/** The set as a test, made once. */
export function testOf(set: CharacterSet): CodePointTest {
  const test = tests.get(set) ?? compileTest(set);
  tests.set(set, test);
  return test;
}

/** A single character is never a search, so that JavaScript's engine may judge it. */
function compileTest({ ranges, exact, negate, ignoreCase }: CharacterSet): CodePointTest {
  const within = (codePoint: number, of: readonly Range[]) =>
    of.some(([from, to]) => from <= codePoint && codePoint <= to);
  const folded = ignoreCase && ranges.length > 0 ? new RegExp(`^[${classText(ranges)}]$`, 'iu') : undefined;
  const has = (codePoint: number) =>
    (folded ? folded.test(String.fromCodePoint(codePoint)) : within(codePoint, ranges)) || within(codePoint, exact);
  const small = Array.from({ length: ASCII }, (_, codePoint) => has(codePoint) !== negate);
  return (codePoint) => (codePoint < ASCII ? small[codePoint]! : has(codePoint) !== negate);
}

/** The inside of a class of JavaScript. */
function classText(ranges: readonly Range[]): string {
  return ranges.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('');
}
