import type { ReactNode } from 'react';
import type { History } from '../core/history/history.ts';
import { clockText } from './clockText.ts';

/** Above the set of a picture in a file. Unit: px. */
export const CLOCK_HEIGHT = 24;
const MARGIN = 16;
const LENGTH = 150;

interface Props {
  readonly history: Pick<History, 'steps' | 'endMicros'>;
  readonly atMicros: number;
}

/** How far a run is: its time as a bar, the instant, and which of its steps has begun last. */
export function Clock({ history, atMicros }: Props): ReactNode {
  const gone = Math.min(1, atMicros / Math.max(history.endMicros, 1));
  return (
    <g className="clock" transform={`translate(${MARGIN} 8)`}>
      <rect className="way" y={3} width={LENGTH} height={6} rx={3} />
      <rect className="gone" y={3} width={Math.round(LENGTH * gone)} height={6} rx={3} />
      <text x={LENGTH + 10} y={10}>
        {clockText(history, atMicros)}
      </text>
    </g>
  );
}
