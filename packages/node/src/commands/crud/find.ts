import { CommandError } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { viewSource } from '../aggregation/namespaceSource.ts';
import { fieldSet } from '../arguments.ts';
import { cappedLimits } from '../catalog/cappedOptions.ts';
import { checkCollation } from '../catalog/collectionOptions.ts';
import { type ResolvedView, resolveView } from '../catalog/viewDefinitions.ts';
import type { CommandContext, CommandDefinition, Reply } from '../command.ts';
import type { DocumentSource } from '../cursors.ts';
import { EMPTY_DOCUMENT } from '../documents.ts';
import { choosePlan } from '../planner/plan.ts';
import { naturalDirection } from '../planner/sortOrder.ts';
import { emptyCursor, openCursor } from '../reading/batches.ts';
import { MatchScan } from '../reading/matchScan.ts';
import { OPLOG_NS, OplogSource } from '../reading/oplogSource.ts';
import { projectorOf } from '../reading/projector.ts';
import { type CompiledFilter, compile, hintOf, noteUse, variablesOf, viewOf } from '../reading/query.ts';
import { sorterOf } from '../reading/sorter.ts';
import { FilteredSource, MappedSource, ScanSource, SortedSource } from '../reading/sources.ts';

// biome-ignore format: a list
const fields = fieldSet('find', 'filter', 'projection', 'sort', 'hint', 'skip', 'limit', 'batchSize', 'singleBatch', 'let',
  'collation', 'tailable', 'awaitData', 'noCursorTimeout', 'allowPartialResults', 'allowDiskUse', 'returnKey',
  'showRecordId', 'min', 'max', 'oplogReplay', 'term', 'ntoreturn', 'includeQueryStatsMetrics');

/** Options of find that a mongod knows and this program does not. */
const unsupported = ['returnKey', 'showRecordId', 'min', 'max'];

/**
 * `{ find, filter?, sort?, projection?, skip?, limit?, batchSize?, singleBatch?, hint?, tailable?, awaitData? }` →
 * `{ cursor: { firstBatch, id, ns } }`. `local.oplog.rs` is read from the oplog itself.
 * Errors: BadValue 2, FailedToParse 9, Location51024 for negative numbers. Upstream: find_cmd.cpp.
 */
export const find: CommandDefinition = {
  name: 'find',
  secondaries: 'optIn',
  maintenanceOk: false,
  isRead: 'withSnapshot',
  countedAs: 'query',
  run,
};

/** A find, parsed. */
interface Query {
  readonly filter: CompiledFilter;
  readonly sort: Uint8Array | undefined;
  readonly hint: ReturnType<typeof hintOf>;
  readonly skip: number;
  readonly tailable: boolean;
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member } = context;
  args.allow(fields);
  for (const name of unsupported) {
    if (args.has(name)) throw new CommandError('CommandNotSupported', `find's '${name}' is not supported by replsim`);
  }
  checkCollation(args.document('collation'));
  const { ns } = args;
  const variables = variablesOf(args, member);
  const filter = args.document('filter') ?? EMPTY_DOCUMENT;
  const query: Query = {
    filter: compile(filter, variables),
    sort: args.document('sort'),
    hint: hintOf(args),
    skip: args.count('skip') ?? 0,
    tailable: args.bool('tailable'),
  };
  const awaitData = args.bool('awaitData');
  if (awaitData && !query.tailable) {
    throw new CommandError('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'");
  }
  const limit = args.count('limit') || Infinity;
  const batchSize = args.count('batchSize');
  const project = projectorOf(args.document('projection'), filter, variables);
  const source = yield* sourceOf(context, ns, query);
  if (!source) return emptyCursor(ns);
  const options = {
    ns,
    source: project ? new MappedSource(source, project) : source,
    originatingCommand: args.bytes,
    tailable: query.tailable,
    awaitData,
    remaining: limit,
  };
  return yield* openCursor(member, options, { batchSize, singleBatch: args.bool('singleBatch') });
}

/** Undefined where there is no such collection. */
function* sourceOf(context: CommandContext, ns: string, query: Query): Operation<DocumentSource | undefined> {
  if (ns === OPLOG_NS) return oplogSource(context, query);
  const view = viewOf(context);
  const resolved = resolveView(view, ns);
  if (resolved) return yield* sourceOnView(context, resolved, query);
  const collection = view.collection(ns);
  if (query.tailable && !(collection && cappedLimits(collection))) {
    throw new CommandError(
      'BadValue',
      `error processing query: ns=${ns} tailable cursor requested on non capped collection`,
    );
  }
  if (!collection) {
    // A bad sort is an error even where there is nothing to sort.
    sorterOf(query.sort);
    return undefined;
  }
  return collectionSource(view, collection, query);
}

/** Errors: InvalidPipelineOperator 168 for what an aggregation cannot do. Upstream: find on a view is an aggregation. */
function* sourceOnView(
  context: CommandContext,
  resolved: ResolvedView,
  { filter, sort, hint, skip, tailable }: Query,
): Operation<DocumentSource | undefined> {
  if (tailable) throw new CommandError('InvalidPipelineOperator', 'Option tailable not supported in aggregation.');
  const sorter = sorterOf(sort);
  const source = yield* viewSource(context, resolved, filter, naturalDirection(hint) ? undefined : hint);
  if (!source) return undefined;
  if (sorter) return new SortedSource(source, sorter, skip);
  let skipped = 0;
  return skip === 0 ? source : new FilteredSource(source, () => ++skipped > skip);
}

function collectionSource(view: ReadView, collection: CollectionView, query: Query): DocumentSource {
  const { filter, sort, hint, skip, tailable } = query;
  const sorter = sorterOf(sort);
  if (tailable && sorter) throw badTailable();
  const plan = choosePlan(collection, { filter: filter.bytes, sort, hint, tailable });
  noteUse(plan);
  const scan = new MatchScan(view, collection, plan, filter.matches);
  if (!sorter || plan.sorted) return new ScanSource(scan, { skip, tailable });
  return new SortedSource(new ScanSource(scan), sorter, skip);
}

function oplogSource(
  { member }: CommandContext,
  { filter, sort, hint, skip, tailable }: Query,
): DocumentSource | undefined {
  const oplog = member.oplogDocuments();
  if (!oplog) return undefined;
  const reverse = (naturalDirection(sort) ?? naturalDirection(hint)) === -1;
  const scan = { filter: filter.bytes, matches: filter.matches, reverse, tailable };
  const sorter = sorterOf(sort);
  if (tailable && (sorter || reverse)) throw badTailable();
  if (!sorter) return new OplogSource(oplog, { ...scan, skip });
  return new SortedSource(new OplogSource(oplog, { ...scan, skip: 0 }), sorter, skip);
}

function badTailable(): CommandError {
  return new CommandError('BadValue', 'cannot use tailable option with a sort other than {$natural: 1}');
}
