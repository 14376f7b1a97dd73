import type { ReactNode } from 'react';
import type { NewStep } from '../../core/edit/insertStep.ts';
import type { Moment } from '../../core/history/history.ts';
import type { Question } from '../../core/run/player.ts';
import { type Action, actionsBetween, actionsOn } from './actions.ts';

interface Props {
  readonly moment: Moment;
  readonly selected: readonly string[];
  readonly onAct: (step: NewStep) => void;
  readonly onAsk: (question: Question) => void;
}

/** What can be done to what is selected, and asked of it. */
export function Doings({ moment, selected, onAct, onAsk }: Props): ReactNode {
  const [one, other] = selected;
  const member = other === undefined ? moment.members.find(({ name }) => name === one) : undefined;
  const ask = (kind: Kind) => onAsk(questionOf(kind, moment.atMicros, member?.name));
  const isCut = moment.cut.some(([from, to]) => selected.includes(from) && selected.includes(to));
  const actions: readonly Action[] = member
    ? actionsOn(member)
    : one !== undefined && other !== undefined
      ? actionsBetween(one, other, isCut)
      : [];
  return (
    <div className="doings">
      <strong>{selected.length === 0 ? 'Click a member or a line between two.' : selected.join(' – ')}</strong>
      {actions.map(({ label, step }) => (
        <button type="button" key={label} title={step.texts.join('; ')} onClick={() => onAct(step)}>
          {label}
        </button>
      ))}
      {member && (
        <>
          {!isPrimary(member) && (
            <button type="button" className="ask" onClick={() => ask('primary')}>
              why not primary?
            </button>
          )}
          <button type="button" className="ask" onClick={() => ask('state')}>
            why this state?
          </button>
          <button type="button" className="ask" onClick={() => ask('vote')}>
            how did it vote, and why?
          </button>
        </>
      )}
      {!member && !moment.members.some(isPrimary) && (
        <button type="button" className="ask" onClick={() => ask('primary')}>
          why is there no primary?
        </button>
      )}
      <button type="button" className="ask" onClick={() => ask('write')}>
        what is a majority waiting for?
      </button>
    </div>
  );
}

function isPrimary({ state, acceptsWrites }: Moment['members'][number]): boolean {
  return state === 'PRIMARY' && acceptsWrites;
}

type Kind = 'primary' | 'state' | 'vote' | 'write';

function questionOf(kind: Kind, atMicros: number, member: string | undefined): Question {
  if ((kind === 'state' || kind === 'vote') && member !== undefined) return { kind, atMicros, member };
  if (kind === 'write') return { kind, atMicros };
  return { kind: 'primary', atMicros, ...(member !== undefined && { member }) };
}
