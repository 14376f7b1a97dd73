import { readdirSync, readFileSync } from 'node:fs';
import { parseScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { taskOf } from '../../src/core/edit/head.ts';

const ROOT = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');
const files = readdirSync(new URL('scenarios/challenges/', ROOT))
  .filter((file) => file.endsWith('.yaml'))
  .sort();

test('the start page lists the challenges as the guide does', () => {
  const inGuide = [
    ...read('docs/teaching.md').matchAll(/^\d+\. \[(.*)\]\(\.\.\/scenarios\/challenges\/(.*)\.yaml\)$/gm),
  ];
  const listed = read('packages/studio/src/start/challengeList.txt').trim().split('\n');
  expect(listed).toEqual(inGuide.map(([, title = '', id]) => `${id} ${title.replaceAll('`', '')}`));
  expect(listed.map((line) => `${line.split(' ')[0]}.yaml`)).toEqual(files);
});

test.for(files)('the page reads the task of %s as the parser does', (file) => {
  const text = read(`scenarios/challenges/${file}`);
  const { task, allowed = [], hints } = parseScenario(text, file).challenge!;
  expect(taskOf(text)).toEqual({ task, allowed, hints });
});

test.for([
  'name: no task\nsteps: []\n',
  'challenge: [1\nsteps: []\n',
  'challenge: { goal: { primary: any } }\n',
  'challenge: a word\n',
])('a text that sets no task that can be read has none: %#', (text) => {
  expect(taskOf(text)).toBeUndefined();
});

test('mistakes in the steps leave the task as it is', () => {
  expect(taskOf('challenge:\n  task: Do it.\nsteps:\n  - kil: [n1\n')?.task).toBe('Do it.');
});
