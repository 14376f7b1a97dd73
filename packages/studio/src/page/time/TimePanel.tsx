import type { ReactNode } from 'react';
import { usePage } from '../context.ts';
import { Split } from '../controls/Split.tsx';
import { InTurn } from '../InTurn.tsx';
import { OplogPanel } from '../oplog/OplogPanel.tsx';
import { useNarrow } from '../useNarrow.ts';
import { Controls } from './Controls.tsx';
import { Timeline } from './Timeline.tsx';

/** Time, how one moves in it, and beside it the oplogs at its instant. */
export function TimePanel(): ReactNode {
  const isNarrow = useNarrow();
  return (
    <section className="panel time" aria-label="Time">
      <Controls />
      {isNarrow ? (
        <TimelineHere />
      ) : (
        <Split id="time" orientation="horizontal" sizes={[60, 40]}>
          <TimelineHere />
          <InTurn turn={0}>
            <OplogPanel />
          </InTurn>
        </Split>
      )}
    </section>
  );
}

export function TimelineHere(): ReactNode {
  const { guide, compare, timeline } = usePage();
  const { second } = compare;
  return (
    <Timeline
      history={guide.seen.history}
      second={second && { history: second.run.history, likeness: second.compared?.comparison.likeness }}
      isLed={guide.reading !== 'free'}
      door={timeline}
    />
  );
}
