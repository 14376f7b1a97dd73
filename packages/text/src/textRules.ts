/** What a text index says of documents: which fields, how much each counts, in which language. Upstream: fts_spec.cpp. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  readDouble,
  readInt32,
  readInt64AsNumber,
  readString,
} from '@replsim/protocol';
import { type Language, languageNamed } from './languages.ts';

export const DEFAULT_LANGUAGE = 'english';
export const DEFAULT_LANGUAGE_OVERRIDE = 'language';
/** The field in a key or among weights that means every field. */
export const WILDCARD = '$**';

/** A text index, as far as texts are concerned. */
export interface TextRules {
  /** By path, in the order of the paths; without the wildcard. */
  readonly weights: readonly (readonly [path: string, weight: number])[];
  readonly wildcard: boolean;
  readonly defaultLanguage: Language;
  /** The field in which a document, or one inside, says its language. */
  readonly languageOverride: string;
}

/**
 * Reads the rules from the options of an index as it is stored. Errors: CannotCreateIndex 67 for a language that nobody knows,
 * which `createIndexes` would not have stored.
 */
export function readTextRules(options: ReadonlyMap<string, BsonValue>): TextRules {
  const weights: [string, number][] = [];
  let wildcard = false;
  const given = options.get('weights');
  const cursor = given?.type === BsonType.object ? new ElementCursor(given.bytes, given.offset) : undefined;
  while (cursor?.next()) {
    if (cursor.name === WILDCARD) wildcard = true;
    else weights.push([cursor.name, weightOf(cursor)]);
  }
  const defaultLanguage = languageNamed(textOf(options.get('default_language')) ?? DEFAULT_LANGUAGE);
  if (!defaultLanguage) throw new CommandError('CannotCreateIndex', 'default_language is not valid');
  return {
    weights: weights.sort(([a], [b]) => (a < b ? -1 : 1)),
    wildcard,
    defaultLanguage,
    languageOverride: textOf(options.get('language_override')) ?? DEFAULT_LANGUAGE_OVERRIDE,
  };
}

function textOf(value: BsonValue | undefined): string | undefined {
  return value?.type === BsonType.string ? readString(value) : undefined;
}

function weightOf({ type, bytes, offset }: BsonValue): number {
  if (type === BsonType.int) return readInt32(bytes, offset);
  return type === BsonType.long ? readInt64AsNumber(bytes, offset) : readDouble(bytes, offset);
}
