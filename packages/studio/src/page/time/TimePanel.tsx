import type { ReactNode } from 'react';
import { OplogView } from '../oplog/OplogView.tsx';
import type { Page } from '../usePage.ts';
import { Controls } from './Controls.tsx';
import { Timeline } from './Timeline.tsx';

/** Time, how one moves in it, and the oplogs at its instant. */
export function TimePanel({ page }: { readonly page: Page }): ReactNode {
  const { guide, travel, compare, moment } = page;
  const { atMicros, setAtMicros } = page.instant;
  const { history } = guide.seen;
  const { second } = compare;
  return (
    <section className="time" aria-label="Time">
      <Timeline
        history={history}
        second={second && { history: second.run.history, likeness: second.compared?.comparison.likeness }}
        atMicros={atMicros}
        isLed={guide.reading !== 'free'}
        onScrub={setAtMicros}
        door={page.timeline}
      />
      <Controls
        playback={travel.playback}
        atMicros={atMicros}
        endMicros={travel.endMicros}
        member={page.member}
        onStep={travel.step}
        onGo={setAtMicros}
        onHelp={() => page.keys.current?.open()}
        onFork={page.live ? undefined : page.edits.fork}
      />
      {second && <p className="hint">The oplogs of the first run:</p>}
      <OplogView history={history} moment={moment} onAsk={page.ask} />
      {second && (
        <>
          <p className="hint">The oplogs of the second run:</p>
          <OplogView history={second.run.history} moment={second.run.history.at(atMicros)} onAsk={compare.ask} />
        </>
      )}
    </section>
  );
}
