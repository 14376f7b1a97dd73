import { expect, test } from 'vitest';
import { type Doc, LoneMember } from '../loneMember.ts';

const commands = new LoneMember().run({ listCommands: 1 }).commands as Record<string, Doc>;

// Those of the database are judged where they are; the others come from here.
test.for(Object.keys(commands))('%s says what it does', (name) => {
  expect(commands[name]!.help).toMatch(/^[a-z].*[^.]$/);
});

test('of the commands that know of a set, hello alone is in the Stable API', () => {
  const ofSets = Object.keys(commands).filter((name) => /^(hello|isMaster|replSet|fsync|shutdown|replsim)/.test(name));
  expect(ofSets.length).toBeGreaterThan(15);
  expect(ofSets.filter((name) => (commands[name]!.apiVersions as string[]).length > 0)).toEqual(['hello']);
  expect(ofSets.filter((name) => !commands[name]!.requiresAuth)).toEqual(['hello', 'isMaster']);
});
