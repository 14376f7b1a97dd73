import { formatOpTime } from '@replsim/protocol';
import { type ReactNode, useMemo } from 'react';
import type { Asked } from '../../core/lesson/asked.ts';
import { usePage } from '../context.ts';

/** What one can know before a quiz asks: each member's state, and where it stands. Who guesses without that only guesses. */
export function KnownHere({ asked: { atMicros } }: { readonly asked: Asked }): ReactNode {
  const { history } = usePage().guide.seen;
  const members = useMemo(() => history.at(atMicros).members, [history, atMicros]);
  return (
    <ul className="known" aria-label="What you can know">
      {members.map(({ name, state, lastApplied, term }) => (
        <li key={name}>
          <strong>{name}</strong> {state}
          {state !== 'DOWN' && `, term ${Math.max(term, 0)}`}
          {lastApplied && state !== 'DOWN' && `, stands at ${formatOpTime(lastApplied, history.epochSecs)}`}
        </li>
      ))}
    </ul>
  );
}
