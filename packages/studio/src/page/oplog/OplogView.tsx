import type { OpTime } from '@replsim/protocol';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import ChevronsRight from 'lucide-react/icons/chevrons-right';
import { type KeyboardEvent, memo, type ReactNode, useCallback, useId, useRef, useState } from 'react';
import type { History, Moment } from '../../core/history/history.ts';
import type { Cell } from '../../core/history/oplogs.ts';
import { useWidth } from '../../set/useWidth.ts';
import { useActions } from '../context.ts';
import { IconButton } from '../controls/Button.tsx';
import { LegendButton } from '../controls/Legend.tsx';
import { type Column, columnsAt, type OplogLane } from './columns.ts';
import { EntryFacts } from './EntryFacts.tsx';
import { STAGES, type Stage, stageOf } from './stage.ts';

/** A cell, and the names before the lanes. Unit: px. */
const CELL = 25;
const NAMES = 56;
const COLOURS = 6;

interface Props {
  readonly history: History;
  readonly moment: Moment;
}

interface Pointed {
  readonly member: string;
  readonly key: string;
  /** Where its cell is. */
  readonly box: DOMRect;
}

/** One lane a member: its newest entries as cells in the colour of their term, those of the same optime below each other. */
export function OplogView({ history, moment }: Props): ReactNode {
  const heading = useId();
  const place = useRef<HTMLDivElement>(null);
  const shown = Math.max(Math.floor((useWidth(place, 480) - NAMES) / CELL), 6);
  /** The newest column that is shown; undefined: the newest there is. */
  const [upTo, setUpTo] = useState<OpTime>();
  const [pointed, setPointed] = useState<Pointed>();
  const { lanes, columns } = columnsAt(history.oplogs, moment.members, moment.atMicros, shown, upTo);
  const point = useCallback((member: string, key: string, box: DOMRect) => setPointed({ member, key, box }), []);
  const leave = () => setPointed(undefined);
  return (
    <div ref={place} className="oplog-view">
      <div className="zoom">
        <strong id={heading}>Oplogs</strong>
        <Older {...{ history, moment, columns, shown, upTo, setUpTo }} />
        <Legend terms={[...new Set(columns.map(({ opTime }) => opTime.t))]} />
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is shown of its cells goes when somebody leaves them */}
      <div className="oplog-lanes" onPointerLeave={leave} onBlur={leave}>
        <table className="oplogs" aria-labelledby={heading} onKeyDown={moveFocus}>
          <tbody>
            {lanes.map((lane) => (
              <Lane key={lane.member.name} lane={lane} columns={columns} onPoint={point} />
            ))}
          </tbody>
        </table>
      </div>
      <PointedFacts pointed={pointed} lanes={lanes} epochSecs={history.epochSecs} />
    </div>
  );
}

interface OlderProps extends Props {
  readonly columns: readonly Column[];
  readonly shown: number;
  readonly upTo: OpTime | undefined;
  readonly setUpTo: (upTo: OpTime | undefined) => void;
}

/** The ways to older entries and back. */
function Older({ history, moment, columns, shown, upTo, setUpTo }: OlderProps): ReactNode {
  const older = columns[Math.floor(columns.length / 2) - 1]?.opTime;
  const newer = () => {
    const last = columns.at(-1)?.opTime;
    // What is newer than the window is looked for from the end: half a window on, or all of it.
    const all = columnsAt(history.oplogs, moment.members, moment.atMicros, NEWER_WITHIN, undefined).columns;
    const at = all.findIndex(
      ({ opTime }) => opTime.t === last?.t && opTime.ts.t === last.ts.t && opTime.ts.i === last.ts.i,
    );
    const next = at < 0 ? undefined : all[at + Math.ceil(shown / 2)];
    setUpTo(next?.opTime);
  };
  return (
    <>
      <IconButton label="older" onClick={() => setUpTo(older)} disabled={columns.length < shown}>
        <ChevronLeft size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label="newer" onClick={newer} disabled={!upTo}>
        <ChevronRight size={15} aria-hidden="true" />
      </IconButton>
      <IconButton label="newest" onClick={() => setUpTo(undefined)} disabled={!upTo}>
        <ChevronsRight size={15} aria-hidden="true" />
      </IconButton>
    </>
  );
}

/** Farther back than that, "newer" goes to the newest at once. */
const NEWER_WITHIN = 20_000;

interface LaneProps {
  readonly lane: OplogLane;
  readonly columns: readonly Column[];
  readonly onPoint: PointAt;
}

function Lane({ lane: { member, cells }, columns, onPoint }: LaneProps): ReactNode {
  const last = columns.findLast(({ key }) => cells.has(key))?.key;
  return (
    <tr>
      <th scope="row">{member.name}</th>
      {columns.map(({ key, opTime }, i) => {
        const cell = cells.get(key);
        // By its place: another instant has other entries, and their elements are used again.
        return cell ? (
          <EntryCell
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={i}
            column={key}
            member={member.name}
            op={cell.entry.operation.op}
            turn={cell.turn}
            stage={stageOf(cell, member)}
            isLast={key === last}
            opTime={opTime}
            onPoint={onPoint}
          />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <td key={i} />
        );
      })}
    </tr>
  );
}

interface CellProps {
  readonly column: string;
  readonly member: string;
  readonly op: string;
  readonly opTime: OpTime;
  readonly turn: number;
  readonly stage: Stage;
  /** One cell of a lane is reached by the tabulator, the others from there by arrows. */
  readonly isLast: boolean;
  readonly onPoint: PointAt;
}

type PointAt = (member: string, key: string, box: DOMRect) => void;

/** What it takes stays the same as long as the entry does: then nothing is drawn anew. */
const EntryCell = memo(function EntryCell(props: CellProps): ReactNode {
  const { column, member, op, opTime, turn, stage, isLast, onPoint } = props;
  const { chooseEntry, ask } = useActions();
  const point = (cell: Element) => onPoint(member, column, cell.getBoundingClientRect());
  const press = () => {
    chooseEntry({ member, key: column, opTime });
    if (turn > 0) ask({ kind: 'event', turn });
  };
  return (
    <td>
      <button
        type="button"
        className={`cell ${stage.replace(' ', '-')} term${colourOf(opTime.t)}`}
        data-entry={column}
        tabIndex={isLast ? 0 : -1}
        aria-label={`${op} of ${termText(opTime.t)} on ${member}: ${STAGES[stage]}`}
        onPointerEnter={({ currentTarget }) => point(currentTarget)}
        onFocus={({ currentTarget }) => point(currentTarget)}
        onClick={press}
      >
        {op}
      </button>
    </td>
  );
});

/** The first entry of a set has no term: -1. */
function colourOf(term: number): number {
  return Math.max(term, 0) % COLOURS;
}

function termText(term: number): string {
  return term < 0 ? 'no term' : `term ${term}`;
}

/** Arrows go from cell to cell, within a lane and to the nearest of the next one. */
function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const cell = (event.target as HTMLElement).closest('td');
  const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!cell || !by) return;
  event.preventDefault();
  const [down = 0, right = 0] = by;
  const { rows } = event.currentTarget;
  let row = (cell.parentElement as HTMLTableRowElement).rowIndex;
  let column = cell.cellIndex;
  do {
    row += down;
    column += right;
    const button = rows[row]?.cells[column]?.querySelector('button');
    if (button) return button.focus();
  } while (rows[row]?.cells[column] !== undefined && column > 0);
}

function Legend({ terms }: { readonly terms: readonly number[] }): ReactNode {
  return (
    <LegendButton of="entries">
      <ul className="legend" aria-label="Entries">
        {terms.map((term) => (
          <li key={term}>
            <span className={`cell majority term${colourOf(term)}`} aria-hidden="true" /> {termText(term)}
          </li>
        ))}
        {(Object.keys(STAGES) as Stage[]).map((stage) => (
          <li key={stage}>
            <span className={`cell ${stage.replace(' ', '-')} term0`} aria-hidden="true">
              i
            </span>{' '}
            {stage}
          </li>
        ))}
      </ul>
    </LegendButton>
  );
}

interface PointedProps {
  readonly pointed: Pointed | undefined;
  readonly lanes: readonly OplogLane[];
  readonly epochSecs: number;
}

/** What an entry is, above it, as long as somebody points at it. */
function PointedFacts({ pointed, lanes, epochSecs }: PointedProps): ReactNode {
  const lane = lanes.find(({ member }) => member.name === pointed?.member);
  const cell: Cell | undefined = pointed && lane?.cells.get(pointed.key);
  if (!pointed || !lane || !cell) return null;
  const { left, top } = pointed.box;
  const style = { left: `min(${left}px, 100vw - 400px)`, bottom: `calc(100vh - ${top}px + 6px)` };
  return (
    <div className="entry" style={style} role="status">
      <EntryFacts member={lane.member.name} cell={cell} stage={stageOf(cell, lane.member)} epochSecs={epochSecs} />
    </div>
  );
}
