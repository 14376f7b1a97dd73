import type { ReactNode } from 'react';
import { Apart } from './Apart.tsx';
import { isCovered } from './clear.ts';
import type { Places, Point } from './places.ts';
import { tenths } from './Rings.tsx';

interface Props {
  readonly places: Places;
  readonly sides: readonly (readonly string[])[];
}

/**
 * Walls of brick between neighbours of the ring who stand on different sides: one straight through between two sides, else from the middle
 * outward. They pass behind members unseen.
 */
export function Walls({ places, sides }: Props): ReactNode {
  if (sides.length < 2) return null;
  if (places.around.length === 0) return <Apart places={places} sides={sides} />;
  const { around, of, middle, width, height } = places;
  const sideOf = new Map(sides.flatMap((side, i) => side.map((name) => [name, i] as const)));
  const gaps = around.flatMap((name, i) => {
    const next = around[(i + 1) % around.length]!;
    return sideOf.get(name) === sideOf.get(next) ? [] : [middleOf(of.get(name)!, of.get(next)!)];
  });
  const [one, other] = gaps;
  if (one && other && gaps.length === 2 && Math.hypot(one.x - other.x, one.y - other.y) > 1)
    return <Bricks d={through(places, one, other)} />;
  return around.map((name, i) => {
    const next = around[(i + 1) % around.length]!;
    if (sideOf.get(name) === sideOf.get(next)) return null;
    const [one, other] = [of.get(name)!, of.get(next)!];
    const [x, y] = [(one.x + other.x) / 2 - middle.x, (one.y + other.y) / 2 - middle.y];
    // Between two who stand opposite, a wall has no direction but across their way.
    const across = Math.hypot(x, y) > 1 ? { x, y } : { x: one.y - other.y, y: other.x - one.x };
    const length = Math.hypot(across.x, across.y) || 1;
    const far = 0.32 * Math.hypot(width, height);
    const d = clearOf(places, middle, { x: (across.x / length) * far, y: (across.y / length) * far });
    return <Bricks key={name} d={d} />;
  });
}

function Bricks({ d }: { readonly d: string }): ReactNode {
  return (
    <g>
      <path className="wall" d={d} />
      <path className="mortar" d={d} />
      <path className="seam" d={d} />
    </g>
  );
}

function middleOf(one: Point, other: Point): Point {
  return { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
}

/** Between two sides one straight wall, through both gaps and on to the edge of the picture: two that meet would read as a roof. */
function through(places: Places, one: Point, other: Point): string {
  const { width, height } = places;
  const by = { x: other.x - one.x, y: other.y - one.y };
  const shareTo = (at: number, step: number, edge: number) => (step === 0 ? 0 : (edge - at) / step);
  const shares = [shareTo(one.x, by.x, EDGE), shareTo(one.x, by.x, width - EDGE)];
  const down = [shareTo(one.y, by.y, EDGE), shareTo(one.y, by.y, height - EDGE)];
  const [from, to] = [shares, down]
    .filter(([a, b]) => a !== b)
    .map(([a = 0, b = 0]) => [Math.min(a, b), Math.max(a, b)] as const)
    .reduce(([a, b], [c, d]) => [Math.max(a, c), Math.min(b, d)]);
  const at = (share: number): Point => ({ x: one.x + by.x * share, y: one.y + by.y * share });
  const begin = at(from);
  return clearOf(places, begin, { x: by.x * (to - from), y: by.y * (to - from) });
}

/** A wall ends so far from the picture's edge. Unit: px. */
const EDGE = 10;

/** A wall is looked at in so many places. */
const STEPS = 40;
/** Half its width, and some air. */
const HALF = { width: 8, height: 8 };

/** The parts of a line on which a wall covers no member. */
function clearOf({ of, tile }: Places, from: Point, by: Point): string {
  const discs = [...of.values()];
  const at = (step: number) => ({ x: from.x + (by.x * step) / STEPS, y: from.y + (by.y * step) / STEPS });
  const isClear = Array.from(
    { length: STEPS + 1 },
    (_, i) => !discs.some((disc) => isCovered(at(i), HALF, disc, tile)),
  );
  return isClear
    .flatMap((clear, i) => {
      const isEdge = i === 0 || i === STEPS || !isClear[i - 1] || !isClear[i + 1];
      if (!clear || !isEdge) return [];
      return `${i > 0 && isClear[i - 1] ? 'L' : 'M'}${tenths(at(i).x)} ${tenths(at(i).y)}`;
    })
    .join('');
}
