import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { compileUpdate, Evaluation, Meter, UNFINISHED } from '../src/index.ts';

/** It is the others' turn after each part. */
class Impatient extends Meter {
  override get isDue(): boolean {
    return true;
  }
}

const fields = (count: number, make: (i: number) => readonly [string, unknown]) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => make(i)));

const before = encodeDocument({
  _id: 1,
  ...fields(300, (i) => [`f${i}`, i]),
  a: Array.from({ length: 300 }, (_, i) => ({ k: i, list: [i, 1] })),
});

/** What comes of it, and after how many attempts. */
function attempted<T>(meter: Meter, compute: () => T): [result: T, attempts: number] {
  const evaluation = new Evaluation(meter);
  for (let attempts = 1; ; attempts++) {
    const result = evaluation.attempt(compute);
    if (result !== UNFINISHED) return [result, attempts];
  }
}

test.each<[what: string, update: object, arrayFilters?: object[]]>([
  ['many fields', { $inc: fields(200, (i) => [`f${i}`, 1]), $unset: fields(50, (i) => [`f${i + 200}`, 1]) }],
  ['many new fields inside of others', { $set: fields(200, (i) => [`new.b${i % 7}.c${i}`, i]) }],
  ['all elements, and a field before and behind', { $inc: { 'a.$[].k': 1, f0: 5, z: 1 } }],
  ['elements in elements', { $mul: { 'a.$[].list.$[]': 3 } }],
  ['chosen elements', { $set: { 'a.$[e].x': 1 } }, [{ 'e.k': { $gte: 150 } }]],
  ['one chosen element', { $push: { 'a.$[e].list': 7 } }, [{ 'e.k': 150 }]],
  ['no element', { $set: { 'a.$[e].x': 1 } }, [{ 'e.k': -1 }]],
  ['renames', { $rename: fields(100, (i) => [`f${i}`, `g${i}`]) }],
])('%s: interrupted wherever it can be, an update comes to the same', (_, update, arrayFilters = []) => {
  const written = encodeDocument(update);
  const options = { nowMs: 5, arrayFilters: arrayFilters.map((each) => encodeDocument(each)) };
  const expected = compileUpdate(written, options).apply(before);
  const meter = new Impatient();
  const [{ apply }, reads] = attempted(meter, () => compileUpdate(written, { ...options, meter }));
  if (written.length > 2048) expect(reads).toBeGreaterThan(50);
  const [result, attempts] = attempted(meter, () => apply(before));
  expect(attempts).toBeGreaterThan(1);
  expect(result).toEqual(expected);
});

test('a short update is applied at once', () => {
  const { meter } = compileUpdate(encodeDocument({ $inc: { f0: 1 } }), { nowMs: 5, meter: new Meter() });
  expect(meter).toBeUndefined();
});
