import { CommandError, type StatementLink } from '@replsim/protocol';
import type { Variables } from '@replsim/query';
import type { CollectionView } from '@replsim/storage';
import { ON_PRIMARY } from '../atOnce.ts';
import { checkCollation } from '../catalog/collectionOptions.ts';
import { checkNotView } from '../catalog/viewDefinitions.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';
import { checkWritableName } from '../fields/namespaces.ts';
import type { MemberServices } from '../member.ts';
import { type Operation, spend } from '../operations/operation.ts';
import { findOne, stillMatching } from '../reading/findOne.ts';
import { type MatchScan, nextMatch } from '../reading/matchScan.ts';
import { type CompiledFilter, compile, hintOf, scanOf, variablesOf } from '../reading/query.ts';
import type { Reply } from '../reply.ts';
import { deleteMeasurements } from '../timeseries/deleteMeasurements.ts';
import { timeseriesCollection } from '../timeseries/options.ts';
import { checkStatementCount, retriedReply, statementIds, WriteErrors } from './statements.ts';

const fields = fieldSet('delete', 'deletes', 'ordered', 'let', 'collectionUUID', 'bypassDocumentValidation');
const statementFields = new Set(['q', 'limit', 'hint', 'collation', 'sampleId']);

/**
 * `{ delete, deletes: [{ q, limit: 0 | 1, hint? }], ordered? }` → `{ n, writeErrors? }`. A multi-delete works in batches, each
 * of them one storage transaction and one `applyOps` entry, and others see what is left between them.
 * Errors: FailedToParse 9 for another limit. Upstream: write_commands.cpp, CmdDelete; batched_delete_stage.cpp.
 */
export const deleteCommand: CommandDefinition = {
  name: 'delete',
  help: 'deletes documents',
  auth: { action: 'remove', resource: 'collection' },
  api: 'v1',
  ...ON_PRIMARY,
  retryable: true,
  tellsOpTime: true,
  countedAs: 'itself',
  run,
};

/** One delete, compiled. */
export interface DeleteStatement {
  readonly filter: CompiledFilter;
  readonly one: boolean;
  readonly hint: ReturnType<typeof hintOf>;
  /** Of a retryable write. */
  readonly link?: StatementLink | undefined;
}

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  args.allow(fields);
  const { ns, db, collection: name } = args;
  const sent = args.requiredDocuments('deletes').map((bytes) => new Fields(bytes, 'delete.deletes'));
  checkStatementCount(sent.length);
  checkWritableName(db, name);
  for (const statement of sent) checkDeleteShape(statement);
  const variables = variablesOf(args, member);
  const errors = new WriteErrors(args.bool('ordered', true));
  const stmtId = statementIds(args, sent.length);
  let n = 0;
  for (let index = 0; index < sent.length; index++) {
    try {
      n += yield* deleteStatement(context, ns, sent[index]!, variables, stmtId(index));
    } catch (error) {
      if (!errors.add(index, error)) break;
    }
  }
  return { n, ...errors.reply(), ...retriedReply(retryable) };
}

/**
 * Carries out one statement that `checkDeleteShape` has seen, unless it was carried out before, and gives the number of
 * documents that went. Errors: those of filters, InvalidOptions 72 for a retryable one of many documents.
 */
export function* deleteStatement(
  context: CommandContext,
  ns: string,
  sent: Fields,
  variables: Variables,
  stmtId: number,
): Operation<number> {
  const { data, member, retryable } = context;
  const before = sent.number('limit') === 1 ? retryable?.executed(stmtId) : undefined;
  if (before) return 1;
  member.counters.opcounters.delete += 1;
  const series = timeseriesCollection(data, ns);
  if (!series) checkNotView(data, ns);
  const statement = { ...parseDeleteStatement(sent, variables), link: retryable?.link(stmtId) };
  if (retryable && !statement.one) {
    throw new CommandError('InvalidOptions', 'a retryable delete takes one document: limit must be 1');
  }
  if (series) return yield* deleteMeasurements(context, series, statement);
  return statement.one ? yield* deleteOne(context, ns, statement) : yield* deleteMany(context, ns, statement);
}

/** Reads one entry of `deletes` that `checkDeleteShape` has seen. Errors: those of filters, TypeMismatch 14 for a hint. */
export function parseDeleteStatement(fields: Fields, variables: Variables): DeleteStatement {
  return {
    filter: compile(fields.requiredDocument('q'), variables),
    one: fields.number('limit') === 1,
    hint: hintOf(fields),
  };
}

/** Errors: FailedToParse 9 for another limit than 0 and 1, those of `Fields`. */
export function checkDeleteShape(statement: Fields): void {
  statement.allow(statementFields);
  statement.requiredDocument('q');
  if (!statement.value('limit')) statement.missing('limit');
  const limit = statement.number('limit');
  if (limit !== 0 && limit !== 1) {
    throw new CommandError('FailedToParse', `limit must be 0 or 1, not ${limit}`);
  }
  hintOf(statement);
  checkCollation(statement.document('collation'));
}

function* deleteOne(context: CommandContext, ns: string, { filter, hint, link }: DeleteStatement): Operation<number> {
  const { data, member, writes } = context;
  // A document that no longer matches when its time has come makes the search begin again.
  for (;;) {
    const collection = data.collection(ns);
    const recordId = collection && (yield* findOne(member, data, collection, { filter, hint }));
    if (recordId === undefined) return 0;
    yield* spend(deleteMicros(member, collection!) + member.costs.commitMicros);
    if (!stillMatching(data, collection!, recordId, filter)) continue;
    writes.delete(collection!, [recordId], { grouped: false, statement: link });
    return 1;
  }
}

/** @param worth what one document counts for in the result: the measurements of a bucket */
export function* deleteMany(
  context: CommandContext,
  ns: string,
  statement: DeleteStatement,
  worth: (document: Uint8Array) => number = () => 1,
): Operation<number> {
  const { data, member, writes } = context;
  const collection = data.collection(ns);
  if (!collection) return 0;
  const scan = scanOf(data, collection, statement.filter, { hint: statement.hint });
  let n = 0;
  for (;;) {
    const { recordIds, bytes, micros } = yield* stageBatch(member, scan);
    if (recordIds.length === 0) return n;
    yield* spend(micros + member.costs.commitMicros);
    if (data.collection(ns) !== collection) return n;
    const still = recordIds.filter((recordId) => stillMatching(data, collection, recordId, statement.filter));
    for (const recordId of still) n += worth(collection.get(recordId)!.bytes);
    if (still.length > 0) writes.delete(collection, still, { grouped: recordIds.length > 1 });
    if (member.traits.ttlBatched) {
      const { batchedDeletes } = member.counters;
      batchedDeletes.batches += 1;
      batchedDeletes.docs += still.length;
      batchedDeletes.stagedSizeBytes += bytes;
      batchedDeletes.timeInBatchMillis += Math.floor(micros / 1000);
    }
    if (scan.done) return n;
    scan.resume();
  }
}

interface Batch {
  readonly recordIds: number[];
  readonly bytes: number;
  readonly micros: number;
}

/**
 * Finds documents for one transaction: until there are enough, by number, size or time. A release that does not batch has
 * enough of one. Upstream: BatchedDeleteStage.
 */
function* stageBatch(member: MemberServices, scan: MatchScan): Operation<Batch> {
  const { parameters, costs } = member;
  const docs = member.traits.ttlBatched ? parameters.number('batchedDeletesTargetBatchDocs') || Infinity : 1;
  const limitMicros = parameters.number('batchedDeletesTargetBatchTimeMS') * 1000 || Infinity;
  const limitBytes = parameters.number('batchedDeletesTargetStagedDocBytes') || Infinity;
  const each = deleteMicros(member, scan.collection);
  const recordIds: number[] = [];
  let bytes = 0;
  let micros = 0;
  while (recordIds.length < docs && bytes < limitBytes && micros < limitMicros) {
    if (!(yield* nextMatch(scan, member))) break;
    recordIds.push(scan.recordId);
    bytes += scan.document.bytes.length;
    micros += each;
  }
  const work = scan.takeWork();
  member.debug.examined(work);
  return { recordIds, bytes, micros: micros + work.charged * costs.scanKeyMicros };
}

/** What removing one document costs, its transaction aside. Unit: µs. */
export function deleteMicros({ costs }: MemberServices, { indexes }: CollectionView): number {
  return costs.deleteMicros + indexes.length * costs.indexKeyMicros;
}
