import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { explore, shrink, type TrialInput, tryOut } from '../../src/index.ts';

// The history of a workload with reads is judged in every run, whether or not a check asks for it.

const PROMISED = `name: Nobody asks for the history here
replicaSet: { members: 3 }
begin: with a primary
steps:
  - note: reads promise much
  - workload:
      name: w
      every: 500ms
      update: { in: app.r, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }
      writeConcern: { w: majority }
      reads: { every: 200ms, readConcern: { level: linearizable }, maxTimeMS: 2000 }
  - advance: 6s
  - advance: 6s
  - stop: w
`;

/** A set in whose trace each tenth read of w has found what was there at first. */
async function forgetful(options: Parameters<typeof ReplSet.create>[0]): Promise<ReplSet> {
  const set = await ReplSet.create(options);
  const { record } = set;
  let reads = 0;
  set.record = (event) => {
    const isRead = event.type === 'clientReturned' && event.client === 'w/reads' && event.outcome === 'ok';
    record.call(set, isRead && ++reads % 10 === 0 ? { ...event, value: '1' } : event);
  };
  return set;
}

test('a history that keeps its promise is no finding', async () => {
  const mode = { kind: 'faults', atMost: 2, kinds: ['partition'] } as const;
  const { findings } = await explore(PROMISED, { mode, runs: 4, stopAt: 1, play: tryOut });
  expect(findings).toEqual([]);
});

test('one that breaks it is, and it is shrunk', async () => {
  const play = (input: TrialInput) => tryOut(input, forgetful);
  const [finding] = (await explore(PROMISED, { mode: { kind: 'seeds' }, runs: 2, stopAt: 1, play })).findings;
  expect(finding?.failure).toMatchObject({ of: 'invariant', sameAs: 'historiesKeepTheirPromise' });
  expect(finding?.failure.detail).toMatch(
    /^the history of w is not linearizable: .* w\/reads read 1 in document 1 between/,
  );
  const shrunk = await shrink(finding!.text, { seed: finding!.seed, play });
  expect(shrunk?.text).toContain('reads:');
  expect(shrunk?.text).not.toContain('note:');
  expect(shrunk?.to).toBeLessThanOrEqual(2);
});
