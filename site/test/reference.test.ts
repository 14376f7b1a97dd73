import { forecastJsonSchema, scenarioJsonSchema } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { referencePages } from '../src/reference.ts';
import type { Schema } from '../src/schemaTable.ts';

// The reference has every step and every key of the definition that the parser reads by, and says something of each.

const scenario = scenarioJsonSchema() as Schema;
const forecast = forecastJsonSchema() as Schema;
const pages = new Map(referencePages().map(({ path, text }) => [path, text]));
const page = (name: string): string => pages.get(`reference/${name}.md`)!;

/** The keys in a text's tables. */
const keysIn = (text: string): string[] => [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key]) => key!);

/** All keys under a schema, written as the tables write them. */
function keysOf(schema: Schema, path = ''): string[] {
  const { properties = {}, anyOf = [], items, additionalProperties: others } = schema;
  return [
    ...Object.entries(properties).flatMap(([key, of]) => [`${path}${key}`, ...keysOf(of, `${path}${key}.`)]),
    ...anyOf.flatMap((form) => keysOf(form, path)),
    ...(typeof items === 'object' ? keysOf(items, path) : []),
    ...(typeof others === 'object' && others.properties ? keysOf(others, `${path}NAME.`) : []),
  ];
}

/** A step's chapter; those that everybody shares stand before all groups. */
function chapterOf(step: string): string {
  const [, chapter] = new RegExp(`^### ${step}\\n([\\s\\S]*?)(?=^##|\\Z)`, 'm').exec(`${page('steps')}\n##`) ?? [];
  expect(chapter, `no chapter of ${step}`).toBeDefined();
  return chapter!;
}

test('every key of the head and of a member', () => {
  const keys = keysIn(page('scenario'));
  expect(keys).toEqual(expect.arrayContaining(keysOf({ ...scenario, $defs: {} })));
  expect(keys).toEqual(expect.arrayContaining(keysOf(scenario.$defs!.member!)));
  expect(keys.length).toBeGreaterThan(50);
});

test('every step, and every key of it: its own in its chapter, the others where it says', () => {
  const steps = Object.entries(scenario.$defs!.step!.properties!).filter(([name]) => name !== 'at');
  expect(steps.length).toBeGreaterThan(40);
  const shared = keysIn(page('steps').split('\n## Time')[0]!);
  const checks = keysIn(page('checks'));
  for (const [name, schema] of steps) {
    const chapter = chapterOf(name);
    const own = keysIn(chapter);
    for (const key of keysOf(schema)) {
      const told =
        own.includes(key) ||
        (chapter.includes('(#what-every-client-step-may-say)') && shared.includes(key)) ||
        (chapter.includes('(/reference/checks.md)') && checks.includes(key));
      expect(told, `${name}: nothing tells of ${key}`).toBe(true);
    }
  }
  expect(shared).toEqual(['on', 'as', 'matches', 'error', 'took', 'at']);
});

test('every key of a check and of a forecast', () => {
  expect(keysIn(page('checks'))).toEqual(keysOf(scenario.$defs!.check!));
  expect(keysIn(page('forecast'))).toEqual(keysOf(forecast));
});

test('every form that has a name', () => {
  for (const name of Object.keys({ ...scenario.$defs, ...forecast.$defs }))
    if (!['member', 'step', 'check'].includes(name)) expect(page('values')).toContain(`\n## ${name}\n`);
});

test('no key without a word, and no default left out', () => {
  for (const text of pages.values()) {
    for (const [, key, type, , says] of text.matchAll(/^\| `([^`]+)` \| (.*?) \| (.*?) \| (.*) \|$/gm)) {
      expect(says, key).not.toBe('');
      expect(type, key).not.toBe('any value');
    }
  }
  expect(page('scenario')).toMatch(
    /^\| `replicaSet\.settings\.electionTimeoutMillis` \| whole number from 1 to 2147483647 \| `10000` \|/m,
  );
  expect(chapterOf('stepDown')).toMatch(/^\| `stepDownSecs` \| whole number from 0 to 2147483647 \| `60` \|/m);
  expect(chapterOf('insert')).toMatch(/^\| `into` \| \[namespace\]\(\S+\) \| \*needed\* \|/m);
});

test('every step has one chapter, in the group that the table of steps names', () => {
  const steps = Object.keys(scenario.$defs!.step!.properties!).filter((key) => key !== 'at');
  const chapters = [...page('steps').matchAll(/^### (\w+)$/gm)].map(([, key]) => key!);
  expect([...chapters].sort()).toEqual([...steps].sort());
});
