import { BsonWriter, type VersionTraits } from '@replsim/protocol';
import type { CommandArguments } from '../arguments.ts';
import { Fields } from '../fields.ts';
import { writeCappedOptions } from './cappedOptions.ts';
import { checkClusteredCapped, clusteredRequest, writeClusteredOptions } from './clusteredOptions.ts';
import { notSupported } from './notSupported.ts';
import { writePreImages } from './preImages.ts';

/** Options that a mongod takes and this program does not have; a default value of theirs passes. */
const unsupported = ['validator', 'encryptedFields', 'storageEngine', 'indexOptionDefaults', 'recordIdsReplicated'];

/**
 * Checks the options of `create` for what is neither a view nor time-series, and gives those that are kept, as
 * `listCollections` shows them. Errors: InvalidOptions 72, those of clustering, CommandNotSupported 115 for what is not
 * built: validators, collations.
 * @param wallMs this member's clock, by which a collection's `expireAfterSeconds` is measured
 * Upstream: collection_options.cpp, CollectionOptions::parse; create_command.cpp.
 */
export function collectionOptions(args: CommandArguments, wallMs: number, traits: VersionTraits): Uint8Array {
  const writer = new BsonWriter();
  const clustered = clusteredRequest(args, traits);
  if (clustered) checkClusteredCapped(args);
  checkUnsupported(args);
  if (!clustered) writeCappedOptions(args, writer);
  else if (args.bool('capped')) writer.bool('capped', true);
  for (const name of ['validationLevel', 'validationAction'] as const) {
    const value = args.string(name);
    if (value !== undefined) writer.string(name, value);
  }
  writePreImages(args, traits, writer);
  if (clustered) writeClusteredOptions(args, clustered, wallMs, writer);
  return writer.finish();
}

/** Throws CommandNotSupported 115 for what no collection can have here. */
export function checkUnsupported(args: CommandArguments): void {
  for (const name of unsupported)
    if (args.has(name) && !isEmpty(args, name)) throw notSupported(`the option '${name}'`);
  checkCollation(args.document('collation'));
}

/** Throws CommandNotSupported 115 for a collation that is not plain comparison. */
export function checkCollation(collation: Uint8Array | undefined): void {
  if (!collation || collation.length === 5) return;
  if (new Fields(collation, 'collation').requiredString('locale') !== 'simple') throw notSupported('a collation');
}

function isEmpty(args: CommandArguments, name: string): boolean {
  return args.document(name)?.length === 5;
}
