import { useCallback, useMemo } from 'react';
import type { History } from '../../core/history/history.ts';
import type { Stop } from '../../core/history/stops.ts';
import { useStill } from '../../set/useStill.ts';
import { momentsOf } from '../../tempo/moments.ts';
import { type Tempo, tempoOf, tempoOfBoth } from '../../tempo/tempo.ts';
import type { Guide } from '../lesson/useLesson.ts';
import type { Instant } from './useInstant.ts';
import { type Playback, usePlayback } from './usePlayback.ts';

/** How somebody goes from instant to instant. */
export interface Travel {
  readonly playback: Playback;
  /** To the next event of whichever run has one first. */
  readonly step: (direction: 1 | -1, kind: Stop) => void;
  /** How film and virtual time go together, of both runs where there are two. */
  readonly tempo: Tempo;
  /** Where the longer run ends. */
  readonly endMicros: number;
}

/**
 * @param other the second run
 * @param member whose events are stepped through; undefined for those of all
 */
export function useTravel(
  guide: Guide,
  { atMicros, setAtMicros }: Instant,
  other: History | undefined,
  member: string | undefined,
): Travel {
  const { history } = guide.seen;
  const endMicros = Math.max(history.endMicros, other?.endMicros ?? 0);
  const tempo = useMemo(
    () => (other ? tempoOfBoth(history, other) : tempoOf(history)),
    [history, history.size, other, other?.size],
  );
  const isStill = useStill();
  const moments = useMemo(
    () => (isStill ? momentsOf(other ? [history, other] : [history]) : undefined),
    [isStill, history, history.size, other, other?.size],
  );
  const playback = usePlayback(atMicros, other ? endMicros : guide.goalMicros, setAtMicros, tempo, moments);
  const toggle = () => {
    if (playback.isPlaying || guide.setOut()) playback.toggle();
  };
  const step = useCallback(
    (direction: 1 | -1, kind: Stop) => setAtMicros((at) => nearest([history, other], at, direction, member, kind)),
    [history, other, member, setAtMicros],
  );
  return { playback: { ...playback, toggle }, step, tempo, endMicros };
}

function nearest(
  histories: readonly (History | undefined)[],
  atMicros: number,
  direction: 1 | -1,
  member: string | undefined,
  kind: Stop,
): number {
  const found = histories.flatMap((history) => history?.neighbour(atMicros, direction, member, kind) ?? []);
  if (found.length === 0) return atMicros;
  return direction === 1 ? Math.min(...found) : Math.max(...found);
}
