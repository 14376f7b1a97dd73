import type { ReactNode } from 'react';
import type { History } from '../../core/history/history.ts';
import type { Question } from '../../core/run/player.ts';
import { useActions, usePage } from '../context.ts';
import { Button } from '../controls/Button.tsx';

/** Asks what a hint says one should ask: of the end of the run, for there the goals are judged. */
export function AskHint({ why }: { readonly why: string }): ReactNode {
  const { run } = usePage();
  const { go, ask } = useActions();
  const { history, played } = run;
  return (
    <Button
      look="ask"
      disabled={played?.kind !== 'played'}
      onClick={() => {
        go(history.endMicros);
        ask(questionOf(why, history));
      }}
    >
      ask why
    </Button>
  );
}

/** Who leads has a reason to, and there is another one if nobody does. */
function questionOf(why: string, history: History): Question {
  const atMicros = history.endMicros;
  if (why !== 'primary') return { kind: 'state', atMicros, member: why };
  const primary = history.at(atMicros).members.find(({ state }) => state === 'PRIMARY');
  return primary ? { kind: 'state', atMicros, member: primary.name } : { kind: 'primary', atMicros };
}
