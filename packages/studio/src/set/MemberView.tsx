import { memo, type ReactNode } from 'react';
import { type Effects, NONE } from './bubbles.ts';
import { CROWN, ICONS } from './icons.ts';
import type { Point, Tile } from './places.ts';
import type { Ballots, Portrait } from './portrait.ts';
import { isPress } from './press.ts';
import { Ring, tenths } from './Rings.tsx';
import { BarView, hundredths, StripView } from './StripView.tsx';
import { COLUMNS, type Strip } from './strip.ts';

interface Props {
  readonly portrait: Portrait;
  readonly effects?: Effects | undefined;
  readonly strip: Strip;
  readonly at: Point;
  readonly tile: Tile;
  /** All that is known of it, for who does not see it, or points at it. */
  readonly label: string;
  /** What is written below it besides. */
  readonly more: readonly string[];
  readonly isSelected: boolean;
  readonly onSelect: ((members: readonly string[]) => void) | undefined;
}

/** A member as a picture: its disc with rings around it, what it is, and its oplog. */
export function MemberView(props: Props): ReactNode {
  const { portrait, at, tile, label, isSelected, onSelect } = props;
  const { name, look, isDead, isPaused, ballots } = portrait;
  const kind = [isSelected && 'selected', isDead && 'dead', isPaused && 'paused', ballots && 'candidate'];
  const press = onSelect && {
    role: 'button',
    tabIndex: 0,
    'aria-pressed': isSelected,
    onClick: () => onSelect([name]),
    onKeyDown: (event: { readonly key: string }) => isPress(event.key) && onSelect([name]),
  };
  return (
    <g
      data-member={name}
      className={['member', tile.scale, ballots ? 'candidate' : look, ...kind].filter(Boolean).join(' ')}
      transform={`translate(${tenths(at.x)} ${tenths(at.y)})`}
    >
      {/* The button is the ground alone: what is drawn on it is all in the label, in other words. */}
      <g {...(press ?? { role: 'img' })} aria-label={label} className="press">
        <title>{label}</title>
        <rect className="ground" {...groundOf(tile)} />
      </g>
      <Drawn {...props} />
    </g>
  );
}

/** Shows who is selected. It lies beneath all that flies, as it would veil it. */
export function ChosenGround({ at, tile }: { readonly at: Point | undefined; readonly tile: Tile }): ReactNode {
  return at && <rect className="chosen" {...groundOf(tile)} transform={`translate(${tenths(at.x)} ${tenths(at.y)})`} />;
}

function groundOf({ width, above, below }: Tile) {
  return { x: -width / 2, y: -above + 22, width, height: above + below - 22, rx: 10 };
}

/** What is seen of it. */
function Drawn({ portrait, effects = NONE, strip, tile, more }: Props): ReactNode {
  const { name, isPaused, ballots } = portrait;
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it can have the focus
    <g className="drawn" aria-hidden="true">
      <Rings portrait={portrait} radius={tile.radius} />
      <Disc
        radius={tile.radius}
        icon={portrait.icon}
        crown={portrait.crown}
        isArbiter={portrait.isArbiter}
        isPaused={isPaused}
        name={tile.scale === 'portrait' && name.length <= SHORT ? name : ''}
      />
      {effects.burst && (
        <circle
          className={effects.burst.kind}
          r={tenths(tile.radius + 8 + effects.burst.part * 46)}
          strokeWidth={tenths(7 * (1 - effects.burst.part))}
          opacity={hundredths(1 - effects.burst.part)}
        />
      )}
      <Words portrait={portrait} lone={strip.cells.filter(({ isOnlyHere }) => isOnlyHere).length} {...{ tile, more }} />
      {tile.scale !== 'chip' && !portrait.isArbiter && <Data {...{ portrait, effects, strip, tile }} />}
      {ballots && tile.scale !== 'chip' && (
        <BallotRow ballots={ballots} above={tile.radius + (portrait.crown === 'none' ? 20 : 32)} />
      )}
    </g>
  );
}

/** A name of so many letters stands in the disc. */
const SHORT = 5;

function Rings({ portrait, radius }: { readonly portrait: Portrait; readonly radius: number }): ReactNode {
  const { election, pass, mayDelete, isDead } = portrait;
  if (isDead) return null;
  const width = radius > 25 ? 5 : radius > 15 ? 4 : 3;
  return (
    <>
      {election !== undefined && (
        <Ring kind="election" radius={radius + 3 + width / 2} width={width} part={quarters(election)} />
      )}
      {pass !== undefined && radius > 15 && (
        <Ring
          kind={mayDelete ? 'pass' : 'pass idle'}
          radius={radius + 6 + width * 1.5}
          width={mayDelete ? width / 2 : 1}
          part={quarters(pass)}
        />
      )}
    </>
  );
}

/** In quarters of a percent: less is not seen, and would be drawn anew in each frame. */
function quarters(part: number): number {
  return Math.round(part * 400) / 400;
}

interface DiscProps extends Pick<Portrait, 'icon' | 'crown' | 'isArbiter' | 'isPaused'> {
  readonly radius: number;
  /** Empty where it stands below. */
  readonly name: string;
}

const Disc = memo(function Disc({ radius, icon, crown, isArbiter, isPaused, name }: DiscProps): ReactNode {
  const scale = (radius * (name === '' ? 1.05 : 0.62)) / 24;
  const y = name === '' ? 0 : -radius * 0.36;
  return (
    <>
      <circle className="halo" r={radius + 1} />
      {isArbiter ? <path className="disc" d={octagon(radius)} /> : <circle className="disc" r={radius} />}
      <path
        className="icon"
        d={ICONS[icon]}
        transform={`translate(${-12 * scale} ${y - 12 * scale}) scale(${tenths(scale * 100) / 100})`}
      />
      {name !== '' && (
        <text className="name" y={radius * 0.5}>
          {name}
        </text>
      )}
      {isPaused && <circle className="frost" r={radius + 4} />}
      {crown !== 'none' && (
        <path
          className={`crown ${crown}`}
          d={CROWN}
          transform={`${crown === 'fallen' ? fallenBeside(radius) : `translate(0 ${-radius + 1})`} scale(${tenths(radius / 3.1) / 10})`}
        />
      )}
    </>
  );
});

/** The crown of who was primary when it died lies at its feet. */
function fallenBeside(radius: number): string {
  return `translate(${tenths(radius * 1.25)} ${tenths(radius * 0.8)}) rotate(32)`;
}

/** An arbiter's disc has corners: it holds no data. */
function octagon(radius: number): string {
  const corners = Array.from({ length: 8 }, (_, i) => {
    const angle = (Math.PI / 4) * (i + 0.5);
    return `${tenths(radius * Math.cos(angle))} ${tenths(radius * Math.sin(angle))}`;
  });
  return `M${corners.join('L')}Z`;
}

interface WordsProps extends Pick<Props, 'portrait' | 'tile' | 'more'> {
  /** So many of its entries are nobody else's. */
  readonly lone: number;
}

/** At most three lines, unless it is selected. */
function Words({ portrait, tile, more, lone }: WordsProps): ReactNode {
  const { name, state } = portrait;
  const isLone = portrait.detail === '' && lone > 0;
  const detail = isLone ? `${lone} ${lone === 1 ? 'entry' : 'entries'} only here` : portrait.detail;
  const { scale, radius, width } = tile;
  const isInside = scale === 'portrait' && name.length <= SHORT;
  const lines = isInside ? [] : [{ kind: 'name below', text: name }];
  if (scale !== 'chip')
    lines.push({
      kind: 'state',
      text: scale === 'small' ? state.replace(' · term ', ' t').replace('DOWN · ', '') : state,
    });
  if (scale === 'portrait' && detail !== '')
    lines.push({
      kind: isLone ? 'detail lone' : /^stands|^takes/.test(detail) ? 'detail hot' : 'detail',
      text: detail,
    });
  else if (scale === 'small' && detail !== '') lines.push({ kind: 'detail', text: inShort(detail) });
  // There is room for one line, and no more.
  if (detail === '') for (const text of more) lines.push({ kind: 'detail', text });
  return lines.map(({ kind, text }, i) => (
    <text key={kind + text} className={kind} y={radius + (scale === 'chip' ? 15 : 29) + 15 * i}>
      {`${fitting(text, width)} `}
    </text>
  ));
}

/** For half the room. */
function inShort(detail: string): string {
  return detail
    .replace(/ ago$| \(dry run\)$|^dry run: /, '')
    .replace(/^asks for votes$/, 'wants votes')
    .replace(/^undoes its own writes$/, 'undoes writes')
    .replace(/^stands in /, 'stands ')
    .replace(/ more$/, '');
}

/** As many letters as find room. */
function fitting(text: string, width: number): string {
  const most = Math.floor(width / 6.2);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function Data({
  portrait,
  effects,
  strip,
  tile,
}: Required<Pick<Props, 'portrait' | 'strip' | 'tile'>> & { readonly effects: Effects }): ReactNode {
  const width = Math.min(tile.width - 16, 136);
  if (tile.scale === 'small') {
    const marks = [strip.applied, strip.durable, strip.majority]
      .map((each) => tenths((each * width) / COLUMNS))
      .join(' ');
    return (
      <g transform={`translate(${-width / 2} 0)`}>
        <BarView width={width} y={tile.below - 8} marks={marks} />
      </g>
    );
  }
  const y = tile.radius + 55;
  return (
    <>
      <StripView strip={strip} width={width} y={y} />
      <Pages
        documents={portrait.documents ?? 0}
        most={portrait.keptInFiles > 0 ? FEW : PAGES}
        fading={effects.fading}
        x={-width / 2}
        y={y + 31}
      />
      {portrait.keptInFiles > 0 && <Kept documents={portrait.keptInFiles} x={width / 2} y={y + 25} />}
    </>
  );
}

/** So many documents are drawn each by itself; fewer beside a file and its name. */
const PAGES = 7;
const FEW = 1;

interface PagesProps {
  readonly documents: number;
  readonly most: number;
  readonly fading: Effects['fading'];
  readonly x: number;
  readonly y: number;
}

/** The documents that a member has, and those that go. */
function Pages({ documents, most, fading, x, y }: PagesProps): ReactNode {
  const going = fading?.documents ?? 0;
  const shown = Math.min(most, documents);
  const leaving = Math.min(most - shown, going);
  const part = fading?.part ?? 0;
  return (
    <g className="pages" transform={`translate(${x} ${y})`}>
      {Array.from({ length: shown + leaving }, (_, i) => {
        const goes = i >= shown;
        return (
          <path
            // biome-ignore lint/suspicious/noArrayIndexKey: documents have places, and no names
            key={i}
            className={`page${goes ? ' expired' : ''}`}
            d="M0 0H6L9 3V12H0Z"
            transform={`translate(${i * 12} ${goes ? tenths(-part * 8) : 0})`}
            opacity={goes ? hundredths(1 - part) : 1}
          />
        );
      })}
      {documents > most && (
        <text className="count" x={most * 12 + 2} y={10}>
          {documents}
        </text>
      )}
    </g>
  );
}

/** The file in which a rollback keeps what it takes away. */
function Kept({ documents, x, y }: { readonly documents: number; readonly x: number; readonly y: number }): ReactNode {
  return (
    <g transform={`translate(${x - 22} ${y})`}>
      <text className="count bad" x={-4} y={16.5} textAnchor="end">
        rollback file
      </text>
      <path className="kept" d="M0 3H8L10 6H22V20H0Z" />
      <text className="count bad" x={11} y={16.5} textAnchor="middle">
        {documents}
      </text>
    </g>
  );
}

/** A mark for each vote that there may be: full for those that were granted. */
const BallotRow = memo(
  function BallotRow({ ballots, above }: { readonly ballots: Ballots; readonly above: number }): ReactNode {
    const { votes, voters, needed, isDryRun } = ballots;
    const width = 15;
    const x = -((voters - 1) * width) / 2;
    return (
      <g transform={`translate(${x} ${-above})`}>
        <title>{`${votes} of ${voters} votes${isDryRun ? ' in a dry run' : ''}, ${needed} needed`}</title>
        {Array.from({ length: voters }, (_, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: votes have places
          <g key={i} className={isDryRun ? 'dry' : undefined} transform={`translate(${i * width} 0)`}>
            <rect className={`ballot${i < votes ? ' granted' : ''}`} x={-6} y={-6} width={12} height={12} rx={2.5} />
            {i < votes && <path className="tick" d="M-3 0L-1 2.5L3 -2.5" />}
          </g>
        ))}
      </g>
    );
  },
  (one, other) => JSON.stringify(one) === JSON.stringify(other),
);
