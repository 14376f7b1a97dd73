import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allCheckers } from '@replsim/checker';
import { describe, expect, test } from 'vitest';
import { clients } from './clients.ts';
import { commitPoints } from './commitPoints.ts';
import { configs } from './configs.ts';
import { elections } from './elections.ts';
import { indexes } from './indexes.ts';
import { type Mutation, play } from './mutation.ts';
import { oplogs } from './oplogs.ts';
import { transactions } from './transactions.ts';
import { ttl } from './ttl.ts';

// For each invariant a member that breaks it, and the checker that says so; the same scenario holds with honest members.

const MUTATIONS: readonly Mutation[] = [
  ...elections,
  ...commitPoints,
  ...oplogs,
  ...clients,
  ...configs,
  ...ttl,
  ...indexes,
  ...transactions,
];

describe.each(MUTATIONS)('$name', (mutation) => {
  test(`is found out by ${mutation.fires[0]}`, async () => {
    const { fired, details, result } = await play(mutation, true);
    const { fires, preceded = [] } = mutation;
    const moment = fired.findIndex((names) => names.includes(fires[0]));
    const found = { before: fired.slice(0, Math.max(moment, 0)).flat(), fires: [...(fired[moment] ?? [])].sort() };
    expect(found, [...details, result.failure?.detail].join('\n')).toEqual({
      before: preceded,
      fires: [...fires].sort(),
    });
  });

  test('and an honest member does no such thing', async () => {
    const { result, fired, details } = await play(mutation, false);
    expect(fired, details.join('\n')).toEqual([]);
    expect(result.failure?.detail).toBeUndefined();
  });
});

test('each checker has a mutation', () => {
  const found = new Set(MUTATIONS.map(({ fires: [first] }) => first));
  expect(
    allCheckers()
      .map(({ name }) => name)
      .filter((name) => !found.has(name)),
  ).toEqual([]);
});

// Nothing that ships can run a mutant: the one way to another member than the real one is `createHost`, and only tests take it.
test('nothing in the packages can turn a mutation on', () => {
  const packages = fileURLToPath(new URL('../../packages', import.meta.url));
  const sources = readdirSync(packages).flatMap((name) =>
    readdirSync(join(packages, name, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file: `${name}/${file}`, text: readFileSync(join(packages, name, 'src', file), 'utf8') })),
  );
  const withText = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);
  expect(sources.length).toBeGreaterThan(200);
  expect(withText(/\bmutant|\bmutation/i)).toEqual([]);
  expect(withText(/from '[^']*\/test\//)).toEqual([]);
  expect(withText(/\bcreateHost\b/).sort()).toEqual(['replset/index.ts', 'replset/replSet.ts']);
  expect(withText(/\bstartMongod\b/).sort()).toEqual([
    'node/index.ts',
    'node/startup.ts',
    'replset/parts.ts',
    'replset/startup.ts',
  ]);
  // What users create is made of the real parts, whatever they ask for.
  expect(sources.find(({ file }) => file === 'replset/replSet.ts')!.text).toMatch(
    /static async create\(options: ReplSetOptions\)[\s\S]{0,400}\n {4}return createWith\(options, REAL_PARTS\);\n {2}\}\n/,
  );
});
