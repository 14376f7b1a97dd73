import { CommandError } from '@replsim/protocol';
import { buildIndexes } from '../../indexBuilds/buildIndexes.ts';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { bucketsIndexSpec } from '../../timeseries/indexSpecs.ts';
import { timeseriesCollection } from '../../timeseries/options.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { EMPTY_DOCUMENT } from '../documents.ts';
import { checkCreatableName, checkWritableName } from '../namespaces.ts';
import { checkNotClustered, indexCount } from './clusteredIndexes.ts';
import { completeIndexSpecs } from './indexSpecs.ts';
import { missingIndexes } from './missingIndexes.ts';

const fields = fieldSet('createIndexes', 'indexes', 'ignoreUnknownIndexOptions', 'commitQuorum', 'v');

/**
 * `{ createIndexes, indexes: [{ key, name, … }] }` → `{ numIndexesBefore, numIndexesAfter, createdCollectionAutomatically,
 * note?, commitQuorum? }`. All specs are checked before anything is made; then all are built, or none if one conflicts.
 * Errors: those of `completeIndexSpecs`; 85 and 86 for conflicts; 11000 for duplicates. Upstream: create_indexes_cmd.cpp.
 */
export const createIndexes: CommandDefinition = {
  name: 'createIndexes',
  secondaries: 'never',
  maintenanceOk: false,
  isWrite: true,
  run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { db, collection: name } = args;
  const series = timeseriesCollection(member.engine, args.ns);
  const ns = series?.buckets.ns ?? args.ns;
  checkWritableName(db, name);
  if (args.requiredDocuments('indexes').length === 0) {
    throw new CommandError('BadValue', 'Must specify at least one index to create');
  }
  const asked = completeIndexSpecs(args, member);
  const specs = series ? asked.map((spec) => bucketsIndexSpec(spec, series.options)) : asked;
  const created = !member.engine.collection(ns);
  if (created) {
    checkCreatableName(db, name);
    checkNotClustered(specs);
    yield* spend(member.costs.commitMicros);
    if (!member.engine.collection(ns)) member.writes.createCollection(ns, EMPTY_DOCUMENT);
  }
  const collection = member.engine.collection(ns)!;
  const numIndexesBefore = indexCount(collection);
  const missing = missingIndexes(collection, specs, member);
  yield* buildIndexes(member, ns, missing);
  const numIndexesAfter = numIndexesBefore + missing.length;
  return {
    numIndexesBefore,
    numIndexesAfter,
    createdCollectionAutomatically: created,
    ...(missing.length === 0
      ? { note: 'all indexes already exist' }
      : member.memberState !== 'STANDALONE' && { commitQuorum: 'votingMembers' }),
  };
}
