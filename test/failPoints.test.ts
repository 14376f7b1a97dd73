import { readFileSync } from 'node:fs';
import { FAIL_POINTS } from '@replsim/protocol';
import { expect, test } from 'vitest';
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
  const others = ['shardWaitInFindBeforeMakingBatch', 'skipTTLIndexInvalidExpireAfterSecondsValidationForCreateIndex'];
  for (const name of [...FAIL_POINTS, ...others]) {
    for (const mode of modes) {
      expect(await asked.run('n1', { configureFailPoint: name, mode }, 'admin'), name).toMatchObject({ ok: 1 });
    }
  }
  expect(await asked.run('n1', { configureFailPoint: 'rsSyncApplyStopp', mode: 'off' }, 'admin')).toMatchObject({
    code: 266,
    codeName: 'FailPointSetFailed',
  });
  await asked.set.close();
});
