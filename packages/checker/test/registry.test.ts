import { readdirSync, readFileSync } from 'node:fs';
import type { TraceEventType } from '@replsim/protocol';
import { expect, test } from 'vitest';
import * as everything from '../src/index.ts';
import type { Void } from '../src/voids.ts';

const here = new URL('.', import.meta.url);
const tests = filesIn(here);
const sources = filesIn(new URL('../src/', import.meta.url));
const names = everything.allCheckers().map(({ name }) => name);

// `checkerTest` itself insists on cases that fire, so it is enough that a checker's test calls it.
test.for(names)('%s has a test in which it fires', (name) => {
  expect(readTest(name)).toContain(`checkerTest(${name}, {`);
});

test('each checker is exported under its name, lives in a file of that name, and is in allCheckers() once', () => {
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(everything).toHaveProperty(name);
    expect(sources.get(`${name}.ts`)).toBeDefined();
    // A test lies in the folder of its checker's name.
    expect(tests.get(`${name}.test.ts`)).toBe(sources.get(`${name}.ts`)?.replace(/ts$/, 'test.ts'));
  }
  const factories = Object.keys(everything).filter((name) => tests.has(`${name}.test.ts`));
  expect(factories.filter((name) => readTest(name).includes('checkerTest(')).sort()).toEqual([...names].sort());
});

test('the README names each checker', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  for (const name of names) expect(readme).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'));
});

/** The footnotes of the README's table. */
const FOOTNOTES: Readonly<Record<Void, string>> = {
  forcedReconfig: '¹',
  fewDataBearers: '²',
  unjournaledMajority: '³',
  lyingDisk: '⁴',
};

test.for(everything.allCheckers())(
  'the README says what takes $name away, and the checker does',
  ({ name, voidedBy = [] }) => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, holds = ''] = new RegExp(`^\\| \`${name}\` +\\| (.*?) +\\|`, 'm').exec(readme) ?? [];
    const said = Object.values(FOOTNOTES).filter((mark) => holds.includes(mark));
    expect(said).toEqual(
      Object.keys(FOOTNOTES)
        .filter((taken) => voidedBy.includes(taken as Void))
        .map((taken) => FOOTNOTES[taken as Void]),
    );
  },
);

test('nobody listens to what an idle set does', () => {
  const idle: TraceEventType[] = ['memberSeen', 'sent', 'delivered', 'lost', 'log', 'checkpointed'];
  const { events } = new everything.Checkers();
  for (const type of idle) expect(events).not.toContain(type);
});

function readTest(name: string): string {
  return readFileSync(new URL(tests.get(`${name}.test.ts`) ?? name, here), 'utf8');
}

/** The path of each file below a folder, by its name. */
function filesIn(folder: URL): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(paths.map((path) => [path.split('/').at(-1) ?? path, path]));
}
