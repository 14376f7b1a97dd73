import { memo, type ReactNode } from 'react';
import type { Point } from './layout.ts';
import { isPress } from './press.ts';

interface Props {
  readonly one: string;
  readonly other: string;
  readonly from: Point;
  readonly to: Point;
  /** Which ways are closed: `one` to `other`, and back. */
  readonly isClosed: boolean;
  readonly isClosedBack: boolean;
  readonly latency: string;
  /** Written beside it, and not only for who points at it. */
  readonly showsLatency: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (members: readonly string[]) => void;
}

/** The way between two members, with a wall across it where nothing gets through. */
export const Way = memo(function Way(props: Props): ReactNode {
  const { one, other, from, to, isClosed, isClosedBack, latency, showsLatency, isSelected, onSelect } = props;
  const state = isClosed && isClosedBack ? 'cut' : isClosed || isClosedBack ? 'one way' : 'open';
  const closed = state === 'one way' ? (isClosed ? `${one} ✖→ ${other}` : `${other} ✖→ ${one}`) : undefined;
  const shown = showsLatency && state !== 'cut' ? latency : undefined;
  const written = [closed, shown].filter((each) => each !== undefined);
  const ends = [one, other];
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a picture
    <g
      role="button"
      tabIndex={0}
      aria-label={[`the link between ${one} and ${other}: ${state}`, ...written].join(' ')}
      aria-pressed={isSelected}
      className={`way ${state.replace(' ', '-')} ${isSelected ? 'selected' : ''}`}
      onClick={() => onSelect(ends)}
      onKeyDown={(event) => isPress(event.key) && onSelect(ends)}
    >
      <title>{`${one} – ${other}: ${latency}`}</title>
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} className="grip" />
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} className="line" />
      {state !== 'open' && (
        <rect
          className="wall"
          x={-3}
          y={-14}
          width={6}
          height={28}
          transform={`translate(${middle.x} ${middle.y}) rotate(${angle})`}
        />
      )}
      {closed !== undefined && (
        <text x={middle.x} y={middle.y - 18} textAnchor="middle" className="closed">
          {`${closed} `}
        </text>
      )}
      {shown !== undefined && (
        <text x={middle.x} y={middle.y + 4} textAnchor="middle" className="latency">
          {shown}
        </text>
      )}
    </g>
  );
});
