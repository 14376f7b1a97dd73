import type { Places, Point, Tile } from './places.ts';

/** Half of what is drawn around a point. Unit: px. */
export interface Half {
  readonly width: number;
  readonly height: number;
}

/** A stretch of a way between two discs: where it begins and ends, and which way it goes. */
export interface ClearWay {
  readonly from: Point;
  readonly to: Point;
  /** Of what is clear; 0 if that is next to nothing, and this is the whole way. Unit: px. */
  readonly length: number;
}

/** Half of what is written below a disc. Unit: px. */
export const WRITTEN = 70;
/** So far below a disc what is written begins. Unit: px. */
export const WRITTEN_FROM = 16;
/** So far from the middle of a disc, beyond its radius, what is drawn around it ends. Unit: px. */
const RINGS = 12;
/** What is left of a way must be so long to be worth more than the whole way, part of it beneath labels. Unit: px. */
const WORTH = 10;
/** A way is looked at in so many places. */
const STEPS = 48;

const known = new WeakMap<Places, Map<string, ClearWay | undefined>>();

/**
 * The longest stretch of the way from one member to another on which something of a size covers neither discs nor labels. It does not depend on
 * the instant, so that nothing jumps. If next to nothing is clear, it is the whole way.
 * @param aside how far it keeps to the right of the line between the two. Unit: px
 */
export function clearWay(places: Places, one: string, other: string, half: Half, aside: number): ClearWay | undefined {
  const ways = known.get(places) ?? new Map<string, ClearWay | undefined>();
  known.set(places, ways);
  const key = `${one} ${other} ${half.width} ${half.height} ${aside}`;
  if (!ways.has(key)) ways.set(key, found(places, one, other, half, aside));
  return ways.get(key);
}

function found(places: Places, one: string, other: string, half: Half, aside: number): ClearWay | undefined {
  const [from, to] = [places.of.get(one), places.of.get(other)];
  if (!from || !to) return undefined;
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const margin = Math.min(places.tile.radius + 8, length / 2);
  const at = (step: number): Point => {
    const along = margin + ((length - 2 * margin) * step) / STEPS;
    return { x: from.x + (dx * along - dy * aside) / length, y: from.y + (dy * along + dx * aside) / length };
  };
  const discs = [...places.of.values()];
  let best: readonly [number, number] = [0, -1];
  let begin = 0;
  for (let step = 0; step <= STEPS; step++) {
    if (discs.some((disc) => isCovered(at(step), half, disc, places.tile))) begin = step + 1;
    else if (step - begin > best[1] - best[0]) best = [begin, step];
  }
  const clear = ((length - 2 * margin) * (best[1] - best[0])) / STEPS;
  return clear < WORTH
    ? { from: at(0), to: at(STEPS), length: 0 }
    : { from: at(best[0]), to: at(best[1]), length: clear };
}

/** Whether something around a point covers a part of a member: its disc with the rings, or what is written below. */
export function isCovered({ x, y }: Point, half: Half, disc: Point, tile: Tile): boolean {
  const [dx, dy] = [Math.abs(x - disc.x), y - disc.y];
  const rings = tile.radius + (tile.scale === 'chip' ? 4 : RINGS);
  if (Math.hypot(Math.max(0, dx - half.width), Math.max(0, Math.abs(dy) - half.height)) < rings) return true;
  const written = Math.min(WRITTEN, tile.width / 2);
  return dx < half.width + written && dy + half.height > tile.radius + WRITTEN_FROM && dy - half.height < tile.below;
}
