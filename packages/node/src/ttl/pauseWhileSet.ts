import type { Operation } from '@replsim/database';
import type { FailPointName } from '@replsim/protocol';
import type { Core } from '../core/core.ts';

/** How often a fail point that is set for a number of times is come by anew. Unit: µs. Upstream: kWaitGranularity. */
const GRANULARITY_MICROS = 100_000;

/**
 * Stands still for as long as the fail point fires, each time it is asked; an interruption is thrown where it waits. One that
 * is set for good is waited for, not asked over and over. Upstream: fail_point.h, FailPoint::pauseWhileSet.
 */
export function* pauseWhileSet(core: Core, name: FailPointName): Operation<void> {
  const { failPoints } = core;
  while (failPoints.enter(name)) {
    const what = 'failPoint';
    if (failPoints.firesAlways(name)) yield { type: 'wait', what, ready: () => !failPoints.firesAlways(name) };
    else {
      const deadlineMicros = core.now.monotonicMicros + GRANULARITY_MICROS;
      yield { type: 'wait', what, ready: () => false, deadlineMicros };
    }
  }
}
