import { encodeDocument } from '@replsim/protocol';
import { compareValues, compileCollator } from '@replsim/query';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { val } from '../../../query/test/bson.ts';
import { valueKeys } from '../../src/collection/valueKeys.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'A', 'á', 'b', '-', '\u0100'), maxLength: 3 });
const leaf = fc.oneof(text, fc.constantFrom(null, 1, 1.5, true));
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.record({ a: leaf }));

test.for([undefined, { locale: 'en', strength: 1 }, { locale: 'en', strength: 2 }])(
  'keys are equal if and only if the values are, by %o',
  (collation) => {
    const collator = collation && compileCollator(encodeDocument(collation));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 12 }), (values) => {
        const keyOf = valueKeys(collator);
        const keyed = values.map((each) => ({ value: val(each), key: keyOf(val(each)) }));
        for (const a of keyed) {
          for (const b of keyed) expect(a.key === b.key).toBe(compareValues(a.value, b.value, collator) === 0);
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  },
);
