import { contextOf, type DocumentSource, inPlan, type Operation, waitWhileSet } from '@replsim/operations';
import {
  cappedLimits,
  checkCollectionUuid,
  naturalDirection,
  naturalHint,
  type Reply,
  type ResolvedView,
  sorterOf,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { OplogServices } from '../member.ts';
import { emptyCursor, openCursor } from '../reading/batches.ts';
import { checkReadable } from '../reading/checkReadable.ts';
import { badTailable, type CollectionQuery, collectionSource } from '../reading/collectionSource.ts';
import { viewSource } from '../reading/namespaceSource.ts';
import { OPLOG_NS, OplogSource } from '../reading/oplogSource.ts';
import { refuseNear, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { FilteredSource, MappedSource, SortedSource } from '../reading/sources.ts';
import { type FindQuery, parseFind } from './findQuery.ts';
import { scanStart, tokensNameCopy } from './findResume.ts';

/**
 * `{ find, filter?, sort?, projection?, skip?, limit?, batchSize?, singleBatch?, hint?, min?, max?, returnKey?, showRecordId?,
 * tailable?, awaitData? }` → `{ cursor: { firstBatch, id, ns } }`. `local.oplog.rs` is read from the oplog itself.
 * Errors: those of `parseFind` and of the planner. Upstream: find_cmd.cpp.
 */
export const find: CommandDefinition = {
  name: 'find',
  byUuid: true,
  help: 'finds documents',
  auth: { action: 'find', resource: 'collection' },
  api: 'v1',
  secondaries: 'optIn',
  maintenanceOk: false,
  kind: 'read',
  readConcern: 'withSnapshot',
  countedAs: 'query',
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, data, member, deadlineMicros } = context;
  const variables = variablesOf(args, member);
  const query = yield* readInTurns(args, variables.meter, () => parseFind(context, variables));
  if (context.transaction) checkInTransaction(query);
  const { ns } = args;
  checkCollectionUuid(args, data, ns);
  const batchSize = args.count('batchSize');
  const singleBatch = args.strictBool('singleBatch') ?? false;
  const source = yield* sourceOf(context, ns, query);
  if (!source) return emptyCursor(ns);
  yield* waitWhileSet(member, 'waitInFindBeforeMakingBatch', { ns });
  const options = {
    ns,
    source,
    originatingCommand: args.bytes,
    tailable: query.tailable,
    awaitData: query.awaitData,
    noTimeout: args.strictBool('noCursorTimeout') ?? false,
    remaining: query.limit,
  };
  // A view is read by an aggregation.
  const plan = contextOf(query.view ? 'aggregate' : 'find', ns, member.traits);
  return yield* inPlan(plan, openCursor(member, options, { batchSize, singleBatch, deadlineMicros }));
}

/** Errors: InvalidOptions 72, OperationNotSupportedInTransaction 263. Upstream: find_cmd.cpp, FindCmd::Invocation::run. */
function checkInTransaction({ tailable, readOnce }: FindQuery): void {
  if (tailable) throw new CommandError('InvalidOptions', 'a cursor in a multi-document transaction cannot be tailable');
  if (readOnce) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      "a multi-document transaction does not allow the option 'readOnce'",
    );
  }
}

/**
 * Undefined where there is no such collection, and for a tailable cursor on an empty one: with no place to stand on, it is
 * closed at once. Upstream: find.cpp, shouldSaveCursor.
 */
function* sourceOf(context: CommandContext, ns: string, query: FindQuery): Operation<DocumentSource | undefined> {
  if (ns === OPLOG_NS) {
    refuseNear(query.filter);
    refuseToGoOn(context, query.resuming);
    return projected(oplogSource(context, query), query);
  }
  if (query.view) return projected(yield* sourceOnView(context, query.view, query), query);
  const view = context.data;
  const collection = view.collection(ns);
  if (!collection) startOfScan(context, query, collection);
  if (query.tailable && collection && !cappedLimits(collection)) {
    throw new CommandError('BadValue', `tailable cursor requested on non capped collection: ${ns}`);
  }
  if (!collection) {
    // A bad sort is an error even where there is nothing to sort.
    sorterOf(query.sort, query.filter.collator, query.filter.scores);
    context.member.debug.missedCollection();
    return undefined;
  }
  checkReadable(context, collection);
  const source = collectionSource(view, collection, { ...query, resuming: startOfScan(context, query, collection) });
  if (query.tailable && collection.count === 0) return undefined;
  return query.returnKey ? source : projected(source, query);
}

/** Throws BadValue 2 for a time, as tokens of the oplog are, and CommandNotSupported 115 for a record id. */
function refuseToGoOn({ data, member }: CommandContext, resuming: FindQuery['resuming']): void {
  if (!resuming?.sent) return;
  scanStart(resuming, data, undefined, member.traits);
  const { field } = resuming.sent;
  throw new CommandError(
    'CommandNotSupported',
    `replsim does not go on by ${field} on the oplog: ask for { ts: { $gt } }`,
  );
}

function startOfScan(
  { data, member }: CommandContext,
  { resuming }: FindQuery,
  collection: CollectionView | undefined,
): CollectionQuery['resuming'] {
  if (!resuming) return undefined;
  const { traits } = member;
  return { start: scanStart(resuming, data, collection, traits), namesCopy: tokensNameCopy(traits) };
}

/** Natural order is that of the collection below the view. */
function* sourceOnView(
  context: CommandContext,
  resolved: ResolvedView,
  { filter, sort, hint, skip }: FindQuery,
): Operation<DocumentSource | undefined> {
  const sorter = sorterOf(sort, filter.collator, filter.scores);
  const source = yield* viewSource(context, resolved, filter, naturalHint(sort) ?? hint);
  if (!source) return undefined;
  if (sorter) return new SortedSource(source, sorter, skip);
  let skipped = 0;
  return skip === 0 ? source : new FilteredSource(source, () => ++skipped > skip);
}

function projected(source: DocumentSource | undefined, { project, filter }: FindQuery): DocumentSource | undefined {
  return source && project ? new MappedSource(source, project, filter.meter) : source;
}

function oplogSource(
  { member }: CommandContext<OplogServices>,
  { filter, sort, hint, skip, tailable, resuming }: FindQuery,
): DocumentSource | undefined {
  const oplog = member.oplogDocuments();
  if (!oplog) return undefined;
  const reverse = (naturalDirection(sort) ?? naturalDirection(hint)) === -1;
  const scan = { filter: filter.bytes, matches: filter.matches, reverse, tailable, tells: resuming !== undefined };
  const sorter = sorterOf(sort, filter.collator, filter.scores);
  if (tailable && reverse) throw badTailable();
  if (!sorter) return new OplogSource(oplog, { ...scan, skip });
  return new SortedSource(new OplogSource(oplog, { ...scan, skip: 0 }), sorter, skip);
}
