import { type Operation, waitWhileSet } from '@replsim/operations';
import {
  type CommandArguments,
  checkCollectionUuid,
  checkNotView,
  fieldSet,
  listSpecs,
  type Reply,
  seriesIndexSpec,
  shownClusteredIndex,
  type TimeseriesCollection,
  timeseriesCollection,
} from '@replsim/pipeline';
import { CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import type { IndexSpec, UnfinishedIndexesView } from '@replsim/storage';
import { Binary } from 'bson';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { MemberServices } from '../member.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { checkListCursor, openList } from './openList.ts';

const fields = fieldSet('listIndexes', 'cursor', 'collectionUUID', 'includeBuildUUIDs', 'includeIndexBuildInfo');

/**
 * `{ listIndexes, cursor?, includeBuildUUIDs?, includeIndexBuildInfo? }` → a cursor over all indexes, those that are being
 * built among them. Errors: NamespaceNotFound 26. Upstream: list_indexes.cpp.
 */
export const listIndexes: CommandDefinition = {
  name: 'listIndexes',
  byUuid: true,
  help: 'lists the indexes of a collection',
  auth: { action: 'listIndexes', resource: 'collection' },
  api: 'v1',
  kind: 'other',
  secondaries: 'optIn',
  maintenanceOk: false,
  run,
};

function* run({ args, data, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  checkListCursor(args);
  const { ns, collection: name } = args;
  checkCollectionUuid(args, data, ns);
  const series = timeseriesCollection(data, ns);
  if (series) return yield* openList(args, member, name, listSpecs(ns, seriesSpecs(series), member));
  checkNotView(data, ns);
  yield* waitWhileSet(member, 'hangBeforeListIndexes', { ns });
  const collection = data.collection(ns);
  const isOplog = ns === OPLOG_NS && member.oplogDocuments() !== undefined;
  if (!collection && !isOplog) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  const clustered = collection && shownClusteredIndex(collection);
  const indexes = [...(clustered ? [clustered] : []), ...(collection?.indexes ?? [])];
  const specs = indexes.map(({ spec }) => spec);
  const listed = listSpecs(ns, specs, member);
  const [uuids, infos] = [args.bool('includeBuildUUIDs'), args.bool('includeIndexBuildInfo')];
  if (uuids && infos)
    throw new CommandError('InvalidOptions', 'includeBuildUUIDs and includeIndexBuildInfo do not go together');
  const wrap = uuids || infos;
  const ready = wrap ? listed.map((spec) => encodeDocument({ spec: new RawBson(spec) })) : listed;
  const unfinished = (collection?.unfinished ?? []).flatMap((build) => listBuild(ns, build, args, member));
  return yield* openList(args, member, name, [...ready, ...unfinished]);
}

/** Those that are being built: like all others, unless the client asks to be told. */
function listBuild(
  ns: string,
  { uuid, indexes, isScanned }: UnfinishedIndexesView,
  args: CommandArguments,
  member: MemberServices,
): readonly Uint8Array[] {
  const specs = indexes.map(({ spec }) => spec);
  const buildUUID = new Binary(uuid, Binary.SUBTYPE_UUID);
  const listed = listSpecs(ns, specs, member);
  if (args.bool('includeBuildUUIDs')) {
    return listed.map((spec) => encodeDocument({ spec: new RawBson(spec), buildUUID }));
  }
  if (!args.bool('includeIndexBuildInfo')) return listed;
  const phase = isScanned ? { phase: 3, phaseStr: 'drain writes' } : { phase: 1, phaseStr: 'collection scan' };
  const indexBuildInfo = { buildUUID, method: 'Hybrid', ...phase };
  return listed.map((spec) => encodeDocument({ spec: new RawBson(spec), indexBuildInfo }));
}

/** Those indexes of the buckets that are indexes of the time series too. */
function seriesSpecs({ buckets, options }: TimeseriesCollection): IndexSpec[] {
  return buckets.indexes.flatMap(({ spec }) => seriesIndexSpec(spec, options) ?? []);
}
