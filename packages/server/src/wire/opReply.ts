import { HEADER_BYTES, OpCode, writeHeader, writeInt32 } from './messageHeader.ts';

/** Flags, cursor id, starting from, number returned. */
const BEFORE_DOCUMENT = HEADER_BYTES + 4 + 8 + 4 + 4;
/** The one flag that servers always set: getMore may wait. */
const AWAIT_CAPABLE = 8;

/**
 * A command's reply as an OP_REPLY, the answer to an OP_QUERY. Upstream: legacy_reply_builder.cpp.
 * @param reply BSON
 */
export function writeLegacyReply(
  reply: Uint8Array,
  options: { readonly requestId: number; readonly responseTo: number },
): Uint8Array {
  // Cursor id and starting-from are 0 as they are.
  const message = new Uint8Array(BEFORE_DOCUMENT + reply.length);
  writeHeader(message, { messageLength: message.length, ...options, opCode: OpCode.reply });
  writeInt32(message, HEADER_BYTES, AWAIT_CAPABLE);
  writeInt32(message, BEFORE_DOCUMENT - 4, 1);
  message.set(reply, BEFORE_DOCUMENT);
  return message;
}
