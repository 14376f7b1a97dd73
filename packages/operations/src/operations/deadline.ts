import { CommandError } from '@replsim/protocol';
import type { Operation } from './operation.ts';

/**
 * Runs `operation`, which has all the time if the deadline is Infinity, until `deadlineMicros` of the monotonic clock; there it is ended with MaxTimeMSExpired 50, thrown in
 * where it waits. Upstream: OperationContext::setDeadline.
 * @param nowMicros reads the clock of the step that is running
 */
export function withDeadline<T>(
  operation: Operation<T>,
  deadlineMicros: number,
  nowMicros: () => number,
): Operation<T> {
  return deadlineMicros === Infinity ? operation : untilDeadline(operation, deadlineMicros, nowMicros);
}

function* untilDeadline<T>(operation: Operation<T>, deadlineMicros: number, nowMicros: () => number): Operation<T> {
  let step = operation.next(true);
  while (!step.done) {
    const pause = step.value;
    const left = Math.max(deadlineMicros - nowMicros(), 0);
    const expires = pause.type === 'spend' ? pause.micros > left : (pause.deadlineMicros ?? Infinity) > deadlineMicros;
    let resumed: boolean;
    try {
      if (!expires) resumed = yield pause;
      else if (pause.type === 'spend') resumed = !(yield { type: 'spend', micros: left });
      else resumed = yield { ...pause, deadlineMicros, ...(pause.forMs !== undefined && { forMs: left / 1000 }) };
    } catch (killed) {
      step = operation.throw(killed);
      continue;
    }
    const expired = expires && !resumed;
    step = expired ? operation.throw(expiry()) : operation.next(resumed);
  }
  return step.value;
}

function expiry(): CommandError {
  return new CommandError('MaxTimeMSExpired', 'operation exceeded time limit');
}
