import { countUpTo } from '../../core/history/search.ts';
import type { Range } from './range.ts';

/** A stretch of time, and what it looks like. */
export interface Stretched {
  readonly fromMicros: number;
  /** Undefined: it goes on. */
  readonly toMicros: number | undefined;
  readonly look: string;
  readonly text: string;
}

/** Pixels of one look beside each other. Unit: px, from the left of the lane. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly look: string;
  readonly text: string;
}

/**
 * Stretches as they are drawn: never more than there are pixels, whatever their number. Where several share a pixel, the one is seen that
 * comes first in `ranking`.
 * @param stretches by when they begin, which is also the order in which they end
 * @param ranking looks, the most important one first
 */
export function bandsOf(
  stretches: readonly Stretched[],
  { fromMicros, toMicros }: Range,
  width: number,
  ranking: readonly string[],
): readonly Band[] {
  const pixels: (Stretched | undefined)[] = new Array(width).fill(undefined);
  const scale = width / (toMicros - fromMicros || 1);
  const ranks = new Map(ranking.map((look, i) => [look, i]));
  const rank = (each: Stretched | undefined) =>
    each === undefined ? Number.POSITIVE_INFINITY : (ranks.get(each.look) ?? ranking.length);
  const first = countUpTo(stretches, (each) => each.toMicros ?? Number.POSITIVE_INFINITY, fromMicros - 1);
  for (let i = first; i < stretches.length; i++) {
    const each = stretches[i]!;
    if (each.fromMicros > toMicros) break;
    const ends = each.toMicros ?? toMicros;
    if (ends < fromMicros) continue;
    const start = Math.max(Math.floor((each.fromMicros - fromMicros) * scale), 0);
    const end = Math.min(Math.max(Math.ceil((ends - fromMicros) * scale), start + 1), width);
    for (let x = start; x < end; x++) if (rank(each) < rank(pixels[x])) pixels[x] = each;
  }
  return bandsFrom(pixels);
}

function bandsFrom(pixels: readonly (Stretched | undefined)[]): readonly Band[] {
  const bands: Band[] = [];
  for (let x = 0; x < pixels.length; ) {
    const one = pixels[x];
    let to = x + 1;
    let isOne = true;
    while (to < pixels.length && pixels[to]?.look === one?.look) {
      isOne &&= pixels[to] === one;
      to++;
    }
    if (one) bands.push({ from: x, to, look: one.look, text: isOne ? one.text : `${one.text}, and others` });
    x = to;
  }
  return bands;
}
