import { formatInstant } from '@replsim/kernel';
import type { Caption } from '../tempo/film.ts';
import type { Scale } from './places.ts';

/** A letter of the caption, and of the legend, is so wide at most, on average: a file is shown in whatever face there is. Unit: px. */
const LETTER = 8.2;
const SMALL_LETTER = 6;

/** The caption has room for so many lines, used or not: a video's pictures are all as high. */
export const CAPTION_LINES = 2;

/** What happened so long ago is still what is seen to happen. Unit: µs. */
const NEWS_MICROS = 50_000;

/** The instant, and what happened last in it or before it. */
export function captionLines(caption: Caption | undefined, atMicros: number, width: number): readonly string[] {
  const now = `At ${formatInstant(atMicros)}`;
  if (!caption) return [now];
  const isNews = atMicros - caption.atMicros < NEWS_MICROS;
  const text = isNews
    ? `${now}: ${caption.text}`
    : `${now}. Last, at ${formatInstant(caption.atMicros)}: ${caption.text}`;
  const lines = wrapped(text.split(' '), (word) => (word.length + 1) * LETTER, width).map((words) => words.join(' '));
  if (lines.length <= CAPTION_LINES) return lines;
  return [...lines.slice(0, CAPTION_LINES - 1), `${lines[CAPTION_LINES - 1]!.replace(/[\s,;:.]*\S*$/, '')} …`];
}

/** What each sign means, and how wide it is; its picture is in `FileFoot`. Unit: px. */
export const MEANINGS = {
  operations: ['insert, update, delete; −5: five in one entry', 46],
  terms: ['colour: the term', 30],
  majority: ['a majority has all before it', 8],
  candidacy: ['ring: next candidacy', 18],
  apart: ['broken ring: cut off from the others', 18],
  rings: ['outer ring: next TTL pass, pale if it deletes nothing; inner ring: next candidacy', 18],
  dry: ['dashed: a dry run', 24],
} as const;

export type Sign = keyof typeof MEANINGS;

/** How wide a sign is with what it means. Unit: px. */
export function meaningWidth(sign: Sign): number {
  const [text, width] = MEANINGS[sign];
  return width + 6 + text.length * SMALL_LETTER + 16;
}

/** What can be seen of members that are drawn so. */
const SEEN: Readonly<Record<Scale, readonly Sign[]>> = {
  portrait: ['operations', 'terms', 'majority', 'rings', 'dry'],
  small: ['rings', 'dry'],
  chip: ['candidacy', 'apart', 'dry'],
};

/** The legend in lines, each as long as has room. */
export function legendLines(width: number, scale: Scale): readonly (readonly Sign[])[] {
  return wrapped(SEEN[scale], meaningWidth, width);
}

function wrapped<T>(items: readonly T[], widthOf: (item: T) => number, width: number): readonly (readonly T[])[] {
  const lines: T[][] = [[]];
  let used = 0;
  for (const item of items) {
    if (used > 0 && used + widthOf(item) > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)!.push(item);
    used += widthOf(item);
  }
  return lines;
}
