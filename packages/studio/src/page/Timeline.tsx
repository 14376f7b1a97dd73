import { formatInstant } from '@replsim/kernel';
import { type PointerEvent, type ReactNode, useRef } from 'react';
import type { History, Mark } from '../history/history.ts';

const LANE = 28;
const LEFT = 44;
const TOP = 32;
const WIDTH = 720;

const SIGNS: Readonly<Record<Mark['kind'], string>> = {
  step: '▾',
  fault: '✕',
  election: '△',
  primary: '★',
  rollback: '↶',
  ttl: '⊗',
  failed: '✖',
};

interface Props {
  readonly history: History;
  readonly atMicros: number;
  readonly onScrub: (atMicros: number) => void;
}

/** Members as lanes, their states as bars, and what happened as marks; a drag goes to an instant. */
export function Timeline({ history, atMicros, onScrub }: Props): ReactNode {
  const svg = useRef<SVGSVGElement>(null);
  const end = Math.max(history.endMicros, 1);
  const xOf = (micros: number) => LEFT + ((WIDTH - LEFT - 10) * micros) / end;
  const members = history.memberNames;
  const height = TOP + members.length * LANE + 18;
  const scrub = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    if (!box || event.buttons === 0) return;
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    onScrub(Math.round(Math.min(Math.max((x - LEFT) / (WIDTH - LEFT - 10), 0), 1) * end));
  };
  return (
    <svg
      ref={svg}
      viewBox={`0 0 ${WIDTH} ${height}`}
      className="timeline"
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: no element of a form has lanes
      role="slider"
      tabIndex={0}
      aria-label="Time of the run"
      aria-valuemin={0}
      aria-valuemax={end / 1e6}
      aria-valuenow={atMicros / 1e6}
      aria-valuetext={formatInstant(atMicros)}
      onPointerDown={scrub}
      onPointerMove={scrub}
    >
      {members.map((name, i) => (
        <g key={name}>
          <text x={8} y={TOP + i * LANE + 17}>
            {name}
          </text>
          {history.stretches(name).map(({ state, acceptsWrites, fromMicros, toMicros }) => (
            <rect
              key={fromMicros}
              className={`stretch ${state.toLowerCase()} ${acceptsWrites ? 'writable' : ''}`}
              x={xOf(fromMicros)}
              y={TOP + i * LANE + 4}
              width={Math.max(xOf(toMicros ?? end) - xOf(fromMicros), 0.5)}
              height={LANE - 8}
            >
              <title>{`${name} ${state}${acceptsWrites ? ', accepts writes' : ''} from ${formatInstant(fromMicros)}`}</title>
            </rect>
          ))}
        </g>
      ))}
      {history.marks.map(({ atMicros: micros, kind, member, text }, i) => (
        <text
          // biome-ignore lint/suspicious/noArrayIndexKey: marks are only ever added
          key={i}
          className={`mark ${kind}`}
          x={xOf(micros)}
          y={member === undefined ? (kind === 'step' ? 26 : 13) : TOP + members.indexOf(member) * LANE + 17}
          textAnchor="middle"
        >
          {SIGNS[kind]}
          <title>{`${formatInstant(micros)} ${member === undefined ? '' : `${member} `}${text}`}</title>
        </text>
      ))}
      <line className="now" x1={xOf(atMicros)} x2={xOf(atMicros)} y1={0} y2={height - 14} />
      <text className="now" x={xOf(atMicros)} y={height - 3} textAnchor={atMicros > end / 2 ? 'end' : 'start'}>
        {formatInstant(atMicros)}
      </text>
    </svg>
  );
}
