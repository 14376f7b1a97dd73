import { CommandError } from '@replsim/protocol';
import { type IndexSpec, parseIndexSpec } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { seriesIndexSpec } from '../../timeseries/indexSpecs.ts';
import { type TimeseriesCollection, timeseriesCollection } from '../../timeseries/options.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import { OPLOG_NS } from '../reading/oplogSource.ts';
import { shownClusteredIndex } from './clusteredIndexes.ts';
import { listSpecs } from './listedSpec.ts';
import { openList } from './openList.ts';

const fields = fieldSet('listIndexes', 'cursor', 'collectionUUID');

/** `{ listIndexes, cursor? }` → a cursor. Errors: NamespaceNotFound 26. Upstream: list_indexes.cpp. */
export const listIndexes: CommandDefinition = {
  name: 'listIndexes',
  secondaries: 'optIn',
  maintenanceOk: false,
  run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns, collection: name } = args;
  const series = timeseriesCollection(member.engine, ns);
  if (series) return yield* openList(args, member, name, listSpecs(ns, seriesSpecs(series), member));
  const collection = member.engine.collection(ns);
  const isOplog = ns === OPLOG_NS && member.oplogDocuments() !== undefined;
  if (!collection && !isOplog) throw new CommandError('NamespaceNotFound', `ns does not exist: ${ns}`);
  const clustered = collection && shownClusteredIndex(collection);
  const indexes = [...(clustered ? [clustered] : []), ...(collection?.indexes ?? [])];
  const specs = indexes.map(({ spec }) => spec);
  return yield* openList(args, member, name, listSpecs(ns, specs, member));
}

/** Those indexes of the buckets that are indexes of the time series too. */
function seriesSpecs({ buckets, options }: TimeseriesCollection): IndexSpec[] {
  const specs = buckets.indexes.map(({ spec }) => seriesIndexSpec(spec, options));
  return specs.filter((spec) => spec !== undefined).map(parseIndexSpec);
}
