import { beforeAll, expect, test, vi } from 'vitest';
import { canLoadZstd, compressZstd, decompressZstd, loadZstd } from '../../src/compression/zstd.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';

beforeAll(() => loadZstd());

const zeros = (length: number) => new Uint8Array(length);

test('it is loaded once', () => {
  expect(canLoadZstd()).toBe(true);
  expect(loadZstd()).toBeUndefined();
});

// The size is written in one, two, four bytes, and 256 is the first of two.
test.for([1, 255, 256, 65_791, 65_792, 1_000_000])('%i bytes come back', (length) => {
  const content = zeros(length).map((_, i) => i * 7);
  expect(Buffer.compare(decompressZstd(compressZstd(content), length), content)).toBe(0);
});

test('no result is copied byte by byte, by which others would wait', () => {
  const walked = vi.spyOn(Uint8Array.prototype, Symbol.iterator);
  decompressZstd(compressZstd(zeros(1000)), 1000);
  expect(walked).not.toHaveBeenCalled();
  walked.mockRestore();
});

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

test.for([
  ['no frame', Uint8Array.of(1, 2, 3, 4, 5), 5],
  ['a magic alone', Uint8Array.from(MAGIC), 5],
  ['a frame that does not say its size and holds nothing', Uint8Array.of(...MAGIC, 0, 0x58, 1, 0, 0), 5],
  ['a size that is cut off', Uint8Array.of(...MAGIC, 0xe0, 1), 1],
  ['a content of nothing', Uint8Array.of(...MAGIC, 0x20, 0, 1, 0, 0), 0],
  ['garbage behind a header', Uint8Array.of(...MAGIC, 0x20, 5, 9, 9, 9, 9, 9), 5],
] as const)('%s is refused', ([, frame, size]) => {
  expect(() => decompressZstd(frame, size)).toThrow(ProtocolError);
});

test('a frame that says another size than its message is not inflated', () => {
  const bomb = compressZstd(zeros(1_000_000));
  expect(() => decompressZstd(bomb, 100)).toThrow('it holds 1000000 bytes, and its message says 100');
});

test('two frames hold more than the first says', () => {
  const frame = compressZstd(zeros(100));
  expect(() => decompressZstd(Uint8Array.from([...frame, ...frame]), 100)).toThrow(ProtocolError);
});

// As Go's driver streams them, and with each byte i the remainder of i by 7.
const STREAMED = Buffer.from('28b52ffd04007d00003800010203040506015407032b0c05ddcd9fe3', 'hex');

test('a frame that does not say its size holds what its message says', () => {
  const content = zeros(150).map((_, i) => i % 7);
  expect(Buffer.compare(decompressZstd(STREAMED, 150), content)).toBe(0);
});

test.for([1, 149, 151, 100_000])('a frame that does not say its size does not pass for %i bytes', (size) => {
  expect(() => decompressZstd(STREAMED, size)).toThrow(ProtocolError);
});
