import type { ReactNode } from 'react';
import { OfSecond } from '../compare/OfSecond.tsx';
import { usePage } from '../context.ts';
import { Why } from './Why.tsx';

/** What was asked of a run, or of both, and the answer. */
export function Reasons(): ReactNode {
  const { guide, run, player, compare, state } = usePage();
  const { second } = compare;
  const { questions } = state;
  if (!questions.first && !(second && questions.second)) return null;
  return (
    <section className="reasons" aria-label="Reasons">
      {questions.first && (
        <Why
          player={player}
          question={questions.first}
          run={run}
          history={guide.seen.history}
          within={guide.withinSeen}
        />
      )}
      {second && questions.second && (
        <OfSecond>
          {questions.first && <p className="hint">Above, the first run; below, the second:</p>}
          <Why player={second.player} question={questions.second} run={second.run} history={second.run.history} />
        </OfSecond>
      )}
    </section>
  );
}
