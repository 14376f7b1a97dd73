import { memo, type ReactNode } from 'react';
import type { Moment } from '../core/history/history.ts';
import type { LinkAt } from '../core/history/links.ts';
import { isCovered } from './clear.ts';
import type { Places, Point } from './places.ts';
import { isPress } from './press.ts';
import { tenths } from './Rings.tsx';

/** Of more members only those ways are drawn that are not like the others, and those of who is selected. */
const ALL_UP_TO = 9;
/** Of those that are cut, too, unless there are more than anybody can tell apart. */
const CUT_UP_TO = 40;

interface Props {
  readonly moment: Moment;
  readonly places: Places;
  /** Between them stand walls. */
  readonly sides: readonly (readonly string[])[];
  readonly selected: readonly string[];
  readonly onSelect: ((members: readonly string[]) => void) | undefined;
}

/** The ways between members. Latencies that somebody has changed stand beside them; of the others the length of a flight tells. */
export function Ways({ moment, places, sides, selected, onSelect }: Props): ReactNode {
  const { members, cut, links } = moment;
  const closed = new Set(cut.map(([from, to]) => `${from} ${to}`));
  const changed = new Map(links.map((link) => [`${link.from} ${link.to}`, link]));
  const areCutShown = cut.length <= 2 * CUT_UP_TO;
  const usual = { latencyMs: moment.latencyMs, others: {} };
  return members.flatMap(({ name: one }, i) =>
    members.slice(i + 1).map(({ name: other }) => {
      const [there, back] = [`${one} ${other}`, `${other} ${one}`];
      const [isClosed, isClosedBack] = [closed.has(there), closed.has(back)];
      const isChanged = changed.has(there) || changed.has(back);
      const isShown =
        members.length <= ALL_UP_TO ||
        isChanged ||
        (isClosed && areCutShown) ||
        isClosed !== isClosedBack ||
        selected.includes(one) ||
        selected.includes(other);
      if (!isShown) return null;
      return (
        <Way
          key={there}
          one={one}
          other={other}
          from={places.of.get(one)!}
          to={places.of.get(other)!}
          isClosed={isClosed}
          isClosedBack={isClosedBack}
          isChanged={isChanged}
          latency={latencyText(changed.get(there) ?? usual, changed.get(back) ?? usual)}
          hasBlock={isFree(places, one, other) && !isWalled(places, sides, one, other)}
          isSelected={selected.length === 2 && selected.includes(one) && selected.includes(other)}
          onSelect={onSelect}
        />
      );
    }),
  );
}

interface WayProps {
  readonly one: string;
  readonly other: string;
  readonly from: Point;
  readonly to: Point;
  /** Which ways are closed: `one` to `other`, and back. */
  readonly isClosed: boolean;
  readonly isClosedBack: boolean;
  readonly isChanged: boolean;
  readonly latency: string;
  /** Whether a block stands in its middle where it is closed. */
  readonly hasBlock: boolean;
  readonly isSelected: boolean;
  readonly onSelect: Props['onSelect'];
}

const Way = memo(function Way(props: WayProps): ReactNode {
  const { one, other, from, to, isClosed, isClosedBack, isChanged, latency, hasBlock, isSelected, onSelect } = props;
  const state = isClosed && isClosedBack ? 'cut' : isClosed || isClosedBack ? 'one way' : 'open';
  const closed = state === 'one way' ? (isClosed ? `${one} ✖→ ${other}` : `${other} ✖→ ${one}`) : undefined;
  const written = [closed, isChanged && state !== 'cut' ? latency : undefined].filter((each) => each !== undefined);
  const middle = { x: tenths((from.x + to.x) / 2), y: tenths((from.y + to.y) / 2) };
  const ends = { x1: tenths(from.x), y1: tenths(from.y), x2: tenths(to.x), y2: tenths(to.y) };
  const angle = tenths((Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI);
  const select = () => onSelect?.([one, other]);
  const press = onSelect && {
    role: 'button',
    tabIndex: 0,
    'aria-pressed': isSelected,
    onClick: select,
    onKeyDown: (event: { readonly key: string }) => isPress(event.key) && select(),
  };
  return (
    <g
      {...(press ?? { role: 'img' })}
      aria-label={[`the link between ${one} and ${other}: ${state}`, ...written].join(' ')}
      className={['way', state.replace(' ', '-'), isChanged && 'changed', isSelected && 'selected']
        .filter(Boolean)
        .join(' ')}
    >
      <title>{`${one} – ${other}: ${latency}`}</title>
      <line {...ends} className="grip" />
      <line {...ends} className="line" />
      {state !== 'open' && hasBlock && (
        <rect
          className="block"
          x={-4}
          y={-15}
          width={8}
          height={30}
          rx={2}
          transform={`translate(${middle.x} ${middle.y}) rotate(${angle})`}
        />
      )}
      {written.map((text, i) => (
        <text key={text} x={middle.x} y={middle.y + (state === 'open' ? 4 : -20) + 14 * i}>
          {`${text} `}
        </text>
      ))}
    </g>
  );
});

/** What stands across a way that is cut. Unit: px. */
const BLOCK = { width: 12, height: 15 };

function isFree({ of, tile }: Places, one: string, other: string): boolean {
  const [from, to] = [of.get(one)!, of.get(other)!];
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  return ![...of].some(([name, disc]) => name !== one && name !== other && isCovered(middle, BLOCK, disc, tile));
}

/** A wall says more than a block. */
function isWalled({ around }: Places, sides: Props['sides'], one: string, other: string): boolean {
  return around.length > 0 && sides.some((side) => side.includes(one) && !side.includes(other));
}

type Carrying = Pick<LinkAt, 'latencyMs' | 'others'>;

function latencyText(there: Carrying, back: Carrying): string {
  const [one, other] = [carryingText(there), carryingText(back)];
  return one === other ? one : `→ ${one}, ← ${other}`;
}

function carryingText({ latencyMs: [min, max], others }: Carrying): string {
  const latency = min === max ? `${min} ms` : `${min}–${max} ms`;
  return [latency, ...Object.entries(others).map(([name, value]) => `${name} ${value}`)].join(', ');
}
