import { type ReactNode, useMemo } from 'react';
import { zonesOf } from '../../core/edit/head.ts';
import { SetView } from '../../set/SetView.tsx';
import { useActions, usePage } from '../context.ts';
import { GroupingChoice } from '../GroupingChoice.tsx';
import type { Second } from './useSecond.ts';

/** The set of the second run, at the instant of both. */
export function CompareSet({ second }: { readonly second: Second }): ReactNode {
  const { state, atMicros } = usePage();
  const { select } = useActions();
  const { history } = second.run;
  const zones = useMemo(() => zonesOf(second.shared.text), [second.shared.text]);
  return (
    <figure aria-label="The set of the second run">
      <figcaption>{`the second run${atMicros > history.endMicros ? ', as it was when it ended' : ''}`}</figcaption>
      <SetView
        GroupingChoice={GroupingChoice}
        isFitted
        history={history}
        moment={history.at(atMicros)}
        zones={zones}
        showHeartbeats={state.showsHeartbeats}
        selected={state.selected}
        onSelect={select}
      />
    </figure>
  );
}
