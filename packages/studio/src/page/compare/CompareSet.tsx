import type { ReactNode } from 'react';
import type { History } from '../../core/history/history.ts';
import { SetView } from '../../set/SetView.tsx';

interface Props {
  readonly history: History;
  readonly atMicros: number;
  readonly showHeartbeats: boolean;
  readonly selected: readonly string[];
  readonly zones: ReadonlyMap<string, string>;
  readonly onSelect: (members: readonly string[]) => void;
}

/** The set of the second run, at the instant of both. */
export function CompareSet({ history, atMicros, ...view }: Props): ReactNode {
  return (
    <figure aria-label="The set of the second run">
      <figcaption>{`the second run${atMicros > history.endMicros ? ', as it was when it ended' : ''}`}</figcaption>
      <SetView
        moment={history.at(atMicros)}
        epochSecs={history.epochSecs}
        flights={history.traffic.at(atMicros)}
        {...view}
      />
    </figure>
  );
}
