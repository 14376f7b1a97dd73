import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BytePool } from '../../src/bson/bytePool.ts';

test('a piece is empty, and nobody else’s', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3000 }), { maxLength: 40 }), (lengths) => {
      const pool = new BytePool();
      const pieces = lengths.map((length, i) => {
        const piece = pool.take(length);
        expect(piece.length).toBe(length);
        expect(piece.every((byte) => byte === 0)).toBe(true);
        return piece.fill(i + 1);
      });
      for (const [i, piece] of pieces.entries()) expect(piece.every((byte) => byte === i + 1)).toBe(true);
    }),
    { seed: 7 },
  );
});

test('a copy has the bytes of the first, and stays as it is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, wanted) => {
      const end = Math.min(wanted, bytes.length);
      const expected = [...bytes.subarray(0, end)];
      const copy = new BytePool().copy(bytes, end);
      bytes.fill(0xee);
      expect([...copy]).toEqual(expected);
      expect(copy.constructor).toBe(Uint8Array);
    }),
    { seed: 7 },
  );
});

test('small pieces share a buffer, a large one has its own', () => {
  const pool = new BytePool();
  expect(pool.take(100).buffer).toBe(pool.take(1024).buffer);
  expect(pool.take(1025).buffer.byteLength).toBe(1025);
});
