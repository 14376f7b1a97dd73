import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFields, decodePromoted, encodeDocument } from '../../src/index.ts';
import { anyDocument, anyLeaf } from './anyBson.ts';

const NAMES = ['ok', 'n', 'code', 'cursor'] as const;
const anyReply = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(anyLeaf, anyDocument));

test('some fields are what they are when all are decoded, and the others are absent', () => {
  fc.assert(
    fc.property(anyReply, fc.subarray([...NAMES]), (reply, names) => {
      const bytes = encodeDocument(reply);
      const all = decodePromoted(bytes);
      const some = Object.fromEntries(Object.entries(all).filter(([name]) => names.some((each) => each === name)));
      expect(decodeFields(bytes, new Set(names))).toEqual(some);
    }),
    { numRuns: 500, seed: 1 },
  );
});
