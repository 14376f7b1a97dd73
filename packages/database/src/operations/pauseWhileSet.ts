import { CommandError, type FailPointName, type Now } from '@replsim/protocol';
import type { FailPointData, FailPoints } from '../failPoints.ts';
import type { Operation } from './operation.ts';

/** How often a fail point that is set for a number of times is come by anew. Unit: µs. Upstream: kWaitGranularity. */
const GRANULARITY_MICROS = 100_000;

/** Whose fail points they are. */
interface PausingHost {
  readonly failPoints: FailPoints;
  readonly now: Now;
}

interface PauseOptions {
  /** Whether the data speak of this occasion. */
  readonly concerns?: (data: FailPointData) => boolean;
  /** What ends the operation is heard of only when the pause is over. */
  readonly uninterrupted?: boolean;
}

/**
 * Stands still for as long as the fail point fires, each time it is asked; an interruption is thrown where it waits. One that
 * is set for good is waited for, not asked over and over. Upstream: fail_point.h, FailPoint::pauseWhileSet.
 */
export function* pauseWhileSet(
  host: PausingHost,
  name: FailPointName,
  { concerns, uninterrupted = false }: PauseOptions = {},
): Operation<void> {
  const { failPoints } = host;
  let interruption: CommandError | undefined;
  while (failPoints.areConfigured && failPoints.enter(name, concerns)) {
    try {
      yield* failPoints.firesAlways(name)
        ? untilItChanges(failPoints, name, concerns)
        : forAMoment(host.now.monotonicMicros);
    } catch (error) {
      if (!uninterrupted || !(error instanceof CommandError)) throw error;
      interruption ??= error;
    }
  }
  if (interruption) throw interruption;
}

function* untilItChanges(
  failPoints: FailPoints,
  name: FailPointName,
  concerns: PauseOptions['concerns'],
): Operation<void> {
  yield { type: 'wait', what: 'failPoint', ready: () => !failPoints.firesAlways(name, concerns) };
}

function* forAMoment(nowMicros: number): Operation<void> {
  yield { type: 'wait', what: 'failPoint', ready: () => false, deadlineMicros: nowMicros + GRANULARITY_MICROS };
}
