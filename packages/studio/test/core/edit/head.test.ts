import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { firstSentence } from '../../../src/core/edit/firstSentence.ts';
import { headOf, zonesOf } from '../../../src/core/edit/head.ts';

const folder = new URL('../../../../../scenarios/', import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));

test('every scenario of the folder says what it is called and what it is about', () => {
  for (const file of files) {
    const text = readFileSync(new URL(file, folder), 'utf8');
    const { name, description } = parse(text);
    expect(headOf(text), file).toEqual({ name: name.trim(), description: description?.trim() });
  }
});

test('of a text that is no scenario nothing is known', () => {
  expect(headOf('steps: [')).toEqual({ name: undefined, description: undefined });
  expect(headOf('name: [1]\n')).toEqual({ name: undefined, description: undefined });
});

test('members stand in the zones that the scenario names, in either style', () => {
  const placed = [...Object.entries({ n1: 'east', n2: 'east', n3: 'west' })];
  expect([...zonesOf('name: a\nzones: { east: [n1, n2], west: [n3], latencyMs: 40 }\nsteps: [')]).toEqual(placed);
  expect([...zonesOf('zones:\n  east:\n    - n1\n    - n2\n  west: [n3]\nsteps: []\n')]).toEqual(placed);
  for (const text of ['', 'zones:', 'zones: [n1]', 'zones: { east: n1 }', 'zones: { east: [', 'steps:\n  zones: {}'])
    expect([...zonesOf(text)], text).toEqual([]);
});

test('a list has room for a sentence', () => {
  expect(firstSentence('A primary dies. Then another one: lives.')).toBe('A primary dies.');
  expect(firstSentence('Take version 8.0 for one')).toBe('Take version 8.0 for one');
});
