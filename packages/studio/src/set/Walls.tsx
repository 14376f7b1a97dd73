import type { ReactNode } from 'react';
import type { Places } from './places.ts';
import { tenths } from './Rings.tsx';

interface Props {
  readonly places: Places;
  readonly sides: readonly (readonly string[])[];
}

/** Walls of brick from the middle outward, between neighbours of the ring who stand on different sides. */
export function Walls({ places, sides }: Props): ReactNode {
  if (sides.length < 2) return null;
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
    const d = `M${tenths(middle.x)} ${tenths(middle.y)}l${tenths((across.x / length) * far)} ${tenths((across.y / length) * far)}`;
    return (
      <g key={name}>
        <path className="wall" d={d} />
        <path className="mortar" d={d} />
        <path className="seam" d={d} />
      </g>
    );
  });
}
