import type { OpTime } from '@replsim/protocol';
import { type KeyboardEvent, memo, type ReactNode, useCallback, useId, useRef, useState } from 'react';
import type { History, Moment } from '../../core/history/history.ts';
import type { Cell } from '../../core/history/oplogs.ts';
import type { Question } from '../../core/run/player.ts';
import { useWidth } from '../../set/useWidth.ts';
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
  readonly onAsk: (question: Question) => void;
}

interface Pointed {
  readonly member: string;
  readonly key: string;
}

/** One lane a member: its newest entries as cells in the colour of their term, those of the same optime below each other. */
export function OplogView({ history, moment, onAsk }: Props): ReactNode {
  const heading = useId();
  const place = useRef<HTMLDivElement>(null);
  const shown = Math.max(Math.floor((useWidth(place, 720) - NAMES) / CELL), 6);
  /** The newest column that is shown; undefined: the newest there is. */
  const [upTo, setUpTo] = useState<OpTime>();
  const [pointed, setPointed] = useState<Pointed>();
  const { lanes, columns } = columnsAt(history.oplogs, moment.members, moment.atMicros, shown, upTo);
  const point = useCallback((member: string, key: string) => setPointed({ member, key }), []);
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
    <div ref={place}>
      <div className="zoom">
        <strong id={heading}>Oplogs</strong>
        <button type="button" onClick={() => setUpTo(older)} disabled={columns.length < shown}>
          older
        </button>
        <button type="button" onClick={newer} disabled={!upTo}>
          newer
        </button>
        <button type="button" onClick={() => setUpTo(undefined)} disabled={!upTo}>
          newest
        </button>
      </div>
      <div className="oplog-lanes">
        <table className="oplogs" aria-labelledby={heading} onKeyDown={moveFocus}>
          <tbody>
            {lanes.map((lane) => (
              <Lane key={lane.member.name} lane={lane} columns={columns} onPoint={point} onAsk={onAsk} />
            ))}
          </tbody>
        </table>
      </div>
      <Legend terms={[...new Set(columns.map(({ opTime }) => opTime.t))]} />
      <PointedFacts pointed={pointed} lanes={lanes} epochSecs={history.epochSecs} />
    </div>
  );
}

/** Farther back than that, "newer" goes to the newest at once. */
const NEWER_WITHIN = 20_000;

interface LaneProps {
  readonly lane: OplogLane;
  readonly columns: readonly Column[];
  readonly onPoint: (member: string, key: string) => void;
  readonly onAsk: (question: Question) => void;
}

function Lane({ lane: { member, cells }, columns, onPoint, onAsk }: LaneProps): ReactNode {
  const last = columns.findLast(({ key }) => cells.has(key))?.key;
  return (
    <tr>
      <th scope="row">{member.name}</th>
      {columns.map(({ key }, i) => {
        const cell = cells.get(key);
        // By its place: another instant has other entries, and their elements are used again.
        return cell ? (
          <EntryCell
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={i}
            column={key}
            member={member.name}
            op={cell.entry.operation.op}
            term={cell.entry.opTime.t}
            turn={cell.turn}
            stage={stageOf(cell, member)}
            isLast={key === last}
            onPoint={onPoint}
            onAsk={onAsk}
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
  readonly term: number;
  readonly turn: number;
  readonly stage: Stage;
  /** One cell of a lane is reached by the tabulator, the others from there by arrows. */
  readonly isLast: boolean;
  readonly onPoint: (member: string, key: string) => void;
  readonly onAsk: (question: Question) => void;
}

/** All that it takes are words and numbers: as long as they stay, nothing is drawn anew. */
const EntryCell = memo(function EntryCell(props: CellProps): ReactNode {
  const { column, member, op, term, turn, stage, isLast, onPoint, onAsk } = props;
  return (
    <td>
      <button
        type="button"
        className={`cell ${stage.replace(' ', '-')} term${colourOf(term)}`}
        tabIndex={isLast ? 0 : -1}
        aria-label={`${op} of term ${term} on ${member}: ${STAGES[stage]}`}
        onPointerEnter={() => onPoint(member, column)}
        onFocus={() => onPoint(member, column)}
        onClick={() => turn > 0 && onAsk({ kind: 'event', turn })}
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
    <ul className="legend" aria-label="Entries">
      {terms.map((term) => (
        <li key={term}>
          <span className={`cell majority term${colourOf(term)}`} aria-hidden="true" />{' '}
          {term < 0 ? 'no term' : `term ${term}`}
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
  );
}

interface PointedProps {
  readonly pointed: Pointed | undefined;
  readonly lanes: readonly OplogLane[];
  readonly epochSecs: number;
}

function PointedFacts({ pointed, lanes, epochSecs }: PointedProps): ReactNode {
  const lane = lanes.find(({ member }) => member.name === pointed?.member);
  const cell: Cell | undefined = pointed && lane?.cells.get(pointed.key);
  return (
    <div className="entry">
      {lane && cell ? (
        <EntryFacts member={lane.member.name} cell={cell} stage={stageOf(cell, lane.member)} epochSecs={epochSecs} />
      ) : (
        <p className="hint">Point at an entry to read it; press it to ask why it is there.</p>
      )}
    </div>
  );
}
