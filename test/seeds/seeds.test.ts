import { expect, test } from 'vitest';
import { guides, read, repositoryFiles, root } from '../docs/markdown.ts';
import { examplesOf, isOfOneSeed, scenariosOf } from './chosen.ts';

// `npm run seeds` plays these under other seeds, which takes too long for a test; which they are is held here.

test.each([
  ['name: a\nseed: 7 # three members stand at once\nsteps: []', true],
  ['name: a\nseed: 7\nsteps: []', false],
  ['name: a\nsteps: []', false],
  ['name: a\ndescription: >\n  seed: 7 # is no key\nsteps: []', false],
])('who says why it needs its seed is left out: %j', (text, expected) => {
  expect(isOfOneSeed({ path: 'a.yaml', text })).toBe(expected);
});

test('all scenarios are found, and hardly one is left out', () => {
  const scenarios = scenariosOf(root);
  expect(scenarios.map(({ path }) => path)).toEqual(
    repositoryFiles.filter((path) => /^scenarios\/.*\.yaml$/.test(path)),
  );
  expect(scenarios.filter(isOfOneSeed).length).toBeLessThan(5);
});

test("the README's scenario and the pages' examples are played", () => {
  const examples = examplesOf(root);
  expect(examples.map(({ path }) => path)).toContain('scenarios/election/failover-on-kill.yaml');
  // Each comment counts, whatever the pattern takes for a block.
  const comments = guides.flatMap((page) => [...read(page).matchAll(/^<!-- (play|scenario: scenarios\/.*) -->$/gm)]);
  expect(examples).toHaveLength(comments.length);
});
