import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { parseSearch, scoreOf } from '../src/index.ts';
import { searchWords } from '../src/searchWords.ts';
import { bsonOf, rulesOf } from './values.ts';

// As fts_query_impl_test.cpp has them.
test.for<[search: string, positive: string, negative: string, phrases: string[], negatedPhrases: string[]]>([
  ['foo bar', 'foo bar', '', [], []],
  ['-really fun', 'fun', 'really', [], []],
  ['- really fun', 'really fun', '', [], []],
  ['-foo-bar baz', 'baz', 'foo bar', [], []],
  ['foo-bar', 'foo bar', '', [], []],
  ['--foo', '', 'foo', [], []],
  ['doing a "phrase test" for fun', 'doing a phrase test for fun', '', ['phrase test'], []],
  ['"phrase" "second"', 'phrase second', '', ['phrase', 'second'], []],
  ['doing -"phrase test" fun', 'doing fun', '', [], ['phrase test']],
  ['doing -"a b"-"c d" fun', 'doing fun', '', [], ['a b', 'c d']],
  ['- "a b"', 'a b', '', ['a b'], []],
  ['"a -b"', 'a b', '', ['a -b'], []],
  ['"a b', 'a b', '', [], []],
  ['""', '', '', [''], []],
  ['  ', '', '', [], []],
])('%s', ([search, positive, negative, phrases, negatedPhrases]) => {
  expect(searchWords(search)).toEqual({ positive, negative, phrases, negatedPhrases });
});

test('terms are those of the language that is asked for, each once and in their order', () => {
  const rules = rulesOf({ a: 1 });
  expect(parseSearch(bsonOf({ $search: 'runs the Cake run' }), rules).indexTerms).toEqual(['cake', 'run']);
  expect(parseSearch(bsonOf({ $search: 'los chicos', $language: 'es' }), rules).indexTerms).toEqual(['chic']);
  const sensitive = parseSearch(bsonOf({ $search: 'Cake', $caseSensitive: true }), rules);
  expect([sensitive.indexTerms, [...sensitive.terms]]).toEqual([['cake'], ['Cake']]);
});

test.for<[document: object, search: string, more: object, score: number | undefined]>([
  [{ a: 'tea', b: 'tea' }, 'tea', {}, 12.1],
  [{ a: 'tea cup' }, 'tea cup', {}, 1.5],
  [{ a: 'tea cup' }, 'tea pot', {}, 0.75],
  [{ a: 'tea cup' }, 'tea -cups', {}, undefined],
  [{ a: 'tea', b: 'cup' }, 'tea -cup', {}, undefined],
  [{ a: 'tea', b: 'cup' }, '"tea cup"', {}, undefined],
  [{ a: 'Tea' }, 'tea', { $caseSensitive: true }, undefined],
  [{ a: 'Tea tea' }, 'tea', { $caseSensitive: true }, 1.5],
  [{ a: 'the tea' }, 'tea -the', {}, 1],
])('%j, %s, %j: %s', ([document, search, more, score]) => {
  const parsed = parseSearch(bsonOf({ $search: search, ...more }), rulesOf({ a: 1, b: 10 }));
  const found = scoreOf(parsed, encodeDocument(document as Record<string, unknown>));
  if (score === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(score, 12);
});
