import { BsonWriter, CommandError, ElementCursor } from '@replsim/protocol';
import type { IndexSpec } from '@replsim/storage';
import { listedExpireAfterSeconds } from '@replsim/ttl';
import type { Operation } from '../../operations/operation.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { shownClusteredIndex } from './clusteredIndexes.ts';
import { openList } from './openList.ts';

const fields = fieldSet('listIndexes', 'cursor', 'collectionUUID');

/** `{ listIndexes, cursor? }` → a cursor. Errors: NamespaceNotFound 26. Upstream: list_indexes.cpp. */
export const listIndexes: CommandDefinition = {
  name: 'listIndexes',
  secondaries: 'optIn',
  maintenanceOk: false,
  run: run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns, collection: name } = args;
  const collection = member.engine.collection(ns);
  const isOplog = ns === OPLOG_NS && member.oplogDocuments() !== undefined;
  if (!collection && !isOplog) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  const clustered = collection && shownClusteredIndex(collection);
  const indexes = [...(clustered ? [clustered] : []), ...(collection?.indexes ?? [])];
  const specs = indexes.map(({ spec }) => listedSpec(spec));
  return yield* openList(args, member, name, specs);
}

/** An index as clients are shown it: an invalid `expireAfterSeconds` as the largest valid one. */
export function listedSpec(spec: IndexSpec): Uint8Array {
  const { expireAfterSeconds } = spec;
  if (!expireAfterSeconds) return spec.bytes;
  const writer = new BsonWriter(spec.bytes.length + 8);
  const cursor = new ElementCursor(spec.bytes);
  while (cursor.next()) {
    const { name } = cursor;
    if (name === 'expireAfterSeconds') writer.int32(name, listedExpireAfterSeconds(expireAfterSeconds));
    else writer.rawValue(name, cursor);
  }
  return writer.finish();
}
