import type { ActionType } from '@replsim/access';
import { type Needed, on } from '@replsim/access';
import type { Operation } from '@replsim/operations';
import {
  type CommandArguments,
  checkCreatableName,
  Fields,
  fieldSet,
  type Reply,
  splitNs,
  subsetOf,
  type WriteTarget,
} from '@replsim/pipeline';
import type { Variables } from '@replsim/query';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { Asking } from '../needs.ts';
import { openCursor } from '../reading/batches.ts';
import { variablesOf } from '../reading/query.ts';
import { ArraySource } from '../reading/sources.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { type BulkOp, parseBulkOp, targetsOf } from './bulkWriteOps.ts';
import { BulkWriteResults } from './bulkWriteResults.ts';
import { deleteStatement } from './delete.ts';
import { insertDocuments } from './insertDocuments.ts';
import { bypassing, checkStatementCount, retriedReply, statementIds } from './statements.ts';
import { updateStatement } from './update.ts';

// biome-ignore format: a list
const fields = fieldSet('bulkWrite', 'ops', 'nsInfo', 'ordered', 'errorsOnly', 'bypassDocumentValidation', 'let', 'cursor',
  'bypassEmptyTsReplacement');
const cursorFields = new Set(['batchSize']);

/** The results are read from here by getMore. */
const RESULTS_NS = 'admin.$cmd.bulkWrite';

/**
 * `{ bulkWrite: 1, ops: [{ insert | update | delete: INDEX, … }], nsInfo: [{ ns }], ordered?, errorsOnly?, cursor? }` →
 * `{ cursor: { firstBatch: [{ ok, idx, n, … }], id, ns }, nErrors, nInserted, nMatched, nModified, nUpserted, nDeleted }`:
 * writes to any collections, each as the command would do it that does it alone. What is wrong with the shape of an entry
 * fails the command before anything is written. Errors: InvalidLength 16, BadValue 2, FailedToParse 9, InvalidNamespace 73.
 * Upstream: bulk_write.cpp, BulkWriteCmd.
 */
export const bulkWrite: CommandDefinition = {
  name: 'bulkWrite',
  help: 'inserts into, updates and deletes from several collections',
  auth: bulkWriteNeeds,
  api: 'v1',
  ...ON_PRIMARY,
  adminOnly: true,
  namespaces: (args) => targetsOf(args).map(({ ns }) => ns),
  retryable: true,
  tellsOpTime: true,
  countedAs: 'itself',
  run,
};

function bulkWriteNeeds({ args }: Asking): readonly Needed[] {
  const targets = targetsOf(args);
  const needs = args.requiredDocuments('ops').flatMap((bytes) => opNeeds(new Fields(bytes, 'bulkWrite.ops'), targets));
  // A thousand entries need what one of each kind needs.
  const byKey = new Map(needs.map(({ ns, actions }) => [`${ns} ${actions}`, on(ns, ...actions)]));
  const bypassed = targets.flatMap(({ ns }) => on(ns, ...bypassing(args)));
  return [...[...byKey.values()].flat(), ...bypassed];
}

/** What an entry does to which namespace; nothing for one that is none, which fails when it is read. */
function opNeeds(
  fields: Fields,
  targets: readonly WriteTarget[],
): readonly { readonly ns: string; readonly actions: readonly ActionType[] }[] {
  const kind = fields.names[0] ?? '';
  const action = ({ insert: 'insert', update: 'update', delete: 'remove' } as const)[kind];
  const target = action && targets[fields.int32(kind) ?? -1];
  if (!target) return [];
  const actions: readonly ActionType[] = action === 'update' && fields.bool('upsert') ? ['update', 'insert'] : [action];
  return [{ ns: target.ns, actions }];
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  args.allow(fields);
  const sent = args.requiredDocuments('ops');
  checkStatementCount(sent.length);
  const targets = targetsOf(args);
  const ops = sent.map((bytes) => parseBulkOp(bytes, targets, member.traits));
  const batchSize = batchSizeOf(args);
  args.bool('bypassDocumentValidation');
  const results = new BulkWriteResults({
    ordered: args.strictBool('ordered') ?? true,
    errorsOnly: args.strictBool('errorsOnly') ?? false,
    inTransaction: context.transaction !== undefined,
  });
  yield* perform(context, ops, results);
  const options = {
    ns: RESULTS_NS,
    source: new ArraySource(results.documents()),
    // What was written is not kept for as long as somebody reads what became of it.
    originatingCommand: subsetOf(args.bytes, (name) => name !== 'ops'),
    tailable: false,
    awaitData: false,
    remaining: Infinity,
    ofRetryableWrite: retryable !== undefined,
  };
  const reply = yield* openCursor(member, options, { batchSize });
  return { ...reply, ...results.counters(), ...retriedReply(retryable) };
}

/** As many results as fit where nobody says how many. Errors: Location51024 for a negative number. */
function batchSizeOf(args: CommandArguments): number {
  const sent = args.document('cursor');
  if (!sent) return Infinity;
  const cursor = new Fields(sent, 'bulkWrite.cursor');
  cursor.allow(cursorFields);
  return cursor.count('batchSize') ?? Infinity;
}

/** Neighbouring inserts into one collection are written together. Upstream: bulk_write.cpp, performWrites. */
function* perform(context: CommandContext, ops: readonly BulkOp[], results: BulkWriteResults): Operation<void> {
  const { args, member } = context;
  const variables = variablesOf(args, member);
  const stmtId = statementIds(args, ops.length);
  let index = 0;
  let goesOn = true;
  for (let op = ops[index]; op && goesOn; op = ops[index]) {
    if (op.kind !== 'insert') {
      goesOn = yield* performOne(context, { ...op, index, stmtId: stmtId(index) }, variables, results);
      index += 1;
      continue;
    }
    const documents = neighbouringInserts(ops, index, op.target);
    const statements = documents.map((document, i) => ({ index: index + i, document, stmtId: stmtId(index + i) }));
    goesOn = yield* insertAll(context, op.target, statements, results);
    index += statements.length;
  }
}

function neighbouringInserts(ops: readonly BulkOp[], from: number, target: WriteTarget): Uint8Array[] {
  const documents: Uint8Array[] = [];
  for (let at = from, op = ops[at]; op?.kind === 'insert' && op.target === target; op = ops[++at])
    documents.push(op.document);
  return documents;
}

/** A name that no collection may bear is an error of each insert by itself, not of the command: other entries may go on. */
function* insertAll(
  context: CommandContext,
  target: WriteTarget,
  statements: Parameters<typeof insertDocuments>[2],
  results: BulkWriteResults,
): Operation<boolean> {
  try {
    if (!context.data.collection(target.ns)) checkCreatableName(...splitNs(target.ns));
  } catch (error) {
    return statements.every(({ index }) => results.failed(index, error));
  }
  return yield* insertDocuments(context, target, statements, results);
}

function* performOne(
  context: CommandContext,
  op: Exclude<BulkOp, { kind: 'insert' }> & { readonly index: number; readonly stmtId: number },
  variables: Variables,
  results: BulkWriteResults,
): Operation<boolean> {
  const { target, statement, index, stmtId } = op;
  try {
    if (op.kind === 'update') {
      results.updated(index, yield* updateStatement(context, target, statement, variables, stmtId));
    } else {
      results.deleted(index, yield* deleteStatement(context, target, statement, variables, stmtId));
    }
    return true;
  } catch (error) {
    return results.failed(index, error, op.kind);
  }
}
