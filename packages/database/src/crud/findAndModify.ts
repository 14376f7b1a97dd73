import { type Needed, on } from '@replsim/access';
import {
  contextOf,
  failIfSet,
  inWritePlan,
  nowInPlan,
  type Operation,
  retryImage,
  spend,
  waitWhileSet,
} from '@replsim/operations';
import {
  checkNotView,
  checkWritableName,
  EMPTY_DOCUMENT,
  fieldSet,
  operationCollator,
  projectorOf,
  type Reply,
  timeseriesCollection,
} from '@replsim/pipeline';
import {
  type BsonValue,
  CommandError,
  invariant,
  type OplogEntry,
  RawBson,
  type RawValue,
  type StatementLink,
} from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { Asking } from '../needs.ts';
import { findOne, stillMatching } from '../reading/findOne.ts';
import { type CompiledFilter, compileQuery, compileUpsertQuery, orderOf, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { searchOf } from '../reading/textSearch.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { deleteMicros } from './deleteMany.ts';
import { bypassing, checkRetry } from './statements.ts';
import { checkTransactionalWrite } from './transactionalWrites.ts';
import { updatedAhead } from './updateAhead.ts';
import {
  applyUpdate,
  idOf,
  insertUpserted,
  parseUpdate,
  type UpdateStatement,
  updateMicros,
} from './updateStatement.ts';
import { backOff, isWriteConflict } from './writeConflicts.ts';

// biome-ignore format: a list
const fields = fieldSet('findAndModify', 'findandmodify', 'query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert', 'hint',
  'arrayFilters', 'collation', 'let', 'bypassDocumentValidation', 'bypassEmptyTsReplacement');

/**
 * `{ findAndModify, query, sort?, remove | update, new?, upsert?, fields? }` → `{ lastErrorObject: { n, updatedExisting?,
 * upserted? }, value }`. Errors: FailedToParse 9 for options that do not go together, those of an update.
 * Upstream: find_and_modify.cpp, write_ops_exec.cpp.
 */
export const findAndModify: CommandDefinition = {
  name: 'findAndModify',
  help: 'changes or removes one document and gives it back',
  auth: findAndModifyNeeds,
  api: 'v1',
  aliases: ['findandmodify'],
  ...ON_PRIMARY,
  retryable: true,
  run,
};

function findAndModifyNeeds({ args }: Asking): readonly Needed[] {
  const inserts = args.bool('upsert') ? (['insert'] as const) : [];
  const changes = args.bool('remove') ? (['remove'] as const) : (['update', ...inserts] as const);
  return on(args.ns, 'find', ...changes, ...bypassing(args));
}

/** What was done, and the document to show: as it was or as it is. */
interface Outcome {
  readonly lastErrorObject: Reply;
  readonly document: Uint8Array | undefined;
}

/** A findAndModify, parsed. */
export interface FindAndModify {
  readonly filter: CompiledFilter;
  readonly sort: Uint8Array | undefined;
  readonly hint: BsonValue | undefined;
  readonly project: ((document: Uint8Array) => Uint8Array) | undefined;
  /** Undefined for a removal. */
  readonly statement: UpdateStatement | undefined;
}

/** Errors: FailedToParse 9 for options that do not go together, those of filters, projections and updates. */
export function parseFindAndModify(
  context: CommandContext,
  variables = variablesOf(context.args, context.member),
): FindAndModify {
  const { args, member } = context;
  args.allow(fields);
  checkWritableName(args.db, args.collection);
  checkTransactionalWrite(context, args.ns, 'findAndModify');
  refuseTimeseries(context);
  const collator = operationCollator(args, context.data, args.ns);
  const remove = checkOptions(context);
  const query = args.document('query') ?? EMPTY_DOCUMENT;
  checkNotView(context.data, args.ns);
  // What is projected may be how well documents fit the search.
  const compileFilter = !remove && args.bool('upsert') ? compileUpsertQuery : compileQuery;
  const filter = compileFilter(query, variables, collator, searchOf(context.data, args.ns));
  const project = projectorOf(args.document('fields'), query, variables, collator);
  const found = { filter, ...orderOf(args) };
  if (remove) return { ...found, project, statement: undefined };
  const update = parseUpdate(args, 'update', found.filter, args, member, variables);
  const link = linkOf(context, args.bool('new') ? 'postImage' : 'preImage');
  const bypassesValidation = args.bool('bypassDocumentValidation');
  const statement = { ...found, update, multi: false, upsert: args.bool('upsert'), bypassesValidation, link };
  return { ...found, project, statement };
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  const variables = variablesOf(args, member);
  const request = yield* readInTurns(args, variables.meter, () => parseFindAndModify(context, variables));
  failIfSet(member, 'failAllFindAndModify');
  const { project, statement } = request;
  const before = retryable?.executed(stmtIdOf(context));
  const { lastErrorObject, document } = before
    ? retriedOutcome(context, before, statement === undefined)
    : yield* inWritePlan(
        'findAndModify',
        member.traits,
        statement ? updateOne(context, statement) : removeOne(context, request),
      );
  if (statement && !before) yield* waitWhileSet(member, 'hangAfterBatchUpdate');
  const shown = contextOf('findAndModify', args.ns, member.traits);
  const value = document ? new RawBson(project ? nowInPlan(shown, () => project(document)) : document) : null;
  return { lastErrorObject, value, ...(before && { retriedStmtId: stmtIdOf(context) }) };
}

/** Simplification: a mongod from 7.1 on can remove one measurement so. Errors: InvalidOptions 72. */
function refuseTimeseries({ args, data }: CommandContext): void {
  if (!timeseriesCollection(data, args.ns)) return;
  throw new CommandError('InvalidOptions', 'findAndModify does not work on a time series');
}

/** Whether it is a removal. */
function checkOptions({ args }: CommandContext): boolean {
  const remove = args.bool('remove');
  const hasUpdate = args.value('update') !== undefined;
  if (remove && hasUpdate) throw refused("Cannot specify both an 'update' and 'remove'=true");
  if (!remove && !hasUpdate) throw refused('Either an update or remove=true must be specified');
  if (remove && args.bool('upsert')) throw refused('Cannot specify both upsert=true and remove=true');
  if (remove && args.bool('new')) {
    throw refused("Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
  }
  if (remove && args.has('arrayFilters')) throw refused('Cannot specify arrayFilters and remove=true');
  return remove;
}

function stmtIdOf({ args }: CommandContext): number {
  return args.int32('stmtId') ?? 0;
}

/** What ties the entry to the retryable write, and the image that a retry has to show. */
function linkOf(context: CommandContext, image: 'preImage' | 'postImage'): StatementLink | undefined {
  return context.retryable?.link(stmtIdOf(context), image);
}

/**
 * The answer from the entry of an executed statement and the image that was kept with it. What the entry says counts: a removal
 * that is sent under the number of an update is answered with what the update had found.
 * Upstream: write_ops_retryability.cpp, parseOplogEntryForFindAndModify.
 */
function retriedOutcome({ args, data }: CommandContext, entry: OplogEntry, remove: boolean): Outcome {
  const { op, o } = entry.operation;
  if (op === 'd' && !remove) checkRetry(entry, [], 40606, 'findAndModify');
  if (op === 'i' && !args.bool('upsert')) checkRetry(entry, [], 40608, 'findAndModify');
  checkRetry(entry, ['d', 'i', 'u'], 40609, 'findAndModify');
  if (op === 'i') return upserted(o, args.bool('new'));
  checkImage(entry, args.bool('new') ? 'postImage' : 'preImage');
  const image = retryImage(data, entry);
  if (!image) {
    throw new CommandError('IncompleteTransactionHistory', 'the image of the findAndModify is no longer kept');
  }
  return { lastErrorObject: op === 'd' ? { n: 1 } : { n: 1, updatedExisting: true }, document: image };
}

/** Refuses a retry that wants to see what the write has not kept. */
function checkImage({ operation: { op, statement } }: OplogEntry, wanted: 'preImage' | 'postImage'): void {
  invariant(statement, 'an entry that answers a retry is of a statement');
  if (statement.needsRetryImage === wanted) return;
  if (op === 'd') throw new CommandError(40607, 'findAndModify retry request wants a document that was not kept');
  const [code, when] = wanted === 'postImage' ? ([40611, 'after'] as const) : ([40612, 'before'] as const);
  throw new CommandError(code, `findAndModify retry request wants the document ${when} the write, which was not kept`);
}

function* removeOne(context: CommandContext, request: FindAndModify): Operation<Outcome> {
  const { args, data, member, writes } = context;
  member.counters.opcounters.delete += 1;
  member.counters.writes.findAndModifyUnshardedCount += 1;
  member.debug.wrote = { ndeleted: 0 };
  for (let conflicts = 0; ; ) {
    const collection = data.collection(args.ns);
    if (!collection) {
      member.debug.missedCollection();
      return { lastErrorObject: { n: 0 }, document: undefined };
    }
    const found = yield* findOne(member, data, collection, request);
    if (!found) return { lastErrorObject: { n: 0 }, document: undefined };
    yield* spend(deleteMicros(member, collection) + member.costs.commitMicros);
    const document = stillMatching(data, collection, found, request.filter);
    if (!document) continue;
    try {
      writes.delete(collection, [found.recordId], { grouped: false, statement: linkOf(context, 'preImage') });
      member.debug.wrote = { ndeleted: 1 };
      member.debug.nDeleted += 1;
      return { lastErrorObject: { n: 1 }, document };
    } catch (error) {
      yield* backOff(context, error, ++conflicts);
    }
  }
}

function* updateOne(context: CommandContext, statement: UpdateStatement): Operation<Outcome> {
  const { args, member } = context;
  member.counters.opcounters.update += 1;
  member.counters.writes.findAndModifyUnshardedCount += 1;
  member.debug.wrote = { nMatched: 0, nModified: 0 };
  let conflicts = 0;
  for (let attempt = 0; ; attempt++) {
    const existing = yield* updateExisting(context, statement);
    if (existing) return existing;
    if (!statement.upsert) return { lastErrorObject: { n: 0, updatedExisting: false }, document: undefined };
    try {
      const document = yield* insertUpserted(context, args.ns, statement);
      member.debug.wrote = { nMatched: 0, nModified: 0, nUpserted: 1 };
      return upserted(document, args.bool('new'));
    } catch (error) {
      // Perhaps another client made it meanwhile.
      if (isWriteConflict(error)) yield* backOff(context, error, ++conflicts);
      else if (!(error instanceof CommandError) || error.code !== 11000 || attempt > conflicts) throw error;
    }
  }
}

function* updateExisting(context: CommandContext, statement: UpdateStatement): Operation<Outcome | undefined> {
  const { args, data, member } = context;
  for (let conflicts = 0; ; ) {
    const collection = data.collection(args.ns);
    if (!collection) {
      if (!statement.upsert) member.debug.missedCollection();
      return undefined;
    }
    const found = yield* findOne(member, data, collection, statement);
    if (!found) return undefined;
    const ahead = yield* updatedAhead(statement.update, found.bytes);
    yield* spend(updateMicros(member, collection));
    const before = stillMatching(data, collection, found, statement.filter);
    if (!before || (ahead && ahead.before !== before)) continue;
    try {
      const after = applyUpdate(context, collection, found.recordId, statement, ahead);
      member.debug.wrote = { nMatched: 1, nModified: after ? 1 : 0 };
      member.debug.nMatched += 1;
      // Upstream: update_stage.cpp leaves the metadata of the working set member as they are.
      if (after) statement.filter.scores?.carry(before, after);
      const shown = args.bool('new') && after ? after : before;
      return { lastErrorObject: { n: 1, updatedExisting: true }, document: shown };
    } catch (error) {
      yield* backOff(context, error, ++conflicts);
    }
  }
}

function upserted(document: Uint8Array, showNew: boolean): Outcome {
  const _id: RawValue = idOf(document);
  return {
    lastErrorObject: { n: 1, updatedExisting: false, upserted: _id },
    document: showNew ? document : undefined,
  };
}

function refused(errmsg: string): CommandError {
  return new CommandError('FailedToParse', errmsg);
}
