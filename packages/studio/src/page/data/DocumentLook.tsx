import type { ReactNode } from 'react';
import type { DataCell, DataSeen } from '../../core/look/look.ts';
import { useActions, usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';
import type { DocumentChosen } from '../state.ts';
import { Answered } from './Answered.tsx';
import { useLook } from './useLook.ts';

/** The document that somebody has pressed, as each member has it. */
export function DocumentLook(): ReactNode {
  const { document } = usePage().state;
  const { look } = useActions();
  if (document) return <OnMembers key={`${document.ns} ${document.id}`} document={document} />;
  return (
    <p className="hint empty">
      Press a document to read it here, member by member, and why it is there.{' '}
      <Button look="quiet" onClick={() => look('data')}>
        show the documents
      </Button>
    </p>
  );
}

function OnMembers({ document: { ns, id } }: { readonly document: DocumentChosen }): ReactNode {
  const { atMicros } = usePage();
  const { ask, look } = useActions();
  const looked = useLook({ kind: 'data', atMicros, ns });
  const { seen } = looked;
  const row = seen?.ns === ns ? seen.rows.find((each) => each.id === id) : undefined;
  return (
    <Answered looked={looked}>
      {seen && !row && <p>{`No member has this document of ${ns} at this instant.`}</p>}
      {seen && row && (
        <dl className="facts document-facts">
          <div>
            <dt>{ns}</dt>
            <dd>
              <code>{`_id: ${row.idText}`}</code>
            </dd>
          </div>
          {seen.columns.map(({ member }, i) => (
            <div key={member}>
              <dt>{member}</dt>
              <dd>
                <OnMember cell={row.cells[i]} silence={silenceOf(seen, i)} />
                <Button
                  look="ask"
                  aria-label={`why? ${row.idText} on ${member}`}
                  onClick={() => ask({ kind: 'document', atMicros, member, ns, id })}
                >
                  why?
                </Button>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Button look="quiet" onClick={() => look('data')}>{`all of ${ns}`}</Button>
    </Answered>
  );
}

function OnMember({ cell, silence }: { readonly cell: DataCell | undefined; readonly silence: string }): ReactNode {
  if (!cell) return <span className="hint">{silence}</span>;
  const { text, unlike, expired } = cell;
  return (
    <>
      {text === undefined ? <em>not there</em> : <code>{text}</code>}
      {unlike !== undefined && <span className="mark">{`≠ ${unlike}`}</span>}
      {expired !== undefined && <span className="mark late">{expired}</span>}
    </>
  );
}

/** Why nothing is known of a member's document. */
const silenceOf = ({ columns }: DataSeen, i: number) => columns[i]?.silence ?? 'not known';
