import type { CollectionScans } from '@replsim/operations';
import {
  checkNotView,
  documentOf,
  EMPTY_DOCUMENT,
  Fields,
  listedSpec,
  type Reply,
  type Stage,
  seriesIndexSpec,
  timeseriesCollection,
  viewDefinition,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import { latencyReply } from '../admin/serverSections.ts';
import { namespaceStats, statsScaleOf } from '../admin/stats.ts';
import type { CommandContext } from '../definition.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { currentOp } from './currentOpStage.ts';
import { listCatalog } from './listCatalog.ts';
import { listLocalSessions, listSessions } from './listSessions.ts';

/** The documents of a stage that takes none. @param ns the collection, or the database's `$cmd.aggregate` */
export function sourceDocuments(stage: Stage, context: CommandContext, ns: string): Uint8Array[] {
  switch (stage.name) {
    case '$currentOp':
      return currentOp(stage, context);
    case '$indexStats':
      if (stage.spec.type !== BsonType.object || stage.spec.size > 5) {
        throw new CommandError(28803, 'The $indexStats stage specification must be an empty object');
      }
      checkOnCollection(stage, context, ns);
      return indexStats(context, ns).map(encodeDocument);
    case '$listCatalog':
      return listCatalog(stage, context, ns);
    case '$listLocalSessions':
      return listLocalSessions(stage, context);
    case '$listSessions':
      return listSessions(stage, context, ns);
    case '$planCacheStats':
      // Plans are chosen anew each time.
      checkPlanCacheFields(new Fields(documentOf(stage), stage.name));
      checkOnCollection(stage, context, ns);
      return [];
    default:
      checkOnCollection(stage, context, ns);
      return [encodeDocument(collStats(stage, context, ns))];
  }
}

/** Errors: FailedToParse 9. Upstream: document_source_plan_cache_stats.h, LiteParsed::parse. */
function checkPlanCacheFields(fields: Fields): void {
  const unknown = fields.names.find((name) => name !== 'allHosts');
  if (unknown !== undefined) {
    const errmsg = `$planCacheStats parameters object may contain only 'allHosts' field. Found: ${unknown}`;
    throw new CommandError('FailedToParse', errmsg);
  }
  fields.strictBool('allHosts');
}

/**
 * Behind the stages of a view these are no longer first, and a view has no statistics. Time series answer for themselves.
 * Errors: Location40602, CommandNotSupportedOnView 166.
 */
function checkOnCollection(stage: Stage, context: CommandContext, ns: string): void {
  const view = context.data;
  if (timeseriesCollection(view, ns)) return;
  if (stage.name === '$collStats') {
    if (asksForStorage(stage)) checkNotView(view, ns);
  } else if (viewDefinition(view, ns)) throw new CommandError(40602, `${stage.name} can only begin a pipeline`);
}

/** A view is read, and so has latencies, but nothing of it is stored. Upstream: document_source_internal_coll_stats.cpp. */
function asksForStorage(stage: Stage): boolean {
  const fields = new Fields(documentOf(stage), '$collStats');
  return ['storageStats', 'count', 'queryExecStats'].some((name) => fields.has(name));
}

/** Simplification: counting begins with the process, or with the index; `since` shows the former. */
function indexStats(context: CommandContext, ns: string): Reply[] {
  const { member } = context;
  const since = new Date(member.now.wallMs - (member.now.monotonicMicros - member.startedMicros) / 1000);
  const view = context.data;
  const series = timeseriesCollection(view, ns);
  const indexes = (series?.buckets ?? view.collection(ns))?.indexes ?? [];
  return indexes.flatMap(({ spec, accesses }) => {
    const shown = series ? seriesIndexSpec(spec, series.options) : spec;
    if (!shown) return [];
    return {
      name: shown.name,
      key: new RawBson(shown.keyPattern),
      host: member.host,
      accesses: { ops: BigInt(accesses.ops), since },
      spec: new RawBson(listedSpec(shown, member.traits)),
    };
  });
}

/**
 * `{ $collStats: { storageStats?: { scale? }, count?: {}, latencyStats?: { histograms? }, queryExecStats?: {} } }`. Errors: 40415 for another
 * field, Location40480, NamespaceNotFound 26 for the count of nothing. Upstream: document_source_coll_stats.cpp.
 */
function collStats(stage: Stage, context: CommandContext, ns: string): Reply {
  const { member } = context;
  const { commands, work } = member.counters;
  const fields = new Fields(documentOf(stage), '$collStats');
  fields.allow(collStatsFields);
  const view = context.data;
  const sized = fields.document('storageStats');
  const scale = sized ? statsScaleOf(new Fields(sized, '$collStats.storageStats')) : 1;
  const counts = fields.has('count');
  if (counts) checkCount(fields.presentValue('count'));
  if (counts && ns !== OPLOG_NS && !view.collection(ns) && !timeseriesCollection(view, ns)) {
    throw new CommandError('NamespaceNotFound', `$collStats cannot count ${ns}: there is no such collection`);
  }
  const stats = sized || counts ? namespaceStats(member, view, ns, scale) : undefined;
  const latencies = fields.document('latencyStats');
  const histograms = latencies && new Fields(latencies, '$collStats.latencyStats').strictBool('histograms');
  return {
    ns,
    host: member.host,
    localTime: new Date(member.now.wallMs),
    ...(latencies && { latencyStats: latencyReply(commands.latenciesOf(ns), { histograms: histograms === true }) }),
    ...(sized && { storageStats: stats }),
    ...(counts && { count: stats?.count ?? (stats?.timeseries as Reply | undefined)?.bucketCount }),
    ...(fields.has('queryExecStats') && { queryExecStats: { collectionScans: asInt64s(work.scansOf(ns)) } }),
  };
}

/** Errors: Location40480. */
function checkCount({ type, size }: BsonValue): void {
  if (type !== BsonType.object || size > EMPTY_DOCUMENT.length)
    throw new CommandError(40480, 'the count argument of $collStats must be an empty object');
}

function asInt64s({ total, nonTailable }: CollectionScans): Reply {
  return { total: BigInt(total), nonTailable: BigInt(nonTailable) };
}

const collStatsFields = new Set(['storageStats', 'count', 'latencyStats', 'queryExecStats']);
