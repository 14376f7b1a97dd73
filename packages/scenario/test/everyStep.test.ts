import { readFileSync } from 'node:fs';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

test('steps and checks that no scenario of the repository uses', async () => {
  const file = new URL('everyStep.yaml', import.meta.url);
  const scenario = parseScenario(readFileSync(file, 'utf8'), 'everyStep.yaml');
  const { failure } = await playScenario(scenario, (options) => ReplSet.create(options));
  expect(failure, failure?.detail).toBeUndefined();
});
