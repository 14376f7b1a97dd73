import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { Likeness } from '../../core/compare/likeness.ts';

/** For the signs. Unit: px. */
export const AXIS = 16;

interface Props {
  readonly likeness: Likeness | undefined;
  /** Undefined where the instant is not among those that are shown. */
  readonly xOf: (atMicros: number) => number | undefined;
  readonly height: number;
}

/** Where two runs part, across the lanes of both. */
export function Apart({ likeness, xOf, height }: Props): ReactNode {
  const marks = [
    { at: likeness?.parted, text: 'the first difference' },
    { at: likeness?.told, text: 'the story differs' },
  ];
  return marks.map(({ at, text }) => {
    const x = at && xOf(at.atMicros);
    if (x === undefined) return null;
    return (
      <g key={text} className="apart">
        <line x1={x} x2={x} y1={AXIS - 2} y2={height} />
        <text x={x} y={AXIS - 4} textAnchor="middle">
          ≠
        </text>
        <title>{`${formatInstant(at?.atMicros ?? 0)} ${text}`}</title>
      </g>
    );
  });
}
