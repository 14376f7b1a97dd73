import { BsonType, CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import { seriesIndexSpec } from '../../timeseries/indexSpecs.ts';
import { timeseriesCollection } from '../../timeseries/options.ts';
import { operationDocuments } from '../admin/operations.ts';
import { namespaceStats, scaleOf } from '../admin/stats.ts';
import { listedSpec } from '../catalog/listedSpec.ts';
import { checkNotView, viewDefinition } from '../catalog/viewDefinitions.ts';
import type { CommandContext, Reply } from '../command.ts';
import { Fields } from '../fields.ts';
import { viewOf } from '../reading/query.ts';
import { listCatalog } from './listCatalog.ts';
import { documentOf, type Stage } from './stages.ts';

/** The documents of a stage that takes none. @param ns the collection, or the database's `$cmd.aggregate` */
export function sourceDocuments(stage: Stage, context: CommandContext, ns: string): Uint8Array[] {
  switch (stage.name) {
    case '$currentOp':
      return currentOp(stage, context);
    case '$indexStats':
      checkOnCollection(stage, context, ns);
      return indexStats(context, ns).map(encodeDocument);
    case '$listCatalog':
      return listCatalog(stage, context, ns);
    default:
      checkOnCollection(stage, context, ns);
      return [encodeDocument(collStats(stage, context, ns))];
  }
}

/**
 * Behind the stages of a view these are no longer first, and a view has no statistics. Time series answer for themselves.
 * Errors: Location40602, CommandNotSupportedOnView 166.
 */
function checkOnCollection({ name }: Stage, context: CommandContext, ns: string): void {
  const view = viewOf(context);
  if (timeseriesCollection(view, ns)) return;
  if (name === '$collStats') checkNotView(view, ns);
  if (viewDefinition(view, ns)) {
    throw new CommandError(40602, `${name} can only begin a pipeline`);
  }
}

/** `{ $currentOp: { allUsers?, idleConnections?, truncateOps? } }`, on admin only; the latter also shows the member's own work. */
function currentOp(stage: Stage, { args, member }: CommandContext): Uint8Array[] {
  if (args.db !== 'admin' || args.rawValue(args.name)?.type === BsonType.string) {
    throw new CommandError(
      'InvalidNamespace',
      "$currentOp must be run against the 'admin' database with {aggregate: 1}",
    );
  }
  const fields = new Fields(documentOf(stage), '$currentOp');
  const all = fields.bool('idleConnections');
  return operationDocuments(member, all, fields.bool('truncateOps')).map(encodeDocument);
}

/** Simplification: counting begins with the process, or with the index; `since` shows the former. */
function indexStats(context: CommandContext, ns: string): Reply[] {
  const { member } = context;
  const since = new Date(member.now.wallMs - (member.now.monotonicMicros - member.startedMicros) / 1000);
  const view = viewOf(context);
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
      spec: new RawBson(listedSpec(shown)),
    };
  });
}

/** `{ $collStats: { storageStats?: { scale? }, count?: {} } }`. Upstream: document_source_coll_stats.cpp. */
function collStats(stage: Stage, context: CommandContext, ns: string): Reply {
  const { member } = context;
  const fields = new Fields(documentOf(stage), '$collStats');
  const view = viewOf(context);
  const sized = fields.document('storageStats');
  const scale = sized ? scaleOf(new Fields(sized, '$collStats.storageStats')) : 1;
  const stats = namespaceStats(member, view, ns, scale);
  return {
    ns,
    host: member.host,
    localTime: new Date(member.now.wallMs),
    ...(sized && { storageStats: stats }),
    ...(fields.has('count') && { count: stats.count }),
  };
}
