import { memo, type ReactNode } from 'react';
import type { Layout } from './layout.ts';
import { isPress } from './press.ts';

/** So many letters of a name find room in a chip. */
const CHIP_NAME = 5;

interface Props {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly room: Layout['room'];
  /** Its state in one word, for colours. */
  readonly look: string;
  readonly isArbiter: boolean;
  /** All that is said of it, beginning with the name and the text. */
  readonly label: string;
  /** What is written in it: the state first, a line each. */
  readonly text: string;
  /** On which side of a wall it stands, where that cannot be drawn. */
  readonly side: string | undefined;
  readonly isSelected: boolean;
  readonly onSelect: (members: readonly string[]) => void;
}

/** A member. All that it takes are words and numbers: as long as they stay, nothing is drawn anew. */
export const Room = memo(function Room(props: Props): ReactNode {
  const { name, x, y, room, look, isArbiter, label, text, side, isSelected, onSelect } = props;
  const [state = '', ...lines] = text.split('\n');
  const isChip = lines.length === 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a picture
    <g
      role="button"
      tabIndex={0}
      aria-label={label}
      aria-pressed={isSelected}
      data-member={name}
      className={`room ${look} ${isSelected ? 'selected' : ''}`}
      transform={`translate(${x - room.width / 2} ${y - room.height / 2})`}
      onClick={() => onSelect([name])}
      onKeyDown={(event) => isPress(event.key) && onSelect([name])}
    >
      <title>{label}</title>
      {isArbiter ? (
        <path className="wallpaper" d={octagon(room)} />
      ) : (
        <rect className="wallpaper" width={room.width} height={room.height} rx={8} />
      )}
      <text x={isChip ? 6 : 10} y={isChip ? 14 : 17} className="name">
        {`${isChip && name.length > CHIP_NAME ? `${name.slice(0, CHIP_NAME - 1)}…` : name} `}
      </text>
      <text x={isChip ? 6 : 10} y={isChip ? 28 : 32} className="state">
        {`${state} `}
      </text>
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have places
        <text key={i} x={10} y={46 + i * 13}>
          {`${line} `}
        </text>
      ))}
      {side !== undefined && (
        <text x={room.width - 6} y={isChip ? 14 : 17} textAnchor="end" className="side">
          {side}
        </text>
      )}
    </g>
  );
});

/** An arbiter's room has no corners: it holds no data. */
function octagon({ width, height }: Layout['room']): string {
  const c = Math.min(14, height / 3);
  return `M${c} 0H${width - c}L${width} ${c}V${height - c}L${width - c} ${height}H${c}L0 ${height - c}V${c}Z`;
}
