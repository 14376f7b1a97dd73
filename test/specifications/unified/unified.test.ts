import { fileURLToPath } from 'node:url';
import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { match, type Named } from './match.ts';
import { specifications } from './specifications.ts';
import { Failure } from './verdicts.ts';

// The runner itself: what it passes, and above all what it does not.

const fixtures = fileURLToPath(new URL('./fixtures', import.meta.url));

/** What the command says and how it ends. */
async function ran(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const code = await specifications(args, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

test('tests pass, fail and are skipped, each with its reason', async () => {
  const { code, out } = await ran(fixtures, '--json');
  const { summary, tests } = JSON.parse(out);
  const skippedAs = 'for topologies other than a replica set: sharded';
  expect(tests.map(({ outcome, reason }: Record<string, unknown>) => [outcome, reason])).toEqual([
    ['passed', undefined],
    ['passed', undefined],
    ['failed', expect.stringContaining('outcome.documents[0]: nobody expected watts in')],
    ['failed', '2 command events, not 1: aggregate, aggregate'],
    ['failed', 'the error {"isError":true} expected, not {"_id":1,"room":"hall","watts":40}'],
    ['failed', expect.stringContaining("runCommand: MongoServerError: no such command: 'dance'")],
    ['skipped', skippedAs],
    ['passed', undefined],
    ['skipped', 'needs authentication by MONGODB-OIDC'],
    ['skipped', 'the runner does not know the operation polish'],
  ]);
  expect(summary).toEqual({ fair: { passed: 3, of: 7 }, isAsExpected: false });
  expect(code).toBe(1);
});

test('what passes is enough if nothing else was wanted, and the table counts it', async () => {
  const { code, out } = await ran(fixtures, '--only', 'lamps: a ');
  expect(code).toBe(0);
  expect(out).toMatch(/^\| lamps +\| +2 \|( +0 \|){4}$/m);
  expect(out).toContain('2 of 2 passed, 100.0 %, of those that are fair');
});

test.for([
  { args: [], says: 'one FOLDER is wanted: npm run specifications -- FOLDER' },
  { args: [fixtures, fixtures], says: 'one FOLDER is wanted' },
  { args: [`${fixtures}/nowhere`], says: `there is no folder ${fixtures}/nowhere` },
  { args: [`${fixtures}/empty`], says: `${fixtures}/empty holds no unified tests: it should be the folder source/` },
  { args: [fixtures, '--only', 'candles'], says: 'has "candles" in its FILE: DESCRIPTION' },
  { args: [fixtures, '--version', '1.0'], says: 'version' },
  { args: [fixtures, '--fast'], says: "Unknown option '--fast'" },
])('$args is refused', async ({ args, says }) => {
  const { code, out, err } = await ran(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(says);
});

const named: Named = {
  value: (id) => ({ lamp: { _id: 1 }, bytes: 7 })[id],
  lsid: (session) => ({ id: session }),
};

test.for<{ expected: unknown; holds: readonly unknown[]; fails: readonly unknown[] }>([
  { expected: 1, holds: [1, 1n, BSON.Long.fromNumber(1), new BSON.Double(1)], fails: [2, '1', true, null, undefined] },
  { expected: null, holds: [null], fails: [undefined, 0, {}] },
  { expected: { a: 1 }, holds: [{ a: 1 }, { a: 1, b: 2 }], fails: [{}, { b: 1 }, [1], 1, null, undefined] },
  { expected: { a: { b: 1 } }, holds: [{ a: { b: 1 } }], fails: [{ a: { b: 1, c: 2 } }] },
  { expected: [{ a: 1 }], holds: [[{ a: 1, b: 2 }]], fails: [[], [{ a: 2 }], [{ a: 1 }, { a: 1 }], { 0: { a: 1 } }] },
  { expected: { a: [{ b: 1 }] }, holds: [{ a: [{ b: 1 }] }], fails: [{ a: [{ b: 1, c: 1 }] }] },
  { expected: { a: { $$exists: true } }, holds: [{ a: null }], fails: [{}] },
  { expected: { a: { $$exists: false } }, holds: [{}], fails: [{ a: null }] },
  { expected: { $$type: 'int' }, holds: [1, new BSON.Int32(1)], fails: [1.5, '1', BSON.Decimal128.fromString('1')] },
  { expected: { $$type: 'number' }, holds: [1.5, BSON.Decimal128.fromString('1')], fails: ['1', undefined] },
  { expected: { $$type: ['string', 'null'] }, holds: ['a', null], fails: [undefined, {}] },
  { expected: { $$type: 'object' }, holds: [{}], fails: [new Date(0), new BSON.ObjectId(), []] },
  { expected: { a: { $$unsetOrMatches: 1 } }, holds: [{}, { a: null }, { a: 1 }], fails: [{ a: 2 }] },
  { expected: { $$unsetOrMatches: { a: 1 } }, holds: [undefined, { a: 1, b: 2 }], fails: [{ b: 2 }] },
  { expected: { $$matchesEntity: 'lamp' }, holds: [{ _id: 1 }], fails: [{ _id: 2 }, { _id: 1, a: 1 }] },
  { expected: { $$matchesHexBytes: '0aff' }, holds: [Buffer.from([10, 255])], fails: [Buffer.from([10]), '0aff'] },
  { expected: { lsid: { $$sessionLsid: 's' } }, holds: [{ lsid: { id: 's' } }], fails: [{ lsid: { id: 't' } }, {}] },
  { expected: { $$lte: 2 }, holds: [2, 1n], fails: [3, '1', undefined] },
  { expected: { $$matchAsDocument: { a: 1 } }, holds: ['{"a": 1}'], fails: ['{"a": 1, "b": 2}', { a: 1 }] },
  { expected: { a: { $$matchAsRoot: { b: 1 } } }, holds: [{ a: { b: 1, c: 2 } }], fails: [{ a: { c: 2 } }] },
  { expected: { $$matchesDreams: 1 }, holds: [], fails: [1, { $$matchesDreams: 1 }] },
])('$expected', ({ expected, holds, fails }) => {
  for (const actual of holds) match(expected, actual, named);
  for (const actual of fails) expect(() => match(expected, actual, named), String(actual)).toThrow(Failure);
});
