import { encodeName, findField } from '@replsim/protocol';
import { MaxKey } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDiff, computeDiff, isDelta } from '../src/index.ts';
import { anyDocument, doc, ordered, show, text } from './bson.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const filler = 'x'.repeat(200);

/** Relaxed text of the `diff` between two documents, which carry a long field so that the delta pays. */
function diffOf(before: object, after: object): string {
  const delta = computeDiff(doc({ filler, ...before }), doc({ filler, ...after }))!;
  expect(isDelta(delta)).toBe(true);
  return show(findField(delta, encodeName('diff'))!).replaceAll(/\{"\$numberInt":"(\d+)"\}/g, '$1');
}

test.for([
  [{ a: 1 }, { a: 1 }, '{}'],
  [{ a: 1, b: 1 }, { b: 1 }, '{"d":{"a":false}}'],
  [{ a: 1, b: 1 }, { a: 2, b: 1 }, '{"u":{"a":2}}'],
  [{ a: 1 }, { a: 1, b: 2 }, '{"i":{"b":2}}'],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, '{"i":{"a":1}}'],
  [{ a: { x: 1, y: 'yyyyyyyyyyyyyyyyyy' } }, { a: { x: 2, y: 'yyyyyyyyyyyyyyyyyy' } }, '{"sa":{"u":{"x":2}}}'],
  [{ a: { x: 1 } }, { a: { x: 2 } }, '{"u":{"a":{"x":2}}}'],
  [{ a: [1, 2, 3, 4, 5, 6] }, { a: [1, 2, 3, 4, 5] }, '{"sa":{"a":true,"l":5}}'],
  [{ a: [1, 2, 3, 4, 5, 6] }, { a: [1, 9, 3, 4, 5, 6, 7] }, '{"sa":{"a":true,"u1":9,"u6":7}}'],
] as const)('the delta from %j to %j', ([before, after, expected]) => {
  expect(diffOf(before, after)).toBe(expected);
});

test('where the delta would be longer, or names repeat, the document is written whole', () => {
  expect(computeDiff(doc({ a: 1 }), doc({ a: 2 }))).toBeUndefined();
  const twice = new Uint8Array([...doc({ a: filler, b: 1, c: 1 })]);
  twice[twice.length - 7] = 0x62; // renames c to b
  expect(text(twice)).toMatch(/"b".*"b"/);
  expect(computeDiff(twice, doc({ a: filler }))).toBeUndefined();
});

describe('applying', () => {
  const delta = (diff: object) => doc(ordered(['$v', 2], ['diff', diff]));
  test.for([
    [{ a: 1, b: 2 }, { d: { a: false, z: false } }, { b: 2 }],
    [{ a: 1 }, { u: { a: 2, b: 3 } }, { a: 2, b: 3 }],
    [{ a: 1, b: 2 }, { i: { c: 3, a: 4 } }, { b: 2, c: 3, a: 4 }],
    [{ a: 5 }, { sa: { u: { x: 1 } } }, { a: 5 }],
    [{ a: [1] }, { sa: { u: { x: 1 } } }, { a: [1] }],
    [{ a: { x: 0 } }, { sa: { a: true, u0: 1 } }, { a: { x: 0 } }],
    [{}, { sa: { u: { x: 1 } } }, {}],
    [{ a: [1] }, { sa: { a: true, u3: 4 } }, { a: [1, null, null, 4] }],
    [{ a: [1, 2, 3] }, { sa: { a: true, l: 1 } }, { a: [1] }],
    [{ a: [1] }, { sa: { a: true, l: 3 } }, { a: [1, null, null] }],
    [{ a: [{ x: 1 }, 5] }, { sa: { a: true, s0: { u: { x: 2 } }, s1: { u: { x: 2 } } } }, { a: [{ x: 2 }, 5] }],
    [{ a: 1 }, { d: 1, u: 'x', q: { a: 1 } }, { a: 1 }],
  ] as const)('to %j of %j', ([before, diff, expected]) => {
    const once = applyDiff(doc(before), delta(diff));
    expect(text(once)).toBe(text(doc(expected)));
    expect(text(applyDiff(once, delta(diff)))).toBe(text(once));
  });

  test('is what computing undoes, byte for byte, once or twice', () => {
    let deltas = 0;
    fc.assert(
      fc.property(anyDocument, anyDocument, (before, after) => {
        // The long field makes the delta pay, wherever it stands.
        const from = doc(new Map<string, unknown>([['f', filler], ...before]));
        const to = doc(new Map<string, unknown>([['f', filler], ...after]));
        const delta = computeDiff(from, to);
        if (delta === undefined) return;
        deltas++;
        const once = applyDiff(from, delta);
        expect(hex(once)).toBe(hex(to));
        expect(hex(applyDiff(once, delta))).toBe(hex(to));
      }),
      { numRuns: 3000, seed: 1 },
    );
    expect(deltas).toBeGreaterThan(2500);
  });

  test('of a whole history, to any later version, ends at the last version', () => {
    // What recovery and initial sync rely on: they do not know which entries the data hold already.
    const anyHistory = fc.array(anyDocument, { minLength: 2, maxLength: 6 });
    let replays = 0;
    fc.assert(
      fc.property(anyHistory, (history) => {
        const versions = history.map((fields) => doc(new Map<string, unknown>([['f', filler], ...fields])));
        const entries = versions.slice(1).map((after, i) => computeDiff(versions[i]!, after) ?? after);
        for (const start of versions) {
          const end = entries.reduce((data, o) => (isDelta(o) ? applyDiff(data, o) : o), start);
          expect(hex(end)).toBe(hex(versions.at(-1)!));
          replays++;
        }
      }),
      { numRuns: 1500, seed: 1 },
    );
    expect(replays).toBeGreaterThan(4000);
  });

  test('never throws, whatever the document and the delta', () => {
    fc.assert(
      fc.property(anyDocument, anyDocument, (document, after) => {
        const from = doc(document);
        applyDiff(from, delta(after));
        applyDiff(
          from,
          delta(ordered(['u', after], ['sa', after], ['s0', ordered(['a', true], ['u0', new MaxKey()])])),
        );
        applyDiff(from, doc(after));
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});
