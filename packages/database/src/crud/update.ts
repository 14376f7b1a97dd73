import { type Needed, on } from '@replsim/access';
import { failIfSet, inWritePlan, type Operation, spend, waitWhileSet } from '@replsim/operations';
import {
  bucketsHint,
  checkCollectionMeant,
  checkNotView,
  checkWritableName,
  collectionUuidOf,
  Fields,
  fieldSet,
  metadataUpdate,
  type Reply,
  timeseriesCollection,
  truthOf,
  type WriteTarget,
} from '@replsim/pipeline';
import { CommandError, encodeName, findField, type OplogEntry, type RawValue } from '@replsim/protocol';
import type { Variables } from '@replsim/query';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { ClientServices } from '../member.ts';
import type { Asking } from '../needs.ts';
import { type Found, findOne, stillMatching } from '../reading/findOne.ts';
import { nextMatch } from '../reading/matchScan.ts';
import { scanOf, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import {
  bypassing,
  checkRetry,
  checkStatementCount,
  lookInTurns,
  payForBytes,
  retriedReply,
  statementIds,
  WriteErrors,
} from './statements.ts';
import { checkTransactionalWrite } from './transactionalWrites.ts';
import { updatedAhead } from './updateAhead.ts';
import {
  applyUpdate,
  bypassesNullTimestamps,
  checkUpdateShape,
  idOf,
  insertUpserted,
  parseUpdateStatement,
  type UpdateStatement,
  updateMicros,
} from './updateStatement.ts';
import { backOff, isWriteConflict } from './writeConflicts.ts';

const fields = fieldSet(
  'update',
  'updates',
  'ordered',
  'let',
  'bypassDocumentValidation',
  'bypassEmptyTsReplacement',
  'collectionUUID',
);

/** Documents that are changed before others get their turn. */
const UPDATE_SLICE = 64;

/** What one statement did. */
export interface UpdateOutcome {
  /** Documents that matched. */
  readonly matched: number;
  readonly modified: number;
  /** The `_id` of a document that was made. */
  readonly upserted?: RawValue;
}

/**
 * `{ update, updates: [{ q, u, multi?, upsert?, arrayFilters?, hint?, sort? }], ordered? }` → `{ n, nModified, upserted?,
 * writeErrors? }`. Each document is a storage transaction of its own. Errors of statements are those of `@replsim/query` and
 * DuplicateKey 11000. Upstream: write_commands.cpp, CmdUpdate; write_ops_exec.cpp, performUpdates.
 */
export const update: CommandDefinition = {
  name: 'update',
  help: 'updates documents',
  auth: updateNeeds,
  api: 'v1',
  ...ON_PRIMARY,
  retryable: true,
  tellsOpTime: true,
  countedAs: 'itself',
  run,
};

function updateNeeds({ args }: Asking): readonly Needed[] {
  const upserts = args.requiredDocuments('updates').some(isUpsert);
  return on(args.ns, 'update', ...(upserts ? (['insert'] as const) : []), ...bypassing(args));
}

/** Whether a statement may insert: what it is in all is looked at later. */
export function isUpsert(statement: Uint8Array): boolean {
  const upsert = findField(statement, UPSERT);
  return upsert !== undefined && truthOf(upsert);
}

const UPSERT = encodeName('upsert');

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  args.allow(fields);
  const { ns, db, collection } = args;
  const sent = args.requiredDocuments('updates');
  checkStatementCount(sent.length);
  checkWritableName(db, collection);
  const statementOf = (bytes: Uint8Array) => new Fields(bytes, 'update.updates');
  yield* lookInTurns(sent, (bytes) => checkUpdateShape(statementOf(bytes), member.traits));
  const target = { ns, uuid: collectionUuidOf(args) };
  const variables = variablesOf(args, member);
  args.bool('bypassDocumentValidation');
  bypassesNullTimestamps(args);
  const errors = new WriteErrors(args.strictBool('ordered') ?? true, context.transaction !== undefined);
  const stmtId = statementIds(args, sent.length);
  const upserted: Reply[] = [];
  let n = 0;
  let nModified = 0;
  for (const [index, statement] of sent.entries()) {
    try {
      yield* waitWhileSet(member, 'hangDuringBatchUpdate', { ns });
      failIfSet(member, 'failAllUpdates');
      const outcome = yield* updateStatement(context, target, statementOf(statement), variables, stmtId(index));
      yield* waitWhileSet(member, 'hangAfterBatchUpdate');
      n += outcome.matched + (outcome.upserted ? 1 : 0);
      nModified += outcome.modified;
      if (outcome.upserted) upserted.push({ index, _id: outcome.upserted });
    } catch (error) {
      if (!errors.add(index, error)) break;
    }
  }
  return { n, nModified, ...(upserted.length > 0 && { upserted }), ...errors.reply(), ...retriedReply(retryable) };
}

/**
 * Carries out one statement that `checkUpdateShape` has seen, or tells what it did when it was carried out before. On a time
 * series it is the metadata of its buckets that change, and buckets that are counted.
 * Errors: those of updates, DuplicateKey 11000, CollectionUUIDMismatch 361, InvalidOptions 72 for a retryable one of many documents.
 */
export function* updateStatement(
  context: CommandContext,
  { ns, uuid }: WriteTarget,
  sent: Fields,
  variables: Variables,
  stmtId: number,
): Operation<UpdateOutcome> {
  const { args, data, retryable } = context;
  const before = sent.strictBool('multi') ? undefined : retryable?.executed(stmtId);
  if (before) return retriedOutcome(before);
  checkCollectionMeant(uuid, data, ns);
  checkTransactionalWrite(context, ns, 'update');
  const series = timeseriesCollection(data, ns);
  const statement = series ? metadataUpdate(sent, series.options) : sent;
  const written = series?.buckets.ns ?? ns;
  const link = retryable?.link(stmtId);
  const bypassesValidation = args.bool('bypassDocumentValidation');
  const parse = () => parseUpdateStatement(statement, context, ns, variables);
  const parsed = yield* readInTurns(sent, variables.meter, parse);
  const hint = series && parsed.hint ? bucketsHint(parsed.hint, series.options) : parsed.hint;
  return yield* runUpdate(context, written, { ...parsed, hint, link, bypassesValidation });
}

/** What the entry of an executed statement says it did. Upstream: write_ops_retryability.cpp, parseOplogEntryForUpdate. */
function retriedOutcome(entry: OplogEntry): UpdateOutcome {
  checkRetry(entry, ['i', 'u'], 40638, 'update');
  const { op, o } = entry.operation;
  return op === 'i' ? { matched: 0, modified: 0, upserted: idOf(o) } : { matched: 1, modified: 1 };
}

/** Carries out one statement. A duplicate met by an upsert may be a document that another client made meanwhile. */
function* runUpdate(context: CommandContext, ns: string, statement: UpdateStatement): Operation<UpdateOutcome> {
  if (statement.link && statement.multi) {
    throw new CommandError('InvalidOptions', 'a retryable update changes one document: multi must be false');
  }
  const { counters } = context.member;
  counters.opcounters.update += 1;
  counters.writes[statement.multi ? 'updateManyCount' : 'updateOneUnshardedCount'] += 1;
  checkNotView(context.data, ns);
  let conflicts = 0;
  for (let attempt = 0; ; attempt++) {
    const change = statement.multi ? updateMany(context, ns, statement) : updateOne(context, ns, statement);
    const outcome = yield* inWritePlan('update', context.member.traits, change);
    if (outcome.matched > 0 || !statement.upsert) return outcome;
    try {
      const document = yield* inWritePlan('update', context.member.traits, insertUpserted(context, ns, statement));
      return { matched: 0, modified: 0, upserted: idOf(document) };
    } catch (error) {
      if (isWriteConflict(error)) yield* backOff(context, error, ++conflicts);
      else if (!(error instanceof CommandError) || error.code !== 11000 || attempt > conflicts) throw error;
    }
  }
}

const NOTHING_MATCHED: UpdateOutcome = { matched: 0, modified: 0 };

/** Where there is no collection; an upsert makes one, and that is its plan. */
function nothingThere({ member }: CommandContext<ClientServices>, { upsert }: UpdateStatement): UpdateOutcome {
  if (!upsert) member.debug.missedCollection();
  return NOTHING_MATCHED;
}

function* updateOne(context: CommandContext, ns: string, statement: UpdateStatement): Operation<UpdateOutcome> {
  const { data, member } = context;
  // A document that no longer matches when its time has come makes the search begin again.
  for (let conflicts = 0; ; ) {
    const collection = data.collection(ns);
    if (!collection) return nothingThere(context, statement);
    const found = yield* findOne(member, data, collection, statement);
    if (!found) return NOTHING_MATCHED;
    const ahead = yield* updatedAhead(statement.update, found.bytes);
    yield* payForBytes(statement.filter.meter, found.bytes);
    yield* spend(updateMicros(member, collection));
    const before = stillMatching(data, collection, found, statement.filter);
    if (!before || (ahead && ahead.before !== before)) continue;
    try {
      const after = applyUpdate(context, collection, found.recordId, statement, ahead);
      member.debug.nMatched += 1;
      return { matched: 1, modified: after ? 1 : 0 };
    } catch (error) {
      yield* backOff(context, error, ++conflicts);
    }
  }
}

/** All matches are found first, so that none is met again where the update moved it to. */
function* updateMany(context: CommandContext, ns: string, statement: UpdateStatement): Operation<UpdateOutcome> {
  const { data, member } = context;
  const collection = data.collection(ns);
  if (!collection) return nothingThere(context, statement);
  const scan = scanOf(data, collection, statement.filter, { hint: statement.hint });
  const found: Found[] = [];
  while (yield* nextMatch(scan, member)) found.push({ recordId: scan.recordId, bytes: scan.document.bytes });
  let matched = 0;
  let modified = 0;
  for (let start = 0; start < found.length; start += UPDATE_SLICE) {
    const slice = found.slice(start, start + UPDATE_SLICE);
    yield* spend(slice.length * updateMicros(member, collection));
    let conflicts = 0;
    for (let i = 0; i < slice.length; i++) {
      const each = slice[i]!;
      yield* payForBytes(statement.filter.meter, each.bytes);
      const before = stillMatching(data, collection, each, statement.filter);
      if (!before) continue;
      const ahead = yield* updatedAhead(statement.update, before);
      if (ahead && collection.get(each.recordId)?.bytes !== before) {
        // It has become another one meanwhile.
        i -= 1;
        continue;
      }
      try {
        if (applyUpdate(context, collection, each.recordId, statement, ahead)) modified += 1;
        matched += 1;
        member.debug.nMatched += 1;
      } catch (error) {
        yield* backOff(context, error, ++conflicts);
        // The same one again.
        i -= 1;
      }
    }
  }
  return { matched, modified };
}
