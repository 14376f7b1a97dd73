import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { matches, tagsOf } from '../../src/start/tags.ts';

const scenario = (file: string) => readFileSync(new URL(`../../../../scenarios/${file}.yaml`, import.meta.url), 'utf8');

test('a scenario has the tags of what it does', () => {
  expect(tagsOf(scenario('election/failover-on-kill'))).toEqual(['kill', 'w: majority']);
  expect(tagsOf(scenario('lessons/05-what-a-rollback-takes-away'))).toContain('rollback');
  expect(tagsOf('name: nothing')).toEqual([]);
});

test('a search finds what has all of its words, in any order and case', () => {
  expect(matches('Primary dies', 'When the primary dies', 'election/failover.yaml')).toBe(true);
  expect(matches('failover dies', 'When the primary dies', 'election/failover.yaml')).toBe(true);
  expect(matches('rollback', 'When the primary dies', 'election/failover.yaml')).toBe(false);
  expect(matches('', 'anything')).toBe(true);
});
