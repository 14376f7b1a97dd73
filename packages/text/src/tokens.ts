/** From text to the terms of an index and of a search. Upstream: fts_unicode_tokenizer.cpp. */
import { isDelimiter, lowerCase, withoutDiacritics } from './characters.ts';
import type { Language } from './languages.ts';

/** How alike two words have to be. */
export interface Sensitivity {
  readonly caseSensitive: boolean;
  readonly diacriticSensitive: boolean;
}

/** That of an index. */
export const INSENSITIVE: Sensitivity = { caseSensitive: false, diacriticSensitive: false };

/**
 * The terms of a text, in its order. Whether a word is a stop word, and its stem, are asked before it loses its accents.
 * @param keepsStopWords as upstream looks for the terms of a search in a document
 */
export function termsOf(
  text: string,
  language: Language,
  { caseSensitive, diacriticSensitive }: Sensitivity,
  keepsStopWords = false,
): string[] {
  const terms: string[] = [];
  for (const word of wordsOf(text, language.name)) {
    const lower = lowerCase(word, language.name);
    if (!keepsStopWords && language.stopWords.has(lower)) continue;
    const stem = language.stem(caseSensitive ? word : lower);
    terms.push(diacriticSensitive ? stem : withoutDiacritics(stem));
  }
  return terms;
}

function wordsOf(text: string, language: string): string[] {
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    if (!isDelimiter(character, language)) word += character;
    else if (word !== '') {
      words.push(word);
      word = '';
    }
  }
  if (word !== '') words.push(word);
  return words;
}

/** Whether a text has a phrase in it, letter for letter. Upstream: fts_unicode_phrase_matcher.cpp. */
export function hasPhrase(text: string, phrase: string, language: Language, sensitivity: Sensitivity): boolean {
  return folded(text, language, sensitivity).includes(folded(phrase, language, sensitivity));
}

function folded(text: string, { name }: Language, { caseSensitive, diacriticSensitive }: Sensitivity): string {
  // Turkish is compared without regard to case, whatever was asked for.
  const cased = caseSensitive && name !== 'turkish' ? text : lowerCase(text, name);
  return diacriticSensitive ? cased : withoutDiacritics(cased);
}
