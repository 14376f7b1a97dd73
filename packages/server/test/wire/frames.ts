import { encodeDocument } from '@replsim/protocol';
import { crc32c } from '../../src/wire/crc32c.ts';
import { HEADER_BYTES, OpCode, writeHeader, writeInt32 } from '../../src/wire/messageHeader.ts';

/** The id that every frame of these tests has, unless it says otherwise. */
export const REQUEST_ID = 7;

export const CHECKSUM_PRESENT = 1;
export const MORE_TO_COME = 2;
export const EXHAUST_ALLOWED = 1 << 16;

/** A message with a true header around what `parts` hold. */
export function frame(opCode: number, parts: readonly Uint8Array[], requestId = REQUEST_ID): Uint8Array {
  const body = concat(parts);
  const message = new Uint8Array(HEADER_BYTES + body.length);
  writeHeader(message, { messageLength: message.length, requestId, responseTo: 0, opCode });
  message.set(body, HEADER_BYTES);
  return message;
}

/** An OP_MSG of these sections. */
export function opMsg(sections: readonly Uint8Array[], flags = 0, requestId = REQUEST_ID): Uint8Array {
  return frame(OpCode.msg, [int32(flags), ...sections], requestId);
}

/** An OP_MSG that ends with its checksum. */
export function checksummed(sections: readonly Uint8Array[], checksum?: number): Uint8Array {
  const message = opMsg([...sections, int32(0)], CHECKSUM_PRESENT);
  const end = message.length - 4;
  writeInt32(message, end, checksum ?? crc32c(message, end));
  return message;
}

/** A section of kind 0: one document, given as such or as bytes. */
export function body(document: Record<string, unknown> | Uint8Array): Uint8Array {
  return concat([bytes(0), document instanceof Uint8Array ? document : encodeDocument(document)]);
}

/** A section of kind 1. @param size what it claims, instead of the truth */
export function sequence(identifier: string, documents: readonly (object | Uint8Array)[], size?: number): Uint8Array {
  const content = concat([
    text(identifier),
    ...documents.map((document) =>
      document instanceof Uint8Array ? document : encodeDocument(document as Record<string, unknown>),
    ),
  ]);
  return concat([bytes(1), int32(size ?? content.length + 4), content]);
}

export interface QueryParts {
  readonly flags?: number;
  readonly ns?: string;
  readonly numberToReturn?: number;
  readonly after?: Uint8Array;
}

/** An OP_QUERY, as old drivers send commands. */
export function opQuery(document: Record<string, unknown> | Uint8Array, parts: QueryParts = {}): Uint8Array {
  const { flags = 0, ns = 'admin.$cmd', numberToReturn = -1, after = bytes() } = parts;
  const query = document instanceof Uint8Array ? document : encodeDocument(document);
  return frame(OpCode.query, [int32(flags), text(ns), int32(0), int32(numberToReturn), query, after]);
}

export function int32(value: number): Uint8Array {
  const four = new Uint8Array(4);
  writeInt32(four, 0, value);
  return four;
}

/** UTF-8 with its NUL. */
export function text(value: string): Uint8Array {
  return new TextEncoder().encode(`${value}\0`);
}

export function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** `bytes` cut off at each of these places, and the rest. */
export function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}
