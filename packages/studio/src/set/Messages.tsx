import type { ReactNode } from 'react';
import { type Flight, refusalOf } from '../core/history/traffic.ts';
import type { Point } from './layout.ts';

/** What a message is about, by which it has its shape. */
type MessageKind = 'heartbeat' | 'vote' | 'entries' | 'position' | 'other';

const SHAPES: Readonly<Record<MessageKind, string>> = {
  heartbeat: 'M-3 0A3 3 0 1 0 3 0A3 3 0 1 0 -3 0Z',
  vote: 'M0 -6L6 0L0 6L-6 0Z',
  entries: 'M-4 -4H4V4H-4Z',
  position: 'M0 -5L5 4H-5Z',
  other: 'M-5 -2H-2V-5H2V-2H5V2H2V5H-2V2H-5Z',
};

const MEANINGS: Readonly<Record<MessageKind, string>> = {
  heartbeat: 'heartbeat',
  vote: 'vote',
  entries: 'oplog entries',
  position: 'a member’s position',
  other: 'other',
};

/** By the command, or the kind of reply, that the trace has. */
function kindOf(what: string): MessageKind {
  if (/heartbeat/i.test(what)) return 'heartbeat';
  if (/vote/i.test(what)) return 'vote';
  if (/^(fetch|getMore|find)\b/.test(what)) return 'entries';
  return /^(replSetUpdatePosition|progress)\b/.test(what) ? 'position' : 'other';
}

export function isHeartbeat({ what }: Flight): boolean {
  return kindOf(what) === 'heartbeat';
}

const STRUCK = 'M-7 -7L7 7M7 -7L-7 7';

interface Props {
  readonly flight: Flight;
  readonly places: ReadonlyMap<string, Point>;
  readonly atMicros: number;
}

/** A message on its way: full if it asks, hollow if it answers, struck if it will be lost; a refusal is no answer, and a cross alone. */
export function Message({ flight, places, atMicros }: Props): ReactNode {
  const { from: sender, to: receiver, what, sentMicros, endedMicros, lost } = flight;
  const [from, to] = [places.get(sender), places.get(receiver)];
  if (!from || !to) return null;
  const way = (atMicros - sentMicros) / ((endedMicros ?? atMicros) - sentMicros || 1);
  const x = from.x + (to.x - from.x) * way;
  const y = from.y + (to.y - from.y) * way;
  const kind = kindOf(what);
  const refusal = refusalOf(flight);
  const isStruck = lost || refusal !== undefined;
  const said = refusal === undefined ? what : `no answer, ${refusal}`;
  return (
    <g
      className={`message ${kind} ${/\breply\b/.test(what) ? 'reply' : ''} ${isStruck ? 'lost' : ''}`}
      transform={`translate(${x} ${y})`}
    >
      <title>{`${sender} → ${receiver}: ${said}${lost ? ', will be lost' : ''}`}</title>
      {refusal === undefined && <path d={SHAPES[kind]} />}
      {isStruck && <path className="struck" d={STRUCK} />}
    </g>
  );
}

/** What the shapes mean. */
export function MessageLegend(): ReactNode {
  const sign = (className: string, shape: string) => (
    <svg viewBox="-8 -8 16 16" aria-hidden="true">
      <g className={`message ${className}`}>
        <path d={shape} />
        {className.includes('lost') && <path className="struck" d={STRUCK} />}
      </g>
    </svg>
  );
  return (
    <ul className="legend" aria-label="Messages">
      {(Object.keys(SHAPES) as MessageKind[]).map((kind) => (
        <li key={kind}>
          {sign(kind, SHAPES[kind])} {MEANINGS[kind]}
        </li>
      ))}
      <li>{sign('entries reply', SHAPES.entries)} hollow: a reply</li>
      <li>{sign('entries lost', SHAPES.entries)} will be lost</li>
      <li>{sign('lost', '')} refused: nobody is there</li>
    </ul>
  );
}
