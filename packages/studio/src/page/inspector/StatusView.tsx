import type { ReactNode } from 'react';
import type { StatusRow } from '../../core/look/look.ts';
import { usePage } from '../context.ts';
import { Box } from '../controls/Box.tsx';
import { Fold } from '../controls/Fold.tsx';
import { Answered } from '../data/Answered.tsx';
import { useLook } from '../data/useLook.ts';

/** What a member answers to `rs.status()`. */
export function StatusView({ member }: { readonly member: string }): ReactNode {
  const { atMicros } = usePage();
  const looked = useLook({ kind: 'status', atMicros, member });
  // What another member said is no answer.
  const seen = looked.seen?.member === member ? looked.seen : undefined;
  return (
    <Answered looked={looked}>
      {seen?.silence !== undefined && <p>{`It has no rs.status(): ${seen.silence}.`}</p>}
      {seen?.presence === 'paused' && (
        <p>It is paused and answers nobody. This is what it would answer if it resumed.</p>
      )}
      {seen && seen.members.length > 0 && <Members member={member} rows={seen.members} />}
      {seen?.status && <Whole title="the whole answer" text={seen.status} />}
      {seen?.ttl && <Whole title="serverStatus().metrics.ttl" text={seen.ttl} />}
    </Answered>
  );
}

const COLUMNS: readonly (readonly [heading: string, of: (row: StatusRow) => string])[] = [
  ['state', ({ stateStr }) => stateStr],
  ['health', ({ health }) => health],
  ['optime', ({ optime }) => optime],
  ['sync source', ({ syncSourceHost }) => syncSourceHost],
  ['last heartbeat received', ({ lastHeartbeatRecv }) => lastHeartbeatRecv],
  ['message', ({ message }) => message],
];

function Members({ member, rows }: { readonly member: string; readonly rows: readonly StatusRow[] }): ReactNode {
  return (
    <Box label={`rs.status() of ${member}`}>
      <table className="look">
        <caption>{`rs.status() of ${member}`}</caption>
        <thead>
          <tr>
            <th scope="col">member</th>
            {COLUMNS.map(([heading]) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {COLUMNS.map(([heading, of]) => (
                <td key={heading}>{of(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}

function Whole({ title, text }: { readonly title: string; readonly text: string }): ReactNode {
  return (
    <Fold title={title}>
      <Box label={title}>
        <pre>{text}</pre>
      </Box>
    </Fold>
  );
}
