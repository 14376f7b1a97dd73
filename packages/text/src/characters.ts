/** Letters without case and accents. Upstream: unicode/string.cpp and what its generators make of the Unicode database. */

/** What parts words; the code points behind the properties are those of Hyphen, which JavaScript does not name. */
const DELIMITER =
  /[\p{White_Space}\p{Dash}\p{Quotation_Mark}\p{Terminal_Punctuation}\p{Pattern_Syntax}\p{Sentence_Terminal}\u00ad\u30fb\uff65]/u;
const DIACRITIC = /\p{Diacritic}/gu;
const DOTLESS_I = '\u0131';
const DOTTED_CAPITAL_I = '\u0130';

/** Whether a character parts words. In English an apostrophe is part of one. */
export function isDelimiter(character: string, language: string): boolean {
  if (character === "'" && language === 'english') return false;
  return DELIMITER.test(character);
}

/** The text in lower case, character by character: one never becomes two. */
export function lowerCase(text: string, language: string): string {
  const isTurkish = language === 'turkish';
  let lower = '';
  for (const character of text) lower += lowerOf(character, isTurkish);
  return lower;
}

function lowerOf(character: string, isTurkish: boolean): string {
  if (isTurkish && character === 'I') return DOTLESS_I;
  if (character === DOTTED_CAPITAL_I) return 'i';
  if (character === DOTLESS_I) return character;
  // Of letters that share a capital one, such as both forms of the Greek sigma, the capital says which is meant.
  const upper = character.toUpperCase();
  const lower = (isOne(upper) ? upper : character).toLowerCase();
  return isOne(lower) ? lower : character;
}

function isOne(text: string): boolean {
  return text.length === (text.codePointAt(0)! > 0xffff ? 2 : 1);
}

/** The text without accents and other marks, character by character. */
export function withoutDiacritics(text: string): string {
  if (!/[^\0-\x7f]|[\^`]/.test(text)) return text;
  let plain = '';
  for (const character of text) plain += plainOf(character);
  return plain;
}

function plainOf(character: string): string {
  if (character.replace(DIACRITIC, '') === '') return '';
  const plain = character.normalize('NFD').replace(DIACRITIC, '').normalize('NFC');
  return plain !== '' && isOne(plain) ? plain : character;
}
