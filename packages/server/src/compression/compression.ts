import { readInt32 } from '@replsim/protocol';
import type { Compressor, CompressorName } from '../wire/compressor.ts';
import { HEADER_BYTES, OP_CODE_AT, OpCode } from '../wire/messageHeader.ts';
import { type Compressed, compressed, DATA_START, decompressed, readCompressed } from './opCompressed.ts';

/** Bytes before and after, since the process started. Upstream: message_compressor_metrics.cpp. */
interface ByteCounts {
  bytesIn: number;
  bytesOut: number;
}

interface CompressorCounts {
  readonly compressor: ByteCounts;
  readonly decompressor: ByteCounts;
}

/**
 * The compressors of a member, and what they have done. What was compressed is nobody's business but this: a member's process gets
 * the commands, and a recording keeps them, as if they had come plain.
 */
export class Compression {
  readonly #compressors: readonly Compressor[];
  /** In the order of the list. */
  #counts: ReadonlyMap<CompressorName, CompressorCounts>;
  /** By how much messages were shorter on the wire than they are. */
  saved = { in: 0, out: 0 };

  constructor(compressors: readonly Compressor[]) {
    this.#compressors = compressors;
    this.#counts = countsOf(compressors);
  }

  /** A new process counts from nothing. */
  reset(): void {
    this.#counts = countsOf(this.#compressors);
    this.saved = { in: 0, out: 0 };
  }

  /** For `network.compression` of serverStatus. */
  get counts(): ReadonlyMap<CompressorName, CompressorCounts> {
    return this.#counts;
  }

  /**
   * A message as it came, if it is compressed.
   * @param mostBytes how long it may be when it is not any more
   * @returns undefined for a plain one
   * @throws ProtocolError
   */
  read(message: Uint8Array, mostBytes: number): Compressed | undefined {
    if (readInt32(message, OP_CODE_AT) !== OpCode.compressed) return undefined;
    return readCompressed(message, this.#compressors, mostBytes);
  }

  /** Its compressor has been loaded. @throws ProtocolError */
  open(sealed: Compressed): Uint8Array {
    const plain = decompressed(sealed);
    const { decompressor } = this.#countsOf(sealed.compressor);
    decompressor.bytesIn += sealed.message.length - DATA_START;
    decompressor.bytesOut += sealed.size;
    this.saved.in += plain.length - sealed.message.length;
    return plain;
  }

  /** A reply to what came by the same compressor. */
  seal(plain: Uint8Array, compressor: Compressor): Uint8Array {
    const message = compressed(plain, compressor);
    if (message === plain) return plain;
    const counts = this.#countsOf(compressor).compressor;
    counts.bytesIn += plain.length - HEADER_BYTES;
    counts.bytesOut += message.length - DATA_START;
    this.saved.out += plain.length - message.length;
    return message;
  }

  #countsOf({ name }: Compressor): CompressorCounts {
    const counts = this.#counts.get(name);
    if (counts === undefined) throw new Error(`${name} is not a compressor of this member`);
    return counts;
  }
}

function countsOf(compressors: readonly Compressor[]): ReadonlyMap<CompressorName, CompressorCounts> {
  return new Map(compressors.map(({ name }) => [name, noCounts()]));
}

function noCounts(): CompressorCounts {
  return { compressor: { bytesIn: 0, bytesOut: 0 }, decompressor: { bytesIn: 0, bytesOut: 0 } };
}
