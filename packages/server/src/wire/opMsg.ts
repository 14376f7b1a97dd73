import { BytePool, cStringEnd, readInt32 } from '@replsim/protocol';
import { documentEnd, elementsOf } from './bsonBounds.ts';
import type { ClientRequest } from './clientRequest.ts';
import { crc32c } from './crc32c.ts';
import { attachSequences, type DocumentSequence } from './documentSequences.ts';
import { HEADER_BYTES, OpCode, readHeader, writeHeader, writeInt32 } from './messageHeader.ts';
import { readOpQuery } from './opQuery.ts';
import { ProtocolError } from './protocolError.ts';

/** Bits of an OP_MSG. Upstream: op_msg.h, OpMsg::kChecksumPresent and its neighbours. */
const FLAGS = { checksumPresent: 1 << 0, moreToCome: 1 << 1, exhaustAllowed: 1 << 16 } as const;
/** A server that does not know one of these bits must not guess; the upper ones it may ignore. */
const REQUIRED_BITS = 0xffff;
const KNOWN_REQUIRED = FLAGS.checksumPresent | FLAGS.moreToCome;

const SECTIONS_START = HEADER_BYTES + 4;
const CHECKSUM_BYTES = 4;
/** Upstream: op_msg.cpp, which checks names each against each. `bulkWrite` sends two. */
const MAX_SEQUENCES = 2;

/** From this many bytes on a reply is not copied behind its header. */
const LARGE_REPLY = 16_384;

/**
 * Reads a whole message from a client: OP_MSG, or OP_QUERY with a command.
 * @throws ProtocolError for everything else and for whatever is malformed
 */
export function readRequest(message: Uint8Array): ClientRequest {
  if (message.length < HEADER_BYTES) throw new ProtocolError('a message is shorter than its header');
  const { messageLength, opCode } = readHeader(message);
  if (messageLength !== message.length) {
    throw new ProtocolError(`a message of ${message.length} bytes declares ${messageLength}`);
  }
  if (opCode === OpCode.msg) return readOpMsg(message);
  if (opCode === OpCode.query) return readOpQuery(message);
  throw new ProtocolError(`opcode ${opCode} is not one that clients send`);
}

const messages = new BytePool();

/**
 * A command's reply as an OP_MSG; in two parts if it is large.
 * @param reply BSON, which nobody changes afterwards
 * @param options `moreToCome`: another reply follows by itself; `checksum`: it ends with one, as the request did
 */
export function writeReply(
  reply: Uint8Array,
  options: {
    readonly requestId: number;
    readonly responseTo: number;
    readonly moreToCome?: boolean;
    readonly checksum?: boolean;
  },
): Uint8Array | Uint8Array[] {
  const { requestId, responseTo, moreToCome = false } = options;
  if (options.checksum) return checksummedReply(reply, { requestId, responseTo, moreToCome });
  const before = SECTIONS_START + 1;
  const messageLength = before + reply.length;
  const isLarge = reply.length >= LARGE_REPLY;
  // Flags above the second bit, and the kind of the section, are 0 as they are.
  const message = messages.take(isLarge ? before : messageLength);
  writeHeader(message, { messageLength, requestId, responseTo, opCode: OpCode.msg });
  if (moreToCome) message[HEADER_BYTES] = FLAGS.moreToCome;
  if (isLarge) return [message, reply];
  message.set(reply, before);
  return message;
}

/** Whole, as all of it is gone through. Upstream: op_msg.cpp, OpMsg::appendChecksum. */
function checksummedReply(
  reply: Uint8Array,
  { moreToCome, ...ids }: { readonly requestId: number; readonly responseTo: number; readonly moreToCome: boolean },
): Uint8Array {
  const before = SECTIONS_START + 1;
  const end = before + reply.length;
  const message = new Uint8Array(end + CHECKSUM_BYTES);
  writeHeader(message, { messageLength: message.length, ...ids, opCode: OpCode.msg });
  message[HEADER_BYTES] = FLAGS.checksumPresent | (moreToCome ? FLAGS.moreToCome : 0);
  message.set(reply, before);
  writeInt32(message, end, crc32c(message, end));
  return message;
}

/** Upstream: op_msg.cpp, OpMsg::parse. */
function readOpMsg(message: Uint8Array): ClientRequest {
  const flags = checkedFlags(message);
  const request = {
    requestId: readHeader(message).requestId,
    kind: 'msg' as const,
    exhaustAllowed: (flags & FLAGS.exhaustAllowed) !== 0,
    moreToCome: (flags & FLAGS.moreToCome) !== 0,
    checksummed: (flags & FLAGS.checksumPresent) !== 0,
  };
  const end = request.checksummed ? checkedEnd(message) : message.length;
  try {
    return { ...request, command: readSections(message, end) };
  } catch (error) {
    throw error instanceof ProtocolError ? error.inReplyTo(request) : error;
  }
}

function checkedFlags(message: Uint8Array): number {
  if (message.length < SECTIONS_START) throw new ProtocolError('an OP_MSG has no flags');
  const flags = readInt32(message, HEADER_BYTES);
  const unknown = flags & REQUIRED_BITS & ~KNOWN_REQUIRED;
  if (unknown !== 0) throw new ProtocolError(`an OP_MSG has unknown flags: 0x${unknown.toString(16)}`);
  return flags;
}

/** Where the sections end, before a checksum that is right. */
function checkedEnd(message: Uint8Array): number {
  const end = message.length - CHECKSUM_BYTES;
  if (end < SECTIONS_START) throw new ProtocolError('an OP_MSG has no room for its checksum');
  if (readInt32(message, end) >>> 0 !== crc32c(message, end))
    throw new ProtocolError('the checksum of an OP_MSG is wrong');
  return end;
}

/** The command between the flags and `end`: the body where it lies, unless sequences have to be attached. */
function readSections(message: Uint8Array, end: number): Uint8Array {
  let bodyStart = 0;
  let bodyEnd = 0;
  const sequences: DocumentSequence[] = [];
  for (let at = SECTIONS_START; at < end; ) {
    const kind = message[at]!;
    if (kind === 0) {
      if (bodyEnd > 0) throw new ProtocolError('an OP_MSG has more than one body', 40430);
      bodyStart = at + 1;
      bodyEnd = documentEnd(message, bodyStart, end);
      at = bodyEnd;
    } else if (kind === 1) {
      at = readSequence(message, at + 1, end, sequences);
    } else {
      throw new ProtocolError(`an OP_MSG has a section of kind ${kind}; there are 0 and 1`, 40432);
    }
  }
  if (bodyEnd === 0) throw new ProtocolError('an OP_MSG has no body', 40587);
  if (sequences.length === 0) return message.subarray(bodyStart, bodyEnd);
  checkAbsent(message, bodyStart, bodyEnd, sequences);
  return attachSequences(message, bodyStart, bodyEnd, sequences);
}

/** Adds the sequence whose size is at `at`; returns where it ends. */
function readSequence(message: Uint8Array, at: number, limit: number, sequences: DocumentSequence[]): number {
  if (sequences.length === MAX_SEQUENCES) throw new ProtocolError('an OP_MSG has too many document sequences');
  const size = at + 4 <= limit ? readInt32(message, at) : 0;
  // Size and the NUL of the identifier are always there.
  if (size < 5 || size > limit - at) throw new ProtocolError(`a document sequence claims ${size} bytes`);
  const end = at + size;
  const identifierEnd = cStringEnd(message, at + 4);
  if (identifierEnd >= end) throw new ProtocolError("a document sequence's identifier does not end");
  const identifier = message.subarray(at + 4, identifierEnd);
  if (sequences.some((other) => sameBytes(other.identifier, identifier))) {
    throw new ProtocolError(`an OP_MSG has two document sequences called ${showName(identifier)}`, 40431);
  }
  const start = identifierEnd + 1;
  sequences.push({ identifier, start, end, count: countDocuments(message, start, end) });
  return end;
}

function countDocuments(message: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; count++) at = documentEnd(message, at, end);
  return count;
}

/** Throws if the body already has a field of a sequence's name. */
function checkAbsent(message: Uint8Array, start: number, end: number, sequences: readonly DocumentSequence[]): void {
  for (const { nameStart, nameEnd } of elementsOf(message, start, end)) {
    const name = message.subarray(nameStart, nameEnd);
    if (sequences.some(({ identifier }) => sameBytes(identifier, name))) {
      throw new ProtocolError(`${showName(name)} is both a field of the body and a document sequence`, 40433);
    }
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function showName(name: Uint8Array): string {
  return new TextDecoder().decode(name);
}
