import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forecastJsonSchema, scenarioJsonSchema } from '../src/index.ts';

const shipped = JSON.parse(readFileSync(new URL('../schema.json', import.meta.url), 'utf8'));

test('schema.json is what the parser says (npm run schema writes it)', () => {
  expect(shipped).toEqual(JSON.parse(JSON.stringify(scenarioJsonSchema())));
});

test('it completes steps and refuses unknown ones', () => {
  expect(shipped.required).toEqual(['name', 'steps']);
  expect(shipped.additionalProperties).toBe(false);
  const { step } = shipped.$defs;
  expect(Object.keys(step.properties)).toEqual(
    expect.arrayContaining(['advance', 'insert', 'partition', 'expect', 'eventually']),
  );
  expect(step).toMatchObject({ additionalProperties: false, minProperties: 1 });
  // Only what came from outside at an instant has a second key.
  expect(step).toMatchObject({ if: { required: ['at'] }, else: { maxProperties: 1 }, maxProperties: 2 });
});

test('the package ships it', () => {
  const { files } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(files).toContain('schema.json');
});

interface Node {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly $defs?: Readonly<Record<string, Node>>;
  readonly [keyword: string]: unknown;
}

/** The keys, from the top, that say nothing of themselves and whose form says nothing for them. */
function silent(schema: Node): string[] {
  const walk = (node: Node, path: string): string[] => [
    ...Object.entries(node.properties ?? {}).flatMap(([key, property]) => [
      ...(property.description === undefined && property.$ref === undefined ? [`${path}.${key}`] : []),
      ...walk(property, `${path}.${key}`),
    ]),
    ...[node.items, node.additionalProperties, ...((node.anyOf as unknown[]) ?? [])].flatMap((part) =>
      typeof part === 'object' ? walk(part as Node, path) : [],
    ),
  ];
  return [
    ...walk(schema, ''),
    ...Object.entries(schema.$defs ?? {}).flatMap(([name, node]) => [
      ...(node.description === undefined ? [name] : []),
      ...walk(node, name),
    ]),
  ];
}

test('editors have a word for every key', () => {
  expect(silent(shipped)).toEqual([]);
  expect(silent(JSON.parse(JSON.stringify(forecastJsonSchema())))).toEqual([]);
  const parts: Node = { properties: { a: { properties: { b: {} } }, c: { $ref: '#/$defs/d' } }, $defs: { d: {} } };
  expect(silent(parts)).toEqual(['.a', '.a.b', 'd']);
});
