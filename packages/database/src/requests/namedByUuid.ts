import { CommandArguments, uuidOf } from '@replsim/pipeline';
import { BsonType, BsonWriter, CommandError, ElementCursor, formatUuid, splitNamespace } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';

/**
 * A command that names its collection by a UUID, as it would name it otherwise. Errors: NamespaceNotFound 26 where no collection of
 * this database has it, InvalidUUID 207. Upstream: collection_catalog.cpp, resolveNamespaceStringOrUUID.
 */
export function namedByName(args: CommandArguments, data: ReadView): CommandArguments {
  const value = args.rawValue(args.name);
  if (value?.type !== BsonType.binData) return args;
  const uuid = uuidOf(value, `${args.name}.${args.name}`);
  const [db, collection] = splitNamespace(data.collectionByUuid(uuid)?.ns ?? '.');
  if (db !== args.db)
    throw new CommandError('NamespaceNotFound', `Unable to resolve ${formatUuid(uuid)} in ${args.db}`);
  const writer = new BsonWriter(args.bytes.length + 64);
  const fields = new ElementCursor(args.bytes);
  while (fields.next()) {
    if (fields.name === args.name) writer.string(args.name, collection);
    else writer.rawValue(fields.name, fields.value());
  }
  const named = new CommandArguments(writer.finish());
  named.uid = args.uid;
  return named;
}
