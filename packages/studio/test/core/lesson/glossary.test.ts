import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { partsOf, wordsIn, wordsOf } from '../../../src/core/lesson/glossary.ts';

const words = wordsOf(readFileSync(new URL('../../../../../docs/glossary.md', import.meta.url), 'utf8'));
const marked = (text: string) =>
  partsOf(text, words)
    .map(({ text, word }) => (word ? `[${text}]` : text))
    .join('');

test('the words of the page on words are found, with what they mean', () => {
  expect(words.length).toBeGreaterThan(40);
  const core = words.filter(({ isCore }) => isCore).map(({ word }) => word);
  expect(core).toEqual(expect.arrayContaining(['primary', 'term', 'election', 'oplog', 'rollback']));
  expect([core.length > 10, core.length < 20]).toEqual([true, true]);
  expect(words.find(({ word }) => word === 'term')?.means).toBe(
    'the number of an election; each term has at most one primary',
  );
});

test('a word is marked where it stands first, the longer one before the shorter one', () => {
  expect(marked('The primary has a term, and another primary another term.')).toBe(
    'The [primary] has a [term], and another primary another term.',
  );
  expect(marked('Its election timeout runs out')).toBe('Its [election timeout] runs out');
  expect(marked('nothing of ours')).toBe('nothing of ours');
});

test('no letter of the text is lost', () => {
  const text = 'PRIMARY: n1; rolled back, majorities vote in elections';
  expect(
    partsOf(text, words)
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
});

test('states in capitals are words too', () => {
  expect(wordsIn('PRIMARY\nSECONDARY', words).map(({ word }) => word)).toEqual(['primary', 'secondary']);
});
