import { readFileSync } from 'node:fs';
import { transformSync } from 'rolldown/experimental';
import { expect, test } from 'vitest';
import { allRules } from './allRules.ts';
import { isEqual } from './mutatedRule.ts';

// `npm run mutations` breaks the rules of this table one by one. Here its rows are read only, so that they do not rot as the sources change.

const ROOT = new URL('../../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8');

/** Where rules are, and how many rows are about each at the least. */
const PLACES: readonly [place: string, least: number][] = [
  ['packages/', 150],
  ['packages/access/src/', 20],
  ['packages/changestreams/src/', 20],
  ['packages/checker/src/', 15],
  ['packages/database/src/access/', 20],
  ['packages/kernel/src/', 10],
  ['packages/node/src/config/', 10],
  ['packages/node/src/data/', 5],
  ['packages/node/src/election/', 25],
  ['packages/node/src/indexBuilds/', 1],
  ['packages/node/src/replication/', 10],
  ['packages/node/src/topology/', 3],
  ['packages/node/src/transactions/', 1],
  ['packages/operations/src/sessions/', 5],
  ['packages/oplog/src/', 30],
  ['packages/replset/src/', 5],
  ['packages/replsim/src/mongodbMemoryServer/', 5],
  ['packages/scenario/src/checks/', 5],
  ['packages/server/src/clock/', 10],
  ['packages/storage/src/versions/', 8],
  ['packages/transactions/src/', 15],
  ['packages/ttl/src/', 30],
];

test('every row breaks one place of its file, into something that can be loaded', () => {
  for (const { file, from, to } of allRules) {
    const parts = read(file).split(from);
    expect(parts, `${file}: ${from}`).toHaveLength(2);
    expect(to, `${file}: ${from}`).not.toBe(from);
    const { errors } = transformSync(file, parts.join(to), { lang: 'ts' });
    expect(errors, `${file}: ${to}`).toEqual([]);
  }
});

test('no two rows are the same', () => {
  const mutations = allRules.map(({ file, from, to }) => JSON.stringify([file, from, to]));
  expect(mutations.filter((each, at) => mutations.indexOf(each) !== at)).toEqual([]);
});

test('every row names a test that exists, or says why nothing differs', () => {
  for (const rule of allRules) {
    if (isEqual(rule)) expect(rule.equal, rule.file).not.toBe('');
    else expect(read(rule.test), rule.test).toContain(rule.title ?? '');
  }
});

test.for(PLACES)('%s has rows', ([place, least]) => {
  expect(allRules.filter(({ file }) => file.startsWith(place)).length).toBeGreaterThanOrEqual(least);
});
