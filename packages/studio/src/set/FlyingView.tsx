import type { ReactNode } from 'react';
import { clearWay } from './clear.ts';
import type { Flying, MessageKind } from './flying.ts';
import type { Places } from './places.ts';
import { tenths } from './Rings.tsx';
import { hundredths } from './StripView.tsx';

/** Around where the pen stands. */
export const SHAPES: Readonly<Record<MessageKind, string>> = {
  heartbeat: 'm-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z',
  vote: 'm0 -7l7 7l-7 7l-7 -7z',
  entries: 'm-5 -5h10v10h-10z',
  position: 'm0 -6l6 11h-12z',
  other: 'm-6 -2h4v-4h4v4h4v4h-4v4h-4v-4h-4z',
};

/** Through a message that does not arrive. */
export const STRUCK = 'M-8 6L8 -6';

/** A way keeps to its right, so that question and answer do not meet. Unit: px; of a word more. */
const ASIDE = 9;
/** Members that fetch say at the same time how far they are: side by side. */
const POSITION_ASIDE = 26;
const WORD_ASIDE = 12;
/** A word needs a way so long to be read on it; on a shorter one it is a sign. Unit: px. */
const READ_ON = 40;

interface Props {
  readonly flying: Flying;
  readonly places: Places;
  /** Whether who points at it reads what it is. In the page nobody can: see `set.css`. */
  readonly hasTitle: boolean;
}

/** A message on its way: full if it asks, hollow if it answers; votes in words. What nobody takes is pale and struck. */
export function FlyingView({ flying, places, hasTitle }: Props): ReactNode {
  const { flight, kind, isReply, isDryRun, refusal, answer, part, fallen } = flying;
  const isLost = flight.lost || refusal !== undefined;
  const { word, way } = wayOf(flying, places);
  if (!way) return null;
  const at = { x: way.from.x + (way.to.x - way.from.x) * part, y: way.from.y + (way.to.y - way.from.y) * part };
  const look = [
    'message',
    kind,
    isReply && 'reply',
    answer,
    word && 'said',
    isDryRun && 'dry',
    isLost && 'lost',
  ].filter(Boolean);
  const [x, y] = [tenths(at.x), tenths(at.y + 26 * fallen * fallen)];
  const title = hasTitle && <title>{titleOf(flying)}</title>;
  // Most are no more than a shape. There may be more than a hundred, which a browser draws much faster without groups and transforms.
  if (word === '' && !isLost)
    return (
      <path className={look.join(' ')} d={`M${x} ${y}${SHAPES[kind]}`}>
        {title}
      </path>
    );
  const width = widthOf(word);
  return (
    <g
      className={look.join(' ')}
      transform={`translate(${x} ${y})`}
      opacity={fallen > 0.6 ? hundredths((1 - fallen) * 2.5) : undefined}
    >
      {title}
      {word === '' ? (
        <path className="body" d={SHAPES[kind]} />
      ) : (
        <>
          <rect className="body" x={-width / 2} y={-10} width={width} height={20} rx={10} />
          <text y={4}>{word}</text>
        </>
      )}
      {isLost && !SAYS_SO.has(word) && (
        <path className="struck" d={STRUCK} transform={kind === 'heartbeat' ? 'scale(.7)' : undefined} />
      )}
    </g>
  );
}

function titleOf({ flight: { from, to, what, lost }, refusal }: Flying): string {
  const title = `${from} → ${to}: ${refusal === undefined ? what : `no answer, ${refusal}`}`;
  return lost ? `${title}, will be lost` : title;
}

const LOST = 'lost';
/** Such a word needs no stroke through it. */
const SAYS_SO: ReadonlySet<string> = new Set([LOST, 'no answer', '×']);

/** In words where there is room to read them, else in a sign. */
function wayOf({ flight, kind, word, part, isDryRun, refusal }: Flying, places: Places) {
  const { from, to, lost } = flight;
  const aside = kind === 'position' ? POSITION_ASIDE : ASIDE;
  if (word === '') return { word, way: clearWay(places, from, to, { width: 6, height: 6 }, aside) };
  // Both words of a message that is lost have one way, so that it does not jump.
  const worded = clearWay(places, from, to, { width: widthOf(word) / 2 + 2, height: 11 }, WORD_ASIDE);
  if (worded && worded.length >= READ_ON) return { word: lost && part > 0.3 ? LOST : word, way: worded };
  const sign = word.length <= 3 ? word : refusal !== undefined ? '×' : isDryRun ? '?' : '!';
  return { word: sign, way: clearWay(places, from, to, { width: 13, height: 11 }, WORD_ASIDE) };
}

function widthOf(word: string): number {
  return Math.round((word.length * 6.8 + 14) * 10) / 10;
}
