import { memo, type ReactNode } from 'react';

interface Props {
  /** Of a pass that deletes nothing: `pass idle`. */
  readonly kind: 'election' | 'pass' | 'pass idle';
  readonly radius: number;
  readonly width: number;
  /** From 0 to 1. */
  readonly part: number;
}

/** A ring that fills clockwise from the top. */
export const Ring = memo(function Ring({ kind, radius, width, part }: Props): ReactNode {
  return (
    <>
      {kind !== 'pass idle' && <circle className="track" r={radius} strokeWidth={width} />}
      {part > 0.004 && <path className={`ring ${kind}`} d={arc(radius, part)} strokeWidth={width} />}
    </>
  );
});

function arc(radius: number, part: number): string {
  const [rx, ry] = [tenths(radius), tenths(radius)];
  if (part >= 0.999) return `M0 ${-radius}A${rx} ${ry} 0 1 1 -0.1 ${-radius}`;
  const angle = 2 * Math.PI * part;
  const [x, y] = [tenths(radius * Math.sin(angle)), tenths(-radius * Math.cos(angle))];
  return `M0 ${-radius}A${rx} ${ry} 0 ${part > 0.5 ? 1 : 0} 1 ${x} ${y}`;
}

export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
