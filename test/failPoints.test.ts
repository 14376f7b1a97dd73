import { readFileSync } from 'node:fs';
import { FAIL_POINTS } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { FAIL_POINTS_ELSEWHERE } from '../packages/pipeline/src/upstream/failPointNames.ts';
import { AskedSet } from './askedSet.ts';

// Which fail points there are.

const docs = readFileSync(new URL('../docs/faults.md', import.meta.url), 'utf8');

/** The names in the first column of the table. */
function documented(): string[] {
  const [, section = ''] = docs.split('\n## Fail points\n');
  return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
}

test('the docs list all of them', () => {
  expect(documented().sort()).toEqual([...FAIL_POINTS].sort());
});

test('each can be switched in every mode; another name is refused', async () => {
  const asked = await AskedSet.start(1);
  const modes = ['alwaysOn', { times: 2 }, { skip: 2 }, { activationProbability: 0 }, 'off'];
  const others = [
    'shardWaitInHello',
    'shardWaitInFindBeforeMakingBatch',
    'skipTTLIndexInvalidExpireAfterSecondsValidationForCreateIndex',
  ];
  for (const name of [...FAIL_POINTS, ...others]) {
    for (const mode of modes) {
      const data = name === 'stopReplProducerOnDocument' ? { document: { op: 'i' } } : {};
      expect(await asked.run('n1', { configureFailPoint: name, mode, data }, 'admin'), name).toMatchObject({ ok: 1 });
    }
  }
  expect(await asked.run('n1', { configureFailPoint: 'rsSyncApplyStopp', mode: 'off' }, 'admin')).toMatchObject({
    code: 266,
    codeName: 'FailPointSetFailed',
  });
  await asked.set.close();
});

test('a name that mongod alone has is refused as such, in whatever command', async () => {
  const asked = await AskedSet.start(1);
  const message = /^rollbackHangBeforeFinish not found \(mongod has it, and replsim does not\)$/;
  for (const command of [
    { configureFailPoint: 'rollbackHangBeforeFinish', mode: 'alwaysOn' },
    { waitForFailPoint: 'rollbackHangBeforeFinish', timesEntered: 1, maxTimeMS: 1000 },
  ]) {
    const reply = await asked.run('n1', command, 'admin');
    expect(reply).toMatchObject({ ok: 0, code: 266, errmsg: expect.stringMatching(message) });
  }
  await asked.set.close();
});

test('no name is both here and elsewhere, nor twice', () => {
  expect(FAIL_POINTS.filter((name) => FAIL_POINTS_ELSEWHERE.has(name))).toEqual([]);
  expect(new Set(FAIL_POINTS).size).toBe(FAIL_POINTS.length);
});

test('voteNoInElection: nobody wins without the votes that are refused', async () => {
  const asked = await AskedSet.start([{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }]);
  await asked.untilPrimary('n1');
  for (const member of ['n2', 'n3'])
    await asked.ok(member, { configureFailPoint: 'voteNoInElection', mode: 'alwaysOn' }, 'admin');
  asked.set.kill('n1');
  await asked.pass(40_000);
  expect(asked.primaryIfAny()).toBeUndefined();
  for (const member of ['n2', 'n3'])
    await asked.ok(member, { configureFailPoint: 'voteNoInElection', mode: 'off' }, 'admin');
  await asked.until(() => asked.primaryIfAny() !== undefined);
  await asked.set.close();
});
