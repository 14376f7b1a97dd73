import { deflateSync, inflateSync } from 'node:zlib';
import type { ReplSetOptions } from '@replsim/replset';
import type { Compressor, CompressorName } from '../wire/compressor.ts';
import { ProtocolError } from '../wire/protocolError.ts';
import { compressSnappy, decompressSnappy } from './snappy.ts';
import { canLoadZstd, compressZstd, decompressZstd, loadZstd } from './zstd.ts';

const BUILT_IN = { isThere: () => true, load: () => undefined };

/** All of them, in the order in which a mongod prefers them. `noop` is there for whoever names it. */
const COMPRESSORS: readonly Compressor[] = [
  {
    name: 'snappy',
    id: 1,
    bound: (size) => 32 + size + Math.floor(size / 6),
    compress: compressSnappy,
    decompress: decompressSnappy,
    ...BUILT_IN,
  },
  {
    name: 'zstd',
    id: 3,
    bound: (size) => size + (size >>> 8) + (size < 131_072 ? (131_072 - size) >>> 11 : 0),
    compress: compressZstd,
    decompress: decompressZstd,
    isThere: canLoadZstd,
    load: loadZstd,
  },
  {
    name: 'zlib',
    id: 2,
    bound: (size) => size + (size >>> 12) + (size >>> 14) + (size >>> 25) + 13,
    compress: (body) => deflateSync(body),
    decompress: inflated,
    ...BUILT_IN,
  },
  {
    name: 'noop',
    id: 0,
    bound: (size) => size,
    compress: (body) => body,
    decompress: (data, size) => exactly(data, size),
    ...BUILT_IN,
  },
];

/** What a mongod offers that is not asked otherwise. Upstream: message_compressor_options_server.idl. */
const DEFAULT_NAMES: readonly CompressorName[] = ['snappy', 'zstd', 'zlib'];

/**
 * The names of those that members offer.
 * @param asked names in a list, or with commas between them; `disabled` for none. Absent: all that can be had here
 * @throws RangeError for a name that is unknown, or one that cannot be had in this process
 */
export function compressorNames(asked: unknown): readonly CompressorName[] {
  if (asked === undefined) return compressorsNamed(DEFAULT_NAMES).map(({ name }) => name);
  const names = (typeof asked === 'string' ? asked.split(',') : (asked as readonly string[])).map((name) =>
    name.trim(),
  );
  if (names.length === 0 || (names.length === 1 && names[0] === 'disabled')) return [];
  return [...new Set(names)].map(checkedName);
}

function checkedName(name: string): CompressorName {
  const found = COMPRESSORS.find((each) => each.name === name);
  if (found === undefined)
    throw new RangeError(
      `networkMessageCompressors: "${name}" is not a compressor; choose from snappy, zstd, zlib and noop, or say disabled`,
    );
  if (!found.isThere())
    throw new RangeError(`networkMessageCompressors: ${name} needs WebAssembly, which this process does not have`);
  return found.name;
}

/** The compressors of a member, by the parameters that it is started with. */
export function compressorsOf({ members, parameters }: ReplSetOptions, name: string): readonly Compressor[] {
  const own = members.find((each) => each.name === name)?.parameters;
  return compressorsNamed(compressorNames(own?.networkMessageCompressors ?? parameters?.networkMessageCompressors));
}

/** Whether a member offers these unasked. */
export function areDefault(names: readonly string[]): boolean {
  return names.join() === DEFAULT_NAMES.join();
}

/** The compressors of these names that can be had here. @param names which a member knows */
function compressorsNamed(names: readonly string[]): readonly Compressor[] {
  const found = names.map((name) => COMPRESSORS.find((each) => each.name === name));
  return found.filter((each) => each?.isThere()) as Compressor[];
}

/** Node stops where there is more to come than was claimed. */
function inflated(data: Uint8Array, size: number): Uint8Array {
  if (size === 0) throw new ProtocolError('a zlib stream is to hold nothing');
  let body: Uint8Array;
  try {
    body = inflateSync(data, { maxOutputLength: size });
  } catch (error) {
    throw new ProtocolError(`a zlib stream is broken: ${error instanceof Error ? error.message : error}`);
  }
  return exactly(body, size);
}

function exactly(body: Uint8Array, size: number): Uint8Array {
  if (body.length === size) return body;
  throw new ProtocolError(`a compressed message holds ${body.length} bytes and says ${size}`);
}
