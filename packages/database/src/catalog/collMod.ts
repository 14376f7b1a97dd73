import { type Needed, NOTHING, on, viewNeeds } from '@replsim/access';
import { type Operation, spend } from '@replsim/operations';
import {
  type CollectionChanges,
  checkCollectionUuid,
  fieldSet,
  isBucketsName,
  type Reply,
  splitNs,
  timeseriesCollection,
  viewDefinition,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { Asking } from '../needs.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { collectionChanges, parseCollectionChanges } from './collModCollection.ts';
import { changeIndex, parseIndexChange } from './collModIndex.ts';
import { changeView, checkNoViewOptions } from './collModView.ts';
import { ITS_COLLECTION } from './excluded.ts';
import { usesPowerOf2Sizes } from './storageEngines.ts';
import { redefineSeries } from './timeseriesView.ts';

// biome-ignore format: a list
const fields = fieldSet('collMod', 'index', 'expireAfterSeconds', 'validator', 'validationLevel', 'validationAction', 'viewOn',
  'pipeline', 'changeStreamPreAndPostImages', 'cappedSize', 'cappedMax', 'timeseries', 'dryRun', 'collectionUUID');
const fieldsOfMmapv1 = new Set([...fields, 'usePowerOf2Sizes']);

const NOT_OF_SERIES = ['validator', 'validationLevel', 'validationAction', 'changeStreamPreAndPostImages'];

/**
 * `{ collMod, index: { name | keyPattern, expireAfterSeconds?, hidden?, unique?, prepareUnique?, forceNonUnique? }, dryRun? }`
 * → old and new values. Checks in mongod's order. `{ collMod, expireAfterSeconds: n | "off", cappedSize?, cappedMax?, validator?,
 * validationLevel?, validationAction? }` changes the collection's own options, `{ collMod: VIEW, viewOn, pipeline }` a view.
 * Simplification: changes of an index and of the collection at once are two oplog entries. Errors: TypeMismatch 14, BadValue 2,
 * BackgroundOperationInProgressForNamespace 12587, NamespaceNotFound 26, InvalidOptions 72, InvalidNamespace 73, IndexNotFound 27,
 * AmbiguousIndexKeyPattern 181, CannotConvertIndexToUnique 359, CollectionUUIDMismatch 361. Upstream: coll_mod.cpp, parseCollModRequest.
 */
export const collMod: CommandDefinition = {
  name: 'collMod',
  help: 'changes the options of a collection, a view or an index',
  auth: collModNeeds,
  api: 'v1',
  ...ON_PRIMARY,
  excludes: ITS_COLLECTION,
  run,
};

function collModNeeds(asking: Asking): readonly Needed[] {
  const { args } = asking;
  // One of them alone is refused when the command runs.
  const definesView = args.has('viewOn') && args.has('pipeline');
  return [...on(args.ns, 'collMod'), ...(definesView ? viewNeeds(asking) : NOTHING)];
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, data, member, writes } = context;
  args.allow(member.traits.storageEngine === 'mmapv1' ? fieldsOfMmapv1 : fields);
  const { ns } = args;
  if (isBucketsName(splitNs(ns)[1]))
    throw new CommandError('InvalidNamespace', `${ns} are the buckets of a time series`);
  const change = parseIndexChange(args, member.traits);
  parseCollectionChanges(args, member.traits);
  yield* spend(member.costs.commitMicros);
  const series = timeseriesCollection(data, ns);
  const collection = series?.buckets ?? data.collection(ns);
  if (args.bool('dryRun') && !change?.unique) {
    throw new CommandError('InvalidOptions', "only 'index.unique: true' can be tried by 'dryRun'");
  }
  // Before anything else, once the parser is content.
  if (collection) member.indexBuilds.checkNone(collection);
  checkCollectionUuid(args, data, collection?.ns ?? ns);
  if (!collection && viewDefinition(data, ns)) return changeView(context);
  if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  checkNoViewOptions(context);
  for (const name of NOT_OF_SERIES) {
    if (series && args.value(name)) throw new CommandError('InvalidOptions', `a time series has no ${name}`);
  }
  const ofCollection = collectionChanges(args, collection, member.now.wallMs, member.traits);
  // Whatever is refused is refused before anything has changed.
  const others = ofCollection ? countCollectionChanges(ofCollection) : 0;
  const reply = change ? changeIndex(context, collection, change, others, series?.options) : {};
  if (args.bool('dryRun')) return reply;
  const flags = ofCollection && flagReply(collection, ofCollection);
  // What changes nothing is logged all the same: a change stream has an event for it.
  if (ofCollection || !change) writes.collModCollection(collection.ns, ofCollection ?? {});
  if (ofCollection?.timeseries && series) redefineSeries(context, ns);
  return { ...reply, ...flags };
}

/** Before and after. Upstream: collMod of 3.2. */
function flagReply(collection: CollectionView, { usePowerOf2Sizes }: CollectionChanges): Reply {
  if (usePowerOf2Sizes === undefined) return {};
  return { usePowerOf2Sizes_old: usesPowerOf2Sizes(collection), usePowerOf2Sizes_new: usePowerOf2Sizes };
}

/** How many changes of the collection's own the request makes; limits of a capped one are not counted upstream either. */
function countCollectionChanges(changes: CollectionChanges): number {
  return Object.keys(changes).filter((name) => name !== 'cappedSize' && name !== 'cappedMax').length;
}
