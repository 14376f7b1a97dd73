import { compareOpTimes, formatOpTime, type OpTime } from '@replsim/protocol';
import type { ReactNode } from 'react';
import type { History, Moment } from '../history/history.ts';
import type { Cell } from '../history/oplogs.ts';

/** So many of the newest entries are shown. */
const SHOWN = 26;

interface Props {
  readonly history: History;
  readonly moment: Moment;
}

/** One lane a member: its newest entries as cells in the colour of their term, those of the same optime below each other. */
export function OplogView({ history, moment }: Props): ReactNode {
  const lanes = moment.members.map((member) => ({
    member,
    cells: new Map(history.oplogs.at(member.name, moment.atMicros, SHOWN).map((cell) => [keyOf(cell), cell])),
  }));
  const columns = columnsOf(lanes.flatMap(({ cells }) => [...cells.values()]));
  return (
    <table className="oplogs">
      <caption>Oplogs</caption>
      <tbody>
        {lanes.map(({ member, cells }) => (
          <tr key={member.name}>
            <th scope="row">{member.name}</th>
            {columns.map((column) => {
              const cell = cells.get(keyOf(column));
              return (
                <td key={keyOf(column)}>
                  {cell && <EntryCell cell={cell} epochSecs={history.epochSecs} {...member} />}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface CellProps {
  readonly cell: Cell;
  readonly epochSecs: number;
  readonly lastApplied: OpTime | undefined;
  readonly lastDurable: OpTime | undefined;
  readonly commitPoint: OpTime | undefined;
}

function EntryCell({ cell, epochSecs, lastApplied, lastDurable, commitPoint }: CellProps): ReactNode {
  const { opTime, operation } = cell.entry;
  const has = (position: OpTime | undefined) => position !== undefined && compareOpTimes(opTime, position) <= 0;
  const stage = has(commitPoint) ? 'majority' : has(lastDurable) ? 'durable' : has(lastApplied) ? 'applied' : 'written';
  const what = `${formatOpTime(opTime, epochSecs)}: ${operation.op} ${operation.ns}; ${STAGES[stage]}`;
  return (
    <span className={`cell ${stage} term${opTime.t % 6}`} title={what}>
      {operation.op}
    </span>
  );
}

const STAGES = {
  written: 'in the oplog only',
  applied: 'in the data',
  durable: 'on disk',
  majority: 'majority-committed, as this member knows',
} as const;

function keyOf({ entry: { opTime } }: Cell): string {
  return `${opTime.ts.t} ${opTime.ts.i} ${opTime.t}`;
}

/** One cell for each optime that somebody has, in order. */
function columnsOf(cells: readonly Cell[]): readonly Cell[] {
  const byKey = new Map(cells.map((cell) => [keyOf(cell), cell]));
  return [...byKey.values()].sort((a, b) => compareOpTimes(a.entry.opTime, b.entry.opTime)).slice(-SHOWN);
}
