import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compressSnappy, decompressSnappy } from '../../src/compression/snappy.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const text = (written: string) => new TextEncoder().encode(written);

test.for([
  { block: 'a literal', data: bytes(3, 2 << 2, 0x61, 0x62, 0x63), holds: 'abc' },
  { block: 'a literal with its length behind', data: bytes(3, 60 << 2, 2, 0x61, 0x62, 0x63), holds: 'abc' },
  { block: 'a near copy that repeats itself', data: bytes(9, 0, 0x61, (4 << 2) | 1, 1), holds: 'aaaaaaaaa' },
  { block: 'a copy with two bytes', data: bytes(6, 2 << 2, 0x61, 0x62, 0x63, (2 << 2) | 2, 3, 0), holds: 'abcabc' },
  { block: 'a copy with four bytes', data: bytes(4, 4, 0x61, 0x62, (1 << 2) | 3, 2, 0, 0, 0), holds: 'abab' },
  { block: 'nothing', data: bytes(0), holds: '' },
])('reads $block', ({ data, holds }) => {
  expect(decompressSnappy(data, holds.length)).toEqual(text(holds));
});

test.for([
  ['no length', bytes(), 0],
  ['a length without end', bytes(0xff, 0xff, 0xff, 0xff, 0xff, 1), 1],
  ['another length than claimed', bytes(3, 2 << 2, 0x61, 0x62, 0x63), 4],
  ['less than it says', bytes(4, 2 << 2, 0x61, 0x62, 0x63), 4],
  ['more than it says', bytes(2, 2 << 2, 0x61, 0x62, 0x63), 2],
  ['a literal beyond its end', bytes(9, 8 << 2, 0x61), 9],
  // With such a length the library that compresses would go back and begin again.
  ['a literal of a negative length', bytes(9, 63 << 2, 0xff, 0xff, 0xff, 0xff, 0x61), 9],
  ['a literal whose length is cut off', bytes(9, 63 << 2, 0xff), 9],
  ['a copy of nothing', bytes(8, 0, 0x61, (3 << 2) | 1, 0), 8],
  ['a copy from before the beginning', bytes(8, 0, 0x61, (3 << 2) | 1, 2), 8],
  ['a copy without its offset', bytes(8, 0, 0x61, (3 << 2) | 2, 1), 8],
] as const)('%s is refused', ([, data, size]) => {
  expect(() => decompressSnappy(data, size)).toThrow(ProtocolError);
});

test('what is compressed comes back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), fc.nat(200), (part, times) => {
      const whole = Uint8Array.from(Array.from({ length: times % 8 }, () => [...part]).flat());
      expect(decompressSnappy(compressSnappy(whole), whole.length)).toEqual(whole);
    }),
  );
});

test('any bytes are read or refused, and nothing else comes of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (data) => {
      try {
        expect(decompressSnappy(data, data[0]!)).toHaveLength(data[0]!);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    }),
  );
});
