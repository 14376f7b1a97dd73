import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { textsOf } from '../src/documentTexts.ts';
import { scoresOf } from '../src/index.ts';
import { rulesOf } from './values.ts';

const textsIn = (rules: ReturnType<typeof rulesOf>, document: object) =>
  textsOf(rules, encodeDocument(document as Record<string, unknown>)).map(
    ({ text, language, weight }) => `${text} ${language.name} ${weight}`,
  );

// As fts_element_iterator_test.cpp has them, and the places that it leads to.
test.for<[weights: Record<string, number>, document: object, texts: string[]]>([
  [{ a: 2, 'b.c': 3 }, { a: 'x', b: { c: 'y', d: 'no' }, e: 'no' }, ['x english 2', 'y english 3']],
  [{ a: 1 }, { a: ['x', 'y', ['no']], b: 'no' }, ['x english 1', 'y english 1']],
  [{ 'a.b': 1 }, { a: [{ b: 'x' }, { b: ['y'] }, 'no'] }, ['x english 1', 'y english 1']],
  [{ a: 1 }, { a: { b: 'no' } }, []],
  [{ a: 1 }, { a: 5, b: null }, []],
  [{ '$**': 1 }, { a: 'x', b: { c: ['y', ['z']] }, n: 5 }, ['x english 1', 'y english 1', 'z english 1']],
  [{ a: 1 }, { a: 'x', language: 'es' }, ['x spanish 1']],
  [{ 'a.b': 1 }, { language: 'de', a: [{ b: 'x', language: 'FR' }, { b: 'y' }] }, ['x french 1', 'y german 1']],
  [{ '$**': 1 }, { language: 'none', a: 'x' }, ['x none 1']],
  // No field has the weight of another: jstests/core/index/fts/fts_index_wildcard_and_weight.js.
  [{ '$**': 1, b: 7 }, { a: 'x', b: 'y', c: 'z' }, ['x english 1', 'y english 7', 'z english 1']],
  [{ '$**': 1, 'a.b': 7 }, { a: { b: ['x', { c: 'y' }], c: 'z' } }, ['x english 7', 'y english 1', 'z english 1']],
  // No path leads to a name with a dot or a dollar in front: jstests/core/index/fts/fts_index3.js.
  [{ 'a.b': 1 }, { 'a.b': 'no', a: { b: 'x' } }, ['x english 1']],
  [{ '$**': 1 }, { 'a.b': 'no', $c: 'no', d: { $e: 'no', f: 'x' } }, ['x english 1']],
])('%j of %j', ([weights, document, texts]) => {
  expect(textsIn(rulesOf(weights), document)).toEqual(texts);
});

test('the language and the field that says it are those of the index', () => {
  const rules = rulesOf({ a: 1 }, { default_language: 'german', language_override: 'idioma' });
  expect(textsIn(rules, { a: 'x', language: 'es' })).toEqual(['x german 1']);
  expect(textsIn(rules, { a: 'x', idioma: 'es' })).toEqual(['x spanish 1']);
});

test.for<[document: object, code: number]>([
  [{ a: 'x', language: 5 }, 17261],
  [{ a: 'x', language: 'klingon' }, 17262],
  [{ a: [{ b: 'x', language: null }] }, 17261],
])('%j is refused: %d', ([document, code]) => {
  const bytes = encodeDocument(document as Record<string, unknown>);
  expect(() => scoresOf(rulesOf({ a: 1, 'a.b': 1 }), bytes)).toThrow(expect.objectContaining({ code }));
});

// By the formula of fts_spec.cpp: the weight, times 1 + 1/2 + 1/4 … for each time, times a half and half of the share, and a tenth
// more for a text that is the term and nothing else.
test.for<[document: object, scores: Record<string, number>]>([
  [{ a: 'tea' }, { tea: 1.1 }],
  [{ a: 'TEA' }, { tea: 1.1 }],
  [{ a: 'coffee' }, { coffe: 1 }],
  [{ a: 'tea cup' }, { tea: 0.75, cup: 0.75 }],
  [{ a: 'tea tea cup' }, { tea: 1.5 * (0.5 * (2 / 3) + 0.5), cup: 0.5 / 3 + 0.5 }],
  [{ a: 'tea tea tea' }, { tea: 1.75 }],
  [{ a: 'the tea of the day' }, { tea: 0.75, day: 0.75 }],
  [{ a: 'tea', b: 'tea' }, { tea: 1.1 + 11 }],
  [{ a: ['tea', 'tea cup'] }, { tea: 1.1 + 0.75, cup: 0.75 }],
  [{ b: 'green tea' }, { green: 7.5, tea: 7.5 }],
  [{ a: 'the' }, {}],
])('%j counts %j', ([document, scores]) => {
  const found = scoresOf(rulesOf({ a: 1, b: 10 }), encodeDocument(document as Record<string, unknown>));
  expect([...found.keys()].sort()).toEqual(Object.keys(scores).sort());
  for (const [term, score] of Object.entries(scores)) expect(found.get(term)).toBeCloseTo(score, 12);
});
