import { formatInstant } from '@replsim/kernel';
import { formatOpTime, type OplogOperation } from '@replsim/protocol';
import { showDocument } from '@replsim/scenario';
import type { ReactNode } from 'react';
import type { Cell } from '../../core/history/oplogs.ts';
import { STAGES, type Stage } from './stage.ts';

/** So many operations of one entry are shown. */
const SHOWN = 5;

interface Props {
  readonly member: string;
  readonly cell: Cell;
  readonly stage: Stage;
  readonly epochSecs: number;
}

/** A whole entry, in words, and what became of it on its member. */
export function EntryFacts({ member, cell, stage, epochSecs }: Props): ReactNode {
  const { entry, addedMicros, removal, removedMicros } = cell;
  const { opTime, wallMs, operations } = entry;
  return (
    <dl className="facts">
      <Fact name="entry">{`${formatOpTime(opTime, epochSecs)} on ${member}`}</Fact>
      <Fact name="written">{`${formatInstant(addedMicros)}; wall ${new Date(wallMs).toISOString()}`}</Fact>
      <Fact name="is">
        {STAGES[stage]}
        {removal !== undefined && ` at ${formatInstant(removedMicros ?? 0)}`}
      </Fact>
      {operations.slice(0, SHOWN).map((operation, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry never changes
        <Fact key={i} name={`${operation.op} ${operation.ns}`}>
          <code>{operationText(operation)}</code>
        </Fact>
      ))}
      {operations.length > SHOWN && <Fact name="and">{`${operations.length - SHOWN} more operations`}</Fact>}
    </dl>
  );
}

function operationText({ o, o2 }: OplogOperation): string {
  return `o: ${showDocument(o)}${o2 ? `, o2: ${showDocument(o2)}` : ''}`;
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
