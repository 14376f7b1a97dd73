import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  readString,
  type VersionTraits,
} from '@replsim/protocol';
import { describeDocument, describeValue } from '@replsim/storage';
import { isIdKey } from '@replsim/ttl';
import { Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf, typeName } from '../fields/values.ts';
import { checkGeographic } from './geoOptions.ts';
import { ALL_FIELDS, checkWildcardProjection } from './wildcardOptions.ts';

/** Options of an index spec. Upstream: index_key_validate.cpp, allowedFieldNames. */
// biome-ignore format: a list
export const INDEX_OPTIONS: ReadonlySet<string> = new Set(['v', 'key', 'name', 'ns', 'unique', 'sparse', 'background', 'hidden',
  'dropDups', 'expireAfterSeconds', 'partialFilterExpression', 'collation', 'storageEngine', 'wildcardProjection', 'clustered',
  'prepareUnique', 'weights', 'default_language', 'language_override', 'textIndexVersion', '2dsphereIndexVersion',
  'bits', 'min', 'max', 'coarsestIndexedLevel', 'finestIndexedLevel', 'bucketSize', 'columnstoreProjection']);

/** What an index on `_id` may have. Upstream: allowedIdIndexFieldNames. */
const knownOfId: ReadonlySet<string> = new Set(['v', 'key', 'name', 'ns', 'collation']);

/** Kinds of indexes that hold no values as they are; hashed ones are kept and shown, and hold no keys. */
const plugins: ReadonlySet<string> = new Set(['hashed', 'text', '2d', '2dsphere']);

const flags = ['background', 'unique', 'sparse', 'dropDups', 'prepareUnique', 'clustered'];
const texts = ['default_language', 'language_override'];
const numbers = ['textIndexVersion', '2dsphereIndexVersion', 'bits', 'min', 'max', 'coarsestIndexedLevel', 'finestIndexedLevel']; // biome-ignore format: a list

/**
 * Checks the shape of one spec as the client sent it, before any TTL option is looked at; `checkIdAndHashed` comes after it.
 * Errors: InvalidIndexSpecificationOption 197 for unknown options, FailedToParse 9 without
 * `key` or `name`, CannotCreateIndex 67 for a bad key, TypeMismatch 14, BadValue 2, CommandNotSupported 115, those of
 * `checkGeographic`, Location13103 for too many fields.
 * Upstream: index_key_validate.cpp, validateIndexSpec.
 * @returns whether it is the spec of the `_id` index
 */
export function checkShape(fields: Fields, ignoreUnknown: boolean, traits: VersionTraits): boolean {
  const spec = describeDocument(fields.bytes);
  for (const name of fields.names) {
    if (!isKnown(name, traits) && !ignoreUnknown) {
      throw badOption(`The field '${name}' is not valid for an index specification. Specification: ${spec}`);
    }
  }
  const key = keyOf(fields);
  checkName(fields);
  checkTypes(fields);
  checkVersion(fields, spec);
  if (fields.has('clustered')) checkClusteredOption(fields);
  checkOptionsOfKind(fields, key, spec);
  checkGeographic(fields, key.plugins);
  if (key.isWildcard) checkWildcard(fields, key, spec);
  if (key.plugins.length > MAX_FIELDS) throw new CommandError(13103, `too many compound keys: ${spec}`);
  return key.isId;
}

/** Upstream: ordering.h, kMaxCompoundIndexKeys. */
const MAX_FIELDS = 32;

function isKnown(name: string, { hiddenIndexes, indexCollations, uniqueConversion }: VersionTraits): boolean {
  if (name === 'hidden') return hiddenIndexes;
  if (name === 'prepareUnique') return uniqueConversion;
  return name === 'collation' ? indexCollations : INDEX_OPTIONS.has(name);
}

/** What a key pattern is, once it is known to be good. */
interface Key {
  readonly isId: boolean;
  readonly paths: readonly string[];
  readonly isWildcard: boolean;
  readonly isText: boolean;
  /** What stands in the places of directions, in their order; undefined for a direction. */
  readonly plugins: readonly (string | undefined)[];
}

function keyOf(fields: Fields): Key {
  const key = fields.rawValue('key');
  if (!key) throw new CommandError('FailedToParse', "The 'key' field is a required property of an index specification");
  if (key.type !== BsonType.object) throw wrongType('key', 'an object', key);
  const parts: (readonly [path: string, value: BsonValue])[] = [];
  const cursor = new ElementCursor(key.bytes, key.offset);
  while (cursor.next()) {
    const { name } = cursor;
    if (parts.some(([path]) => path === name)) {
      const shown = describeDocument(bytesOf(key));
      throw new CommandError('BadValue', `the key pattern names '${name}' more than once: ${shown}`);
    }
    parts.push([name, cursor.value()]);
  }
  if (parts.length === 0) throw cannotCreate('Index keys cannot be empty.');
  for (const [path, value] of parts) checkKeyField(path, value);
  const plugins = parts.map(([, value]) => (value.type === BsonType.string ? readString(value) : undefined));
  const kinds = plugins.map((plugin, i) => (isWildcardPath(parts[i]![0]) && plugin !== 'text' ? '$**' : plugin));
  const wildcard = kinds.findIndex((kind, i) => kind === '$**' && plugins[i] !== undefined);
  if (wildcard >= 0) {
    throw cannotCreate(`an index on every field has a number for '${parts[wildcard]![0]}', not '${plugins[wildcard]}'`);
  }
  if (new Set(kinds.filter((kind) => kind !== undefined)).size > 1) {
    throw cannotCreate("Can't use more than one index plugin for a single index.");
  }
  return {
    isId: isIdKey(parts.map(([path, value]) => [path, numberOf(value)] as const)),
    paths: parts.map(([path]) => path),
    isWildcard: parts.some(([path, { type }]) => isWildcardPath(path) && isNumeric(type)),
    isText: plugins.includes('text'),
    plugins,
  };
}

function isWildcardPath(path: string): boolean {
  return path === ALL_FIELDS || path.endsWith('.$**');
}

function checkKeyField(path: string, value: BsonValue): void {
  if (path === '') throw cannotCreate('Index keys cannot be an empty field.');
  if (path.split('.').includes('')) throw cannotCreate(`a part of a path in an index is empty: ${path}`);
  const named = isWildcardPath(path) ? path.slice(0, -ALL_FIELDS.length) : path;
  if (named.split('.').some((part) => part.startsWith('$') && !/^\$(ref|id|db)$/.test(part))) {
    throw cannotCreate(`a path in an index has a part that begins with '$': ${path}`);
  }
  if (value.type === BsonType.string) {
    if (!plugins.has(readString(value))) throw cannotCreate(`Unknown index plugin '${readString(value)}'`);
  } else if (!isNumeric(value.type)) {
    throw cannotCreate(
      `Values in v:2 index key pattern cannot be of type ${typeName(value.type)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
    );
  } else if (numberOf(value) === 0 || Number.isNaN(numberOf(value))) {
    throw cannotCreate('Values in the index key pattern cannot be 0.');
  }
}

function checkName(fields: Fields): void {
  const value = fields.rawValue('name');
  if (!value)
    throw new CommandError('FailedToParse', "The 'name' field is a required property of an index specification");
  if (value.type !== BsonType.string) throw wrongType('name', 'a string', value);
  if (readString(value) === '') throw cannotCreate("The index name '' is not valid.");
  if (readString(value).includes('\0')) throw cannotCreate('the name of an index has no NUL in it');
}

function checkTypes(fields: Fields): void {
  for (const name of fields.names) {
    const value = fields.presentValue(name);
    const { type } = value;
    if (name === 'hidden' && type !== BsonType.bool) throw wrongType(name, 'a bool', value);
    if (flags.includes(name) && type !== BsonType.bool && !isNumeric(type)) {
      const given = describeValue(value);
      throw new CommandError(
        'TypeMismatch',
        `The field '${name}' has value ${given}, which is not convertible to bool`,
      );
    }
    if (texts.includes(name) && type !== BsonType.string) throw wrongType(name, 'a string', value);
    if (numbers.includes(name) && !isNumeric(type)) throw wrongType(name, 'a number', value);
    if (name === 'storageEngine' && type !== BsonType.object) throw wrongType(name, 'an object', value);
    if (name === 'partialFilterExpression' && type !== BsonType.object) throw wrongType(name, 'an object', value);
    if (name === 'collation') checkIsFilled(name, value);
  }
}

function checkIsFilled(name: string, value: BsonValue): void {
  if (value.type !== BsonType.object) throw wrongType(name, 'an object', value);
  if (value.size === 5) throw new CommandError('BadValue', `'${name}' cannot be an empty object`);
}

function checkVersion(fields: Fields, spec: string): void {
  const v = fields.rawValue('v');
  if (!v) return;
  if (!isNumeric(v.type)) throw wrongType('v', 'a number', v);
  if (numberOf(v) === 2 || (numberOf(v) === 1 && !fields.has('collation'))) return;
  throw cannotCreate(`no index can have v=${describeValue(v)} here: ${spec}`);
}

/**
 * What the index on `_id` may have, that no other bears its name, and what hashed ones cannot be: errors that do not repeat the
 * specification. Errors: InvalidIndexSpecificationOption 197, BadValue 2, CannotCreateIndex 67, those of `checkHashed`.
 * Upstream: index_key_validate.cpp, validateIdIndexSpec; create_indexes_cmd.cpp, parseAndValidateIndexSpecs.
 * @param isId what `checkShape` has said
 */
export function checkIdAndHashed(fields: Fields, isId: boolean): void {
  if (isId && !fields.has('clustered')) return checkIdOptions(fields);
  const spec = describeDocument(fields.bytes);
  const name = fields.string('name');
  if (!isId && name === '_id_') {
    throw new CommandError('BadValue', `'_id_' is the name of the index {_id: 1} and of no other: ${spec}`);
  }
  if (name === '*') throw new CommandError('BadValue', "The index name '*' is not valid.");
  checkHashed(fields, spec);
}

function checkIdOptions(fields: Fields): void {
  const spec = describeDocument(fields.bytes);
  for (const name of fields.names) {
    if (!knownOfId.has(name)) {
      throw badOption(`The field '${name}' is not valid for an _id index specification. Specification: ${spec}`);
    }
  }
  const key = new ElementCursor(fields.requiredDocument('key'));
  if (key.next() && numberOf(key.value()) !== 1) {
    throw new CommandError('BadValue', `the key of the _id index is {_id: 1} and no other: ${spec}`);
  }
}

/** Upstream: index_key_validate.cpp, validateIndexSpec, at its end. */
function checkClusteredOption(fields: Fields): void {
  if (!fields.bool('clustered')) throw new CommandError(6492800, "'clustered' can only be true");
  if (!fields.bool('unique')) throw cannotCreate("'clustered' needs 'unique: true'");
}

/** Options that only some kinds of indexes have. */
function checkOptionsOfKind(fields: Fields, { paths, isWildcard, isText }: Key, spec: string): void {
  const projection = fields.rawValue('wildcardProjection');
  if (projection) checkWildcardProjection(projection, paths, isWildcard);
  if (fields.bool('unique') && fields.bool('prepareUnique')) {
    throw cannotCreate(`an index that is unique need not be prepared for it: ${spec}`);
  }
  if (paths.includes('_fts') && !isText) {
    throw cannotCreate(`Index key contains an illegal field name: '_fts' is for the words of a text index: ${spec}`);
  }
  if (fields.has('weights') && !isText) {
    throw cannotCreate(`'weights' are for text indexes alone: ${spec}`);
  }
}

/**
 * Errors: CannotCreateIndex 67; Location7246201 for two wildcards, 7246204 for a field that one of them covers.
 * Upstream: index_catalog_impl.cpp, validateWildcardSpec; wildcard_validation.cpp, validateWildcardIndex.
 */
function checkWildcard(fields: Fields, { paths }: Key, spec: string): void {
  for (const name of ['sparse', 'unique']) {
    if (fields.bool(name)) throw cannotCreate(`Index type 'wildcard' does not support the '${name}' option: ${spec}`);
  }
  const v = fields.rawValue('v');
  if (v && numberOf(v) < 2) throw cannotCreate(`a wildcard index has v: 2, not ${describeValue(v)}: ${spec}`);
  const [wildcard, another] = paths.filter(isWildcardPath);
  if (another !== undefined) throw new CommandError(7246201, `an index has one wildcard, and not two: ${spec}`);
  if (wildcard === ALL_FIELDS) {
    if (paths.length === 1 || fields.has('wildcardProjection')) return;
    throw cannotCreate(`a compound index on '$**' needs a 'wildcardProjection': ${spec}`);
  }
  const above = wildcard?.slice(0, -'.$**'.length);
  const covered = paths.find((path) => path === above || (path !== wildcard && path.startsWith(`${above}.`)));
  if (covered === undefined) return;
  throw new CommandError(7246204, `the wildcard covers '${covered}', another field of the index: ${spec}`);
}

/** Errors: Location16764, 31303. Upstream: hash_access_method.cpp; expression_params.cpp, validateHashParams. */
function checkHashed(fields: Fields, spec: string): void {
  const key = new Fields(fields.requiredDocument('key'), 'key');
  const hashed = key.names.filter((path) => isHashed(key.presentValue(path))).length;
  if (hashed === 0) return;
  if (fields.bool('unique'))
    throw new CommandError(16764, `Currently hashed indexes cannot guarantee uniqueness. Use a regular index: ${spec}`);
  if (hashed > 1)
    throw new CommandError(
      31303,
      `A maximum of one index field is allowed to be hashed but found ${hashed} for 'key': ${spec}`,
    );
}

function isHashed(value: BsonValue): boolean {
  return value.type === BsonType.string && readString(value) === 'hashed';
}

function wrongType(name: string, wanted: string, { type }: BsonValue): CommandError {
  return new CommandError('TypeMismatch', `The field '${name}' must be ${wanted}, but got ${typeName(type)}`);
}

function cannotCreate(errmsg: string): CommandError {
  return new CommandError('CannotCreateIndex', errmsg);
}

function badOption(errmsg: string): CommandError {
  return new CommandError('InvalidIndexSpecificationOption', errmsg);
}
