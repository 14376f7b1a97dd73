import {
  type CollectionChanges,
  type CommandArguments,
  cappedLimits,
  cappedSizeOf,
  checkGranularityChange,
  Fields,
  type GranularityChange,
  isNumeric,
  limitIn,
  parsePreImages,
  parseValidation,
  timeseriesOptions,
  typeName,
} from '@replsim/pipeline';
import { BsonType, CommandError, readString, type VersionTraits } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { collectionExpireAfterSeconds } from '@replsim/ttl';
import { checkImplied, customSpan, granularityIn, spanIn } from './timeseriesArguments.ts';

const timeseriesFields = new Set(['granularity', 'bucketMaxSpanSeconds', 'bucketRoundingSeconds']);

/**
 * Throws what collMod's parser does of the options of the collection itself: TypeMismatch 14, 51024, and InvalidOptions 72
 * for those that this release has not. Upstream: coll_mod.idl.
 */
export function parseCollectionChanges(args: CommandArguments, traits: VersionTraits): void {
  for (const name of ['expireAfterSeconds', 'cappedSize', 'cappedMax']) {
    if (args.has(name) && !traits.clusteredCollections) {
      throw new CommandError('InvalidOptions', `collMod has no option ${name}`);
    }
  }
  if (args.has('changeStreamPreAndPostImages') && !traits.preImages) {
    throw new CommandError('InvalidOptions', 'collMod has no option changeStreamPreAndPostImages');
  }
  parsePreImages(args);
  const seconds = args.value('expireAfterSeconds');
  if (seconds && seconds.type !== BsonType.string && !isNumeric(seconds.type)) {
    const type = typeName(seconds.type);
    const types = "expected types '[string, long, int, decimal, double]'";
    throw new CommandError(
      'TypeMismatch',
      `BSON field 'collMod.expireAfterSeconds' is the wrong type '${type}', ${types}`,
    );
  }
  for (const name of ['cappedSize', 'cappedMax'] as const) limitIn(args, name);
}

/**
 * What is to change of the collection's own options, if anything.
 * Errors: InvalidOptions 72. Upstream: coll_mod.cpp, parseCollModRequest.
 */
export function collectionChanges(
  args: CommandArguments,
  collection: CollectionView,
  wallMs: number,
  traits: VersionTraits,
): CollectionChanges | undefined {
  const size = args.number('cappedSize');
  const max = args.number('cappedMax');
  if ((size !== undefined || max !== undefined) && !cappedLimits(collection)) {
    throw new CommandError('InvalidOptions', 'a collection that is not capped has no size or max to change');
  }
  const expireAfterSeconds = changedSeconds(args, collection, wallMs);
  const timeseries = changedTimeseries(args, collection);
  const changeStreamPreAndPostImages = parsePreImages(args);
  const changes = {
    ...(size !== undefined && { cappedSize: cappedSizeOf(size, traits) }),
    ...(max !== undefined && { cappedMax: max }),
    ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
    ...(timeseries && { timeseries }),
    ...parseValidation(args),
    ...(changeStreamPreAndPostImages && { changeStreamPreAndPostImages }),
    ...(args.has('usePowerOf2Sizes') && { usePowerOf2Sizes: args.bool('usePowerOf2Sizes') }),
  };
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function changedSeconds(args: CommandArguments, { clusteredIndex }: CollectionView, wallMs: number) {
  const value = args.value('expireAfterSeconds');
  if (!value) return undefined;
  if (!clusteredIndex) {
    throw new CommandError('InvalidOptions', "only what is clustered by _id can have 'expireAfterSeconds' of its own");
  }
  if (value.type === BsonType.string && readString(value) !== 'off') {
    throw new CommandError(
      'InvalidOptions',
      `'clusteredIndex::expireAfterSeconds' has to be a number or 'off', not '${readString(value)}'`,
    );
  }
  return collectionExpireAfterSeconds(value, wallMs);
}

/** Undefined if nothing is asked for. Errors: InvalidOptions 72, BadValue 2, 51024. */
function changedTimeseries(args: CommandArguments, collection: CollectionView): GranularityChange | undefined {
  const asked = args.document('timeseries');
  if (!asked) return undefined;
  const options = timeseriesOptions(collection);
  if (!options) {
    throw new CommandError('InvalidOptions', "'timeseries' is for time-series collections alone");
  }
  const change = granularityChange(new Fields(asked, 'collMod.timeseries'));
  if (change) checkGranularityChange(options, change);
  return change;
}

function granularityChange(fields: Fields): GranularityChange | undefined {
  fields.allow(timeseriesFields);
  const granularity = granularityIn(fields);
  const span = spanIn(fields, 'bucketMaxSpanSeconds');
  const rounding = spanIn(fields, 'bucketRoundingSeconds');
  if (granularity !== undefined) {
    checkImplied(granularity, span, rounding);
    return { granularity };
  }
  if (span === undefined && rounding === undefined) return undefined;
  return customSpan(span, rounding);
}
