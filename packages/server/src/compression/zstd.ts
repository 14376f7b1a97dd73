import type { Zstd } from '@hpcc-js/wasm-zstd';
import { ProtocolError } from '../wire/protocolError.ts';

/** Little-endian, as every frame begins. */
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const;
/** Of the window, by a bit of the descriptor: a frame of a single segment has none. */
const WINDOW_BYTES = 1;
/** How long a dictionary's id is, and how long the size of the content, each by two bits of the descriptor. */
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const SIZE_BYTES = [0, 2, 4, 8] as const;
/** A size of two bytes does not count from 0. */
const TWO_BYTE_OFFSET = 256;

let loaded: Zstd | undefined;
let loading: Promise<void> | undefined;

/** Whether the library can run in this process: it is WebAssembly. */
export const canLoadZstd = (): boolean => 'WebAssembly' in globalThis;

/** Resolves when the library is there; undefined if it is. Only a set whose clients use it pays for it. */
export function loadZstd(): Promise<void> | undefined {
  if (loaded !== undefined) return undefined;
  loading ??= import('@hpcc-js/wasm-zstd').then(async ({ Zstd }) => {
    loaded = await Zstd.load();
    copyAtOnce(loaded);
  });
  return loading;
}

/** What of the library's memory a result is. */
interface Heap {
  heapView(result: object): Uint8Array;
  heapToUint8Array(result: object): Uint8Array;
}

/** The library copies results by way of a list of numbers: for 16 MB that took four seconds, in which nobody was served. */
function copyAtOnce(zstd: Zstd): void {
  const { _mainModule: heap } = zstd as unknown as { readonly _mainModule: Heap };
  heap.heapToUint8Array = (result) => heap.heapView(result).slice();
}

/** The library has been loaded. */
export function compressZstd(bytes: Uint8Array): Uint8Array {
  return library().compress(bytes);
}

/**
 * The library takes no limit: it sets aside what the header of a frame says. Go's driver leaves that out, and a mongod does not need it, so
 * the size that the message states is written in. Upstream: message_compressor_zstd.cpp, ZstdMessageCompressor::decompressData.
 * @throws ProtocolError for a frame that is broken or does not hold exactly `size` bytes
 */
export function decompressZstd(frame: Uint8Array, size: number): Uint8Array {
  const claimed = contentSize(frame) ?? size;
  // For a frame that claims to hold nothing, the library guesses how much memory it needs.
  if (claimed === 0 || claimed !== size) throw broken(`it holds ${claimed} bytes, and its message says ${size}`);
  let content: Uint8Array;
  try {
    content = library().decompress(withContentSize(frame, size));
  } catch (error) {
    throw broken(error instanceof Error ? error.message : String(error));
  }
  if (content.length !== size) throw broken('it holds less than it says');
  return content;
}

/** The frame with a size of four bytes in its header, where it states none. Its blocks and checksum do not depend on that. */
function withContentSize(frame: Uint8Array, size: number): Uint8Array {
  if (contentSize(frame) !== undefined) return frame;
  const descriptor = frame[MAGIC.length]!;
  const at = MAGIC.length + 1 + WINDOW_BYTES + DICTIONARY_BYTES[descriptor & 3]!;
  const sized = new Uint8Array(frame.length + 4);
  sized.set(frame.subarray(0, at));
  sized[MAGIC.length] = descriptor | 0x80;
  new DataView(sized.buffer).setUint32(at, size, true);
  sized.set(frame.subarray(at), at + 4);
  return sized;
}

/** What the header of a frame says that it holds; undefined where it does not. RFC 8878, 3.1.1.1. */
function contentSize(frame: Uint8Array): number | undefined {
  if (MAGIC.some((byte, i) => frame[i] !== byte)) throw broken('it is not a zstd frame');
  const descriptor = frame[MAGIC.length];
  if (descriptor === undefined) throw broken('it ends too early');
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeBits = descriptor >>> 6;
  const length = sizeBits === 0 && isSingleSegment ? 1 : SIZE_BYTES[sizeBits]!;
  if (length === 0) return undefined;
  const start = MAGIC.length + 1 + (isSingleSegment ? 0 : WINDOW_BYTES) + DICTIONARY_BYTES[descriptor & 3]!;
  if (start + length > frame.length) throw broken('it ends too early');
  let size = length === 2 ? TWO_BYTE_OFFSET : 0;
  for (let i = 0; i < length; i++) size += frame[start + i]! * 2 ** (8 * i);
  return size;
}

function library(): Zstd {
  if (loaded === undefined) throw new Error('zstd is used before it is loaded');
  return loaded;
}

function broken(why: string): ProtocolError {
  return new ProtocolError(`a zstd frame is broken: ${why}`);
}
