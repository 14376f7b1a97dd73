import { BsonWriter, type VersionTraits } from '@replsim/protocol';
import { writeCappedOptions } from '../collections/cappedOptions.ts';
import { checkCollation } from '../collections/collation.ts';
import type { CommandArguments } from '../fields/arguments.ts';
import { checkClusteredCapped, clusteredRequest, writeClusteredOptions } from './clusteredOptions.ts';
import { notSupported } from './notSupported.ts';
import { writePreImages } from './preImages.ts';
import { writeValidation } from './validators.ts';

/** Options that a mongod takes and this program does not have; a default value of theirs passes. */
const unsupported = ['encryptedFields', 'storageEngine', 'indexOptionDefaults', 'recordIdsReplicated'];

/**
 * Checks the options of `create` for what is neither a view nor time-series, and gives those that are kept, as
 * `listCollections` shows them. Errors: InvalidOptions 72, those of clustering and of validators, CommandNotSupported 115
 * for what is not built.
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
  writeValidation(args, writer);
  const collation = args.document('collation');
  const complete = collation && checkCollation(collation);
  if (complete && clustered) throw notSupported('a clustered collection with a collation');
  if (complete) writer.rawDocument('collation', complete);
  writePreImages(args, traits, writer);
  if (clustered) writeClusteredOptions(args, clustered, wallMs, writer);
  return writer.finish();
}

/** Throws CommandNotSupported 115 for what no collection can have here, and what is wrong with a collation. */
export function checkUnsupported(args: CommandArguments): void {
  for (const name of unsupported)
    if (args.has(name) && !isEmpty(args, name)) throw notSupported(`the option '${name}'`);
  checkCollation(args.document('collation'));
}

function isEmpty(args: CommandArguments, name: string): boolean {
  return args.document(name)?.length === 5;
}
