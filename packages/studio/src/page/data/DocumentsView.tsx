import type { ReactNode } from 'react';
import type { DataCell, DataColumn, DataRow, DataSeen } from '../../core/look/look.ts';
import { useActions, usePage } from '../context.ts';
import { Box } from '../controls/Box.tsx';
import { Choice } from '../controls/Choice.tsx';
import { Fold } from '../controls/Fold.tsx';
import { Answered } from './Answered.tsx';
import { useLook } from './useLook.ts';

interface Props {
  readonly ns: string | undefined;
  readonly onChoose: (ns: string) => void;
}

/** A collection as each member has it, side by side; a click looks at a document, and asks why it is there, or is not. */
export function DocumentsView({ ns, onChoose }: Props): ReactNode {
  const { atMicros } = usePage();
  const looked = useLook({ kind: 'data', atMicros, ...(ns !== undefined && { ns }) });
  const { seen } = looked;
  return (
    <Answered looked={looked}>
      {seen && seen.ns === undefined && <p>No member has a collection, or no member can be asked.</p>}
      {seen?.ns !== undefined && (
        <>
          <Choice
            label="collection"
            value={seen.ns}
            options={seen.collections.map((each) => ({ value: each, text: each }))}
            onChoose={onChoose}
          />
          <Documents seen={seen} ns={seen.ns} />
          <Indexes seen={seen} />
        </>
      )}
    </Answered>
  );
}

interface DocumentsProps {
  readonly seen: DataSeen;
  readonly ns: string;
}

function Documents({ seen: { atMicros, columns, rows, more }, ns }: DocumentsProps): ReactNode {
  const { ask, chooseDocument } = useActions();
  const choose = (member: string, id: string) => {
    chooseDocument({ ns, id });
    ask({ kind: 'document', atMicros, member, ns, id });
  };
  return (
    <>
      <Box label={`Documents of ${ns}`}>
        <table className="look">
          <caption>{`${ns}, member by member`}</caption>
          <thead>
            <tr>
              <th scope="col">_id</th>
              {columns.map((column) => (
                <Head key={column.member} column={column} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} columns={columns} onAsk={(member) => choose(member, row.id)} />
            ))}
          </tbody>
        </table>
      </Box>
      {more > 0 && (
        <p className="hint">{`Only the first ${rows.length} are shown; a member has up to ${more} more.`}</p>
      )}
    </>
  );
}

const PRESENCES = {
  running: '',
  paused: 'paused: what it holds in memory',
  down: 'down: what lies on its disk',
} as const;

function Head({ column: { member, presence, count, silence } }: { readonly column: DataColumn }): ReactNode {
  return (
    <th scope="col">
      {member}
      {count !== undefined && <span className="mark">{` ${count} in all`}</span>}
      {presence !== 'running' && <span className="mark">{PRESENCES[presence]}</span>}
      {silence !== undefined && <span className="mark">{silence}</span>}
    </th>
  );
}

interface RowProps {
  readonly row: DataRow;
  readonly columns: readonly DataColumn[];
  readonly onAsk: (member: string) => void;
}

function Row({ row: { idText, cells }, columns, onAsk }: RowProps): ReactNode {
  const differs = cells.some((cell) => cell?.unlike !== undefined);
  return (
    <tr>
      <th scope="row">
        {idText}
        {differs && <span title="members differ"> ≠</span>}
      </th>
      {columns.map(({ member }, i) => (
        <Document key={member} cell={cells[i]} label={`${idText} on ${member}`} onAsk={() => onAsk(member)} />
      ))}
    </tr>
  );
}

interface DocumentProps {
  readonly cell: DataCell | undefined;
  readonly label: string;
  readonly onAsk: () => void;
}

function Document({ cell, label, onAsk }: DocumentProps): ReactNode {
  if (!cell) return <td>not known</td>;
  const { text, unlike, expired } = cell;
  return (
    <td className={unlike === undefined ? 'document' : 'document unlike'}>
      <button
        type="button"
        className={text === undefined ? 'plain-button absent' : 'plain-button'}
        onClick={onAsk}
        title={`why? ${label}`}
      >
        {text ?? 'not there'}
      </button>
      {unlike !== undefined && <span className="mark">{`≠ ${unlike}`}</span>}
      {expired !== undefined && <span className="mark late">{expired}</span>}
    </td>
  );
}

function Indexes({ seen: { indexes, columns } }: { readonly seen: DataSeen }): ReactNode {
  const asked = columns.filter(({ silence }) => silence === undefined);
  return (
    <Fold title={`${indexes.length} ${indexes.length === 1 ? 'index' : 'indexes'}`}>
      <ul>
        {indexes.map(({ text, members }) => (
          <li key={text}>
            <code>{text}</code>
            {members.length < asked.length && <span className="mark">{`≠ only on ${members.join(', ')}`}</span>}
          </li>
        ))}
      </ul>
    </Fold>
  );
}
