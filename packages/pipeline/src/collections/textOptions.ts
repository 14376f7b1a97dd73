import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { DEFAULT_LANGUAGE, DEFAULT_LANGUAGE_OVERRIDE, languageNamed, WILDCARD } from '@replsim/text';
import { Fields } from '../fields/fields.ts';
import { isNumeric, numberOf } from '../fields/values.ts';

/** What stands in a key in the place of all text fields. */
const TERM = '_fts';
const WEIGHT = '_ftsx';
/** A weight is below this. Upstream: fts_spec.cpp, MAX_WORD_WEIGHT. */
const MAX_WEIGHT = 100_000;

/** A text index as it is stored; the other options stay as they were sent. */
export interface StoredTextOptions {
  readonly key: Uint8Array;
  readonly weights: Uint8Array;
  readonly defaultLanguage: string;
  readonly languageOverride: string;
}

/**
 * Completes the options of a text index. Errors: CannotCreateIndex 67 for whatever cannot be, CommandNotSupported 115 for
 * the versions before 3. Upstream: fts_spec.cpp, FTSSpec::fixSpec.
 */
export function textOptionsOf(fields: Fields): StoredTextOptions {
  const key = new Fields(fields.requiredDocument('key'), 'key');
  checkOrder(key);
  const weights = new Map<string, number>();
  for (const path of textPaths(key)) if (path !== TERM) weights.set(path, 1);
  takeWeights(fields.rawValue('weights'), weights);
  if (weights.size === 0) throw cannotCreate("text index option 'weights' must specify fields or the wildcard");
  checkVersion(fields.rawValue('textIndexVersion'));
  return {
    key: storedKey(key),
    weights: weightsDocument(weights),
    defaultLanguage: languageIn(fields),
    languageOverride: overrideIn(fields),
  };
}

function isText(value: BsonValue): boolean {
  return value.type === BsonType.string && readString(value) === 'text';
}

function textPaths(key: Fields): string[] {
  return key.names.filter((path) => isText(key.presentValue(path)));
}

/** Other fields, then the text fields side by side, then other fields. */
function checkOrder(key: Fields): void {
  const { names } = key;
  const isTextAt = names.map((path) => isText(key.presentValue(path)));
  const first = isTextAt.indexOf(true);
  const isStored = names[first] === TERM;
  if (isStored && names[first + 1] !== WEIGHT) throw cannotCreate('expected _ftsx after _fts');
  const last = isStored ? first : isTextAt.findIndex((each, i) => i > first && !each) - 1;
  if (last >= 0 && isTextAt.lastIndexOf(true) > last) {
    throw cannotCreate("'text' fields in index must all be adjacent");
  }
  for (const [i, path] of names.entries()) {
    const isReserved = path === TERM || path === WEIGHT;
    if (isReserved && !(isStored && (i === first || i === first + 1))) {
      throw cannotCreate('text index with reserved fields _fts/_ftsx not allowed');
    }
    const direction = Math.trunc(numberOf(key.presentValue(path)));
    if (!isTextAt[i] && direction !== 1 && direction !== -1) {
      throw cannotCreate('expected value 1 or -1 for non-text key in compound index');
    }
  }
}

function storedKey(key: Fields): Uint8Array {
  const writer = new BsonWriter();
  let isThere = false;
  for (const path of key.names) {
    const value = key.presentValue(path);
    if (path === WEIGHT) continue;
    if (!isText(value)) writer.rawValue(path, value);
    else if (!isThere) {
      isThere = true;
      writer.string(TERM, 'text');
      writer.int32(WEIGHT, 1);
    }
  }
  return writer.finish();
}

/** Adds what the option says: weights by path, or the wildcard alone. */
function takeWeights(value: BsonValue | undefined, weights: Map<string, number>): void {
  if (!value) return;
  if (value.type === BsonType.string && readString(value) === WILDCARD) weights.set(WILDCARD, 1);
  else if (value.type !== BsonType.object) throw cannotCreate("text index option 'weights' must be an object");
  else {
    const cursor = new ElementCursor(value.bytes, value.offset);
    while (cursor.next()) {
      if (!isNumeric(cursor.type)) throw cannotCreate('weight for text index needs numeric type');
      weights.set(cursor.name, Math.trunc(numberOf(cursor)));
    }
  }
}

function weightsDocument(weights: ReadonlyMap<string, number>): Uint8Array {
  const writer = new BsonWriter();
  for (const [path, weight] of [...weights].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!(weight > 0 && weight < MAX_WEIGHT)) {
      const range = `(0,${MAX_WEIGHT})`;
      throw cannotCreate(`text index weight must be in the exclusive interval ${range} but found: ${weight}`);
    }
    if (path !== WILDCARD) checkWeightedPath(path);
    writer.int32(path, weight);
  }
  return writer.finish();
}

function checkWeightedPath(path: string): void {
  if (path === '') throw cannotCreate('weight cannot be on an empty field');
  const parts = path.split('.');
  if (parts.includes('')) throw cannotCreate('weight cannot have empty path component');
  if (parts.some((part) => part.startsWith('$'))) {
    throw cannotCreate('weight cannot have path component with $ prefix');
  }
}

/** Simplification: versions 1 and 2, which older releases make, take words apart by other rules. */
function checkVersion(value: BsonValue | undefined): void {
  if (!value) return;
  const version = numberOf(value);
  if (version === 3) return;
  if (version !== 1 && version !== 2) throw cannotCreate(`bad textIndexVersion: ${version}`);
  throw new CommandError(
    'CommandNotSupported',
    `textIndexVersion ${version} is not supported by replsim: leave it out`,
  );
}

function languageIn(fields: Fields): string {
  const name = fields.string('default_language') ?? DEFAULT_LANGUAGE;
  if (!languageNamed(name)) throw cannotCreate('default_language is not valid');
  return name;
}

function overrideIn(fields: Fields): string {
  const name = fields.string('language_override') ?? DEFAULT_LANGUAGE_OVERRIDE;
  if (name !== '' && !name.startsWith('$') && !name.includes('.')) return name;
  throw cannotCreate('language_override is not valid');
}

function cannotCreate(errmsg: string): CommandError {
  return new CommandError('CannotCreateIndex', errmsg);
}
