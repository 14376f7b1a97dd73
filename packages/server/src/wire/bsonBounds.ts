import { cStringEnd, readInt32, valueSize } from '@replsim/protocol';
import { ProtocolError } from './protocolError.ts';

/** Where an element of a document lies, all offsets into the same bytes. */
export interface ElementBounds {
  readonly type: number;
  readonly nameStart: number;
  readonly nameEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/**
 * Where the document at `start` ends, which is at `limit` or before. Only its frame is looked at; the member checks the rest.
 * @throws ProtocolError with InvalidBSON 22 as its answer
 */
export function documentEnd(bytes: Uint8Array, start: number, limit: number): number {
  if (start + 5 > limit) throw invalidBson('a document is cut off');
  const size = readInt32(bytes, start);
  if (size < 5 || size > limit - start) throw invalidBson(`a document claims ${size} bytes`);
  if (bytes[start + size - 1] !== 0) throw invalidBson('a document does not end with a zero byte');
  return start + size;
}

/**
 * The top-level elements of a document whose frame is sound, without a look into the values.
 * @throws ProtocolError with InvalidBSON 22 as its answer, where an element reaches beyond the document
 */
export function* elementsOf(bytes: Uint8Array, start: number, end: number): Generator<ElementBounds> {
  const last = end - 1;
  let position = start + 4;
  while (position < last) {
    const nameStart = position + 1;
    const nameEnd = cStringEnd(bytes, nameStart);
    const valueStart = nameEnd + 1;
    if (valueStart > last) throw invalidBson('a field name does not end');
    const type = bytes[position]!;
    const size = sizeOf(type, bytes, valueStart);
    // A negative size would lead back, and round in circles.
    if (size < 0 || size > last - valueStart) throw invalidBson('a value reaches beyond its document');
    yield { type, nameStart, nameEnd, valueStart, valueEnd: valueStart + size };
    position = valueStart + size;
  }
}

function sizeOf(type: number, bytes: Uint8Array, at: number): number {
  try {
    return valueSize(type, bytes, at);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidBson(`type 0x${type.toString(16)} does not exist`);
  }
}

function invalidBson(reason: string): ProtocolError {
  return new ProtocolError(`invalid BSON: ${reason}`, 'InvalidBSON');
}
