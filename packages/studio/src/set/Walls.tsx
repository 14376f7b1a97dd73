import type { ReactNode } from 'react';
import { Apart } from './Apart.tsx';
import { isCovered } from './clear.ts';
import type { Places, Point } from './places.ts';
import { tenths } from './Rings.tsx';

interface Props {
  readonly places: Places;
  readonly sides: readonly (readonly string[])[];
}

/** Walls of brick from the middle outward, between neighbours of the ring who stand on different sides; they pass behind members unseen. */
export function Walls({ places, sides }: Props): ReactNode {
  if (sides.length < 2) return null;
  if (places.around.length === 0) return <Apart places={places} sides={sides} />;
  const { around, of, middle, width, height } = places;
  const sideOf = new Map(sides.flatMap((side, i) => side.map((name) => [name, i] as const)));
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
    return (
      <g key={name}>
        <path className="wall" d={d} />
        <path className="mortar" d={d} />
        <path className="seam" d={d} />
      </g>
    );
  });
}

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
