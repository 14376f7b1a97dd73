import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  readDouble,
  readInt32,
  readInt64AsNumber,
  type VersionTraits,
} from '@replsim/protocol';
import { isNotANumber, isNumeric, MAX_EXPIRE_AFTER_SECONDS, truncateSeconds } from './expiry.ts';
import { bsonTypeName, specText } from './specText.ts';

/** What the monitor has to know of an index; whether it is TTL is decided by the presence of the option alone. */
export interface TtlIndexSpec {
  /** The key pattern's fields in order; the value of a plain field is a number. */
  readonly key: readonly (readonly [path: string, value: unknown])[];
  /** The raw stored value, undefined if the spec has no such field. */
  readonly expireAfterSeconds: BsonValue | number | undefined;
  /** Hashed, text, 2d, 2dsphere, wildcard: anything but an ordinary B-tree. */
  readonly special: boolean;
}

/** Ids of the log lines with which the monitor passes over an index. 3.2's lines had no ids: 4.4's stand for them. */
export type TtlSkipLogId = 22540 | 22541 | 22542 | 6909100;

export type TtlKind =
  | { readonly type: 'notTtl' }
  /** `backward`: the index descends, so it is scanned from its end to work oldest first. */
  | { readonly type: 'works'; readonly expireAfterSeconds: number; readonly backward: boolean }
  | { readonly type: 'skipped'; readonly logId: TtlSkipLogId; readonly reason: string };

const COMPOUND = 'only an index on a single field can be a TTL index; compound indexes do not support TTL';
const SPECIAL = 'an index of a special type cannot be used for TTL';

/**
 * Whether the monitor works this index, and if not, with which log line it passes over it. Invalid specs can lie on disk
 * after an upgrade or through fail points. Upstream: ttl_monitor.cpp, getValidTTLIndex.
 */
export function ttlKindOf(spec: TtlIndexSpec, traits: VersionTraits): TtlKind {
  const { expireAfterSeconds: raw } = spec;
  if (raw === undefined) return { type: 'notTtl' };
  const compound = spec.key.length !== 1;
  // Line A asks before it looks the index up, with a line of its own; line B leaves it to the validation below.
  if (compound && !traits.ttlInvalidSkipsMetric) return { type: 'skipped', logId: 22540, reason: COMPOUND };
  if (spec.special) return { type: 'skipped', logId: 22541, reason: SPECIAL };
  const backward = Number(spec.key[0]?.[1]) < 0;
  if (!traits.ttlValidatesSpecs) return uncheckedKindOf(raw, backward, traits);
  const problem = secondsProblem(raw) ?? (compound ? COMPOUND : undefined);
  if (problem !== undefined) return { type: 'skipped', logId: 6909100, reason: problem };
  return { type: 'works', expireAfterSeconds: Number(truncateSeconds(raw)), backward };
}

/** Any number will do, a negative one too; from 4.4.16 on NaN is not one. Upstream: ttl.cpp of 4.4 and 6.0, SERVER-68359. */
function uncheckedKindOf(raw: BsonValue | number, backward: boolean, traits: VersionTraits): TtlKind {
  if (typeof raw !== 'number' && !isNumeric(raw)) return { type: 'skipped', logId: 22542, reason: notNumeric(raw) };
  if (isNaNValue(raw) && traits.ttlSeconds !== 'unchecked') return { type: 'skipped', logId: 22542, reason: NOT_NAN };
  return { type: 'works', expireAfterSeconds: Number(truncateSeconds(raw)), backward };
}

/** What is wrong with a raw value, in the order in which mongod asks; undefined if nothing is. */
function secondsProblem(raw: BsonValue | number): string | undefined {
  if (typeof raw !== 'number' && !isNumeric(raw)) return notNumeric(raw);
  if (isNaNValue(raw)) return NOT_NAN;
  const seconds = truncateSeconds(raw);
  if (BigInt.asIntN(32, seconds) !== seconds)
    return "'expireAfterSeconds' must be within the range of a 32-bit integer";
  return seconds < 0n ? NEGATIVE : undefined;
}

/** The same before 6.2, where the limit is the time that has passed since 1970, and NaN is 0. @param wallMs undefined: not known */
function sinceEpochProblem(raw: BsonValue, wallMs: number | undefined): string | undefined {
  if (!isNumeric(raw)) return notNumeric(raw);
  const seconds = truncateSeconds(raw);
  if (seconds < 0n) return NEGATIVE;
  const tooLarge = wallMs !== undefined && seconds * 1000n > BigInt(Math.floor(wallMs));
  return tooLarge ? "'expireAfterSeconds' must be within an acceptable range, try a lower number" : undefined;
}

function isNaNValue(raw: BsonValue | number): boolean {
  return typeof raw === 'number' ? Number.isNaN(raw) : isNotANumber(raw);
}

function notNumeric({ type }: BsonValue): string {
  return `'expireAfterSeconds' must be numeric, but its type is '${bsonTypeName(type)}'`;
}

const NOT_NAN = "'expireAfterSeconds' must not be NaN";
const NEGATIVE = "'expireAfterSeconds' cannot be less than 0";

const EXPIRE_AFTER_SECONDS = encodeName('expireAfterSeconds');
const KEY = encodeName('key');

/**
 * Checks the TTL option of one index spec as the client sent it (a whole BSON document with `key`); a spec without it
 * passes. Throws CommandError: 197 on an `_id` index, else 67. The wildcard check comes last, as the index's type is
 * looked at only when the index is prepared. 3.2 leaves values and compound keys to its monitor.
 * Upstream: index_key_validate.cpp, validateIndexSpecTTL; create_indexes.cpp of 4.4, validateTTLOptions.
 * @param wallMs this member's clock; undefined if it is unknown
 */
export function validateTtlSpec(indexSpec: Uint8Array, traits: VersionTraits, wallMs?: number): void {
  const raw = findField(indexSpec, EXPIRE_AFTER_SECONDS);
  if (raw === undefined) return;
  const key = keyOf(indexSpec);
  if (isIdKey(key)) {
    const errmsg = "The field 'expireAfterSeconds' is not valid for an _id index specification.";
    throw new CommandError('InvalidIndexSpecificationOption', `${errmsg} Specification: ${specText(indexSpec)}`);
  }
  if (traits.ttlSeconds === 'unchecked') return;
  checkSeconds(raw, indexSpec, traits, wallMs);
  const [only, ...others] = key;
  if (only === undefined || others.length > 0) {
    throw new CommandError('CannotCreateIndex', `${COMPOUND}. Index spec: ${specText(indexSpec)}`);
  }
  // `{'$**': 'text'}` is a text index, and its value no number.
  if (isWildcardPath(only[0]) && only[1] !== undefined) throw wildcardError();
}

function checkSeconds(raw: BsonValue, indexSpec: Uint8Array, traits: VersionTraits, wallMs: number | undefined): void {
  const modern = traits.ttlSeconds === 'int32';
  const problem = modern ? secondsProblem(raw) : sinceEpochProblem(raw, wallMs);
  if (problem === undefined) return;
  const spec = `. Index spec: ${specText(indexSpec)}`;
  // The context is joined as upstream joins it, odd as the leading full stop looks.
  throw new CommandError('CannotCreateIndex', modern ? `${spec} :: caused by :: ${problem}` : `${problem}${spec}`);
}

function wildcardError(): CommandError {
  const cause = "an index of type 'wildcard' does not support 'expireAfterSeconds'";
  return new CommandError('CannotCreateIndex', `cannot make a TTL index :: caused by :: ${cause}`);
}

function keyOf(indexSpec: Uint8Array): [path: string, value: unknown][] {
  const fields: [string, unknown][] = [];
  const key = findField(indexSpec, KEY);
  if (key?.type !== BsonType.object) return fields;
  const cursor = new ElementCursor(key.bytes, key.offset);
  while (cursor.next()) fields.push([cursor.name, numberIn(cursor)]);
  return fields;
}

function numberIn({ type, bytes, offset }: BsonValue): number | undefined {
  if (type === BsonType.int) return readInt32(bytes, offset);
  if (type === BsonType.double) return readDouble(bytes, offset);
  return type === BsonType.long ? readInt64AsNumber(bytes, offset) : undefined;
}

/** Exactly `{_id: 1}` or `{_id: -1}`; `{_id: 'hashed'}` is an ordinary index. Upstream: IndexDescriptor::isIdIndexPattern. */
export function isIdKey(key: TtlIndexSpec['key']): boolean {
  const [field] = key;
  return key.length === 1 && field?.[0] === '_id' && Math.abs(Math.trunc(Number(field[1]))) === 1;
}

function isWildcardPath(path: string): boolean {
  return path === '$**' || path.endsWith('.$**');
}

/**
 * The rules that need the collection: no TTL on a capped one before 7.1, and never a further TTL index on a capped
 * clustered one or on one with encrypted fields. Throws CommandError 67, 6049202 or 6346501. Upstream: index_catalog_impl.cpp, IndexCatalogImpl::_isSpecOk.
 */
export function checkTtlCollection(
  collection: { readonly capped: boolean; readonly clustered: boolean; readonly encrypted: boolean },
  traits: VersionTraits,
): void {
  if (collection.encrypted) throw new CommandError(6346501, 'an encrypted collection cannot have a TTL index');
  if (!collection.capped) return;
  if (collection.clustered)
    throw new CommandError(6049202, 'a capped clustered collection cannot have a secondary TTL index');
  if (!traits.ttlOnCapped) throw new CommandError('CannotCreateIndex', 'a capped collection cannot have a TTL index');
}

/**
 * What createIndexes stores: a number is to be written as int32 (from 7.3 on), a BsonValue as it lies. A value that is
 * invalid here has come past validation by a fail point, or is NaN in 6.0; a mongod then stores 2147483647.
 * Upstream: index_key_validate.cpp, validateIndexSpec and normalizeExpireAfterSeconds.
 */
export function storedExpireAfterSeconds(raw: BsonValue, traits: VersionTraits): BsonValue | number {
  if (traits.ttlSeconds === 'unchecked' || traits.ttlSeconds === 'sinceEpoch') return raw;
  if (traits.ttlSeconds === 'sinceEpochOrNever') return isNaNValue(raw) ? MAX_EXPIRE_AFTER_SECONDS : raw;
  return traits.ttlStoresInt || secondsProblem(raw) !== undefined ? listedExpireAfterSeconds(raw) : raw;
}

/** Whether listIndexes shows another value than is stored, with a warning; one of another number type is not worth one. */
export function isInvalidExpireAfterSeconds(raw: BsonValue): boolean {
  return secondsProblem(raw) !== undefined;
}

/** What listIndexes and initial sync show, always an int32: 2147483647 in place of an invalid value (warning 6835900). */
export function listedExpireAfterSeconds(raw: BsonValue): number {
  return secondsProblem(raw) === undefined ? Number(truncateSeconds(raw)) : MAX_EXPIRE_AFTER_SECONDS;
}
