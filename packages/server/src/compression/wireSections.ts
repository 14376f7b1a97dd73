import { decodeDocument, encodeDocument, firstKey } from '@replsim/protocol';
import type { Compression } from './compression.ts';

/**
 * The reply to a `serverStatus` with what sockets alone know of: a member's process never hears of compressors. Every other reply stays
 * as it is. Upstream: message_compressor_metrics.cpp, appendMessageCompressionStats.
 */
export function withWireSections(command: Uint8Array, reply: Uint8Array, { counts, saved }: Compression): Uint8Array {
  if (firstKey(command) !== 'serverStatus') return reply;
  const status = decodeDocument(reply);
  const { network } = status;
  if (network === undefined) return reply;
  const less = (total: unknown, bytes: number) => {
    const left = Number(total) - bytes;
    return BigInt(Math.max(0, left));
  };
  network.physicalBytesIn = less(network.bytesIn, saved.in);
  network.physicalBytesOut = less(network.bytesOut, saved.out);
  if (counts.size > 0)
    network.compression = Object.fromEntries(
      Array.from(counts, ([name, { compressor, decompressor }]) => [
        name,
        { compressor: asLongs(compressor), decompressor: asLongs(decompressor) },
      ]),
    );
  return encodeDocument(status);
}

function asLongs(counts: { readonly bytesIn: number; readonly bytesOut: number }) {
  return { bytesIn: BigInt(counts.bytesIn), bytesOut: BigInt(counts.bytesOut) };
}
