/** Where the texts of a document are, and what its terms are worth. Upstream: fts_element_iterator.cpp, fts_spec.cpp. */
import { BsonType, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { type Language, languageNamed } from './languages.ts';
import type { TextRules } from './textRules.ts';
import { INSENSITIVE, termsOf } from './tokens.ts';

/** One string that is searched. */
export interface DocumentText {
  readonly text: string;
  readonly language: Language;
  readonly weight: number;
}

/** A document or an array on the way to its strings. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly path: string;
  readonly isArray: boolean;
  readonly language: Language;
}

/**
 * The strings of a document that the rules are about. Errors: Location17261 for a language that is no string, 17262 for one that
 * nobody knows.
 */
export function textsOf(rules: TextRules, document: Uint8Array): DocumentText[] {
  const texts: DocumentText[] = [];
  const language = languageOf(rules, document, 0, rules.defaultLanguage);
  collect(rules, { bytes: document, offset: 0, path: '', isArray: false, language }, texts);
  return texts;
}

function collect(rules: TextRules, frame: Frame, texts: DocumentText[]): void {
  const cursor = new ElementCursor(frame.bytes, frame.offset);
  while (cursor.next()) {
    const { name, type } = cursor;
    if (isUnreachable(name) || (rules.wildcard && name === rules.languageOverride)) continue;
    const path = frame.path === '' ? name : frame.isArray ? frame.path : `${frame.path}.${name}`;
    const found = weightAt(rules, type === BsonType.object ? `${path}.` : path);
    if (!rules.wildcard && !(found && leadsTo(path, found.path))) continue;
    const isNamed = found?.path === path;
    if (type === BsonType.string) {
      if (!isNamed && !rules.wildcard) continue;
      texts.push({ text: readString(cursor), language: frame.language, weight: isNamed ? found.weight : 1 });
    } else if (type === BsonType.object) {
      collect(rules, frameOf(rules, frame, cursor, path, false), texts);
    } else if (type === BsonType.array && (!frame.isArray || rules.wildcard)) {
      collect(rules, frameOf(rules, frame, cursor, path, true), texts);
    }
  }
}

function frameOf(rules: TextRules, above: Frame, cursor: ElementCursor, path: string, isArray: boolean): Frame {
  const { bytes, offset } = cursor;
  return { bytes, offset, path, isArray, language: languageOf(rules, bytes, offset, above.language) };
}

/** No path leads to a field of such a name. Upstream: jstests/core/index/fts/fts_index3.js, SERVER-78238. */
function isUnreachable(name: string): boolean {
  return name.startsWith('$') || name.includes('.');
}

/** The first weight whose path does not come before this one. */
function weightAt({ weights }: TextRules, path: string): { path: string; weight: number } | undefined {
  const found = weights.find(([each]) => each >= path);
  return found && { path: found[0], weight: found[1] };
}

function leadsTo(path: string, weighted: string): boolean {
  return weighted === path || weighted.startsWith(`${path}.`);
}

function languageOf({ languageOverride }: TextRules, bytes: Uint8Array, offset: number, otherwise: Language): Language {
  const cursor = new ElementCursor(bytes, offset);
  while (cursor.next()) {
    if (cursor.name !== languageOverride) continue;
    if (cursor.type !== BsonType.string) {
      throw new CommandError(17261, 'found language override field in document with non-string type');
    }
    const name = readString(cursor);
    const language = languageNamed(name);
    if (!language) throw new CommandError(17262, `language override unsupported: ${name}`);
    return language;
  }
  return otherwise;
}

/** How much each term of a document counts: what an index on it holds. Errors: those of `textsOf`. */
export function scoresOf(rules: TextRules, document: Uint8Array): Map<string, number> {
  const scores = new Map<string, number>();
  for (const { text, language, weight } of textsOf(rules, document)) addScores(text, language, weight, scores);
  return scores;
}

function addScores(text: string, language: Language, weight: number, scores: Map<string, number>): void {
  const terms = termsOf(text, language, INSENSITIVE);
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  for (const [term, count] of counts) {
    // Each time that a term comes again it counts half as much as before.
    const frequency = 2 - 2 ** (1 - count);
    const share = (0.5 * count) / terms.length + 0.5;
    const whole = isWhole(text, term) ? 1.1 : 1;
    scores.set(term, (scores.get(term) ?? 0) + weight * frequency * share * whole);
  }
}

/** The text is this one word in its stem: it counts a tenth more. Upstream compares letters of ASCII without their case. */
function isWhole(text: string, term: string): boolean {
  return text.length === term.length && asciiLower(text) === term;
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
