import { type ReactNode, useMemo } from 'react';
import { zonesOf } from '../core/edit/head.ts';
import { SetView } from '../set/SetView.tsx';
import { CompareSet } from './compare/CompareSet.tsx';
import type { Second } from './compare/useSecond.ts';
import { Doings } from './inspector/Doings.tsx';
import { Caption } from './time/Caption.tsx';
import type { Page } from './usePage.ts';

/** The set, or both, and what can be done to it. */
export function SetPanel({ page }: { readonly page: Page }): ReactNode {
  const { moment, selected, showHeartbeats, edits, instant, text } = page;
  const { history } = page.guide.seen;
  const { second } = page.compare;
  const otherText = second?.shared.text ?? '';
  const zones = useMemo(() => zonesOf(text), [text]);
  const otherZones = useMemo(() => zonesOf(otherText), [otherText]);
  const shown = { showHeartbeats, selected, onSelect: page.setSelected };
  return (
    <section className="set" aria-label="The set">
      <div className="sets">
        <figure aria-label="The set of the run">
          {second && <figcaption>the first run</figcaption>}
          <SetView
            moment={moment}
            epochSecs={history.epochSecs}
            flights={history.traffic.at(instant.atMicros)}
            zones={zones}
            {...shown}
          />
        </figure>
        {second && (
          <CompareSet history={second.run.history} atMicros={instant.atMicros} zones={otherZones} {...shown} />
        )}
      </div>
      <Caption history={history} atMicros={instant.atMicros} />
      {second && <p className="hint">{whereActed(second)}</p>}
      <Doings moment={moment} selected={selected} onAct={edits.act} onAsk={page.ask} />
      {edits.cannot && <output className="verdict failed">{edits.cannot}</output>}
      <label className="heartbeats">
        <input
          type="checkbox"
          checked={showHeartbeats}
          onChange={({ target }) => page.setShowHeartbeats(target.checked)}
        />{' '}
        heartbeats
      </label>
    </section>
  );
}

function whereActed({ shared }: Second): string {
  return shared.by
    ? 'Every click adds a line to both texts, because the second is made from the first.'
    : 'Every click adds a line to the first text only, because the second is a text of its own.';
}
