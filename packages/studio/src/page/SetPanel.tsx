import { type ReactNode, useMemo } from 'react';
import { zonesOf } from '../core/edit/head.ts';
import { MessageLegend } from '../set/MessageLegend.tsx';
import { SetView } from '../set/SetView.tsx';
import { CompareSet } from './compare/CompareSet.tsx';
import { useActions, usePage } from './context.ts';
import { Check } from './controls/Check.tsx';
import { LegendButton } from './controls/Legend.tsx';
import { GroupingChoice } from './GroupingChoice.tsx';
import { Doings } from './inspector/Doings.tsx';
import { Notices } from './text/Notices.tsx';
import { Caption } from './time/Caption.tsx';

/** The set, or both, and what can be done to it. */
export function SetPanel(): ReactNode {
  const { moment, state, compare, guide, atMicros } = usePage();
  const { select, heartbeats } = useActions();
  const { history } = guide.seen;
  const { second } = compare;
  const zones = useMemo(() => zonesOf(state.text), [state.text]);
  return (
    <section className="panel set" aria-label="The set">
      <div className="panel-head">
        <h2>{second ? 'Both sets' : 'Set'}</h2>
        <LegendButton of="messages">
          <MessageLegend />
        </LegendButton>
        <Check label="heartbeats" isOn={state.showsHeartbeats} onTurn={heartbeats} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached */}
      <section className="sets" aria-label="Members" tabIndex={0}>
        <figure aria-label="The set of the run">
          {second && <figcaption>the first run</figcaption>}
          <SetView
            GroupingChoice={GroupingChoice}
            isFitted
            history={history}
            moment={moment}
            zones={zones}
            showHeartbeats={state.showsHeartbeats}
            selected={state.selected}
            onSelect={select}
          />
        </figure>
        {second && <CompareSet second={second} />}
      </section>
      <Caption history={history} atMicros={atMicros} />
      <Notices />
      <Doings />
    </section>
  );
}
