import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scenarioJsonSchema } from '../src/index.ts';

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
