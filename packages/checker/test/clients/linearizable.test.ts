import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearizable, type RegisterCall } from '../../src/index.ts';
import { calls } from './histories.ts';

describe('known histories', () => {
  test.for<[string, string[]]>([
    ['nothing was done', []],
    ['a register is empty before it is written', ['a r x - 0-1', 'a w x 1 2-3', 'a r x 1 4-5']],
    ['a read during a write may find what was before', ['a w x 1 0-10', 'b r x - 2-5']],
    ['a read during a write may find what is written', ['a w x 1 0-10', 'b r x 1 2-5']],
    // Herlihy and Wing: whichever of two writes at the same time came last, as long as everybody agrees.
    ['two writes at once, and the one called first is read', ['a w x 1 0-10', 'b w x 2 0-10', 'c r x 1 11-12']],
    ['two writes at once, and the other is read', ['a w x 1 0-10', 'b w x 2 0-10', 'c r x 2 11-12']],
    [
      'a write that nobody is sure of was done long after',
      ['a w x 1 0-1', 'a w x 2 2-?', 'b r x 1 50-51', 'b r x 2 90-91'],
    ],
    ['a write that nobody is sure of was never done', ['a w x 1 0-1', 'a w x 2 2-?', 'b r x 1 50-51', 'b r x 1 90-91']],
    ['what failed is never read', ['a w x 1 0-1', 'a w x 2 2-3!', 'b r x 1 4-5']],
    ['documents have nothing to do with each other', ['a w x 1 0-1', 'a w y 2 2-3', 'b r x 1 4-5', 'b r y 2 6-7']],
    ['one instant is one instant: calls overlap there', ['a w x 1 0-5', 'b r x - 5-6']],
    ['the same value twice', ['a w x 1 0-1', 'a w x 2 2-3', 'a w x 1 4-5', 'b r x 1 6-7']],
  ])('linearizable: %s', ([, history]) => {
    expect(linearizable(calls(...history))).toEqual({ kind: 'holds' });
  });

  test.for<[string, string[], string]>([
    [
      'a stale read',
      ['a w x 1 0-1', 'a w x 2 2-3', 'b r x 1 4-5'],
      'b read 1 in document x between 0.000s and 0.000s, when by any order of the calls before it held 2',
    ],
    ['a write that is lost', ['a w x 1 0-1', 'b r x - 2-3'], 'b read nothing'],
    ['what was seen once is gone', ['a w x 1 0-99?', 'b r x 1 2-3', 'b r x - 4-5'], 'b read nothing'],
    // The new value is seen by one reader, and then the old one by another, while the write is still under way.
    ['new and then old', ['a w x 1 0-1', 'a w x 2 2-99', 'b r x 2 10-20', 'c r x 1 30-40'], 'c read 1'],
    ['what failed is read', ['a w x 1 0-1', 'a w x 2 2-3!', 'b r x 2 4-5'], 'b read 2'],
    ['what nobody wrote', ['b r x 7 0-1'], 'b read 7'],
    ['two readers see two orders', ['a w x 1 0-10', 'b w x 2 0-10', 'c r x 1 11-12', 'd r x 2 13-14'], 'd read 2'],
  ])('not linearizable: %s', ([, history, detail]) => {
    const verdict = linearizable(calls(...history));
    expect(verdict).toEqual({
      kind: 'broken',
      anomalies: [{ name: 'not linearizable', detail: expect.stringContaining(detail) }],
    });
  });

  test('each document is judged, and each that is wrong is named', () => {
    const verdict = linearizable(
      calls('a w x 1 0-1', 'a w y 1 2-3', 'a w z 1 4-5', 'b r x - 6-7', 'b r y 1 6-7', 'b r z - 6-7'),
    );
    const details = verdict.kind === 'broken' ? verdict.anomalies.map(({ detail }) => detail.slice(0, 30)) : [];
    expect(details).toEqual(['b read nothing in document x b', 'b read nothing in document z b']);
  });
});

test('what has too many orders is undecided, and never found right', () => {
  const writes = Array.from({ length: 24 }, (_, i) => `c${i} w x ${i} 0-100`);
  const reads = Array.from({ length: 24 }, (_, i) => `r r x ${i} ${101 + 2 * i}-${102 + 2 * i}`);
  expect(linearizable(calls(...writes, ...reads), 1000)).toEqual({
    kind: 'undecided',
    why: 'more than 1000 ways to order the 48 calls of document x',
  });
});

test('what is broken in one document is broken, however long another is', () => {
  const writes = Array.from({ length: 24 }, (_, i) => `c${i} w x ${i} 0-100`);
  expect(linearizable(calls(...writes, 'r r y 1 0-1'), 1000).kind).toBe('broken');
});

test('a long history of two clients is judged, with many writes that nobody is sure of', () => {
  const history = Array.from({ length: 3000 }, (_, i) => [
    `a w x ${i} ${10 * i}-${i % 3 ? 10 * i + 4 : ''}`,
    `b r x ${i} ${10 * i + 5}-${10 * i + 6}`,
  ]);
  expect(linearizable(calls(...history.flat()))).toEqual({ kind: 'holds' });
});

/** Calls of some clients, each sequential, with what a real register would have answered at an instant within each. */
const anyCorrect = fc
  .array(
    fc.record({
      client: fc.integer({ min: 0, max: 2 }),
      kind: fc.constantFrom('read' as const, 'write' as const),
      key: fc.constantFrom('x', 'y'),
      wait: fc.integer({ min: 0, max: 5 }),
      until: fc.integer({ min: 0, max: 10 }),
      after: fc.integer({ min: 0, max: 10 }),
      fate: fc.constantFrom(
        'ok' as const,
        'ok' as const,
        'ok' as const,
        'info' as const,
        'fail' as const,
        'never' as const,
      ),
    }),
    { maxLength: 60 },
  )
  .map((drawn) => {
    const free = [0, 0, 0];
    const effects = drawn.map(({ client, kind, key, wait, until, after, fate }, index) => {
      const calledMicros = free[client]! + wait;
      const effectMicros = calledMicros + until;
      const returnedMicros = effectMicros + after;
      free[client] = returnedMicros + 1;
      return { client: `c${client}`, kind, key, calledMicros, effectMicros, returnedMicros, fate, index };
    });
    const held = new Map<string, string>();
    const found = new Map<number, string | undefined>();
    for (const { kind, key, fate, index } of effects.toSorted((a, b) => a.effectMicros - b.effectMicros)) {
      if (kind === 'read') found.set(index, held.get(key));
      else if (fate === 'ok' || fate === 'info') held.set(key, `v${index}`);
    }
    return effects.map(({ index, effectMicros: _, fate, ...call }): RegisterCall => {
      const outcome = fate === 'never' ? 'info' : fate;
      const value = call.kind === 'read' ? found.get(index) : `v${index}`;
      return { ...call, outcome, value, ...(outcome === 'info' && { returnedMicros: Number.POSITIVE_INFINITY }) };
    });
  });

test('whatever a correct register answers is linearizable', () => {
  fc.assert(
    fc.property(anyCorrect, (history) => void expect(linearizable(history)).toEqual({ kind: 'holds' })),
    { numRuns: 300 },
  );
});

/** Wing and Gong's search by itself: every order is tried. */
function bruteForce(history: readonly RegisterCall[], held: string | undefined = undefined): boolean {
  const mustBe = history.filter(({ outcome }) => outcome === 'ok');
  if (mustBe.length === 0) return true;
  const firstReturn = Math.min(...mustBe.map(({ returnedMicros }) => returnedMicros));
  return history.some((call) => {
    if (call.calledMicros > firstReturn || call.outcome === 'fail') return false;
    if (call.kind === 'read' && (call.outcome !== 'ok' || call.value !== held)) return false;
    return bruteForce(
      history.filter((each) => each !== call),
      call.kind === 'read' ? held : call.value,
    );
  });
}

const anySmall = fc.array(
  fc.record({
    client: fc.constantFrom('a', 'b', 'c'),
    kind: fc.constantFrom('read' as const, 'write' as const),
    key: fc.constant('x'),
    value: fc.constantFrom('1', '2', '3', undefined),
    calledMicros: fc.integer({ min: 0, max: 12 }),
    lasts: fc.integer({ min: 0, max: 6 }),
    outcome: fc.constantFrom('ok' as const, 'ok' as const, 'ok' as const, 'info' as const, 'fail' as const),
  }),
  { maxLength: 7 },
);

test('it says the same as a search through all orders', () => {
  const counts = { holds: 0, broken: 0 };
  fc.assert(
    fc.property(anySmall, (drawn) => {
      const history = drawn.map(
        ({ lasts, ...call }): RegisterCall => ({
          ...call,
          value: call.kind === 'write' ? (call.value ?? '1') : call.value,
          returnedMicros: call.outcome === 'info' ? Number.POSITIVE_INFINITY : call.calledMicros + lasts,
        }),
      );
      const kind = bruteForce(history) ? 'holds' : 'broken';
      counts[kind]++;
      expect(linearizable(history).kind).toBe(kind);
    }),
    { numRuns: 1500 },
  );
  // It is a question both ways.
  expect(counts.holds).toBeGreaterThan(250);
  expect(counts.broken).toBeGreaterThan(250);
});
