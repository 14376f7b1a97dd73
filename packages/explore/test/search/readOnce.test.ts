import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { expect, test } from 'vitest';
import { readOnce } from '../../src/search/readOnce.ts';
import { tryOut } from '../../src/search/trial.ts';
import { MAJORITY, W1 } from './scenarios.ts';

// Runs of one text share what was read of it: no run may leave anything there that another one sees.

async function traceOf(text: string, seed: number): Promise<string[]> {
  const trace: string[] = [];
  await tryOut({ text, seed }, async (options: ReplSetOptions) => {
    const set = await ReplSet.create(options);
    set.onTrace((event) =>
      trace.push(JSON.stringify(event, (_, value) => (typeof value === 'bigint' ? `${value}` : value))),
    );
    return set;
  });
  return trace;
}

test('one text is read once as long as no other comes between', () => {
  const first = readOnce(W1, 'a.yaml');
  expect(readOnce(W1, 'a.yaml')).toBe(first);
  // Messages name the file.
  expect(readOnce(W1, 'b.yaml').file).toBe('b.yaml');
  expect(readOnce(MAJORITY, 'b.yaml')).not.toBe(first);
});

test('a run leaves the trace that it leaves alone, whatever was played before of what was read', async () => {
  const alone = await traceOf(MAJORITY, 2);
  await traceOf(W1, 1);
  await traceOf(MAJORITY, 1);
  expect(await traceOf(MAJORITY, 2)).toEqual(alone);
  expect(alone.length).toBeGreaterThan(200);
});
