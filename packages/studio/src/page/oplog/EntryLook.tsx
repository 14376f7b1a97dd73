import type { ReactNode } from 'react';
import { usePage } from '../context.ts';
import { columnsAt } from './columns.ts';
import { EntryFacts } from './EntryFacts.tsx';
import { stageOf } from './stage.ts';

/** The entry that somebody has pressed, and what became of it on its member. */
export function EntryLook(): ReactNode {
  const { state, moment, guide } = usePage();
  const { entry } = state;
  const { history } = guide.seen;
  const member = moment.members.find(({ name }) => name === entry?.member);
  if (!entry || !member)
    return <p className="hint empty">Press an entry of an oplog to read it here, and why it is there.</p>;
  const { lanes } = columnsAt(history.oplogs, [member], moment.atMicros, 1, entry.opTime);
  const cell = lanes[0]?.cells.get(entry.key);
  if (!cell) return <p className="hint empty">{`${entry.member} does not have this entry at this instant.`}</p>;
  return <EntryFacts member={entry.member} cell={cell} stage={stageOf(cell, member)} epochSecs={history.epochSecs} />;
}
