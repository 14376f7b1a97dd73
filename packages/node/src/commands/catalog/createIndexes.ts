import { CommandError } from '@replsim/protocol';
import {
  type CollectionView,
  describeDocument,
  type IndexSpec,
  sameIdentity,
  samePlainOptions,
} from '@replsim/storage';
import { checkTtlCollection } from '@replsim/ttl';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../command.ts';
import { EMPTY_DOCUMENT } from '../documents.ts';
import { checkCreatableName, checkWritableName } from '../namespaces.ts';
import { cappedLimits } from './collectionOptions.ts';
import { completeIndexSpec } from './indexSpecs.ts';

const fields = fieldSet('createIndexes', 'indexes', 'ignoreUnknownIndexOptions', 'commitQuorum', 'v');

/** Indexes of a collection, at most. Upstream: index_catalog_impl.h, kMaxNumIndexesAllowed. */
const MAX_INDEXES = 64;
/** Documents that are gone through before others get their turn. */
const BUILD_SLICE = 1000;

/**
 * `{ createIndexes, indexes: [{ key, name, … }] }` → `{ numIndexesBefore, numIndexesAfter, createdCollectionAutomatically,
 * note?, commitQuorum? }`. All specs are checked before anything is made; then all are built, or none if one conflicts.
 * Errors: those of `completeIndexSpec`; 85 and 86 for conflicts; 11000 for duplicates. Upstream: create_indexes_cmd.cpp.
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
  const { ns, db, collection: name } = args;
  checkWritableName(db, name);
  const sent = args.requiredDocuments('indexes');
  if (sent.length === 0) throw new CommandError('BadValue', 'Must specify at least one index to create');
  const ignoreUnknown = args.bool('ignoreUnknownIndexOptions');
  const specs = sent.map((spec) => completeIndexSpec(spec, member, ignoreUnknown));
  const created = !member.engine.collection(ns);
  if (created) {
    checkCreatableName(db, name);
    yield* spend(member.costs.commitMicros);
    if (!member.engine.collection(ns)) member.writes.createCollection(ns, EMPTY_DOCUMENT);
  }
  const collection = member.engine.collection(ns)!;
  const numIndexesBefore = collection.indexes.length;
  const missing = missingIndexes(collection, specs, member);
  yield* build(member, ns, missing);
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

/** Those of the specs that have to be built. Throws if one conflicts with what exists, or with an earlier one. */
function missingIndexes(collection: CollectionView, specs: readonly IndexSpec[], member: MemberServices): IndexSpec[] {
  const capped = cappedLimits(collection) !== undefined;
  const existing = collection.indexes.map(({ spec }) => spec);
  const missing: IndexSpec[] = [];
  for (const spec of specs) {
    if (spec.expireAfterSeconds) checkTtlCollection({ capped, clustered: false }, member.traits);
    if (exists([...existing, ...missing], spec)) continue;
    missing.push(spec);
    if (existing.length + missing.length > MAX_INDEXES) {
      throw new CommandError(
        'CannotCreateIndex',
        `add index fails, too many indexes for ${collection.ns} key:${describeDocument(spec.keyPattern)}`,
      );
    }
  }
  return missing;
}

/**
 * Whether the very index exists. The name is looked up first, then key and identifying options; whatever is alike but
 * not the same is a conflict: 85 or 86. Upstream: index_catalog_impl.cpp, _doesSpecConflictWithExisting.
 */
function exists(existing: readonly IndexSpec[], spec: IndexSpec): boolean {
  const named = existing.find(({ name }) => name === spec.name);
  if (named) {
    if (!sameIdentity(named, spec)) {
      throw new CommandError(
        'IndexKeySpecsConflict',
        `An existing index has the same name as the requested index. ${shown(spec, named)}`,
      );
    }
    if (samePlainOptions(named, spec)) return true;
    throw new CommandError(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options. ${shown(spec, named)}`,
    );
  }
  const equivalent = existing.find((other) => sameIdentity(other, spec));
  if (!equivalent) return false;
  if (samePlainOptions(equivalent, spec)) {
    throw new CommandError('IndexOptionsConflict', `Index already exists with a different name: ${equivalent.name}`);
  }
  throw new CommandError(
    'IndexOptionsConflict',
    `An equivalent index already exists with a different name and options. ${shown(spec, equivalent)}`,
  );
}

function shown(requested: IndexSpec, existing: IndexSpec): string {
  return `Requested index: ${describeDocument(requested.bytes)}, existing index: ${describeDocument(existing.bytes)}`;
}

/** Goes through the documents for the time it takes, then makes each index at one instant. */
function* build(member: MemberServices, ns: string, specs: readonly IndexSpec[]): Operation<void> {
  if (specs.length === 0) return;
  const { commitMicros, indexBuildMicrosPerDocument } = member.costs;
  for (let left = member.engine.collection(ns)!.count; left > 0; left -= BUILD_SLICE) {
    yield* spend(Math.min(left, BUILD_SLICE) * specs.length * indexBuildMicrosPerDocument);
  }
  for (const spec of specs) {
    yield* spend(commitMicros);
    const collection = member.engine.collection(ns);
    if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
    // Another client may have made it meanwhile.
    if (
      !exists(
        collection.indexes.map((index) => index.spec),
        spec,
      )
    )
      member.writes.createIndex(ns, spec.bytes);
  }
}
