import { type BsonWriter, CommandError, encodeName, findField, type VersionTraits } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandArguments } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';
import { bytesOf } from '../fields/values.ts';

const NAME = 'changeStreamPreAndPostImages';
const ENCODED = encodeName(NAME);
const known = new Set(['enabled']);
const INTERNAL: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/**
 * Whether the collection is to keep what documents were before they were changed, for change streams. Simplification: nothing
 * is kept, as there are no change streams here; but each document is then deleted by itself.
 * Upstream: collection.h, Collection::isChangeStreamPreAndPostImagesEnabled.
 */
export function keepsPreImages({ options }: Pick<CollectionView, 'options'>): boolean {
  const value = findField(options, ENCODED);
  return value !== undefined && new Fields(bytesOf(value), NAME).bool('enabled');
}

/**
 * Checks `changeStreamPreAndPostImages: { enabled }` of `create`, and writes it if it is true; 3.2 passes over it. Errors:
 * 40414 without `enabled`, 40415, InvalidOptions 72 in the databases of the system.
 * Upstream: change_stream_pre_and_post_images_options.idl; create_collection.cpp.
 */
export function writePreImages(args: CommandArguments, traits: VersionTraits, writer: BsonWriter): void {
  const sent = traits.preImages && args.document(NAME);
  if (!sent) return;
  const fields = new Fields(sent, `create.${NAME}`);
  fields.allow(known);
  if (!fields.has('enabled')) fields.missing('enabled');
  if (!fields.bool('enabled')) return;
  if (INTERNAL.has(args.db)) {
    throw new CommandError('InvalidOptions', `'${NAME}' is not allowed in the database '${args.db}'`);
  }
  writer.beginDocument(NAME);
  writer.bool('enabled', true);
  writer.endDocument();
}
