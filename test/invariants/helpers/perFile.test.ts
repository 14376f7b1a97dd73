import { replicaSetPerFile } from 'replsim/vitest';
import { beforeAll, expect, test } from 'vitest';
import { breakNextSet } from '../early.ts';
import { insert } from './insert.ts';

beforeAll(breakNextSet);
const set = replicaSetPerFile({ invariants: true });

test('this holds, and the file fails', async () => {
  await insert(set.uri);
  expect(set.brokenInvariants).not.toEqual([]);
});
