import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Collator, compileFilter, compileUpdate, equalValues } from '../src/index.ts';
import { SortedValues } from '../src/sortedValues.ts';
import { anyValue, doc, text, val } from './bson.ts';

/** Code units, and how often it was asked. */
class CountingCollator implements Collator {
  readonly bytes = doc({});
  asked = 0;

  readonly compare = (a: string, b: string): number => {
    this.asked += 1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
}

const texts = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

test('whatever the values, the first equal one is found, and none where there is none', () => {
  fc.assert(
    fc.property(fc.array(anyValue), anyValue, (list, wanted) => {
      const values = list.map(val);
      const { type, bytes, offset } = val(wanted);
      const first = values.findIndex((value) => equalValues(value, val(wanted)));
      expect(new SortedValues(values).indexOf(type, bytes, offset)).toBe(first);
    }),
  );
});

describe('a list costs each that is asked of it the logarithm of its length', () => {
  const COUNT = 1000;
  // Sorting takes some 10 comparisons a value, each question some 11; looking through would take 1000.
  const LIMIT = 40 * COUNT;

  test('$in', () => {
    const collator = new CountingCollator();
    const matches = compileFilter(doc({ a: { $in: texts(COUNT, 'x') } }), { collator });
    for (const a of texts(COUNT, 'y')) expect(matches(doc({ a }))).toBe(false);
    for (const a of texts(COUNT, 'x')) expect(matches(doc({ a }))).toBe(true);
    expect(collator.asked).toBeLessThan(LIMIT);
  });

  const [xs, ys] = [texts(COUNT, 'x'), texts(COUNT, 'y')];
  test.for<[name: string, update: object, before: string[], after: string[]]>([
    ['$addToSet', { $addToSet: { a: { $each: xs } } }, ys, [...ys, ...xs]],
    ['$pullAll', { $pullAll: { a: xs } }, [...xs, ...ys], ys],
    ['$pull', { $pull: { a: { $in: xs } } }, [...xs, ...ys], ys],
  ])('%s', ([_, update, before, after]) => {
    const collator = new CountingCollator();
    const { apply } = compileUpdate(doc(update), { nowMs: 0, collator });
    expect(text(apply(doc({ a: before })).document)).toBe(text(doc({ a: after })));
    expect(collator.asked).toBeLessThan(LIMIT);
  });
});

test('$push takes more values than a call has arguments', () => {
  const each = Array.from({ length: 200_000 }, (_, i) => i);
  const { apply } = compileUpdate(doc({ $push: { a: { $each: each, $position: -1 } } }), { nowMs: 0 });
  const { document } = apply(doc({ a: [-1, -2] }));
  expect(Buffer.compare(document, doc({ a: [-1, ...each, -2] }))).toBe(0);
});
