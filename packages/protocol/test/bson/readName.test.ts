import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readName, readUtf8 } from '../../src/bson/element.ts';

const encoder = new TextEncoder();

test('a name is what its bytes say, whichever names were read before', () => {
  // Few letters, so that names meet in one place of the table; and bytes that are no UTF-8 at all.
  const name = fc.oneof(
    fc
      .string({ unit: fc.constantFrom('a', 'b', 'é', 'Ã', '©', '€', '😀'), maxLength: 12 })
      .map((s) => encoder.encode(s)),
    fc.uint8Array({ min: 1, maxLength: 30 }),
  );
  fc.assert(
    fc.property(fc.array(name, { maxLength: 60 }), (names) => {
      for (const bytes of names) expect(readName(bytes, 0, bytes.length)).toBe(readUtf8(bytes, 0, bytes.length));
    }),
    { seed: 3, numRuns: 500 },
  );
});

test('it is read from its place among other bytes', () => {
  const bytes = encoder.encode('xx_id_idyy');
  expect([readName(bytes, 2, 5), readName(bytes, 5, 8), readName(bytes, 2, 8)]).toEqual(['_id', '_id', '_id_id']);
});
