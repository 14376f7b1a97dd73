import { type Operation, spend, TRANSACTIONS_NS } from '@replsim/operations';
import {
  bucketsIndexSpec,
  type CommandArguments,
  type CommitQuorum,
  checkCollectionUuid,
  checkCreatableName,
  checkNotClustered,
  checkNotView,
  checkWritableName,
  EMPTY_DOCUMENT,
  fieldSet,
  indexCount,
  notSupported,
  parseCommitQuorum,
  type Reply,
  timeseriesCollection,
  VOTING_MEMBERS,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView, IndexSpec, ReadView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { BuildStats, MemberFacts } from '../member.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { completeIndexSpecs } from './indexSpecs.ts';
import { buildsOf, missingIndexes } from './missingIndexes.ts';
import { checkIndexable, checkNotSystem, checkReadConcernOfDdl } from './transactionalDdl.ts';

const fields = fieldSet('createIndexes', 'indexes', 'ignoreUnknownIndexOptions', 'commitQuorum', 'v', 'collectionUUID');

/**
 * `{ createIndexes, indexes: [{ key, name, … }] }` → `{ numIndexesBefore, numIndexesAfter, createdCollectionAutomatically,
 * note?, commitQuorum? }`. All specs are checked before anything is made; then all are built, or none if one conflicts.
 * An index that is being built already is waited for. Errors: those of `completeIndexSpecs`; 20 on the table of sessions; 85 and 86 for conflicts; 278
 * and 79 for a `commitQuorum` that cannot be had; 361; what ends a build, 11000 and 276 among it.
 * Upstream: create_indexes_cmd.cpp.
 */
export const createIndexes: CommandDefinition = {
  name: 'createIndexes',
  help: 'builds indexes',
  auth: { action: 'createIndex', resource: 'collection' },
  api: 'v1',
  ...ON_PRIMARY,
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, data, member, transaction } = context;
  args.allow(fields);
  if (transaction) checkNotSystem(args);
  checkReadConcernOfDdl(args, transaction);
  // Upstream: what keeps the sessions does not look after its indexes.
  if (args.ns === TRANSACTIONS_NS) {
    throw new CommandError('IllegalOperation', `clients make no index on ${TRANSACTIONS_NS}`);
  }
  const { db, collection: name } = args;
  const series = timeseriesCollection(data, args.ns);
  const ns = series?.buckets.ns ?? args.ns;
  checkWritableName(db, name);
  if (args.requiredDocuments('indexes').length === 0) {
    throw new CommandError('BadValue', 'Must specify at least one index to create');
  }
  const asked = completeIndexSpecs(args, member, data);
  if (series && asked.some(({ collator }) => collator)) throw notSupported('a collated index on a time series');
  const specs = series ? asked.map((spec) => bucketsIndexSpec(spec, series.options, member.traits)) : asked;
  const commitQuorum = quorumOf(args, member);
  checkCollectionUuid(args, data, ns);
  checkNotView(data, ns);
  const created = !data.collection(ns);
  if (created) {
    checkCreatableName(db, name);
    checkNotClustered(specs);
    yield* spend(member.costs.commitMicros);
    if (!data.collection(ns)) context.writes.createCollection(ns, EMPTY_DOCUMENT);
  }
  const stats = yield* make(context, ns, specs, commitQuorum);
  return {
    numIndexesBefore: stats.numIndexesBefore,
    numIndexesAfter: stats.numIndexesAfter,
    createdCollectionAutomatically: created,
    ...(stats.numIndexesBefore === stats.numIndexesAfter
      ? { note: 'all indexes already exist' }
      : commitQuorum !== undefined && { commitQuorum }),
  };
}

/** Undefined where none is of meaning. Throws BadValue 2 for one that is given there, and what is wrong with it elsewhere. */
function quorumOf(args: CommandArguments, member: MemberFacts): CommitQuorum | undefined {
  const value = args.value('commitQuorum');
  const builds = member.memberState !== 'STANDALONE' && member.traits.twoPhaseIndexBuilds;
  if (!value) return builds ? VOTING_MEMBERS : undefined;
  if (!builds) throw new CommandError('BadValue', 'a standalone has no commitQuorum');
  return parseCommitQuorum(value);
}

/** At once while the collection is empty; else as a build of its own, after those that make some of them already. */
function* make(
  { data, member, writes, transaction }: CommandContext,
  ns: string,
  specs: readonly IndexSpec[],
  commitQuorum: CommitQuorum | undefined,
): Operation<BuildStats> {
  // Whatever has taken time, all is looked at again: others may have got here first.
  for (let paid = false; ; ) {
    const collection = requireCollection(data, ns);
    const missing = missingIndexes(collection, specs, member);
    const numIndexesBefore = indexCount(collection);
    if (transaction) checkIndexable(collection, missing, transaction);
    const builds = buildsOf(collection, specs);
    if (builds.length > 0) {
      for (const { uuid } of builds) member.indexBuilds.checkGoesOn(collection, uuid);
      member.log('I', 'INDEX', 20450, 'createIndexes waits for the build of one of its indexes', {});
      // By the catalog, as above: a wait for anything less would end at once, and begin again at the same instant, for ever.
      const areBuilt = () => {
        const now = data.collection(ns);
        return now === undefined || buildsOf(now, specs).length === 0;
      };
      yield { type: 'wait', what: 'indexBuild', ready: areBuilt };
    } else if (missing.length === 0) {
      return { numIndexesBefore, numIndexesAfter: numIndexesBefore };
    } else if (!transaction && member.sessions.anyTouches((touched) => touched === ns)) {
      yield* member.sessions.locks.exclusive((touched) => touched === ns);
    } else if (!paid) {
      // Nobody votes about an index of an empty collection.
      if (commitQuorum !== undefined && collection.count > 0) member.indexBuilds.checkCommitQuorum(commitQuorum);
      yield* spend(missing.length * member.costs.commitMicros);
      paid = true;
    } else if (collection.count === 0) {
      for (const spec of missing) writes.createIndex(ns, spec.bytes);
      return { numIndexesBefore, numIndexesAfter: numIndexesBefore + missing.length };
    } else if (member.indexBuilds.mayStart) {
      return yield* member.indexBuilds.build({ collection, specs: missing, commitQuorum });
    } else {
      yield* member.indexBuilds.awaitStart();
    }
  }
}

function requireCollection(data: ReadView, ns: string): CollectionView {
  const collection = data.collection(ns);
  if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  return collection;
}
