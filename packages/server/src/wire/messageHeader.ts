import { readInt32 } from '@replsim/protocol';

/** Every message begins with this many bytes. */
export const HEADER_BYTES = 16;

/** The longest message, header included, that a member takes. Upstream: message.h, MaxMessageSizeBytes. */
export const MAX_MESSAGE_BYTES = 48_000_000;

/** The kinds of message that a member meets or sends. Upstream: network_op.h. */
export const OpCode = { reply: 1, query: 2004, compressed: 2012, msg: 2013 } as const;

/** Where a header has its opcode. */
export const OP_CODE_AT = 12;

/** How each message begins; all integers are little-endian. */
export interface MessageHeader {
  /** Bytes, header included. */
  readonly messageLength: number;
  /** Chosen by the sender. */
  readonly requestId: number;
  /** 0 in requests, the request's id in replies. */
  readonly responseTo: number;
  readonly opCode: number;
}

/** Reads the header of a message, which has at least `HEADER_BYTES`. */
export function readHeader(message: Uint8Array): MessageHeader {
  return {
    messageLength: readInt32(message, 0),
    requestId: readInt32(message, 4),
    responseTo: readInt32(message, 8),
    opCode: readInt32(message, OP_CODE_AT),
  };
}

/** Writes a header to the start of `message`. */
export function writeHeader(message: Uint8Array, header: MessageHeader): void {
  writeInt32(message, 0, header.messageLength);
  writeInt32(message, 4, header.requestId);
  writeInt32(message, 8, header.responseTo);
  writeInt32(message, OP_CODE_AT, header.opCode);
}

/** Writes a little-endian int32. */
export function writeInt32(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value;
  bytes[offset + 1] = value >>> 8;
  bytes[offset + 2] = value >>> 16;
  bytes[offset + 3] = value >>> 24;
}
