import { type BsonWriter, CommandError, type VersionTraits } from '@replsim/protocol';
import type { CommandArguments } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';

const NAME = 'changeStreamPreAndPostImages';
const known = new Set(['enabled']);
const INTERNAL: ReadonlySet<string> = new Set(['admin', 'config', 'local']);

/** Checks `changeStreamPreAndPostImages` of `create`, and writes it if it is true; 3.2 passes over it. Errors: those of `parsePreImages`. */
export function writePreImages(args: CommandArguments, traits: VersionTraits, writer: BsonWriter): void {
  if (!traits.preImages || !parsePreImages(args)?.enabled) return;
  writer.beginDocument(NAME);
  writer.bool('enabled', true);
  writer.endDocument();
}

/**
 * `changeStreamPreAndPostImages: { enabled }` of `create` and `collMod`. Errors: TypeMismatch 14, 40414 without `enabled`, 40415,
 * InvalidOptions 72 in the databases of the system.
 * Upstream: change_stream_pre_and_post_images_options.idl; create_collection.cpp; coll_mod.cpp.
 */
export function parsePreImages(args: CommandArguments): { readonly enabled: boolean } | undefined {
  const sent = args.document(NAME);
  if (!sent) return undefined;
  const fields = new Fields(sent, `${args.name}.${NAME}`);
  fields.allow(known);
  if (!fields.has('enabled')) fields.missing('enabled');
  const enabled = fields.bool('enabled');
  if (enabled && INTERNAL.has(args.db)) {
    throw new CommandError('InvalidOptions', `'${NAME}' is not allowed in the database '${args.db}'`);
  }
  return { enabled };
}
