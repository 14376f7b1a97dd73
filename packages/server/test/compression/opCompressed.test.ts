import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { compressorNames, compressorsOf } from '../../src/compression/compressors.ts';
import { compressed, decompressed, readCompressed } from '../../src/compression/opCompressed.ts';
import { compressSnappy } from '../../src/compression/snappy.ts';
import { compressZstd, loadZstd } from '../../src/compression/zstd.ts';
import type { CompressorName } from '../../src/wire/compressor.ts';
import { MAX_MESSAGE_BYTES, OpCode, readHeader } from '../../src/wire/messageHeader.ts';
import { readRequest } from '../../src/wire/opMsg.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';
import { body, bytes, frame, int32, opMsg, opQuery } from '../wire/frames.ts';

beforeAll(() => loadZstd());

const all = (names: CompressorName[]) =>
  compressorsOf({ members: [], parameters: { networkMessageCompressors: names } }, '');
const COMPRESSORS = all(['snappy', 'zstd', 'zlib', 'noop']);
const byName = (name: CompressorName) => COMPRESSORS.find((each) => each.name === name)!;

/** An OP_COMPRESSED, whatever it says of itself. */
function sealed(id: number, data: Uint8Array, size: number, originalOpCode: number = OpCode.msg): Uint8Array {
  return frame(OpCode.compressed, [int32(originalOpCode), int32(size), bytes(id), data]);
}

const open = (message: Uint8Array, most?: number) => decompressed(readCompressed(message, COMPRESSORS, most));

describe.for(['snappy', 'zstd', 'zlib', 'noop'] as const)('%s', (name) => {
  test.for([
    ['OP_MSG', opMsg([body({ ping: 1, $db: 'admin', text: 'x'.repeat(3000) })])],
    ['OP_QUERY', opQuery({ isMaster: 1 })],
  ] as const)('%s comes back as it was', ([, message]) => {
    const small = compressed(message, byName(name));
    expect(readHeader(small)).toEqual({
      ...readHeader(message),
      messageLength: small.length,
      opCode: OpCode.compressed,
    });
    expect(open(small)).toEqual(message);
    expect(readRequest(open(small))).toEqual(readRequest(message));
  });

  test('a message that could become too long goes as it is', () => {
    const long = new Uint8Array(MAX_MESSAGE_BYTES);
    expect(compressed(long, byName(name))).toBe(long);
  });
});

const ping = opMsg([body({ ping: 1, $db: 'admin' })]).subarray(16);
const zeros = new Uint8Array(1_000_000);

test.for([
  ['shorter than its header', frame(OpCode.compressed, [int32(OpCode.msg), int32(5)]), 'shorter than its header'],
  ['an unknown compressor', sealed(4, ping, ping.length), 'compressed by 4, which is not available'],
  ['a negative size', sealed(2, deflateSync(ping), -1), 'would be of -1 bytes'],
  ['a size beyond all messages', sealed(2, deflateSync(ping), MAX_MESSAGE_BYTES - 15), 'at most 48000000 are taken'],
  ['snappy that says another size', sealed(1, compressSnappy(ping), ping.length + 1), 'its message says'],
  ['zlib that is broken', sealed(2, bytes(1, 2, 3), 10), 'zlib stream is broken'],
  ['snappy that is broken', sealed(1, bytes(10, 0xf0), 10), 'snappy block is broken'],
  ['zstd that is broken', sealed(3, bytes(1, 2, 3), 10), 'zstd frame is broken'],
  ['less zlib than claimed', sealed(2, deflateSync(ping), ping.length + 1), 'and says'],
  ['less than claimed, as it is', sealed(0, ping, ping.length + 1), 'and says'],
  ['a zlib bomb', sealed(2, deflateSync(zeros), 100), 'zlib stream is broken'],
  ['a snappy bomb', sealed(1, compressSnappy(zeros), 100), 'its message says 100'],
  ['nothing', sealed(2, deflateSync(new Uint8Array(0)), 0), 'is to hold nothing'],
  [
    'one inside another',
    sealed(0, sealed(0, ping, ping.length).subarray(16), ping.length + 9, OpCode.compressed),
    'inside',
  ],
] as const)('%s costs the connection', ([, message, told]) => {
  expect(() => open(message)).toThrow(ProtocolError);
  expect(() => open(message)).toThrow(told);
  expect(caught(message)).toMatchObject({ closes: true, answer: undefined });
});

test('a zstd bomb costs the connection', () => {
  expect(() => open(sealed(3, compressZstd(zeros), 100))).toThrow('its message says 100');
});

test('what is inside must be a message', () => {
  const inside = open(sealed(0, bytes(1, 2, 3, 4, 5), 5));
  expect(() => readRequest(inside)).toThrow(ProtocolError);
  expect(() => readRequest(open(sealed(0, ping, ping.length, 4711)))).toThrow('4711');
});

test('before a login little may come out', () => {
  const message = sealed(2, deflateSync(zeros), zeros.length);
  expect(() => open(message, 16_384)).toThrow('at most 16384 are taken');
});

test('a compressor that is not configured is not there', () => {
  const message = sealed(1, compressSnappy(ping), ping.length);
  expect(() => readCompressed(message, all(['zlib']))).toThrow('not available');
});

function caught(message: Uint8Array): unknown {
  try {
    return open(message);
  } catch (error) {
    return error;
  }
}

test.for([
  [undefined, ['snappy', 'zstd', 'zlib']],
  ['zlib,snappy', ['zlib', 'snappy']],
  [['zstd', 'zstd'], ['zstd']],
  ['disabled', []],
  [[], []],
] as const)('%j offers %j', ([asked, names]) => {
  expect(compressorNames(asked)).toEqual(names);
});

test('an unknown name is refused', () => {
  expect(() => compressorNames('zlib,gzip')).toThrow(
    '"gzip" is not a compressor; choose from snappy, zstd, zlib and noop',
  );
});
