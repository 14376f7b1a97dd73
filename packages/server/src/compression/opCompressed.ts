import { readInt32 } from '@replsim/protocol';
import type { Compressor } from '../wire/compressor.ts';
import { HEADER_BYTES, MAX_MESSAGE_BYTES, OpCode, readHeader, writeHeader, writeInt32 } from '../wire/messageHeader.ts';
import { ProtocolError } from '../wire/protocolError.ts';

/** Original opcode, uncompressed size, compressor. Upstream: message_compressor_manager.cpp, CompressionHeader. */
export const DATA_START = HEADER_BYTES + 4 + 4 + 1;

/** A compressed message whose own header holds what it should; its data are still as they came. */
export interface Compressed {
  readonly compressor: Compressor;
  readonly originalOpCode: number;
  /** Of what is inside, without a header. */
  readonly size: number;
  readonly message: Uint8Array;
}

/**
 * Looks at an OP_COMPRESSED before anything of it is inflated. Upstream: MessageCompressorManager::decompressMessage.
 * @param compressors those that can be had
 * @param mostBytes how long a message may be, header included
 * @throws ProtocolError that closes the connection
 */
export function readCompressed(
  message: Uint8Array,
  compressors: readonly Compressor[],
  mostBytes = MAX_MESSAGE_BYTES,
): Compressed {
  if (message.length < DATA_START) throw new ProtocolError('a compressed message is shorter than its header');
  const originalOpCode = readInt32(message, HEADER_BYTES);
  const size = readInt32(message, HEADER_BYTES + 4);
  const id = message[DATA_START - 1]!;
  const compressor = compressors.find((each) => each.id === id);
  if (compressor === undefined) throw new ProtocolError(`a message is compressed by ${id}, which is not available`);
  if (size < 0 || size + HEADER_BYTES > mostBytes) {
    const error = new ProtocolError(`a compressed message would be of ${size} bytes; at most ${mostBytes} are taken`);
    error.isTooLarge = size > 0;
    throw error;
  }
  return { compressor, originalOpCode, size, message };
}

/** The message as its sender would have sent it without a compressor, which has been loaded. @throws ProtocolError that closes the connection */
export function decompressed({ compressor, originalOpCode, size, message }: Compressed): Uint8Array {
  if (originalOpCode === OpCode.compressed) throw new ProtocolError('a compressed message is inside another');
  const body = compressor.decompress(message.subarray(DATA_START), size);
  const plain = new Uint8Array(HEADER_BYTES + size);
  const { requestId, responseTo } = readHeader(message);
  writeHeader(plain, { messageLength: plain.length, requestId, responseTo, opCode: originalOpCode });
  plain.set(body, HEADER_BYTES);
  return plain;
}

/** A message, compressed; as it is if it could become too long. Upstream: MessageCompressorManager::compressMessage. */
export function compressed(message: Uint8Array, compressor: Compressor): Uint8Array {
  const size = message.length - HEADER_BYTES;
  if (compressor.bound(size) + DATA_START > MAX_MESSAGE_BYTES) return message;
  const data = compressor.compress(message.subarray(HEADER_BYTES));
  const { requestId, responseTo, opCode } = readHeader(message);
  const result = new Uint8Array(DATA_START + data.length);
  writeHeader(result, { messageLength: result.length, requestId, responseTo, opCode: OpCode.compressed });
  writeInt32(result, HEADER_BYTES, opCode);
  writeInt32(result, HEADER_BYTES + 4, size);
  result[DATA_START - 1] = compressor.id;
  result.set(data, DATA_START);
  return result;
}
