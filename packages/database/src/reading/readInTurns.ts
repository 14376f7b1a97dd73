import { type Operation, spend } from '@replsim/operations';
import { attempted } from '@replsim/pipeline';
import type { Meter } from '@replsim/query';
import { inTurns } from './namespaceSource.ts';

/** A command, or a statement of it. */
interface Sent {
  readonly bytes: Uint8Array;
}

/** From here on what a client sent may have so many parts that reading it takes long. */
const LONG_BYTES = 16 * 1024;

/** So many bytes are a step, whatever is read from them. Unit: powers of 2. */
const READ_BYTES_SHIFT = 6;

/** Reads what a client sent, in turns with others where it is long. @param read changes nothing, as it may begin anew */
export function* readInTurns<T>({ bytes }: Sent, meter: Meter | undefined, read: () => T): Operation<T> {
  if (bytes.length <= LONG_BYTES || !meter) return read();
  meter.add(bytes.length >>> READ_BYTES_SHIFT);
  const asked = yield* inTurns(attempted(read, meter));
  // Who plans it looks through all of it once more.
  yield* spend(meter.take());
  return asked;
}
