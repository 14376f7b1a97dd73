import { expect, test } from 'vitest';
import { extractIndexValues, MISSING, UNDEFINED, valueAtPath, valuesAtPath } from '../src/index.ts';
import { doc, show } from './bson.ts';

const name = (value: Parameters<typeof show>[0]) =>
  value === MISSING
    ? 'missing'
    : value === UNDEFINED
      ? 'undefined'
      : show(value).replaceAll(/\{"\$numberInt":"(\d+)"\}/g, '$1');

test.for([
  ['a', { a: 1 }, ['1']],
  ['a', {}, ['missing']],
  ['a', { a: null }, ['null']],
  ['a', { a: [1, [2]] }, ['1', '[2]', '[1,[2]]']],
  ['a', { a: [] }, ['[]']],
  ['a.b', { a: 1 }, ['missing']],
  ['a.b', { a: [] }, []],
  ['a.b', { a: [1, { b: 2 }, { c: 3 }] }, ['2', 'missing']],
  ['a.b', { a: [{ b: [1, 2] }] }, ['1', '2', '[1,2]']],
  ['a.b', { a: [[{ b: 1 }]] }, []],
  ['a.1', { a: [5, [2, 4]] }, ['[2,4]']],
  ['a.0', { a: [{ 0: 7 }] }, ['7', '{"0":7}']],
  ['a.0.b', { a: [{ b: 1 }, { b: 2 }] }, ['missing', '1', 'missing']],
  ['a.0.0', { a: [[1, 2]] }, ['1']],
  ['a.b.c', { a: { b: { c: 4 } } }, ['4']],
] as const)('a filter on %s sees in %o', ([path, document, expected]) => {
  expect(valuesAtPath(doc(document), path).map(name)).toEqual(expected);
});

test.for([
  ['a', { a: 1 }, ['1'], false],
  ['a', {}, ['missing'], false],
  ['a', { a: [1, 2, 2] }, ['1', '2', '2'], true],
  ['a', { a: [] }, ['undefined'], true],
  ['a', { a: [[1]] }, ['[1]'], true],
  ['a.b', { a: [{ b: 1 }, { b: [2, 3] }] }, ['1', '2', '3'], true],
  ['a.b', { a: [1, { b: 2 }] }, ['2', 'missing'], true],
  ['a.b', { a: [] }, ['missing'], true],
  ['a.b', { a: 5 }, ['missing'], false],
  ['a.0', { a: [1, 2] }, ['1'], false],
  ['a.1.b', { a: [1, { b: 2 }] }, ['2'], false],
] as const)('an index on %s of %o', ([path, document, values, multikey]) => {
  const keys = extractIndexValues(doc(document), path);
  expect({ values: keys.values.map(name), multikey: keys.multikey }).toEqual({ values, multikey });
});

test('an ambiguous numeric component is an error', () => {
  expect(() => extractIndexValues(doc({ a: [{ 0: 1 }] }), 'a.0')).toThrow(/Ambiguous/);
});

test('one value, through documents and by index', () => {
  expect(name(valueAtPath(doc({ a: { b: [7, 8] } }), 'a.b.1')!)).toBe('8');
  expect(valueAtPath(doc({ a: 1 }), 'a.b')).toBeUndefined();
});
