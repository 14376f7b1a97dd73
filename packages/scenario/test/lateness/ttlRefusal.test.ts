import { expect, test } from 'vitest';
import { parseScenario } from '../../src/index.ts';
import { latenessText, lateText } from '../../src/lateness/latenessText.ts';
import { ttlRefusal } from '../../src/lateness/ttlRefusal.ts';
import type { Check, TtlPart } from '../../src/scenario.ts';
import { Told } from './tracing.ts';

function partOf(text: string): TtlPart {
  const { action } = parseScenario(`name: A claim\nsteps:\n  - expect: { ttl: ${text} }\n`, 'a.yaml').steps[0]!;
  return (action as { check: Check }).check.parts[0] as TtlPart;
}

function told(): Told {
  const trace = new Told();
  trace.index(1, 'n1');
  trace.index(1, 'n1', 60, 'at_1', 'app.a');
  trace.index(1, 'n1', 60, 'at_1', 'app.b');
  trace.sleeps(0, 'n1', 60);
  trace.leads(1, 'n1');
  trace.works(60, 'n1');
  trace.follows(63, 'n2', trace.deletes(61, 'n1', [30, 40]));
  return trace;
}

const FILLING = { nowMs: 0, random: undefined as never, lets: new Map(), firstConfig: undefined };
const LATE = '2 gone: median 21s late, worst 31s: 30s sleep, 1s backlog';

test.for<[text: string, refusal: [asked: string, got: string] | undefined]>([
  ['{ index: ttl, lateness: { count: 2, medianMs: 21000, worstMs: { $lt: 31001 }, because: sleep } }', undefined],
  ['{ index: ttl, ns: app.s, lateness: { worst.backlogMs: 1000, worst.lagMs: 0 } }', undefined],
  ['{ index: ttl, on: n2, lateness: { worst.lagMs: 2000, worstMs: 33000 } }', undefined],
  ['{ index: at_1, ns: app.b, lateness: { count: 0, worstMs: { $exists: false } } }', undefined],
  [
    '{ index: ttl, lateness: { worstMs: { $lt: 5 }, because: clock } }',
    ['lateness of app.s ttl: {worstMs: {$lt: 5}, because: "clock"}', `{worstMs: 31000, because: "sleep"}; ${LATE}`],
  ],
  [
    '{ index: ttl, on: n2, lateness: { count: 3 } }',
    [
      'lateness of app.s ttl on n2: {count: 3}',
      '{count: 2}; 2 gone: median 23s late, worst 33s: 30s sleep, 2s lag, 1s backlog',
    ],
  ],
  [
    '{ index: tll, lateness: { count: 3 } }',
    ['a TTL index called tll', 'there is ttl on app.s, at_1 on app.a, at_1 on app.b; did you mean "ttl"?'],
  ],
  [
    '{ index: ttl, ns: app.x, lateness: { count: 3 } }',
    ['a TTL index called ttl on app.x', 'there is ttl on app.s, at_1 on app.a, at_1 on app.b; did you mean "ttl"?'],
  ],
  [
    '{ index: at_1, lateness: { count: 0 } }',
    ['the one TTL index called at_1', 'at_1 on app.a, at_1 on app.b; "ns" says which'],
  ],
  ['{ index: ttl, on: n3, lateness: { count: 0 } }', ['when documents were gone from n3', 'it holds no data']],
])('%s', ([text, refusal]) => {
  const got = ttlRefusal(partOf(text), told().lateness, FILLING);
  expect(got && [got.asked, got.got]).toEqual(refusal);
});

test('where there is no TTL index at all', () => {
  const got = ttlRefusal(partOf('{ index: ttl, lateness: { count: 0 } }'), new Told().lateness, FILLING);
  expect(got).toEqual({ asked: 'a TTL index called ttl', got: 'no member knows a TTL index' });
});

test('in words', () => {
  expect(latenessText(told().summary())).toBe(LATE);
  expect([0, 0.05, -3.5, 999.9994, 61_001.4, 90_000, -3_600_000].map(lateText)).toEqual([
    '0s', '0.05ms', '-3.5ms', '999.999ms', '1m1.001s', '1m30s', '-1h',
  ]); // biome-ignore format: as it is
});
