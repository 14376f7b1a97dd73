import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  decodePromoted,
  type VersionTraits,
} from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import { describeDocument, type IndexSpec, parseIndexSpec } from '@replsim/storage';
import { isIdKey, storedExpireAfterSeconds, validateTtlSpec } from '@replsim/ttl';
import type { MemberServices } from '../command.ts';
import { Fields } from '../fields.ts';
import { bytesOf, isNumeric, numberOf, stringOf, truthOf, typeName } from '../values.ts';
import { checkCollation } from './collectionOptions.ts';
import { checkPartialFilter } from './partialFilter.ts';

/** Options of an index spec. Upstream: index_key_validate.cpp, allowedFieldNames. */
// biome-ignore format: a list
const known: ReadonlySet<string> = new Set(['v', 'key', 'name', 'ns', 'unique', 'sparse', 'background', 'hidden', 'dropDups',
  'expireAfterSeconds', 'partialFilterExpression', 'collation', 'storageEngine', 'wildcardProjection', 'clustered',
  'prepareUnique', 'weights', 'default_language', 'language_override', 'textIndexVersion', '2dsphereIndexVersion',
  'bits', 'min', 'max', 'coarsestIndexedLevel', 'finestIndexedLevel', 'bucketSize', 'columnstoreProjection']);

/** What an index on `_id` may have. Upstream: allowedIdIndexFieldNames. */
const knownOfId: ReadonlySet<string> = new Set(['v', 'key', 'name', 'ns', 'collation']);

/** Kinds of special indexes: they are kept and shown, and hold no keys. */
const plugins: ReadonlySet<string> = new Set(['hashed', 'text', '2d', '2dsphere', 'wildcard']);

/** Fields of a spec that are not kept. */
const dropped: ReadonlySet<string> = new Set(['v', 'key', 'name', 'ns', 'dropDups', 'collation']);

/**
 * Checks one spec of createIndexes as the client sent it, and gives it as it is stored: `v key name`, then its options.
 * Errors in the order of ttl.md §1.3: 197 for unknown options, 9 without `key` or `name`, 67 for a bad key, then those
 * of the TTL option. Upstream: index_key_validate.cpp, parseAndValidateIndexSpecs.
 */
export function completeIndexSpec(
  sent: Uint8Array,
  member: Pick<MemberServices, 'traits' | 'failPoints' | 'log'>,
  ignoreUnknown = false,
): IndexSpec {
  const { traits, failPoints } = member;
  const fields = new Fields(sent, 'createIndexes.indexes');
  const isId = checkShape(fields, ignoreUnknown);
  if (!failPoints.enter('skipTTLIndexValidationOnCreateIndex')) validateTtlSpec(sent, traits);
  else
    member.log('I', 'INDEX', 6909101, 'Not validating the TTL option, due to a fail point', {
      cmd: decodePromoted(sent),
    });
  checkCollation(fields.document('collation'));
  checkPartial(fields);
  const asSent = fields.has('expireAfterSeconds') && failPoints.enter('skipTTLIndexExpireAfterSecondsValidation');
  return parseIndexSpec(storedSpec(fields, isId, asSent ? undefined : traits));
}

/** Whether the spec is that of the `_id` index, once its shape is known to be good. */
function checkShape(fields: Fields, ignoreUnknown: boolean): boolean {
  const spec = describeDocument(fields.bytes);
  for (const name of fields.names) {
    if (!known.has(name) && !ignoreUnknown) {
      throw badOption(`The field '${name}' is not valid for an index specification. Specification: ${spec}`);
    }
  }
  const key = keyOf(fields);
  const keyFields = new Fields(bytesOf(key), 'key');
  for (const path of keyFields.names) checkKeyField(path, keyFields.rawValue(path)!);
  const isId = isIdKey([...keyFields.names].map((path) => [path, numberOf(keyFields.rawValue(path)!)] as const));
  if ([...keyFields.names].length === 0) throw cannotCreate('Index keys cannot be an empty object');
  checkName(fields, isId);
  if (fields.has('clustered')) checkClusteredOption(fields);
  else if (isId) checkIdOptions(fields, spec);
  const v = fields.value('v');
  if (v && (!isNumeric(v.type) || (numberOf(v) !== 1 && numberOf(v) !== 2))) {
    throw cannotCreate(`Invalid index specification ${spec}; cannot create an index with that version`);
  }
  return isId;
}

function keyOf(fields: Fields): BsonValue {
  const key = fields.rawValue('key');
  if (!key) throw new CommandError('FailedToParse', "The 'key' field is a required property of an index specification");
  if (key.type !== BsonType.object) {
    throw new CommandError('TypeMismatch', `The field 'key' must be an object, but got ${typeName(key.type)}`);
  }
  return key;
}

function checkKeyField(path: string, value: BsonValue): void {
  if (path === '') throw cannotCreate('Index keys cannot be an empty field name');
  if (path.split('.').includes('')) throw cannotCreate(`Index keys cannot contain an empty field: ${path}`);
  const isWildcard = path === '$**' || path.endsWith('.$**');
  if (!isWildcard && path.split('.').some((part) => part.startsWith('$') && !/^\$(ref|id|db)$/.test(part))) {
    throw cannotCreate(`Index key contains an illegal field name: field name starts with '$'. ${path}`);
  }
  if (value.type === BsonType.string) {
    if (!plugins.has(stringOf(value))) throw cannotCreate(`Unknown index plugin '${stringOf(value)}'`);
  } else if (!isNumeric(value.type)) {
    throw cannotCreate(
      `Values in v:2 index key pattern cannot be of type ${typeName(value.type)}. Only numbers > 0, numbers < 0, and strings are allowed.`,
    );
  } else if (numberOf(value) === 0 || Number.isNaN(numberOf(value))) {
    throw cannotCreate('Values in the index key pattern cannot be 0.');
  }
}

function checkName(fields: Fields, isId: boolean): void {
  const value = fields.rawValue('name');
  if (!value)
    throw new CommandError('FailedToParse', "The 'name' field is a required property of an index specification");
  if (value.type !== BsonType.string) {
    throw new CommandError('TypeMismatch', `The field 'name' must be a string, but got ${typeName(value.type)}`);
  }
  const name = stringOf(value);
  if (name === '' || name === '*') throw cannotCreate(`The index name '${name}' is not valid.`);
  if (name === '_id_' && !isId) {
    throw new CommandError(
      'BadValue',
      `The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, found ${describeDocument(fields.bytes)}`,
    );
  }
}

function checkIdOptions(fields: Fields, spec: string): void {
  for (const name of fields.names) {
    if (!knownOfId.has(name)) {
      throw badOption(`The field '${name}' is not valid for an _id index specification. Specification: ${spec}`);
    }
  }
}

/** Upstream: index_key_validate.cpp, validateIndexSpec, at its end. */
function checkClusteredOption(fields: Fields): void {
  if (!truthOf(fields.rawValue('clustered')!)) {
    throw new CommandError(6492800, "Value 'false' for field 'clustered' is invalid");
  }
  const unique = fields.value('unique');
  if (!unique || !truthOf(unique)) throw cannotCreate("The 'unique' field is required when 'clustered' is specified");
}

function checkPartial(fields: Fields): void {
  const filter = fields.document('partialFilterExpression');
  if (!filter) return;
  const sparse = fields.value('sparse');
  if (sparse && truthOf(sparse)) {
    throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
  }
  checkPartialFilter(filter);
  compileFilter(filter);
}

/** @param traits how `expireAfterSeconds` is stored; undefined: as it was sent */
function storedSpec(fields: Fields, isId: boolean, traits: VersionTraits | undefined): Uint8Array {
  const writer = new BsonWriter();
  const v = fields.value('v');
  writer.int32('v', v ? numberOf(v) : 2);
  writer.rawValue('key', fields.rawValue('key')!);
  if (isId) writer.string('name', '_id_');
  else writer.rawValue('name', fields.rawValue('name')!);
  for (const name of fields.names) {
    const value = fields.rawValue(name)!;
    if (dropped.has(name) || !known.has(name)) continue;
    // An index that is not hidden says nothing of it.
    if (name === 'hidden' && !truthOf(value)) continue;
    if (name !== 'expireAfterSeconds') {
      writer.rawValue(name, value);
      continue;
    }
    const stored = traits ? storedExpireAfterSeconds(value, traits) : value;
    if (typeof stored === 'number') writer.int32(name, stored);
    else writer.rawValue(name, stored);
  }
  return writer.finish();
}

function cannotCreate(errmsg: string): CommandError {
  return new CommandError('CannotCreateIndex', errmsg);
}

function badOption(errmsg: string): CommandError {
  return new CommandError('InvalidIndexSpecificationOption', errmsg);
}
