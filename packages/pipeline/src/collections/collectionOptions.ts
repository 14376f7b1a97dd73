import { BsonType, BsonWriter, CommandError, encodeDocument, type VersionTraits } from '@replsim/protocol';
import { sameCollation } from '@replsim/query';
import { describeDocument } from '@replsim/storage';
import type { CommandArguments } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';
import { writeCappedOptions } from './cappedOptions.ts';
import { checkClusteredCapped, clusteredRequest, writeClusteredOptions } from './clusteredOptions.ts';
import { checkCollation, completeCollation } from './collation.ts';
import { checkIdAndHashed, checkShape } from './indexSpecShape.ts';
import { notSupported } from './notSupported.ts';
import { writePreImages } from './preImagesOption.ts';
import { writeValidation } from './validators.ts';

/**
 * Checks the options of `create` for what is neither a view nor time-series, and gives those that are kept, as
 * `listCollections` shows them. Errors: InvalidOptions 72, those of clustering, of `idIndex` and of validators, Location50001
 * where there would be no index on `_id`, CommandNotSupported 115 for what is not built.
 * @param wallMs this member's clock, by which a collection's `expireAfterSeconds` is measured
 * Upstream: collection_options.cpp, CollectionOptions::parse; create_command.cpp.
 */
export function collectionOptions(args: CommandArguments, wallMs: number, traits: VersionTraits): Uint8Array {
  const writer = new BsonWriter();
  const clustered = clusteredRequest(args, traits);
  if (clustered) checkClusteredCapped(args);
  // Releases without collations do not know it.
  if (traits.indexCollations) checkIdIndex(args, traits);
  checkUnsupported(args);
  checkNotEncrypted(args);
  if (!clustered) writeCappedOptions(args, writer, traits);
  else if (args.bool('capped')) writer.bool('capped', true);
  if (!clustered) writeAutoIndexId(args, traits, writer);
  if (args.bool('temp')) writer.bool('temp', true);
  writeEngineOptions(args, writer);
  writeValidation(args, writer);
  const collation = args.document('collation');
  const complete = collation && completeCollation(collation);
  if (complete && clustered) throw notSupported('a clustered collection with a collation');
  if (complete) writer.rawDocument('collation', complete);
  writePreImages(args, traits, writer);
  if (clustered) writeClusteredOptions(args, clustered, wallMs, writer);
  return writer.finish();
}

/** Throws CommandNotSupported 115 for what no collection can have here, and what is wrong with a collation. */
export function checkUnsupported(args: CommandArguments): void {
  if (args.strictBool('recordIdsReplicated')) throw notSupported("the option 'recordIdsReplicated'");
  const collation = args.document('collation');
  if (collation) completeCollation(collation);
}

/**
 * What is said to the storage engine is kept and shown, and steers nothing here. Errors: TypeMismatch 14, BadValue 2 for what is no
 * document, InvalidOptions 72 for another engine. Upstream: collection_options.cpp; create_command.cpp; index_key_validate.cpp.
 */
function writeEngineOptions(args: CommandArguments, writer: BsonWriter): void {
  const engine = args.document('storageEngine');
  if (engine) {
    checkEngine(engine, 'create.storageEngine');
    writer.rawDocument('storageEngine', engine);
  }
  const defaults = args.document('indexOptionDefaults');
  if (!defaults) return;
  const fields = new Fields(defaults, 'create.indexOptionDefaults');
  fields.allow(defaultFields);
  const ofIndexes = fields.document('storageEngine');
  if (ofIndexes) checkEngine(ofIndexes, 'create.indexOptionDefaults.storageEngine');
  writer.rawDocument('indexOptionDefaults', defaults);
}

const defaultFields = new Set(['storageEngine']);

function checkEngine(options: Uint8Array, path: string): void {
  const fields = new Fields(options, path);
  if (fields.names.length === 0) throw new CommandError('InvalidOptions', 'Empty storage engine options are invalid.');
  for (const name of fields.names) {
    if (fields.presentValue(name).type !== BsonType.object) {
      throw new CommandError('BadValue', `Storage engine option ${path}.${name} must be an embedded document`);
    }
    if (name !== 'wiredTiger') throw new CommandError('InvalidOptions', `${name} is not a registered storage engine`);
  }
}

/** Errors: 40414 without `fields`, CommandNotSupported 115. Upstream: encryption_fields.idl, EncryptedFieldConfig. */
function checkNotEncrypted(args: CommandArguments): void {
  const sent = args.document('encryptedFields');
  if (!sent) return;
  const fields = new Fields(sent, 'create.encryptedFields');
  if (!fields.array('fields')) fields.missing('fields');
  throw notSupported("the option 'encryptedFields'");
}

/**
 * Whoever names the index on `_id` gets the one that is always made. Errors: those of `checkShape`, InvalidOptions 72 with
 * `autoIndexId`, BadValue 2 for another key or collation.
 * Upstream: create_command.cpp.
 */
function checkIdIndex(args: CommandArguments, traits: VersionTraits): void {
  const sent = args.document('idIndex');
  if (!sent) return;
  if (args.has('autoIndexId')) throw new CommandError('InvalidOptions', "'idIndex' is not allowed with 'autoIndexId'");
  const spec = new Fields(sent, 'create.idIndex');
  const isId = checkShape(spec, false, traits);
  if (!isId) {
    throw new CommandError(
      'BadValue',
      `'idIndex' is about the index {_id: 1}, not this one: ${describeDocument(sent)}`,
    );
  }
  checkIdAndHashed(spec, isId);
  const own = spec.document('collation');
  const ofCollection = checkCollation(args.document('collation'));
  // An index of version 1 has no collation, and takes none over.
  const isOther = own ? !sameCollation(completeCollation(own), ofCollection) : spec.number('v') === 1 && ofCollection;
  if (isOther) throw new CommandError('BadValue', "'idIndex' must have the same collation as the collection.");
}

/** The index on `_id` that a `create` asks for by `idIndex`, if it is another one than is made anyway: one of version 1. */
export function oldIdIndex(args: CommandArguments, { indexCollations }: VersionTraits): Uint8Array | undefined {
  const sent = indexCollations ? args.document('idIndex') : undefined;
  const isOld = sent && new Fields(sent, 'create.idIndex').number('v') === 1;
  return isOld ? encodeDocument({ v: 1, key: { _id: 1 }, name: '_id_' }) : undefined;
}

/**
 * Whether the index on `_id` is to be made, where somebody says so. Errors: Location50001 where it is not, as a collection that is
 * replicated has one; CommandNotSupported 115 where a mongod makes a collection without. Upstream: database_impl.cpp, createCollection.
 */
function writeAutoIndexId(args: CommandArguments, traits: VersionTraits, writer: BsonWriter): void {
  if (!args.value('autoIndexId')) return;
  if (args.bool('autoIndexId')) return writer.bool('autoIndexId', true);
  // Before 3.4 it was only discouraged.
  if (args.db === 'local' || !traits.indexCollations) throw notSupported('a collection without an index on _id');
  throw new CommandError(
    50001,
    `autoIndexId:false is not allowed for collection ${args.ns} because it can be replicated`,
  );
}
