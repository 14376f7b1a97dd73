import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromFragment, type Shared, type SharedSecond, toFragment } from '../../../src/core/edit/fragment.ts';
import { ofText } from '../../../src/core/edit/ofText.ts';

test('a link says the same to whoever opens it, in characters that a URL has', () => {
  const anyDifference = fc.oneof(
    fc.record({ kind: fc.constant('seed' as const), seed: fc.nat() }),
    fc.record({ kind: fc.constant('setting' as const), name: fc.string(), value: fc.string() }),
    fc.record({ kind: fc.constant('version' as const), version: fc.string() }),
    fc.record({ kind: fc.constant('writeConcern' as const), w: fc.string() }),
  );
  const shared = fc.record<Shared>(
    {
      text: fc.string({ unit: 'grapheme', maxLength: 2000 }),
      atMicros: fc.maxSafeNat(),
      seed: fc.nat(),
      member: fc.string(),
      second: fc.record<SharedSecond>({ text: fc.string(), by: anyDifference }, { requiredKeys: ['text'] }),
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

test('of another text, the second one follows if it was made of the first', () => {
  const by = { kind: 'seed', seed: 2 } as const;
  const second = { text: 'seed: 2\nname: A\n', by };
  expect(ofText({ text: 'name: A\n', atMicros: 5, second }, 'name: B\n')).toEqual({
    text: 'name: B\n',
    atMicros: 5,
    second: { text: 'seed: 2\nname: B\n', by },
  });
  const own = { text: 'name: C\n' };
  expect(ofText({ text: 'name: A\n', atMicros: 5, second: own }, 'name: B\n').second).toEqual(own);
  expect(ofText({ text: 'name: A\n', atMicros: 5, member: 'n1' }, 'name: B\n')).toEqual({
    text: 'name: B\n',
    atMicros: 5,
    member: 'n1',
  });
});

test('a link of before there were two runs is opened as it was', () => {
  // `{"text":"name: A\n","seed":2,"atMicros":5}`, as it was written then.
  const old = 'eNqrVipJrShRslLKS8xNtVJwjMlT0lEqTk1NUbIy0lFKLPHNTC7KL1ayMq0FABvHDSQ';
  expect(fromFragment(old)).toEqual({ text: 'name: A\n', seed: 2, atMicros: 5 });
});

test.for([{}, { text: 1 }, { text: '', by: { kind: 'seed' } }, { text: '', by: { kind: 'weather' } }, 'x'])(
  'a second run that is none makes no link: %j',
  (second) => {
    expect(fromFragment(toFragment({ text: 'x', atMicros: 0, second } as never))).toBeUndefined();
  },
);
