import { expect, test } from 'vitest';
import { askedBy, belowFloor, foundText } from './report.ts';
import { Tally } from './tally.ts';

test.for<[args: string, asked: object | string]>([
  ['', { from: 1, to: 1000, jobs: undefined, file: undefined }],
  ['--seeds 5..9 --jobs 2', { from: 5, to: 9, jobs: 2, file: undefined }],
  ['--seeds 30', { from: 1, to: 30, jobs: undefined, file: undefined }],
  ['--file a.yaml', { from: 1, to: 1000, jobs: undefined, file: 'a.yaml' }],
  ['--seeds 9..5', '--seeds is a range or a number, such as 1..1000; got "9..5"'],
  ['--seeds x', '--seeds is a range or a number, such as 1..1000; got "x"'],
  ['--jobs 0', '--jobs is 1 or more; got "0"'],
  ['--from 5', "Unknown option '--from'"],
])('%s', ([args, asked]) => {
  const got = askedBy(args.split(' ').filter((word) => word !== ''));
  if (typeof asked === 'string') expect(got).toContain(asked);
  else expect(got).toEqual(asked);
});

test('a finding is told with the scenario that is left of it, and how to see it again', () => {
  const found = { seed: 18, title: 'invariant x is broken', detail: 'n1 did', text: 'name: a\nseed: 18\n' };
  expect(foundText(17, found)).toBe(`seed 17: invariant x is broken
n1 did
what is left of its scenario:

  name: a
  seed: 18

again: npm run fuzz -- --seeds 17..17
or save it and play it: npm run fuzz -- --file FILE, or npx replsim run FILE --seed 18
`);
  expect(foundText(17, { ...found, text: undefined })).toContain('again: npm run fuzz -- --seeds 17..17');
});

test('what comes about more seldom than its floor is told, if there were enough seeds', () => {
  const tally = new Tally();
  tally.add('rollback', 80);
  tally.add('election', 500);
  const floors = new Map([
    ['rollback', 43],
    ['election', 200],
    ['too stale', 1],
  ]);
  expect(belowFloor(tally, 200, floors)).toEqual([
    'rollback: 80, and should be at least 86',
    'too stale: 0, and should be at least 2',
  ]);
  expect(belowFloor(tally, 99, floors)).toEqual([]);
});
