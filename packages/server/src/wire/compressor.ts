export type CompressorName = 'noop' | 'snappy' | 'zlib' | 'zstd';

/** A way to compress messages. */
export interface Compressor {
  readonly name: CompressorName;
  /** On the wire. Upstream: message_compressor_base.h, MessageCompressorId. */
  readonly id: number;
  /** What `size` bytes become at worst. */
  readonly bound: (size: number) => number;
  readonly compress: (body: Uint8Array) => Uint8Array;
  /** @param size how many bytes come out, no more and no less @throws ProtocolError */
  readonly decompress: (data: Uint8Array, size: number) => Uint8Array;
  /** Whether it can be had in this process. */
  readonly isThere: () => boolean;
  /** Resolves when it can be used; undefined if it can already. */
  readonly load: () => Promise<void> | undefined;
}
