import { expect, test } from 'vitest';
import { languageNamed } from '../src/index.ts';
import { hasPhrase, INSENSITIVE, termsOf } from '../src/tokens.ts';

const named = (name: string) => {
  const language = languageNamed(name);
  if (!language) throw new Error(`no language ${name}`);
  return language;
};

// Stems as mongod's own stemmer_test.cpp and the vocabularies of Snowball have them; the words between are stop words.
test.for<[language: string, text: string, terms: string[]]>([
  ['english', 'Running runs, RUN!', ['run', 'run', 'run']],
  ['english', 'the generously happily dying connections', ['generous', 'happili', 'die', 'connect']],
  ['english', "don't dog's us can will", ['dog', 'us', 'can', 'will']],
  ['english', 'e-mail a_b C++ 3.14', ['e', 'mail', 'a_b', 'c', '3', '14']],
  ['english', 'Café naïve “quoted” one—two', ['cafe', 'naiv', 'quot', 'one', 'two']],
  ['none', "the runs don't", ['the', 'runs', 'don', 't']],
  ['danish', 'undersøgelserne og', ['undersøg']],
  ['dutch', 'lichamelijkheden de', ['licham']],
  ['finnish', 'edeltäjistään ja', ['edeltaj']],
  ['french', 'continuellement les chevaux', ['continuel', 'cheval']],
  ['german', 'aufeinanderfolgende und Häuser', ['aufeinanderfolg', 'haus']],
  ['hungarian', 'babakocsijáért a', ['babakocs']],
  ['italian', 'abbandonata la', ['abbandon']],
  ['norwegian', 'havnemyndighetene og', ['havnemynd']],
  ['portuguese', 'quilométricas as', ['quilometr']],
  ['romanian', 'abruptă şi absenţei', ['abrupt', 'absente']],
  ['russian', 'важнейшими и', ['важн']],
  ['spanish', 'chicharrones los', ['chicharron']],
  ['swedish', 'jaktkarlarna och', ['jaktkarl']],
  ['turkish', 'kitapları ILIK', ['kitap', 'ılık']],
])('%s: %s', ([language, text, terms]) => {
  expect(termsOf(text, named(language), INSENSITIVE)).toEqual(terms);
});

test('case and accents are kept where they count', () => {
  const english = named('english');
  const text = 'CAFÉS cafés Cafes';
  expect(termsOf(text, english, { caseSensitive: false, diacriticSensitive: true })).toEqual(['café', 'café', 'cafe']);
  expect(termsOf(text, english, { caseSensitive: true, diacriticSensitive: false })).toEqual(['CAFES', 'cafe', 'Cafe']);
  expect(termsOf('The cat', english, INSENSITIVE, true)).toEqual(['the', 'cat']);
});

test.for<[text: string, phrase: string, more: object, found: boolean]>([
  ['Coffee Shopping', 'coffee shop', {}, true],
  ['Coffee  Shopping', 'coffee shop', {}, false],
  ['Coffee Shopping', 'coffee shop', { caseSensitive: true }, false],
  ['Café con leche', 'cafe con', {}, true],
  ['Café con leche', 'cafe con', { diacriticSensitive: true }, false],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς', {}, true],
  ['x^2', 'x2', {}, true],
  ['anything', '', {}, true],
])('%s has %s, %j: %s', ([text, phrase, more, found]) => {
  expect(hasPhrase(text, phrase, named('english'), { ...INSENSITIVE, ...more })).toBe(found);
});

test('the stop words of English are those of mongod', () => {
  const { stopWords } = named('english');
  expect(stopWords.size).toBe(174);
  for (const word of ['a', 'the', 'cannot', 'ought', "let's", "wouldn't"]) expect(stopWords).toContain(word);
  for (const word of ['us', 'will', 'shall', 'can', 'may', 'might', 'must']) expect(stopWords).not.toContain(word);
});

test('languages go by their names and two letters, in any case', () => {
  const letters = ['da', 'nl', 'en', 'fi', 'fr', 'de', 'hu', 'it', 'nb', 'pt', 'ro', 'ru', 'es', 'sv', 'tr'];
  expect(letters.map((each) => languageNamed(each)?.name)).toEqual(
    ['danish', 'dutch', 'english', 'finnish', 'french', 'german', 'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'turkish'], // biome-ignore format: a list
  );
  expect(languageNamed('ENGLISH')).toBe(languageNamed('en'));
  expect(['eng', 'no', 'klingon', ''].map(languageNamed)).toEqual([undefined, undefined, undefined, undefined]);
});
