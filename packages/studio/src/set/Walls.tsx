import type { ReactNode } from 'react';
import type { Layout } from './layout.ts';

interface Props {
  readonly layout: Layout;
  readonly sides: readonly (readonly string[])[];
}

/** Walls from the middle outward, between neighbours of the ring who stand on different sides. */
export function Walls({ layout, sides }: Props): ReactNode {
  if (sides.length < 2) return null;
  const { around, places, width, height } = layout;
  const sideOf = new Map(sides.flatMap((side, i) => side.map((name) => [name, i] as const)));
  const middle = { x: width / 2, y: height / 2 };
  const angleOf = (name: string) => {
    const { x, y } = places.get(name)!;
    return Math.atan2((y - middle.y) / height, (x - middle.x) / width);
  };
  return around.map((name, i) => {
    const next = around[(i + 1) % around.length]!;
    if (sideOf.get(name) === sideOf.get(next)) return null;
    const [from, to] = [angleOf(name), angleOf(next)];
    const angle = from + turn(to - from) / 2;
    return (
      <line
        key={name}
        className="wall"
        x1={middle.x}
        y1={middle.y}
        x2={middle.x + (width / 2) * Math.cos(angle)}
        y2={middle.y + (height / 2) * Math.sin(angle)}
      />
    );
  });
}

/** The same turn, clockwise. */
function turn(angle: number): number {
  return angle > 0 ? angle : angle + 2 * Math.PI;
}
