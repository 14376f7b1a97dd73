import { test as alone, replicaSetPerTest } from 'replsim/vitest';
import { beforeEach, describe, expect, test } from 'vitest';
import { breakNextSet } from '../early.ts';
import { insert } from './insert.ts';

describe('a hook', () => {
  beforeEach(breakNextSet);
  const set = replicaSetPerTest({ invariants: true });

  test('this fails', async () => {
    await insert(set.uri);
    expect(set.brokenInvariants).not.toEqual([]);
  });
});

describe('the fixture', () => {
  beforeEach(breakNextSet);
  const withInvariants = alone.extend({ replicaSetOptions: { invariants: true } });

  withInvariants('this fails, too', async ({ replicaSet }) => {
    await insert(replicaSet.uri);
    expect(replicaSet.brokenInvariants).not.toEqual([]);
  });
});
