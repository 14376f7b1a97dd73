import { CommandError, type RawValue } from '@replsim/protocol';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { fieldSet } from '../arguments.ts';
import type { CommandContext, CommandDefinition, MemberServices, Reply } from '../command.ts';
import { Fields } from '../fields.ts';
import { checkWritableName } from '../namespaces.ts';
import { findOne, stillMatching } from '../reading/findOne.ts';
import { nextMatch } from '../reading/matchScan.ts';
import { scanOf, variablesOf } from '../reading/query.ts';
import { checkStatementCount, WriteErrors } from './statements.ts';
import {
  applyUpdate,
  idOf,
  insertUpserted,
  parseUpdateStatement,
  type UpdateStatement,
  updateMicros,
} from './updateStatement.ts';

const fields = fieldSet('update', 'updates', 'ordered', 'let', 'bypassDocumentValidation', 'collectionUUID');

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
  secondaries: 'never',
  maintenanceOk: false,
  isWrite: true,
  countedAs: 'itself',
  run,
};

function* run({ args, member }: CommandContext): Operation<Reply> {
  args.allow(fields);
  const { ns, db, collection } = args;
  const sent = args.requiredDocuments('updates').map((bytes) => new Fields(bytes, 'update.updates'));
  checkStatementCount(sent.length);
  checkWritableName(db, collection);
  const variables = variablesOf(args, member);
  const errors = new WriteErrors(args.bool('ordered', true));
  const upserted: Reply[] = [];
  let n = 0;
  let nModified = 0;
  for (let index = 0; index < sent.length; index++) {
    member.counters.opcounters.update += 1;
    try {
      const outcome = yield* runUpdate(member, ns, parseUpdateStatement(sent[index]!, member, variables));
      n += outcome.matched + (outcome.upserted ? 1 : 0);
      nModified += outcome.modified;
      if (outcome.upserted) upserted.push({ index, _id: outcome.upserted });
    } catch (error) {
      if (!errors.add(index, error)) break;
    }
  }
  return { n, nModified, ...(upserted.length > 0 && { upserted }), ...errors.reply() };
}

/** Carries out one statement. A duplicate met by an upsert may be a document that another client made meanwhile. */
export function* runUpdate(member: MemberServices, ns: string, statement: UpdateStatement): Operation<UpdateOutcome> {
  for (let attempt = 0; ; attempt++) {
    const outcome = statement.multi
      ? yield* updateMany(member, ns, statement)
      : yield* updateOne(member, ns, statement);
    if (outcome.matched > 0 || !statement.upsert) return outcome;
    try {
      const document = yield* insertUpserted(member, ns, statement);
      return { matched: 0, modified: 0, upserted: idOf(document) };
    } catch (error) {
      if (!(error instanceof CommandError) || error.code !== 11000 || attempt > 0) throw error;
    }
  }
}

function* updateOne(member: MemberServices, ns: string, statement: UpdateStatement): Operation<UpdateOutcome> {
  const { engine, costs } = member;
  // A document that no longer matches when its time has come makes the search begin again.
  for (;;) {
    const collection = engine.collection(ns);
    const recordId = collection && (yield* findOne(engine, collection, statement, costs));
    if (recordId === undefined) return { matched: 0, modified: 0 };
    yield* spend(updateMicros(member, collection!));
    const before = stillMatching(engine, collection!, recordId, statement.filter);
    if (!before) continue;
    const after = applyUpdate(member, collection!, recordId, statement);
    return { matched: 1, modified: after ? 1 : 0 };
  }
}

/** All matches are found first, so that none is met again where the update moved it to. */
function* updateMany(member: MemberServices, ns: string, statement: UpdateStatement): Operation<UpdateOutcome> {
  const { engine, costs } = member;
  const collection = engine.collection(ns);
  if (!collection) return { matched: 0, modified: 0 };
  const scan = scanOf(engine, collection, statement.filter, { hint: statement.hint });
  const found: number[] = [];
  while (yield* nextMatch(scan, costs.scanKeyMicros)) found.push(scan.recordId);
  let matched = 0;
  let modified = 0;
  for (let start = 0; start < found.length; start += UPDATE_SLICE) {
    const slice = found.slice(start, start + UPDATE_SLICE);
    yield* spend(slice.length * updateMicros(member, collection));
    for (const recordId of slice) {
      if (!stillMatching(engine, collection, recordId, statement.filter)) continue;
      matched += 1;
      if (applyUpdate(member, collection, recordId, statement)) modified += 1;
    }
  }
  return { matched, modified };
}
