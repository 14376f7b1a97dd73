import {
  type CommandArguments,
  checkIdAndHashed,
  checkPartialFilter,
  checkShape,
  completeCollation,
  defaultCollator,
  Fields,
  INDEX_OPTIONS,
  isBucketsName,
  numberOf,
  textOptionsOf,
  truthOf,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  decodePromoted,
  readString,
  type VersionTraits,
} from '@replsim/protocol';
import { compileFilter, sameCollation } from '@replsim/query';
import { describeDocument, type IndexSpec, parseIndexSpec, type ReadView } from '@replsim/storage';
import { storedExpireAfterSeconds, validateTtlSpec } from '@replsim/ttl';
import type { MemberServices } from '../member.ts';

/** Fields of a spec that are not kept, or not where they stand. */
const dropped: ReadonlySet<string> = new Set(['v', 'key', 'name', 'ns', 'dropDups', 'collation']);
/** Options of text indexes, which are completed; of other indexes nobody asks for them. */
const completed: ReadonlySet<string> = new Set([
  'weights',
  'default_language',
  'language_override',
  'textIndexVersion',
]);
/** Options of which nothing is kept when they say no. */
const onlyIfTrue: ReadonlySet<string> = new Set(['unique', 'hidden', 'prepareUnique']);

/**
 * The specs of a createIndexes command as they are stored: `v key name`, then the options. All are checked for their shape
 * first, then all for their TTL option. Errors: those of `checkShape`, of `validateTtlSpec`, of
 * `completeCollation`, of `checkPartialFilter` and of `textOptionsOf`. Upstream: create_indexes_cmd.cpp, parseAndValidateIndexSpecs.
 */
export function completeIndexSpecs(
  args: CommandArguments,
  member: Pick<MemberServices, 'traits' | 'failPoints' | 'log' | 'now'>,
  data: ReadView,
): IndexSpec[] {
  const { traits, failPoints } = member;
  const ignoreUnknown = args.bool('ignoreUnknownIndexOptions');
  const ofCollection = defaultCollator(data, args.ns)?.bytes;
  const sent = args.requiredDocuments('indexes').map((spec) => new Fields(spec, 'createIndexes.indexes'));
  const stored = sent.map((fields) => {
    const isId = inSpecification(fields, () => checkShape(fields, ignoreUnknown, traits));
    checkIdAndHashed(fields, isId);
    if (fields.bool('hidden')) checkMayHide(args.collection);
    const collation = inSpecification(fields, () => collationOf(fields, isId, ofCollection));
    inSpecification(fields, () => checkPartial(fields));
    // Upstream drops the validation of the stored value with the fail point, and stores what was sent.
    const asSent = fields.has('expireAfterSeconds') && failPoints.enter('skipTTLIndexExpireAfterSecondsValidation');
    return storedSpec(fields, isId, collation, asSent ? undefined : traits);
  });
  validateTtl(sent, args, member);
  return stored.map(parseIndexSpec);
}

/** Throws BadValue 2 for collections of the system, those of buckets excepted. */
export function checkMayHide(collection: string): void {
  if (!collection.startsWith('system.') || isBucketsName(collection)) return;
  throw new CommandError('BadValue', 'indexes of system collections cannot be hidden');
}

/** What every collection would refuse of an index. Errors: those of `checkShape`, of `validateTtlSpec`. */
export function checkIndexSpec(spec: Uint8Array, traits: VersionTraits): void {
  const fields = new Fields(spec, 'createIndexes.indexes');
  checkIdAndHashed(fields, checkShape(fields, false, traits));
  validateTtlSpec(spec, traits);
}

/** An error of a check names the spec that it is about, as there may be many. */
function inSpecification<T>({ bytes }: Fields, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const errmsg = `Error in specification ${describeDocument(bytes)} :: caused by :: ${error.message}`;
    throw new CommandError(error.code, errmsg, error.extra);
  }
}

function validateTtl(
  sent: readonly Fields[],
  args: CommandArguments,
  member: Pick<MemberServices, 'traits' | 'failPoints' | 'log' | 'now'>,
): void {
  if (member.failPoints.enter('skipTTLIndexValidationOnCreateIndex')) {
    const cmd = decodePromoted(args.bytes);
    member.log('I', 'INDEX', 6909101, 'Skipping the validation of TTL options, due to a fail point', { cmd });
  } else for (const { bytes } of sent) validateTtlSpec(bytes, member.traits, member.now.wallMs);
}

/**
 * The spec's own collation, else the collection's, of which version 1 knows nothing; undefined for plain comparison. Errors: BadValue 2 for another one of `_id`,
 * CannotCreateIndex 67 for kinds of indexes that have none. Upstream: index_catalog_impl.cpp, _isSpecOk.
 */
function collationOf(fields: Fields, isId: boolean, ofCollection: Uint8Array | undefined): Uint8Array | undefined {
  const sent = fields.document('collation');
  const isOld = fields.number('v') === 1;
  const collation = sent ? completeCollation(sent) : isOld ? undefined : ofCollection;
  if (isId && !sameCollation(collation, ofCollection)) {
    throw new CommandError('BadValue', 'the index on _id has the collation of its collection, and no other');
  }
  const plain = collation && pluginsOf(fields).find((plugin) => plugin === 'text' || plugin === '2d');
  if (plain) {
    throw new CommandError('CannotCreateIndex', `a ${plain} index has no collation: ${describeDocument(fields.bytes)}`);
  }
  return collation;
}

/** Errors: CannotCreateIndex 67, those of filters. */
function checkPartial(fields: Fields): void {
  const filter = fields.document('partialFilterExpression');
  if (!filter) return;
  if (fields.bool('sparse')) {
    throw new CommandError('CannotCreateIndex', 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  checkPartialFilter(filter);
  compileFilter(filter);
}

/** @param traits how `expireAfterSeconds` is stored; undefined: as it was sent */
function storedSpec(
  fields: Fields,
  isId: boolean,
  collation: Uint8Array | undefined,
  traits: VersionTraits | undefined,
): Uint8Array {
  const writer = new BsonWriter();
  const v = fields.value('v');
  writer.int32('v', v ? numberOf(v) : 2);
  const text = pluginsOf(fields).includes('text') ? textOptionsOf(fields) : undefined;
  if (text) writer.rawDocument('key', text.key);
  else writer.rawValue('key', fields.presentValue('key'));
  if (isId) writer.string('name', '_id_');
  else writer.rawValue('name', fields.presentValue('name'));
  for (const name of fields.names) {
    const value = fields.presentValue(name);
    if (dropped.has(name) || !INDEX_OPTIONS.has(name) || (text && completed.has(name))) continue;
    if (name === 'expireAfterSeconds') writeSeconds(writer, value, traits);
    else if (!onlyIfTrue.has(name)) writer.rawValue(name, value);
    else if (truthOf(value)) writer.bool(name, true);
  }
  if (isSphere(fields) && !fields.has('2dsphereIndexVersion')) writer.int32('2dsphereIndexVersion', 3);
  if (text) {
    writer.rawDocument('weights', text.weights);
    writer.string('default_language', text.defaultLanguage);
    writer.string('language_override', text.languageOverride);
    writer.int32('textIndexVersion', 3);
  }
  if (collation) writer.rawDocument('collation', collation);
  return writer.finish();
}

function isSphere(fields: Fields): boolean {
  return pluginsOf(fields).includes('2dsphere');
}

/** What a key pattern has in the place of directions. */
function pluginsOf(fields: Fields): string[] {
  const key = new Fields(fields.requiredDocument('key'), 'key');
  return key.names.flatMap((path) => {
    const value = key.presentValue(path);
    return value.type === BsonType.string ? [readString(value)] : [];
  });
}

function writeSeconds(writer: BsonWriter, value: BsonValue, traits: VersionTraits | undefined): void {
  const stored = traits ? storedExpireAfterSeconds(value, traits) : value;
  if (typeof stored === 'number') writer.int32('expireAfterSeconds', stored);
  else writer.rawValue('expireAfterSeconds', stored);
}
