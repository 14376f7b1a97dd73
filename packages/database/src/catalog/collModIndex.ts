import {
  type CommandArguments,
  cappedLimits,
  Fields,
  jsValueOf,
  type Reply,
  splitNs,
  type TimeseriesOptions,
  timeseriesOptions,
} from '@replsim/pipeline';
import { CommandError, type VersionTraits } from '@replsim/protocol';
import type { CollectionView, IndexSpec, IndexView } from '@replsim/storage';
import {
  checkCollModCollection,
  checkCollModIndex,
  checkCollModSeconds,
  collModReply,
  collModSeconds,
  type TtlIndexSpec,
} from '@replsim/ttl';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts } from '../member.ts';
import { checkConvertible, type UniqueRequest, uniqueChange, uniqueReply } from './collModUnique.ts';
import { hasKey, indexByKey } from './dropIndexes.ts';
import { checkMayHide } from './indexSpecs.ts';

const indexFields = new Set([
  'name',
  'keyPattern',
  'expireAfterSeconds',
  'hidden',
  'unique',
  'prepareUnique',
  'forceNonUnique',
]);

/** What is to change of an index, checked by the parser alone. */
export interface IndexChange extends UniqueRequest {
  readonly name: string | undefined;
  readonly request: Fields;
  /** Unit: seconds; may still be negative. */
  readonly seconds: number | undefined;
  readonly hidden: boolean | undefined;
}

/** What the request's `index` says; undefined if it has none. Throws what the parser finds. */
export function parseIndexChange(args: CommandArguments, traits: VersionTraits): IndexChange | undefined {
  const index = args.document('index');
  if (!index) return undefined;
  const request = new Fields(index, 'collMod.index');
  request.allow(indexFields);
  checkKnown(request, traits);
  const value = request.value('expireAfterSeconds');
  request.document('keyPattern');
  return {
    name: request.string('name'),
    request,
    seconds: value && collModSeconds(value, traits),
    hidden: request.value('hidden') && request.bool('hidden'),
    unique: request.value('unique') && request.bool('unique'),
    prepareUnique: request.value('prepareUnique') && request.bool('prepareUnique'),
    forceNonUnique: request.value('forceNonUnique') && request.bool('forceNonUnique'),
  };
}

/** What an old release knows nothing of. */
function checkKnown(request: Fields, { collModByName, hiddenIndexes, uniqueConversion }: VersionTraits): void {
  if (!collModByName && !request.has('keyPattern')) throw new CommandError('InvalidOptions', 'no keyPattern specified');
  if (!collModByName && request.has('name')) throw unknownOption('name');
  if (!hiddenIndexes && request.has('hidden')) throw unknownOption('hidden');
  const ofUnique = ['unique', 'prepareUnique', 'forceNonUnique'].find((name) => request.has(name));
  if (!uniqueConversion && ofUnique !== undefined) throw unknownOption(ofUnique);
}

function unknownOption(name: string): CommandError {
  return new CommandError('InvalidOptions', `collMod has no option index.${name}`);
}

/**
 * Changes one index, or only looks whether it could, and tells the old and new values, seconds as int64. Its errors come after
 * the parser's.
 * @param others how many changes the request makes of the collection itself
 */
export function changeIndex(
  { args, member, writes }: CommandContext<MemberFacts>,
  collection: CollectionView,
  change: IndexChange,
  others: number,
  series?: TimeseriesOptions,
): Reply {
  const { seconds, hidden } = change;
  checkPresence(change);
  if (seconds !== undefined) {
    const capped = cappedLimits(collection) !== undefined;
    checkCollModCollection({ capped, timeseries: timeseriesOptions(collection) !== undefined }, member.traits);
    checkCollModSeconds(seconds);
  }
  // The clustered index of a time series is none that anybody sees.
  if (!series) checkNotClustered(collection, change);
  if (series && change.prepareUnique !== undefined) {
    throw new CommandError('InvalidOptions', "an index of a time series has no 'prepareUnique'");
  }
  const index = findIndex(collection, change, series);
  const { spec } = index;
  if (seconds !== undefined) checkCollModIndex(ttlView(spec), member.traits);
  const ofUnique = uniqueChange(change, spec, countChanges(change) + others);
  if (hidden !== undefined) checkHideable(collection, spec);
  // Hiding what is hidden changes nothing, and nothing is said of it.
  const hides = hidden !== undefined && hidden !== spec.hidden;
  const dryRun = args.bool('dryRun');
  if (dryRun && countChanges(change) + others > 1) {
    throw new CommandError('InvalidOptions', "'unique: true' stands alone in a 'dryRun'");
  }
  if (change.unique) checkConvertible(collection, index);
  if (dryRun) return {};
  writes.collModIndex(collection.ns, spec.name, {
    ...(seconds !== undefined && { expireAfterSeconds: seconds }),
    ...(hides && { hidden }),
    ...ofUnique,
  });
  return {
    ...(seconds !== undefined && secondsReply(spec, seconds, member.traits)),
    ...(hides && { hidden_old: spec.hidden, hidden_new: hidden }),
    ...uniqueReply(spec, ofUnique),
  };
}

/** Before 5.1 nothing is told where nothing changes. Upstream: coll_mod.cpp of 4.4. */
function secondsReply({ expireAfterSeconds }: IndexSpec, seconds: number, traits: VersionTraits): Reply {
  const reply = collModReply(expireAfterSeconds, seconds);
  const same = reply.expireAfterSeconds_old === reply.expireAfterSeconds_new;
  return same && !traits.ttlConversion ? {} : reply;
}

function checkHideable({ ns }: CollectionView, spec: IndexSpec): void {
  const [, name] = splitNs(ns);
  checkMayHide(name);
  if (spec.name === '_id_') throw new CommandError('BadValue', "can't hide _id index");
}

/** How many changes of an index a request asks for, those that change nothing included. Upstream: numModifications. */
function countChanges({ seconds, hidden, unique, prepareUnique, forceNonUnique }: IndexChange): number {
  return [seconds, hidden, unique, prepareUnique, forceNonUnique].filter((value) => value !== undefined).length;
}

function checkPresence(change: IndexChange): void {
  const { name, request, unique, forceNonUnique } = change;
  // A field that is null counts as absent. Upstream: idl_parser.cpp, checkAndAssertType.
  const byKey = request.value('keyPattern') !== undefined;
  if ((name !== undefined) === byKey) {
    const which = byKey ? 'not by both' : 'and neither is given';
    throw new CommandError('InvalidOptions', `an index is told by its name or its keyPattern, ${which}`);
  }
  if (countChanges(change) === 0) {
    throw new CommandError('InvalidOptions', 'no expireAfterSeconds, hidden, unique, or prepareUnique field');
  }
  if (unique !== undefined && forceNonUnique !== undefined) {
    throw new CommandError('InvalidOptions', "an index cannot be changed by 'unique' and by 'forceNonUnique' at once");
  }
}

/** The records' own order cannot be hidden: 6011800. Upstream: coll_mod.cpp. */
function checkNotClustered({ clusteredIndex }: CollectionView, { name, request, hidden }: IndexChange): void {
  if (!clusteredIndex || hidden === undefined) return;
  const { spec } = clusteredIndex;
  const key = request.value('keyPattern');
  if (name === undefined ? !hasKey(spec, key!) : name !== spec.name) return;
  throw new CommandError(6011800, "a clustered index cannot be 'hidden'");
}

function findIndex(
  collection: CollectionView,
  { name, request }: IndexChange,
  series: TimeseriesOptions | undefined,
): IndexView {
  if (name === undefined) return indexByKey(collection, request.value('keyPattern')!, series);
  const index = collection.index(name);
  if (!index) throw new CommandError('IndexNotFound', `cannot find index ${name} for ns ${collection.ns}`);
  return index;
}

/** An index as the TTL rules look at it. */
function ttlView(spec: IndexSpec): TtlIndexSpec {
  const key = new Fields(spec.keyPattern, 'key');
  return {
    key: key.names.map((path) => [path, jsValueOf(key.presentValue(path))] as const),
    expireAfterSeconds: spec.expireAfterSeconds,
    special: spec.kind !== 'ordered',
  };
}
