import { formatInstant } from '@replsim/kernel';
import type { ReactNode } from 'react';
import type { Mark } from '../../core/history/marks.ts';
import type { Band } from './bands.ts';
import type { Cluster } from './clusters.ts';

const SIGNS: Readonly<Record<Mark['kind'], string>> = {
  step: '▾',
  fault: '✕',
  election: '△',
  primary: '★',
  stepDown: '☆',
  rollback: '↶',
  pass: '○',
  ttl: '⊗',
  due: '◔',
  process: '◆',
  failed: '✖',
};

/** What the signs mean, in the order in which one meets them. */
export const SIGN_MEANINGS: readonly (readonly [sign: string, meaning: string])[] = [
  [SIGNS.step, 'step'],
  [SIGNS.fault, 'fault'],
  [SIGNS.process, 'starts, ends'],
  [SIGNS.election, 'asks for votes'],
  [SIGNS.primary, 'wins'],
  [SIGNS.stepDown, 'steps down'],
  [SIGNS.rollback, 'rollback'],
  [SIGNS.pass, 'TTL pass'],
  [SIGNS.due, 'the oldest that TTL deletes expires'],
  [SIGNS.ttl, 'TTL deletes'],
  [SIGNS.failed, 'does not hold'],
  ['+1', 'and one more at the same place'],
];

interface Props {
  readonly name: string;
  readonly left: number;
  /** From there to the right end. */
  readonly width: number;
  readonly y: number;
  readonly height: number;
  readonly bands: readonly Band[];
  readonly clusters: readonly Cluster[];
  readonly onGo: (atMicros: number) => void;
}

/** A lane: bars, and the marks above them, each with how many more stand there. A press on a mark goes to its instant. */
export function LaneRow({ name, left, width, y, height, bands, clusters, onGo }: Props): ReactNode {
  const baseline = y + height / 2 + 4;
  return (
    <g data-member={name}>
      <text x={4} y={baseline}>
        {name}
      </text>
      {bands.map(({ from, to, look, text }) => (
        <rect key={from} className={`stretch ${look}`} x={left + from} y={y + 2} width={to - from} height={height - 4}>
          <title>{`${name} ${text}`}</title>
        </rect>
      ))}
      {clusters.map(({ x, mark, marks }) => (
        <g
          key={x}
          className={`mark ${mark.kind}`}
          transform={`translate(${Math.round(left + x)} ${baseline})`}
          onPointerDown={(event) => {
            event.stopPropagation();
            onGo(mark.atMicros);
          }}
        >
          <text textAnchor="middle">{SIGNS[mark.kind]}</text>
          {marks.length > 1 && (
            <text className="count" y={-4} {...(x > width - COUNT_ROOM ? { x: -6, textAnchor: 'end' } : { x: 6 })}>
              {`+${marks.length - 1}`}
            </text>
          )}
          <title>{titleOf(marks)}</title>
        </g>
      ))}
    </g>
  );
}

/** Nearer to the right end, a count stands before its mark. Unit: px. */
const COUNT_ROOM = 16;

/** So many are named of those that stand in one place. */
const NAMED = 12;

function titleOf(marks: readonly Mark[]): string {
  const lines = marks
    .slice(0, NAMED)
    .map(
      ({ atMicros, member, text }) => `${formatInstant(atMicros)} ${member === undefined ? '' : `${member} `}${text}`,
    );
  if (marks.length > NAMED) lines.push(`and ${marks.length - NAMED} more`);
  if (marks.length > 1) lines.unshift(`${marks.length} marks are at this place; zoom in to separate them:`);
  return lines.join('\n');
}
