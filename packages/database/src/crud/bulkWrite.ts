import { type Needed, on } from '@replsim/access';
import type { Operation } from '@replsim/operations';
import {
  type CommandArguments,
  checkCreatableName,
  Fields,
  fieldSet,
  numberOf,
  type Reply,
  splitNs,
  subsetOf,
  type WriteTarget,
} from '@replsim/pipeline';
import { ElementCursor } from '@replsim/protocol';
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
import { bypassing, checkStatementCount, lookInTurns, retriedReply, statementIds } from './statements.ts';
import { isUpsert, updateStatement } from './update.ts';

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
  // A thousand entries need what one of each kind needs.
  const byKey = new Map<string, readonly Needed[]>();
  for (const bytes of args.requiredDocuments('ops')) {
    const op = new ElementCursor(bytes);
    if (!op.next()) continue;
    const key = `${op.name} ${numberOf(op)} ${op.name === 'update' && isUpsert(bytes)}`;
    if (!byKey.has(key)) byKey.set(key, opNeeds(op.name, targets[numberOf(op)], bytes));
  }
  const bypassed = targets.flatMap(({ ns }) => on(ns, ...bypassing(args)));
  return [...[...byKey.values()].flat(), ...bypassed];
}

/** The privileges that an entry needs. One that names no namespace of nsInfo needs none: it fails when it is parsed. */
function opNeeds(kind: string, target: WriteTarget | undefined, bytes: Uint8Array): readonly Needed[] {
  if (!target) return [];
  if (kind === 'update') return on(target.ns, 'update', ...(isUpsert(bytes) ? (['insert'] as const) : []));
  return kind === 'insert' ? on(target.ns, 'insert') : kind === 'delete' ? on(target.ns, 'remove') : [];
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  args.allow(fields);
  const sent = args.requiredDocuments('ops');
  checkStatementCount(sent.length);
  const targets = targetsOf(args);
  const opOf = (bytes: Uint8Array) => parseBulkOp(bytes, targets, member.traits);
  yield* lookInTurns(sent, opOf);
  const batchSize = batchSizeOf(args);
  args.bool('bypassDocumentValidation');
  const results = new BulkWriteResults({
    ordered: args.strictBool('ordered') ?? true,
    errorsOnly: args.strictBool('errorsOnly') ?? false,
    inTransaction: context.transaction !== undefined,
  });
  yield* perform(context, sent, opOf, results);
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
function* perform(
  context: CommandContext,
  sent: readonly Uint8Array[],
  opOf: (bytes: Uint8Array) => BulkOp,
  results: BulkWriteResults,
): Operation<void> {
  const { args, member } = context;
  const variables = variablesOf(args, member);
  const stmtId = statementIds(args, sent.length);
  let index = 0;
  let goesOn = true;
  for (let bytes = sent[index]; bytes && goesOn; bytes = sent[index]) {
    const op = opOf(bytes);
    if (op.kind !== 'insert') {
      goesOn = yield* performOne(context, { ...op, index, stmtId: stmtId(index) }, variables, results);
      index += 1;
      continue;
    }
    const documents = neighbouringInserts(sent.slice(index, index + MOST_NEIGHBOURS), opOf, op.target);
    const statements = documents.map((document, i) => ({ index: index + i, document, stmtId: stmtId(index + i) }));
    goesOn = yield* insertAll(context, op.target, statements, results);
    index += statements.length;
  }
}

/** So many are looked at without letting others work, in whole groups of those that an insert makes. */
const MOST_NEIGHBOURS = 6400;

function neighbouringInserts(
  sent: readonly Uint8Array[],
  opOf: (bytes: Uint8Array) => BulkOp,
  target: WriteTarget,
): Uint8Array[] {
  const documents: Uint8Array[] = [];
  for (const bytes of sent) {
    const op = opOf(bytes);
    if (op.kind !== 'insert' || op.target !== target) break;
    documents.push(op.document);
  }
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
