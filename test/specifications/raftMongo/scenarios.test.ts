import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { BehaviourReader } from '../../../packages/cli/src/tla/behaviour.ts';
import { ACTIONS, describeSteps, type Kind } from './kinds.ts';
import { RaftMongoReader } from './reader.ts';

// Every scenario of the repository is held against MongoDB's specification RaftMongo; 200 random runs are in test/fuzz. A
// run fits if somebody is elected in it and nothing takes the ground away on which RaftMongo stands (fit.ts).

const folder = fileURLToPath(new URL('../../../scenarios', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
const steps = new Map<Kind, number>();
const notFit = new Map<string, string[]>();

/** Runs that `--tla` writes to their end, and why others end before. */
let whole = 0;
const early: string[] = [];

test.for(files.sort())('%s', async (file) => {
  const reader = new RaftMongoReader();
  const exporter = new BehaviourReader();
  const scenario = parseScenario(readFileSync(join(folder, file), 'utf8'), file);
  await playScenario(scenario, (options) => ReplSet.create(options), {
    onTrace: (event) => {
      reader.observe(event);
      exporter.observe(event);
    },
  });
  reader.end();
  for (const [kind, count] of reader.tally) steps.set(kind, (steps.get(kind) ?? 0) + count);
  const why = reader.unfit?.why ?? (wasAnybodyElected(reader) ? undefined : 'nobody is elected');
  if (why !== undefined) notFit.set(why, [...(notFit.get(why) ?? []), file]);
  const { until, steps: exported } = exporter.end();
  if (until !== undefined) early.push(`${file}: ${until.why}`);
  else if (exported.length > 0) whole += 1;
});

function wasAnybodyElected({ tally }: RaftMongoReader): boolean {
  return tally.has('BecomePrimaryByMagic') || tally.has('BecomePrimaryByMagic, delayed');
}

test('nearly all of them fit, and every action is among their steps', async ({ annotate }) => {
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
  await annotate(`${whole} runs are written to their end; ${early.length} end before: ${early.join('; ')}`);
  // Nobody acts on a message so late that the specification, which has none, could not follow.
  expect(early.filter((line) => line.includes('under way'))).toEqual([]);
  expect(whole).toBeGreaterThan(files.length * 0.7);
});
