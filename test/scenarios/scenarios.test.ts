import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Checkers } from '@replsim/checker';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, Transcript } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';
import { HeldRuns } from '../specifications/raftMongo/heldRuns.ts';
import { ACTIONS, describeSteps } from '../specifications/raftMongo/kinds.ts';

// Every scenario of the repository holds, with all invariants watching, and its transcript is the one beside it. MongoDB's own
// specification RaftMongo reads along; random runs are held against it in test/fuzz.

const folder = fileURLToPath(new URL('../../scenarios', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
const held = new HeldRuns();

test('there are scenarios', () => {
  expect(files.length).toBeGreaterThanOrEqual(15);
});

test.for(files.sort())('%s', async (file) => {
  const path = join(folder, file);
  const scenario = parseScenario(readFileSync(path, 'utf8'), file);
  const checkers = new Checkers();
  const transcript = new Transcript();
  const lines: string[] = [];
  const raftMongo = held.reader(file);
  const result = await playScenario(scenario, (options) => ReplSet.create(options), {
    observers: [(event) => checkers.observe(event)],
    onTrace: (event) => {
      lines.push(...transcript.observe(event));
      raftMongo.observe(event);
    },
  });
  raftMongo.end();
  lines.push(...transcript.end());
  expect(result.failure, `${result.failure?.title}\n${result.failure?.detail}`).toBeUndefined();
  expect(checkers.violations).toEqual([]);
  expect(scenario.description, 'a scenario says what a learner profits from').toMatch(/\w/);
  const beside = path.replace(/\.yaml$/, '.transcript');
  if (existsSync(beside)) expect(lines).toEqual(readFileSync(beside, 'utf8').trimEnd().split('\n'));
});

describe('to MongoDB’s specification RaftMongo', () => {
  test('nearly all of them fit, and every action is among their steps', async ({ annotate }) => {
    const { notFit, steps } = held;
    const without = [...notFit.values()].flat();
    await annotate(`${files.length - without.length} of ${files.length} scenarios fit`);
    for (const [why, names] of notFit) await annotate(`${names.length} do not, since ${why}: ${names.join(', ')}`);
    await annotate(describeSteps(steps));
    expect(files.length - without.length).toBeGreaterThan(files.length * 0.85);
    expect(without.filter((name) => !notFit.get('nobody is elected')?.includes(name)).length).toBeLessThan(
      files.length * 0.05,
    );
    expect(ACTIONS.filter((action) => (steps.get(action) ?? 0) < 5)).toEqual([]);
  });

  test('nearly all of those that fit can be written as a behaviour, to their end', async ({ annotate }) => {
    const { whole, early } = held;
    await annotate(`${whole} runs are written to their end; ${early.length} end before: ${early.join('; ')}`);
    // Nobody acts on a message so late that the specification, which has none, could not follow.
    expect(early.filter((line) => line.includes('under way'))).toEqual([]);
    expect(whole).toBeGreaterThan(files.length * 0.7);
  });
});
