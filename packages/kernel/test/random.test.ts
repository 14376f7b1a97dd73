import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../src/random.ts';

const take = (random: Random, n = 4, draw = () => random.nextUint32()): number[] => Array.from({ length: n }, draw);
const counts = (n: number, draw: () => number): number[] => {
  const seen: number[] = [];
  for (let i = 0; i < n; i++) {
    const drawn = draw();
    seen[drawn] = (seen[drawn] ?? 0) + 1;
  }
  return seen;
};

/** Whoever changes one of these changes every recorded seed, transcript and trace. */
test('golden: the streams are what they have always been', () => {
  const random = Random.fromSeed(1);
  expect(take(random)).toEqual([2709216450, 2411653973, 2718310250, 3595880341]);
  expect(take(Random.fromSeed(2))).toEqual([3782404288, 1110881389, 1162038070, 2574273102]);
  expect(take(Random.fromSeed('a seed longer than one block'))).toEqual([
    3707147755, 1783227690, 1349388487, 3082384131,
  ]);
  expect(take(random.split('network', 'n1', 'n2'))).toEqual([1327882612, 766944928, 3661180987, 2889383867]);
  expect(take(random.split('member', 3))).toEqual([659108608, 3143572785, 363013954, 3531407594]);
  expect(random.split('float').float()).toBe(0.11852363521823295);
  const ints = random.split('int');
  expect(take(ints, 5, () => ints.int(1_000, 4_001))).toEqual([1098, 3888, 2980, 1782, 3434]);
  expect(random.split('int').int(0, Number.MAX_SAFE_INTEGER)).toBe(215718442551819);
  expect([...random.split('bytes').bytes(6)]).toEqual([137, 98, 17, 113, 116, 11]);
  expect(
    random
      .split('shuffle')
      .shuffle([...'abcdef'])
      .join(''),
  ).toBe('cdbfea');
});

test('the same seed gives the same stream, in whatever form it comes', () => {
  expect(take(Random.fromSeed(7))).toEqual(take(Random.fromSeed('7')));
  expect(take(Random.fromSeed(7))).toEqual(take(Random.fromSeed(7n)));
});

test('a split stream does not depend on how much was drawn, and takes nothing from its parent', () => {
  const fresh = Random.fromSeed(1);
  const used = Random.fromSeed(1);
  take(used, 1_000);
  expect(take(used.split('x'))).toEqual(take(fresh.split('x')));
  const undisturbed = Random.fromSeed(1);
  take(fresh.split('y'));
  expect(take(fresh)).toEqual(take(undisturbed));
});

test('splitting twice is splitting by two labels, and labels do not run together', () => {
  const random = Random.fromSeed(1);
  expect(take(random.split('a', 'b', 3))).toEqual(take(random.split('a').split('b').split(3)));
  const labels = [
    ['ab'],
    ['a', 'b'],
    ['b', 'a'],
    ['a', ''],
    ['', 'a'],
    ['a'],
    [''],
    ['a\0'],
    ['aaaaaaaa'],
    ['aaaaaaaa\0'],
  ];
  const streams = labels.map(([label, ...more]) => take(random.split(label!, ...more)).join());
  expect(new Set([...streams, take(random).join()]).size).toBe(labels.length + 1);
});

test('neighbouring seeds and labels give streams that have nothing in common', () => {
  const first = Array.from({ length: 2_000 }, (_, seed) => Random.fromSeed(seed).nextUint32());
  const split = Array.from({ length: 2_000 }, (_, label) => Random.fromSeed(1).split('n', label).nextUint32());
  for (const drawn of [first, split])
    for (let bit = 0; bit < 32; bit++) {
      const isSet = drawn.map((value) => (value >>> bit) & 1);
      // Five standard deviations around one half: for how many the bit is set, and for how many the next has another.
      expect(Math.abs(isSet.reduce((sum, b) => sum + b, 0) - 1_000)).toBeLessThan(112);
      expect(Math.abs(isSet.filter((b, i) => b !== isSet[i + 1]).length - 1_000)).toBeLessThan(112);
    }
});

test.for([
  [0, 2],
  [-3, 4],
  [0, 10],
  [0, 16],
  [5, 38],
] as const)('int(%i, %i) draws each value about equally often', ([lo, hi]) => {
  const random = Random.fromSeed(1);
  const n = 2_000 * (hi - lo);
  const seen = counts(n, () => random.int(lo, hi) - lo);
  expect(seen).toHaveLength(hi - lo);
  for (const count of seen) expect(Math.abs(count - 2_000)).toBeLessThan(5 * Math.sqrt(2_000));
});

test('a modulo would show here: a third of the draws fall into each third of a range of 3 * 2^30', () => {
  const random = Random.fromSeed(1);
  const thirds = counts(30_000, () => Math.floor(random.int(0, 3 * 2 ** 30) / 2 ** 30));
  for (const count of thirds) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test('int stays within its range, however wide', () => {
  const anyBounds = fc
    .tuple(fc.maxSafeInteger(), fc.oneof(fc.integer({ min: 1, max: 2 ** 31 - 1 }), fc.maxSafeInteger()))
    .map(([lo, width]) => [lo, lo + Math.max(1, Math.abs(width))] as const)
    .filter(([lo, hi]) => Number.isSafeInteger(hi) && hi > lo);
  fc.assert(
    fc.property(anyBounds, fc.integer(), ([lo, hi], seed) => {
      const random = Random.fromSeed(seed);
      for (let i = 0; i < 20; i++) {
        const drawn = random.int(lo, hi);
        expect(Number.isSafeInteger(drawn) && drawn >= lo && drawn < hi).toBe(true);
      }
    }),
    { seed: 4 },
  );
});

test('int reaches both halves of a range wider than 32 bits, and odd numbers', () => {
  const random = Random.fromSeed(1);
  const drawn = Array.from({ length: 1_000 }, () => random.int(0, 2 ** 52));
  expect(drawn.filter((value) => value >= 2 ** 51).length).toBeGreaterThan(400);
  expect(drawn.filter((value) => value < 2 ** 51).length).toBeGreaterThan(400);
  expect(drawn.filter((value) => value % 2 === 1).length).toBeGreaterThan(400);
});

test.for([
  [0, 0],
  [1, 0],
  [0.5, 2],
  [0, Number.NaN],
  [0, Number.POSITIVE_INFINITY],
  [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
] as const)('int(%d, %d) is refused', ([lo, hi]) => {
  expect(() => Random.fromSeed(1).int(lo, hi)).toThrow(RangeError);
});

test('float fills the unit interval evenly, with 53 bits', () => {
  const random = Random.fromSeed(1);
  const drawn = Array.from({ length: 10_000 }, () => random.float());
  expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
  const tenths = counts(
    10_000,
    (
      (i) => () =>
        Math.floor(drawn[i++]! * 10)
    )(0),
  );
  for (const count of tenths) expect(Math.abs(count - 1_000)).toBeLessThan(160);
  expect(drawn.some((value) => (value * 2 ** 53) % 2 === 1)).toBe(true);
});

test('chance draws only where there is a choice', () => {
  const random = Random.fromSeed(1);
  expect([random.chance(0), random.chance(1), random.chance(-1), random.chance(2)]).toEqual([false, true, false, true]);
  expect(take(random)).toEqual(take(Random.fromSeed(1)));
  const hits = Array.from({ length: 10_000 }, () => random.chance(0.3)).filter(Boolean).length;
  expect(Math.abs(hits - 3_000)).toBeLessThan(230);
});

test('bytes gives as many as asked, and the same ones first when asked for more', () => {
  const bytes = (n: number): number[] => [...Random.fromSeed(1).bytes(n)];
  expect(bytes(0)).toEqual([]);
  expect(bytes(1_000)).toHaveLength(1_000);
  expect(bytes(1_000).slice(0, 7)).toEqual(bytes(7));
  expect(new Set(bytes(4_096)).size).toBe(256);
});

test('pick picks each, and refuses to pick from nothing', () => {
  const random = Random.fromSeed(1);
  expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])))).toEqual(new Set(['a', 'b', 'c']));
  expect(() => random.pick([])).toThrow(RangeError);
});

test('shuffle leaves its argument alone and reaches each order equally often', () => {
  const random = Random.fromSeed(1);
  const cards = Object.freeze(['a', 'b', 'c']);
  const seen = new Map<string, number>();
  for (let i = 0; i < 6_000; i++) {
    const order = random.shuffle(cards).join('');
    seen.set(order, (seen.get(order) ?? 0) + 1);
  }
  expect([...seen.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  for (const count of seen.values()) expect(Math.abs(count - 1_000)).toBeLessThan(160);
});
