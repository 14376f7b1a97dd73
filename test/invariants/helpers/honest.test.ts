import { replicaSetPerFile } from 'replsim/vitest';
import { expect, test } from 'vitest';
import { insert } from './insert.ts';

const set = replicaSetPerFile({ invariants: true });

test('this holds', async () => {
  await insert(set.uri);
  expect(set.brokenInvariants).toEqual([]);
});
