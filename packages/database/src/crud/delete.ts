import { on } from '@replsim/access';
import { failIfSet, inWritePlan, type Operation, spend, waitWhileSet } from '@replsim/operations';
import {
  checkCollation,
  checkCollectionMeant,
  checkNotView,
  checkWritableName,
  collectionUuidOf,
  Fields,
  fieldSet,
  operationCollator,
  type Reply,
  timeseriesCollection,
  type WriteTarget,
} from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { Variables } from '@replsim/query';
import type { ReadView } from '@replsim/storage';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { findOne, stillMatching } from '../reading/findOne.ts';
import { compileQuery, hintOf, sentHint, variablesOf } from '../reading/query.ts';
import { readInTurns } from '../reading/readInTurns.ts';
import { searchOf } from '../reading/textSearch.ts';
import { ON_PRIMARY } from '../replies/atOnce.ts';
import { type DeleteStatement, deleteMany, deleteMicros } from './deleteMany.ts';
import { deleteMeasurements } from './deleteMeasurements.ts';
import { bypassing, checkStatementCount, lookInTurns, retriedReply, statementIds, WriteErrors } from './statements.ts';
import { checkTransactionalWrite } from './transactionalWrites.ts';
import { backOff } from './writeConflicts.ts';

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
  auth: ({ args }) => on(args.ns, 'remove', ...bypassing(args)),
  api: 'v1',
  ...ON_PRIMARY,
  retryable: true,
  tellsOpTime: true,
  countedAs: 'itself',
  run,
};

function* run(context: CommandContext): Operation<Reply> {
  const { args, member, retryable } = context;
  args.allow(fields);
  const { ns, db, collection: name } = args;
  const sent = args.requiredDocuments('deletes');
  checkStatementCount(sent.length);
  checkWritableName(db, name);
  const statementOf = (bytes: Uint8Array) => new Fields(bytes, 'delete.deletes');
  yield* lookInTurns(sent, (bytes) => checkDeleteShape(statementOf(bytes)));
  // Nothing that is deleted is validated.
  args.bool('bypassDocumentValidation');
  const target = { ns, uuid: collectionUuidOf(args) };
  const variables = variablesOf(args, member);
  const errors = new WriteErrors(args.strictBool('ordered') ?? true, context.transaction !== undefined);
  const stmtId = statementIds(args, sent.length);
  let n = 0;
  for (const [index, statement] of sent.entries()) {
    try {
      yield* waitWhileSet(member, 'hangDuringBatchRemove', { ns });
      failIfSet(member, 'failAllRemoves');
      n += yield* deleteStatement(context, target, statementOf(statement), variables, stmtId(index));
    } catch (error) {
      if (!errors.add(index, error)) break;
    }
  }
  return { n, ...errors.reply(), ...retriedReply(retryable) };
}

/**
 * Carries out one statement that `checkDeleteShape` has seen, unless it was carried out before, and gives the number of
 * documents that went. Errors: those of filters, CollectionUUIDMismatch 361, InvalidOptions 72 for a retryable one of many documents.
 */
export function* deleteStatement(
  context: CommandContext,
  { ns, uuid }: WriteTarget,
  sent: Fields,
  variables: Variables,
  stmtId: number,
): Operation<number> {
  const { data, member, retryable } = context;
  const before = sent.number('limit') === 1 ? retryable?.executed(stmtId) : undefined;
  if (before) return 1;
  member.counters.opcounters.delete += 1;
  member.counters.writes[sent.number('limit') === 1 ? 'deleteOneUnshardedCount' : 'deleteManyCount'] += 1;
  checkCollectionMeant(uuid, data, ns);
  checkTransactionalWrite(context, ns, 'delete');
  const series = timeseriesCollection(data, ns);
  if (!series) checkNotView(data, ns);
  const parse = () => parseDeleteStatement(sent, data, ns, variables);
  const parsed = yield* readInTurns(sent, variables.meter, parse);
  const statement = { ...parsed, link: retryable?.link(stmtId) };
  if (retryable && !statement.one) {
    throw new CommandError('InvalidOptions', 'a retryable delete takes one document: limit must be 1');
  }
  if (series) return yield* inWritePlan('delete', member.traits, deleteMeasurements(context, series, statement));
  const removal = statement.one ? deleteOne(context, ns, statement) : deleteMany(context, ns, statement);
  return yield* inWritePlan('delete', member.traits, removal);
}

/** Reads one entry of `deletes` that `checkDeleteShape` has seen. Errors: those of filters and of `hintOf`. */
export function parseDeleteStatement(
  fields: Fields,
  data: ReadView,
  ns: string,
  variables: Variables,
): DeleteStatement {
  return {
    filter: compileQuery(
      fields.requiredDocument('q'),
      variables,
      operationCollator(fields, data, ns),
      searchOf(data, ns),
    ),
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
    throw new CommandError('FailedToParse', `The limit field in delete objects must be 0 or 1. Got ${limit}`);
  }
  sentHint(statement);
  checkCollation(statement.document('collation'));
}

function* deleteOne(context: CommandContext, ns: string, { filter, hint, link }: DeleteStatement): Operation<number> {
  const { data, member, writes } = context;
  // A document that no longer matches when its time has come makes the search begin again.
  for (let conflicts = 0; ; ) {
    const collection = data.collection(ns);
    if (!collection) {
      member.debug.missedCollection();
      return 0;
    }
    const found = yield* findOne(member, data, collection, { filter, hint });
    if (!found) return 0;
    yield* spend(deleteMicros(member, collection) + member.costs.commitMicros);
    if (!stillMatching(data, collection, found, filter)) continue;
    try {
      writes.delete(collection, [found.recordId], { grouped: false, statement: link });
      member.debug.nDeleted += 1;
      return 1;
    } catch (error) {
      yield* backOff(context, error, ++conflicts);
    }
  }
}
