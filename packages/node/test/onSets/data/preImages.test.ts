import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

const options = async (asked: AskedSet) =>
  (await asked.ok('n1', { listCollections: 1 })).cursor.firstBatch.map((listed: Doc) => listed.options);

test.for<[db: string, option: unknown, code: number]>([
  ['app', true, 14],
  ['app', {}, 40414],
  ['app', { enabled: 'yes' }, 14],
  ['app', { enabled: true, expireAfterSeconds: 100 }, 40415],
  ['local', { enabled: true }, 72],
  ['config', { enabled: true }, 72],
])('create in %s with changeStreamPreAndPostImages %o fails with %i', async ([db, option, code]) => {
  const asked = await AskedSet.start(1);
  const reply = await asked.run('n1', { create: 'c', changeStreamPreAndPostImages: option }, db);
  expect(reply).toMatchObject({ ok: 0, code });
});

test('only what is switched on is kept', async () => {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', { create: 'c', changeStreamPreAndPostImages: { enabled: false } });
  expect(await options(asked)).toEqual([{}]);
  await asked.ok('n1', { create: 'd', changeStreamPreAndPostImages: { enabled: 1 } });
  expect(await options(asked)).toContainEqual({ changeStreamPreAndPostImages: { enabled: true } });
});

test('3.2 passes over it', async () => {
  const asked = await AskedSet.start(1, { version: '3.2' });
  await asked.ok('n1', { create: 'c', changeStreamPreAndPostImages: { enabled: true } });
  expect(await options(asked)).toEqual([{}]);
});
