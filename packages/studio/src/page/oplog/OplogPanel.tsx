import type { ReactNode } from 'react';
import { OfSecond } from '../compare/OfSecond.tsx';
import { usePage } from '../context.ts';
import { OplogView } from './OplogView.tsx';

/** The oplogs at the instant that is shown, of both runs if there are two. */
export function OplogPanel(): ReactNode {
  const { guide, compare, moment, atMicros } = usePage();
  const { second } = compare;
  return (
    <section className="panel oplog-panel" aria-label="The oplogs">
      {second && <p className="hint">The oplogs of the first run:</p>}
      <OplogView history={guide.seen.history} moment={moment} />
      {second && (
        <OfSecond>
          <p className="hint">The oplogs of the second run:</p>
          <OplogView history={second.run.history} moment={second.run.history.at(atMicros)} />
        </OfSecond>
      )}
    </section>
  );
}
