/** `$text`: what is looked for, and in which documents it is. Upstream: fts_query_impl.cpp, fts_matcher.cpp, extensions_callback.cpp. */
import { BsonType, type BsonValue, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { scoresOf, textsOf } from './documentTexts.ts';
import { type Language, languageNamed } from './languages.ts';
import { searchWords } from './searchWords.ts';
import type { TextRules } from './textRules.ts';
import { hasPhrase, INSENSITIVE, type Sensitivity, termsOf } from './tokens.ts';

/** A search, parsed. */
export interface TextSearch extends Sensitivity {
  readonly rules: TextRules;
  /** As it was put. */
  readonly search: string;
  readonly language: Language;
  /** What is looked up in an index, in its order. */
  readonly indexTerms: readonly string[];
  /** Of these a document must have one; the same as `indexTerms` unless case or accents count. */
  readonly terms: ReadonlySet<string>;
  readonly negatedTerms: ReadonlySet<string>;
  readonly phrases: readonly string[];
  readonly negatedPhrases: readonly string[];
}

/**
 * Reads `{ $search, $language?, $caseSensitive?, $diacriticSensitive? }`. Errors: BadValue 2 for what is no object, for a further
 * field and a language that nobody knows, NoSuchKey 4 without `$search`, TypeMismatch 14.
 */
export function parseSearch(operand: BsonValue, rules: TextRules): TextSearch {
  const { search, language: name, ...sensitivity } = argumentsOf(operand);
  const language = name ? languageNamed(name) : rules.defaultLanguage;
  if (!language) {
    throw new CommandError('BadValue', `unsupported language: "${name}" for text index version 3`);
  }
  const { positive, negative, phrases, negatedPhrases } = searchWords(search);
  return {
    rules,
    search,
    language,
    ...sensitivity,
    indexTerms: [...new Set(termsOf(positive, language, INSENSITIVE))].sort(),
    terms: new Set(termsOf(positive, language, sensitivity)),
    negatedTerms: new Set(termsOf(negative, language, sensitivity)),
    phrases,
    negatedPhrases,
  };
}

/** Checks the operand of `$text` where there is no index yet. Errors: those of `parseSearch` but for the language. */
export function checkSearch(operand: BsonValue): void {
  argumentsOf(operand);
}

interface SearchArguments extends Sensitivity {
  readonly search: string;
  /** Empty for that of the index. */
  readonly language: string;
}

function argumentsOf(operand: BsonValue): SearchArguments {
  if (operand.type !== BsonType.object) throw new CommandError('BadValue', '$text expects an object');
  const fields = new Map<string, BsonValue>();
  let count = 0;
  const cursor = new ElementCursor(operand.bytes, operand.offset);
  while (cursor.next()) {
    count += 1;
    fields.set(cursor.name, cursor.value());
  }
  const search = fields.get('$search');
  if (!search) throw new CommandError('NoSuchKey', 'Missing expected field "$search"');
  const known = KNOWN.filter((name) => fields.has(name));
  const parsed = {
    search: textIn(fields, '$search'),
    language: textIn(fields, '$language'),
    caseSensitive: flagIn(fields, '$caseSensitive'),
    diacriticSensitive: flagIn(fields, '$diacriticSensitive'),
  };
  if (count !== known.length) throw new CommandError('BadValue', 'extra fields in $text');
  return parsed;
}

const KNOWN = ['$search', '$language', '$caseSensitive', '$diacriticSensitive'];

function textIn(fields: ReadonlyMap<string, BsonValue>, name: string): string {
  const value = fields.get(name);
  if (!value) return '';
  if (value.type === BsonType.string) return readString(value);
  throw new CommandError('TypeMismatch', `"${name}" had the wrong type. Expected string`);
}

function flagIn(fields: ReadonlyMap<string, BsonValue>, name: string): boolean {
  const value = fields.get(name);
  if (!value) return false;
  if (value.type === BsonType.bool) return value.bytes[value.offset] === 1;
  throw new CommandError('TypeMismatch', `"${name}" had the wrong type. Expected bool`);
}

/** The score of a document that has what is looked for; undefined if it has not. Errors: those of `textsOf`. */
export function scoreOf(search: TextSearch, document: Uint8Array): number | undefined {
  const scores = scoresOf(search.rules, document);
  const found = search.indexTerms.filter((term) => scores.has(term));
  if (found.length === 0 || !matches(search, document)) return undefined;
  return found.reduce((sum, term) => sum + (scores.get(term) ?? 0), 0);
}

/** What an index cannot say of a document that has one of the terms. */
function matches(search: TextSearch, document: Uint8Array): boolean {
  const { terms, negatedTerms, phrases, negatedPhrases, caseSensitive, diacriticSensitive } = search;
  const isSensitive = caseSensitive || diacriticSensitive;
  if (!isSensitive && negatedTerms.size === 0 && phrases.length === 0 && negatedPhrases.length === 0) return true;
  const texts = textsOf(search.rules, document);
  const has = (wanted: ReadonlySet<string>) =>
    texts.some(({ text, language }) => termsOf(text, language, search, true).some((term) => wanted.has(term)));
  const says = (phrase: string) => texts.some(({ text, language }) => hasPhrase(text, phrase, language, search));
  if (isSensitive && !has(terms)) return false;
  return !(negatedTerms.size > 0 && has(negatedTerms)) && phrases.every(says) && !negatedPhrases.some(says);
}
