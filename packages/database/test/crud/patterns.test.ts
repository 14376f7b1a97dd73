import { BSONRegExp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert(
    'c',
    { _id: 'letters', a: 'hR', list: ['h', 'R', 'hR'] },
    { _id: 'blanks', a: '\t\r\n', list: ['\t', '\n', 'x'] },
  );
});

/** Each place that a pattern reaches, with what it finds there. */
const DOORS: Record<string, (pattern: string) => unknown[]> = {
  $regex: (p) => found({ a: { $regex: p } }),
  'a literal': (p) => found({ a: new BSONRegExp(p) }),
  $in: (p) => found({ a: { $in: [new BSONRegExp(p)] } }),
  $all: (p) => found({ a: { $all: [new BSONRegExp(p)] } }),
  $not: (p) => found({ a: { $not: { $not: new BSONRegExp(p) } } }),
  $elemMatch: (p) => found({ list: { $elemMatch: { $regex: p } } }),
  pattern: (p) => found({ $jsonSchema: { properties: { a: { pattern: p } } } }),
  $regexMatch: (p) => found({ $expr: { $regexMatch: { input: '$a', regex: p } } }),
  $match: (p) => ids(member.run({ aggregate: 'c', pipeline: [{ $match: { a: { $regex: p } } }], cursor: {} })),
};

function ids(reply: ReturnType<FakeMember['run']>): unknown[] {
  if (reply.ok !== 1) return [reply.code];
  return reply.cursor.firstBatch.map(({ _id }: { _id: unknown }) => _id);
}

const found = (filter: object) => ids(member.run({ find: 'c', filter }));

describe.for(Object.keys(DOORS))('patterns in %s', (door) => {
  test.for([
    ['\\h', ['blanks']],
    ['\\R', ['blanks']],
    ['^\\H+$', ['letters']],
    ['^\\V+$', ['letters']],
    ['[^\\N]', 0],
    ['^\\N+\\z', ['letters']],
    ['\\y', 0],
    ['\\u0041', 0],
    ['\\L', 0],
    ['\\p{Nope}', 0],
    ['[[:foo:]]', 0],
  ] as [string, string[] | number][])('%s', ([pattern, expected]) => {
    const code = door === '$regexMatch' ? 51111 : 51091;
    const answer = DOORS[door]!(pattern);
    if (typeof expected === 'number') expect(answer).toEqual([code]);
    // What has a blank at all has one in its list as well.
    else if (door !== '$elemMatch') expect(answer).toEqual(expected);
  });
});

test('$pull removes what matches, and nothing for its letter', () => {
  const pull = (pattern: string) =>
    member.run({ update: 'c', updates: [{ q: {}, u: { $pull: { list: new BSONRegExp(pattern) } }, multi: true }] });
  pull('^\\h$');
  expect(member.documents('app.c').map(({ list }) => list)).toEqual([['h', 'R', 'hR'], ['\n', 'x']]); // biome-ignore format: one line
  pull('^\\R$');
  expect(member.documents('app.c').map(({ list }) => list)).toEqual([['h', 'R', 'hR'], ['x']]); // biome-ignore format: one line
  expect(pull('\\y').writeErrors[0].code).toBe(51091);
});

test('options: x as extended, m, s and i', () => {
  const count = (pattern: string, options: string) => found({ a: { $regex: pattern, $options: options } }).length;
  expect(count('^ h \\  | R # x', 'x')).toBe(1);
  expect(count('HR', 'i')).toBe(1);
  expect(count('^\\n', 'm')).toBe(0);
  expect(count('\\r.', '')).toBe(0);
  expect(count('\\r.', 's')).toBe(1);
});

test('a partial index refuses what no pattern is', () => {
  const index = (p: string) => ({ key: { a: 1 }, name: p, partialFilterExpression: { a: { $regex: p } } });
  expect(member.run({ createIndexes: 'c', indexes: [index('\\y')] }).ok).toBe(0);
});
