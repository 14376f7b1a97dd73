import { CommandError } from '@replsim/protocol';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { checkCreatableName, checkWritableName } from '../namespaces.ts';
import { collectionOptions } from './collectionOptions.ts';

// biome-ignore format: a list
const fields = fieldSet('create', 'autoIndexId', 'capped', 'size', 'max', 'storageEngine', 'validator', 'validationLevel',
  'validationAction', 'indexOptionDefaults', 'viewOn', 'pipeline', 'collation', 'encryptedFields', 'clusteredIndex',
  'changeStreamPreAndPostImages', 'timeseries', 'expireAfterSeconds', 'temp', 'flags', 'idIndex', 'recordIdsReplicated');

/**
 * `{ create, capped?, size?, max? }`. Errors: NamespaceExists 48, InvalidNamespace 73, InvalidOptions 72,
 * CommandNotSupported 115. Upstream: create_command.cpp, CmdCreate.
 */
export const create: CommandDefinition = {
  name: 'create',
  secondaries: 'never',
  maintenanceOk: false,
  isWrite: true,
  run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns, db, collection } = args;
  checkWritableName(db, collection);
  checkCreatableName(db, collection);
  const options = collectionOptions(args);
  yield* spend(member.costs.commitMicros);
  if (member.engine.collection(ns)) {
    throw new CommandError('NamespaceExists', `Collection ${ns} already exists.`);
  }
  member.writes.createCollection(ns, options);
  return {};
}
