import { CommandError } from '@replsim/protocol';
import type { Operation } from '../../operations/operation.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { shownClusteredIndex } from './clusteredIndexes.ts';
import { listSpecs } from './listedSpec.ts';
import { openList } from './openList.ts';

const fields = fieldSet('listIndexes', 'cursor', 'collectionUUID');

/** `{ listIndexes, cursor? }` → a cursor. Errors: NamespaceNotFound 26. Upstream: list_indexes.cpp. */
export const listIndexes: CommandDefinition = {
  name: 'listIndexes',
  secondaries: 'optIn',
  maintenanceOk: false,
  run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns, collection: name } = args;
  const collection = member.engine.collection(ns);
  const isOplog = ns === OPLOG_NS && member.oplogDocuments() !== undefined;
  if (!collection && !isOplog) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  const clustered = collection && shownClusteredIndex(collection);
  const indexes = [...(clustered ? [clustered] : []), ...(collection?.indexes ?? [])];
  const specs = indexes.map(({ spec }) => spec);
  return yield* openList(args, member, name, listSpecs(ns, specs, member));
}
