import { BsonWriter, CommandError, writeJsValue } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CollationRules,
  type Collator,
  compareValues,
  compileCollator,
  compileFilter,
  compileSort,
  compileUpdate,
  readRules,
  sameCollation,
} from '../src/index.ts';
import { doc, text, val } from './bson.ts';

const plain: CollationRules = {
  locale: 'en',
  caseLevel: false,
  caseFirst: 'off',
  strength: 3,
  numericOrdering: false,
  alternate: 'non-ignorable',
  maxVariable: 'punct',
  normalization: false,
  backwards: false,
};

function documentOf(rules: Partial<CollationRules>): Uint8Array {
  const writer = new BsonWriter();
  for (const [name, value] of Object.entries({ ...plain, ...rules })) writeJsValue(writer, name, value);
  writer.string('version', '57.1');
  return writer.finish();
}

const by = (rules: Partial<CollationRules>): Collator => compileCollator(documentOf(rules));

/** Groups of equal strings, each above the one before. */
function ranked(texts: readonly string[], collator: Collator): string {
  const sorted = [...texts].sort((a, b) => collator.compare(a, b) || (a < b ? -1 : 1));
  return sorted.reduce((line, text, i) => {
    if (i === 0) return text;
    return `${line} ${collator.compare(sorted[i - 1]!, text) === 0 ? '=' : '<'} ${text}`;
  }, '');
}

/** Source: the manual's page on collation, and ICU's on comparison levels. */
test.for<[rules: Partial<CollationRules>, texts: string[], order: string]>([
  [{ strength: 1 }, ['cafe', 'Cafe', 'café'], 'Cafe = cafe = café'],
  [{ strength: 2 }, ['cafe', 'Cafe', 'café'], 'Cafe = cafe < café'],
  [{ strength: 3 }, ['cafe', 'Cafe', 'café'], 'cafe < Cafe < café'],
  [{ strength: 1, caseLevel: true }, ['cafe', 'Cafe', 'café'], 'cafe = café < Cafe'],
  [{ strength: 2, caseLevel: true }, ['cafe', 'Cafe', 'café', 'Café'], 'cafe < Cafe < café < Café'],
  [{ strength: 3, caseLevel: true }, ['cafe', 'Cafe', 'café', 'Café'], 'cafe < Cafe < café < Café'],
  [{ caseFirst: 'upper' }, ['a', 'A', 'b', 'B'], 'A < a < B < b'],
  [{ caseFirst: 'lower' }, ['a', 'A', 'b', 'B'], 'a < A < b < B'],
  [{ strength: 1, caseLevel: true, caseFirst: 'upper' }, ['a', 'A', 'á'], 'A < a = á'],
  [{ numericOrdering: true }, ['10', '9', '100', 'a10', 'a9'], '9 < 10 < 100 < a9 < a10'],
  [{ numericOrdering: false }, ['10', '9', '100'], '10 < 100 < 9'],
  [{}, ['black-bird', 'blackbird', 'blackbirds'], 'black-bird < blackbird < blackbirds'],
  [{ alternate: 'shifted' }, ['black bird', 'blackbird', 'black-bird'], 'black bird = black-bird = blackbird'],
  [
    { alternate: 'shifted', strength: 4 },
    ['black bird', 'blackbird', 'black-bird', 'Blackbird'],
    'black bird < black-bird < blackbird < Blackbird',
  ],
  [{ alternate: 'non-ignorable', maxVariable: 'space' }, ['a b', 'ab'], 'a b < ab'],
  [{ strength: 4 }, ['a', 'A', 'a\u0000'], 'a = a\u0000 < A'],
  [{ strength: 5 }, ['a', 'A', 'a\u0000'], 'a < a\u0000 < A'],
  // Ignored up to the last level, where UTF-16 would have them the other way round.
  [{ strength: 5 }, ['a\ufeff', 'a\u{e0001}', 'é', 'e\u0301'], 'a\ufeff < a\u{e0001} < e\u0301 = é'],
  [{ locale: 'fr' }, ['cote', 'côte', 'coté', 'côté'], 'cote < coté < côte < côté'],
  [{ locale: 'fr', backwards: true }, ['cote', 'côte', 'coté', 'côté'], 'cote < côte < coté < côté'],
  [{ locale: 'fr_CA', backwards: true }, ['cote', 'côte', 'coté', 'côté'], 'cote < côte < coté < côté'],
  [{ locale: 'fr_CA', backwards: false }, ['cote', 'côte', 'coté', 'côté'], 'cote < coté < côte < côté'],
  [{ locale: 'sv' }, ['z', 'ö', 'o'], 'o < z < ö'],
  [{ locale: 'de' }, ['z', 'ö', 'o', 'oe', 'of'], 'o < ö < oe < of < z'],
  [{ locale: 'de@collation=phonebook' }, ['z', 'ö', 'o', 'oe', 'of'], 'o < oe < ö < of < z'],
  [{ locale: 'da', caseFirst: 'upper' }, ['a', 'A', 'z', 'å'], 'A < a < z < å'],
  [{ locale: 'en_US_POSIX' }, ['a', 'B', 'Z'], 'B < Z < a'],
  [{ locale: 'th', alternate: 'shifted' }, ['a-b', 'ab'], 'a-b = ab'],
  [{ normalization: true }, ['\u00e9', 'e\u0301'], 'e\u0301 = \u00e9'],
])('%o', ([rules, texts, order]) => {
  expect(ranked(texts, by(rules))).toBe(order);
});

test.for<[rules: Partial<CollationRules>, option: string]>([
  [{ alternate: 'shifted', maxVariable: 'space' }, 'maxVariable'],
  [{ locale: 'sv', backwards: true }, 'backwards'],
  [{ locale: 'th', alternate: 'non-ignorable' }, 'alternate'],
  [{ locale: 'th', alternate: 'shifted', strength: 4 }, 'strength'],
  [{ locale: 'ja', strength: 4 }, 'strength'],
  [{ locale: 'ja', strength: 5 }, 'strength'],
  [{ locale: 'xx' }, 'locale'],
  [{ locale: 'no such locale' }, 'locale'],
  [{ locale: 'zh@collation=gb2312han' }, 'locale'],
  [{ locale: 'sv@collation=phonebook' }, 'locale'],
])('what Intl cannot express is refused by name: %o', ([rules, option]) => {
  const message = new RegExp(`'${option}'`);
  expect(() => by(rules)).toThrow(
    expect.objectContaining({ codeName: 'BadValue', message: expect.stringMatching(message) }),
  );
  expect(() => by(rules)).toThrow(CommandError);
});

test('whatever the rules, a collator orders: antisymmetric, transitive, equal to itself', () => {
  const rules = fc.record({
    strength: fc.integer({ min: 1, max: 5 }),
    caseLevel: fc.boolean(),
    numericOrdering: fc.boolean(),
    alternate: fc.constantFrom('shifted', 'non-ignorable') as fc.Arbitrary<CollationRules['alternate']>,
    caseFirst: fc.constantFrom('upper', 'lower', 'off') as fc.Arbitrary<CollationRules['caseFirst']>,
    backwards: fc.boolean(),
  });
  const anyText = fc.string({
    unit: fc.constantFrom('a', 'A', 'á', 'b', ' ', '-', '1', '0', '\u0301', 'æ', '\u{1f600}'),
    maxLength: 4,
  });
  fc.assert(
    fc.property(rules, anyText, anyText, anyText, (some, a, b, c) => {
      const { compare } = by(some);
      expect(compare(a, a)).toBe(0);
      expect(Math.sign(compare(a, b)) + Math.sign(compare(b, a))).toBe(0);
      if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0);
    }),
    { seed: 1, numRuns: 3000 },
  );
});

test('the rules are read from the whole document, and equal documents are one collation', () => {
  const rules = { locale: 'fr_CA', strength: 2, backwards: true } as const;
  expect(readRules(documentOf(rules))).toEqual({ ...plain, ...rules });
  expect(compileCollator(documentOf(rules))).toBe(compileCollator(documentOf(rules)));
  expect(sameCollation(documentOf(rules), documentOf(rules))).toBe(true);
  expect(sameCollation(documentOf(rules), documentOf({ ...rules, strength: 3 }))).toBe(false);
  expect(sameCollation(documentOf(rules), undefined)).toBe(false);
  expect(sameCollation(undefined, undefined)).toBe(true);
});

describe('strength 2', () => {
  const collator = by({ strength: 2 });

  test.for<[filter: object, document: object, matches: boolean]>([
    [{ item: 'PEN' }, { item: 'pen' }, true],
    [{ item: 'PEN' }, { item: ['ink', 'Pen'] }, true],
    [{ item: 'PEN' }, { item: 'pén' }, false],
    [{ item: { $ne: 'PEN' } }, { item: 'pen' }, false],
    [{ item: { $in: ['A', 'PEN'] } }, { item: 'pen' }, true],
    [{ item: { $nin: ['A', 'PEN'] } }, { item: 'pen' }, false],
    [{ item: { $all: ['PEN', 'INK'] } }, { item: ['ink', 'pen'] }, true],
    [{ item: { $lt: 'b' } }, { item: 'A' }, true],
    [{ item: { $gte: 'a' } }, { item: 'A' }, true],
    [{ item: { $gt: 'a' } }, { item: 'B' }, true],
    [{ item: { $elemMatch: { $eq: 'PEN' } } }, { item: ['pen'] }, true],
    [{ item: { $elemMatch: { kind: 'PEN' } } }, { item: [{ kind: 'pen' }] }, true],
    [{ item: { $not: { $eq: 'PEN' } } }, { item: 'pen' }, false],
    [{ item: { kind: 'PEN', n: 1 } }, { item: { kind: 'pen', n: 1 } }, true],
    [{ $expr: { $eq: ['$item', 'PEN'] } }, { item: 'pen' }, true],
    [{ $or: [{ item: 'PEN' }] }, { item: 'pen' }, true],
    // A regular expression is not a matter of collation, nor are field names, nor `$jsonSchema`.
    [{ item: /PEN/ }, { item: 'pen' }, false],
    [{ ITEM: 'pen' }, { item: 'pen' }, false],
    [{ $jsonSchema: { properties: { item: { enum: ['PEN'] } } } }, { item: 'pen' }, false],
  ])('%o on %o: %s', ([filter, document, matches]) => {
    expect(compileFilter(doc(filter), { collator })(doc(document))).toBe(matches);
  });

  test('a sort takes equal strings as they came', () => {
    const documents = ['b', 'A', 'a', 'B'].map((s, n) => doc({ s, n }));
    const numbers = compileSort(doc({ s: 1, n: -1 }), collator)(documents).map(text);
    expect(numbers.join()).toBe(
      ['a', 'A', 'B', 'b'].map((s) => text(doc({ s, n: ['b', 'A', 'a', 'B'].indexOf(s) }))).join(),
    );
  });

  test.for<[update: object, before: object, after: object]>([
    [{ $pull: { a: 'X' } }, { a: ['x', 'y', 'X'] }, { a: ['y'] }],
    [{ $pull: { a: { k: 'X' } } }, { a: [{ k: 'x' }, { k: 'y' }] }, { a: [{ k: 'y' }] }],
    [{ $pullAll: { a: ['X'] } }, { a: ['x', 'y'] }, { a: ['y'] }],
    [{ $addToSet: { a: 'X' } }, { a: ['x'] }, { a: ['x'] }],
    [{ $addToSet: { a: { $each: ['Z', 'z'] } } }, { a: ['x'] }, { a: ['x', 'Z'] }],
    [{ $min: { a: 'B' } }, { a: 'a' }, { a: 'a' }],
    [{ $max: { a: 'B' } }, { a: 'a' }, { a: 'B' }],
    [{ $max: { a: 'A' } }, { a: 'a' }, { a: 'a' }],
    [{ $push: { a: { $each: ['B'], $sort: 1 } } }, { a: ['c', 'a'] }, { a: ['a', 'B', 'c'] }],
    // Whether anything changes is a matter of bytes.
    [{ $set: { a: 'A' } }, { a: 'a' }, { a: 'A' }],
  ])('%o on %o', ([update, before, after]) => {
    const { apply } = compileUpdate(doc(update), { nowMs: 0, collator });
    expect(text(apply(doc(before)).document)).toBe(text(doc(after)));
  });

  test('array filters and positional elements', () => {
    const filtered = compileUpdate(doc({ $set: { 'a.$[e].n': 1 } }), {
      nowMs: 0,
      collator,
      arrayFilters: [doc({ 'e.k': 'X' })],
    });
    expect(text(filtered.apply(doc({ a: [{ k: 'x' }] })).document)).toBe(text(doc({ a: [{ k: 'x', n: 1 }] })));
    const positional = compileUpdate(doc({ $set: { 'a.$': 'new' } }), { nowMs: 0, collator, filter: doc({ a: 'Y' }) });
    expect(text(positional.apply(doc({ a: ['x', 'y'] })).document)).toBe(text(doc({ a: ['x', 'new'] })));
  });

  test('strings inside documents and arrays are compared alike, symbols and code by their bytes', () => {
    expect(compareValues(val({ a: ['X'] }), val({ a: ['x'] }), collator)).toBe(0);
    expect(compareValues(val({ A: 1 }), val({ a: 1 }), collator)).toBeLessThan(0);
  });
});
