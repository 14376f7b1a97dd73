import type { ReactNode } from 'react';
import { SHAPES, STRUCK } from './FlyingView.tsx';
import type { MessageKind } from './flying.ts';

const MEANINGS: Readonly<Record<MessageKind, string>> = {
  heartbeat: 'heartbeat',
  vote: 'vote',
  entries: 'oplog entries',
  position: 'a member’s position',
  other: 'other',
};

/** What the shapes of messages mean. */
export function MessageLegend(): ReactNode {
  const sign = (className: string, shape: string) => (
    <svg viewBox="-8 -8 16 16" className="setpic" aria-hidden="true">
      <g className={`message ${className}`}>
        <path className="body" d={shape} />
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
      <li>{sign('vote dry', SHAPES.vote)} dashed: a dry run</li>
      <li>{sign('entries lost', SHAPES.entries)} struck: lost or refused</li>
    </ul>
  );
}
