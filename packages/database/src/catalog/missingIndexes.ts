import { cappedLimits, existsAsClustered, Fields } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import {
  type CollectionView,
  describeDocument,
  type IndexSpec,
  sameIdentity,
  samePlainOptions,
} from '@replsim/storage';
import { checkTtlCollection } from '@replsim/ttl';
import type { MemberFacts } from '../member.ts';

/** Indexes of a collection, at most. Upstream: index_catalog_impl.h, kMaxNumIndexesAllowed. */
const MAX_INDEXES = 64;

/**
 * Those of the specs that have to be built. Throws if one conflicts with what exists or is being built, or with an
 * earlier one.
 */
export function missingIndexes(
  collection: CollectionView,
  specs: readonly IndexSpec[],
  member: MemberFacts,
): IndexSpec[] {
  const existing = specsOf(collection);
  const missing: IndexSpec[] = [];
  for (const spec of specs) {
    if (spec.expireAfterSeconds) checkTtlCollection(kindOf(collection), member.traits);
    if (existsAsClustered(collection, spec)) continue;
    if (exists([...existing, ...missing], spec)) continue;
    refuseSecondText([...existing, ...missing], spec);
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

/** What makes some of these very indexes already. Call it after `missingIndexes`, which refuses whatever conflicts. */
export function buildsOf({ unfinished }: CollectionView, specs: readonly IndexSpec[]): CollectionView['unfinished'] {
  return unfinished.filter(({ indexes }) =>
    indexes.some((index) => specs.some(({ name }) => name === index.spec.name)),
  );
}

function specsOf({ indexes, unfinished }: CollectionView): IndexSpec[] {
  return [...indexes, ...unfinished.flatMap((build) => build.indexes)].map(({ spec }) => spec);
}

function kindOf(collection: CollectionView): Parameters<typeof checkTtlCollection>[0] {
  return {
    capped: cappedLimits(collection) !== undefined,
    clustered: collection.clusteredIndex !== undefined,
    encrypted: new Fields(collection.options, 'options').has('encryptedFields'),
  };
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
        'An existing index has the same name as the requested index. When index names are not specified, they are auto ' +
          `generated and can cause conflicts. Please refer to our documentation. ${shown(spec, named)}`,
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

/** Errors: CannotCreateIndex 67. Upstream: index_catalog_impl.cpp, _doesSpecConflictWithExisting. */
function refuseSecondText(existing: readonly IndexSpec[], { kind }: IndexSpec): void {
  const other = kind === 'text' ? existing.find((each) => each.kind === 'text') : undefined;
  if (!other) return;
  throw new CommandError(
    'CannotCreateIndex',
    `only one text index per collection allowed, found existing text index "${other.name}"`,
  );
}

function shown(requested: IndexSpec, existing: IndexSpec): string {
  return `Requested index: ${describeDocument(requested.bytes)}, existing index: ${describeDocument(existing.bytes)}`;
}
