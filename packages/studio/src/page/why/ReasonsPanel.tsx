import type { ReactNode } from 'react';
import type { Page } from '../usePage.ts';
import { AskOperation } from './AskOperation.tsx';
import { Why } from './Why.tsx';

/** What was asked of a run, or of both, and the answer. */
export function ReasonsPanel({ page }: { readonly page: Page }): ReactNode {
  const { guide, run, player, question, ask, compare } = page;
  const { atMicros, setAtMicros } = page.instant;
  const { second } = compare;
  const shows = { atMicros, onGo: setAtMicros };
  return (
    <section className="reasons" aria-label="Reasons">
      <AskOperation newest={guide.seen.history.operations.at(atMicros)} atMicros={atMicros} onAsk={ask} />
      <Why player={player} question={question} run={run.played} within={guide.withinSeen} {...shows} onAsk={ask} />
      {second && (
        <>
          <p className="hint">Above, the first run; below, the second:</p>
          <Why
            player={second.player}
            question={compare.question}
            run={second.run.played}
            {...shows}
            onAsk={compare.ask}
          />
        </>
      )}
    </section>
  );
}
