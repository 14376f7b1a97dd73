import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Checkers } from '@replsim/checker';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, Transcript } from '@replsim/scenario';
import { expect, test } from 'vitest';

// Every scenario of the repository holds, with all invariants watching, and its transcript is the one beside it.

const folder = fileURLToPath(new URL('../scenarios', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));

test('there are scenarios', () => {
  expect(files.length).toBeGreaterThanOrEqual(15);
});

test.for(files.sort())('%s', async (file) => {
  const path = join(folder, file);
  const scenario = parseScenario(readFileSync(path, 'utf8'), file);
  const checkers = new Checkers();
  const transcript = new Transcript();
  const lines: string[] = [];
  const result = await playScenario(scenario, (options) => ReplSet.create(options), {
    observers: [(event) => checkers.observe(event)],
    onTrace: (event) => lines.push(...transcript.observe(event)),
  });
  lines.push(...transcript.end());
  expect(result.failure, `${result.failure?.title}\n${result.failure?.detail}`).toBeUndefined();
  expect(checkers.violations).toEqual([]);
  expect(scenario.description, 'a scenario says what a learner profits from').toMatch(/\w/);
  const beside = path.replace(/\.yaml$/, '.transcript');
  if (existsSync(beside)) expect(lines).toEqual(readFileSync(beside, 'utf8').trimEnd().split('\n'));
});
