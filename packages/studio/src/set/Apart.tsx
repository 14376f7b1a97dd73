import type { ReactNode } from 'react';
import type { Places } from './places.ts';
import { tenths } from './Rings.tsx';

interface Props {
  readonly places: Places;
  readonly sides: readonly (readonly string[])[];
}

/** Between members in rows no wall has room: those whom the largest side does not reach have a broken ring each. */
export function Apart({ places: { of, tile }, sides }: Props): ReactNode {
  const [, ...apart] = sides.toSorted((one, other) => other.length - one.length);
  return apart.flat().map((name) => {
    const at = of.get(name);
    return at && <circle key={name} className="apart" cx={tenths(at.x)} cy={tenths(at.y)} r={tile.radius + 8} />;
  });
}
