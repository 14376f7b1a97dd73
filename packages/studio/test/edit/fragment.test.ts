import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromFragment, type Shared, toFragment } from '../../src/edit/fragment.ts';

test('a link says the same to whoever opens it, in characters that a URL has', () => {
  const shared = fc.record<Shared>(
    {
      text: fc.string({ unit: 'grapheme', maxLength: 2000 }),
      atMicros: fc.maxSafeNat(),
      seed: fc.nat(),
      member: fc.string(),
    },
    { requiredKeys: ['text', 'atMicros'] },
  );
  fc.assert(
    fc.property(shared, (each) => {
      const fragment = toFragment(each);
      expect(fragment).toMatch(/^[\w-]+$/);
      expect(fromFragment(fragment)).toEqual(each);
    }),
    { seed: 1 },
  );
});

test.for(['', 'garbage', '%%%', toFragment({ text: 'x', atMicros: 0 }).slice(0, -4)])('%s is no link', (fragment) => {
  expect(fromFragment(fragment)).toBeUndefined();
});
