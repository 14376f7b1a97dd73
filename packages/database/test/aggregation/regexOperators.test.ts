import { beforeEach, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const evaluate = (a: unknown, expression: object) => {
  member.insert('c', { _id: 1, a });
  return member.run({ aggregate: 'c', pipeline: [{ $project: { _id: 0, v: expression } }], cursor: {} });
};

// The examples of the manual's pages are among these.
test.for<[a: unknown, expression: object, expected: unknown]>([
  ['single LINE', { $regexMatch: { input: '$a', regex: 'line', options: 'i' } }, true],
  ['single LINE', { $regexMatch: { input: '$a', regex: /line/ } }, false],
  [null, { $regexMatch: { input: '$a', regex: 'x' } }, false],
  ['Café', { $regexFind: { input: '$a', regex: /fé/ } }, { match: 'fé', idx: 2, captures: [] }],
  ['😀ab', { $regexFind: { input: '$a', regex: '(a)(z)?' } }, { match: 'a', idx: 1, captures: ['a', null] }],
  ['ab', { $regexFind: { input: '$a', regex: 'z' } }, null],
  ['ab', { $regexFind: { input: '$nope', regex: 'z' } }, null],
  ['aaab', { $regexFindAll: { input: '$a', regex: 'a' } }, [0, 1, 2].map((idx) => ({ match: 'a', idx, captures: [] }))],
  ['😀a', { $regexFindAll: { input: '$a', regex: '' } }, [0, 1].map((idx) => ({ match: '', idx, captures: [] }))],
  ['ab', { $regexFindAll: { input: '$nope', regex: 'a' } }, []],
  [['xa', 'b'], { $filter: { input: '$a', cond: { $regexMatch: { input: '$$this', regex: '^x' } } } }, ['xa']],
])('%j: %j', ([a, expression, expected]) => {
  expect(evaluate(a, expression)).toMatchObject({ ok: 1, cursor: { firstBatch: [{ v: expected }] } });
});

const evil = `${'a'.repeat(200)}b`;
test.for<[a: unknown, expression: object, code: number]>([
  [1, { $regexMatch: { input: '$a', regex: 'x' } }, 51104],
  ['a', { $regexMatch: 'x' }, 51103],
  ['a', { $regexMatch: { regex: 'x' } }, 31022],
  ['a', { $regexFind: { input: '$a' } }, 31023],
  ['a', { $regexFind: { input: '$a', regex: 'x', flags: 'i' } }, 31024],
  ['a', { $regexFind: { input: '$a', regex: 1 } }, 51105],
  ['a', { $regexFindAll: { input: '$a', regex: 'x', options: 1 } }, 51106],
  ['a', { $regexFindAll: { input: '$a', regex: /x/i, options: 'm' } }, 51107],
  ['a', { $regexFindAll: { input: '$a', regex: 'x', options: 'g' } }, 51108],
  ['a', { $regexMatch: { input: '$a', regex: '(' } }, 51111],
  [evil, { $regexMatch: { input: '$a', regex: '^(?!x)(a+)+$' } }, 51156],
])('%#: refused with %i', ([a, expression, code]) => {
  expect(evaluate(a, expression)).toMatchObject({ ok: 0, code });
});

test('a pattern that would take longer than the universe lasts is answered, or given up', () => {
  member.insert('c', { _id: 1, a: evil });
  expect(member.ok({ find: 'c', filter: { a: /^(a+)+$/ } }).cursor.firstBatch).toEqual([]);

  expect(member.run({ find: 'c', filter: { a: /^(?!x)(a+)+$/ } })).toMatchObject({ ok: 0, code: 51156 });
  expect(member.run({ find: 'c', filter: { a: { $in: [/^(?!x)(a+)+$/] } } })).toMatchObject({ ok: 0, code: 51156 });
});
