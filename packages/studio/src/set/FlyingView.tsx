import type { ReactNode } from 'react';
import type { Flying, MessageKind } from './flying.ts';
import type { Places, Point } from './places.ts';
import { tenths } from './Rings.tsx';
import { hundredths } from './StripView.tsx';

export const SHAPES: Readonly<Record<MessageKind, string>> = {
  heartbeat: 'M-3 0A3 3 0 1 0 3 0A3 3 0 1 0 -3 0Z',
  vote: 'M0 -7L7 0L0 7L-7 0Z',
  entries: 'M-5 -5H5V5H-5Z',
  position: 'M0 -6L6 5H-6Z',
  other: 'M-6 -2H-2V-6H2V-2H6V2H2V6H-2V2H-6Z',
};

const STRUCK = 'M-7 -7L7 7M7 -7L-7 7';

/** A message on its way: full if it asks, hollow if it answers; votes in words. What nobody takes comes back struck. */
export function FlyingView({ flying, places }: { readonly flying: Flying; readonly places: Places }): ReactNode {
  const { flight, kind, isReply, refusal, word, answer, part, fallen } = flying;
  const [from, to] = [places.of.get(flight.from), places.of.get(flight.to)];
  if (!from || !to) return null;
  const at = pointOn(from, to, part, places.tile.radius + 8);
  const isStruck = flight.lost || refusal !== undefined;
  const look = ['message', kind, isReply && 'reply', answer, word && 'said'].filter(Boolean).join(' ');
  const width = word.length * 6.8 + 14;
  const title = `${flight.from} → ${flight.to}: ${refusal === undefined ? flight.what : `no answer, ${refusal}`}`;
  return (
    <g
      className={look}
      transform={`translate(${tenths(at.x)} ${tenths(at.y + 26 * fallen * fallen)})`}
      opacity={fallen > 0 ? hundredths(1 - fallen) : undefined}
    >
      <title>{flight.lost ? `${title}, will be lost` : title}</title>
      {word === '' ? (
        refusal === undefined && <path className="body" d={SHAPES[kind]} />
      ) : (
        <>
          <rect className="body" x={-width / 2} y={-10} width={width} height={20} rx={10} />
          <text y={4}>{word}</text>
        </>
      )}
      {isStruck && <path className="struck" d={STRUCK} transform={kind === 'heartbeat' ? 'scale(.7)' : undefined} />}
    </g>
  );
}

/** A way keeps to its right, so that question and answer do not meet. */
const ASIDE = 9;

/** A point between two discs. @param margin from the middle of each */
function pointOn(from: Point, to: Point, part: number, margin: number): Point {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const along = margin + Math.max(0, length - 2 * margin) * part;
  return { x: from.x + (dx * along - dy * ASIDE) / length, y: from.y + (dy * along + dx * ASIDE) / length };
}
