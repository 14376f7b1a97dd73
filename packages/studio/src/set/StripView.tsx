import { memo, type ReactNode } from 'react';
import { COLUMNS, type Strip, type StripCell } from './strip.ts';

/** Of a column. Unit: px. */
const HEIGHT = 17;
/** How far what a rollback undoes falls, and where it goes. */
const FALL = 54;

interface Props {
  readonly strip: Strip;
  readonly width: number;
  readonly y: number;
}

/** The newest entries of a member's oplog, and below them how far it has applied, has on its disk, and knows of a majority. */
export function StripView({ strip, width, y }: Props): ReactNode {
  const column = width / COLUMNS;
  const px = (columns: number) => Math.round(columns * column * 10) / 10;
  const majority = px(strip.majority);
  return (
    <g className="strip" transform={`translate(${-width / 2} ${y})`}>
      <rect className="slot" width={width} height={HEIGHT} rx={3} />
      {/* What has left the strip at its left edge is cut off; what a rollback takes away leaves it downwards. */}
      <svg width={width + 1} height={HEIGHT + FALL + 12} overflow="hidden" aria-hidden="true">
        {strip.cells.map((cell, i) => (
          <CellView
            // At another instant there are other entries, and their elements are used again.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={i}
            x={px(cell.x)}
            width={Math.max(0, px(cell.part) - 1.5)}
            sign={signOf(cell)}
            look={`cell ${cell.stage} term-${cell.term % 6}${cell.fallen > 0 ? ' fallen' : cell.isOnlyHere ? ' lone' : ''}`}
            entered={hundredths(cell.entered)}
            fallen={hundredths(cell.fallen)}
          />
        ))}
      </svg>
      {strip.isBehind && (
        <text className="count" x={4} y={13}>
          ‹ far behind
        </text>
      )}
      <BarView width={width} y={HEIGHT + 4} marks={[strip.applied, strip.durable, strip.majority].map(px).join(' ')} />
      {majority > 0 && <path className="mark" d={`M${majority} -3V${HEIGHT + 9}`} />}
    </g>
  );
}

/** With how many operations it is, where it is more than one; a figure of three digits has no room. */
function signOf({ sign, count }: StripCell): string {
  if (count < 2 || sign === '') return sign;
  return count < 100 ? `${sign}${count}` : `${sign}…`;
}

interface BarProps {
  readonly width: number;
  readonly y: number;
  /** How long each part is: applied, durable, majority. Unit: px. */
  readonly marks: string;
}

export const BarView = memo(function BarView({ width, y, marks }: BarProps): ReactNode {
  const [applied, durable, majority] = marks.split(' ').map(Number);
  return (
    <g className="bar" transform={`translate(0 ${y})`}>
      <rect className="track" width={width} height={5} rx={2.5} />
      <rect className="applied" width={applied} height={5} rx={2.5} />
      <rect className="durable" width={durable} height={5} rx={2.5} />
      <rect className="majority" width={majority} height={5} rx={2.5} />
    </g>
  );
});

interface CellProps extends Pick<StripCell, 'x' | 'sign' | 'entered' | 'fallen'> {
  readonly width: number;
  readonly look: string;
}

/** An entry: it slides in from above, and falls out below. */
const CellView = memo(function CellView({ x, width, sign, look, entered, fallen }: CellProps): ReactNode {
  const y = (entered - 1) * HEIGHT + fallen * fallen * FALL;
  const turn = fallen > 0 ? ` rotate(${Math.round(fallen * 50)} ${width / 2} ${HEIGHT / 2})` : '';
  const opacity = entered * (fallen > 0.8 ? (1 - fallen) * 5 : 1);
  return (
    <g className={look} transform={`translate(${x} ${Math.round(y * 10) / 10})${turn}`} opacity={hundredths(opacity)}>
      <rect x={0.75} y={1.5} width={width} height={HEIGHT - 3} rx={2} />
      {width > Math.max(7, 5 * sign.length) && (
        <text
          className={[undefined, undefined, 'two'][sign.length] ?? (sign.length > 2 ? 'many' : undefined)}
          x={0.75 + width / 2}
          y={12.5}
        >
          {sign}
        </text>
      )}
    </g>
  );
});

export function hundredths(part: number): number {
  return Math.round(part * 100) / 100;
}
