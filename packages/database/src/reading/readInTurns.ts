import { type Operation, spend } from '@replsim/operations';
import { attempted } from '@replsim/pipeline';
import type { Meter } from '@replsim/query';
import { inTurns } from './namespaceSource.ts';

/** From here on a filter may have so many parts that reading it takes long. */
const LONG_FILTER_BYTES = 16 * 1024;

/** Reads what a client asks, in turns with others where its filter is long. @param read changes nothing, as it may begin anew */
export function* readInTurns<T>(filter: Uint8Array | undefined, meter: Meter | undefined, read: () => T): Operation<T> {
  const isLong = filter !== undefined && filter.length > LONG_FILTER_BYTES;
  if (!isLong || !meter) return read();
  const asked = yield* inTurns(attempted(read, meter));
  // Who plans it looks through all of it once more.
  yield* spend(meter.take());
  return asked;
}
