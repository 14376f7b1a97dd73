import { failIfInsertsAre, type Operation, spend } from '@replsim/operations';
import {
  attempted,
  bytesOf,
  checkCollation,
  checkCreatableName,
  checkStoredDepth,
  EMPTY_DOCUMENT,
  type Fields,
  hasUnusualNames,
  MAX_BSON_OBJECT_SIZE,
  newDocument,
  OperationVariables,
  operationCollator,
  splitNs,
} from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  findField,
  RawValue,
  requiredField,
  type StatementLink,
  type VersionTraits,
} from '@replsim/protocol';
import {
  buildUpsertDocument,
  checkDollarNames,
  checkVariableRead,
  compileUpdate,
  firstName,
  type Update,
  type Variables,
} from '@replsim/query';
import { type CollectionView, StoredDocument } from '@replsim/storage';
import { checkValid } from '../catalog/validation.ts';
import type { CommandContext } from '../definition.ts';
import type { MemberFacts, MemberServices } from '../member.ts';
import { inTurns } from '../reading/namespaceSource.ts';
import { type CompiledFilter, compileQuery, compileUpsertQuery, orderOf, sentHint } from '../reading/query.ts';
import { searchOf } from '../reading/textSearch.ts';
import { pipelineUpdate } from './pipelineUpdate.ts';
import type { Updated } from './updateAhead.ts';

/** One update, compiled. */
export interface UpdateStatement {
  readonly filter: CompiledFilter;
  readonly update: Update;
  readonly multi: boolean;
  readonly upsert: boolean;
  /** What an upsert inserts, if that is not for the update to say. */
  readonly supplied?: Uint8Array | undefined;
  readonly sort?: Uint8Array | undefined;
  /** The validator of the collection is not asked. */
  readonly bypassesValidation?: boolean;
  readonly hint?: BsonValue | undefined;
  /** Of a retryable write. */
  readonly link?: StatementLink | undefined;
}

const statementFields = new Set([
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'arrayFilters',
  'hint',
  'collation',
  'sort',
  'sampleId',
  'upsertSupplied',
]);
/** Manual of 8.0, "update": the `sort` of one document. */
const SORT_WIRE_VERSION = 25;
/** Release notes of 4.2: updates by pipeline. */
const PIPELINE_WIRE_VERSION = 8;
const statementFieldsWithoutSort = new Set([...statementFields].filter((name) => name !== 'sort'));

/** What goes wrong with the shape of a statement is the whole command's failure. Errors: those of `Fields`. */
export function checkUpdateShape(statement: Fields, { maxWireVersion }: VersionTraits): void {
  statement.allow(maxWireVersion >= SORT_WIRE_VERSION ? statementFields : statementFieldsWithoutSort);
  statement.requiredDocument('q');
  const update = statement.value('u') ?? statement.missing('u');
  if (update.type !== BsonType.object && update.type !== BsonType.array) {
    throw new CommandError('FailedToParse', 'u must be a document or a pipeline');
  }
  for (const name of ['c', 'sort'] as const) statement.document(name);
  statement.documents('arrayFilters');
  for (const name of ['multi', 'upsert', 'upsertSupplied'] as const) statement.bool(name);
  sentHint(statement);
  checkCollation(statement.document('collation'));
}

/** Reads one entry of `updates` that `checkUpdateShape` has seen. Errors: FailedToParse 9, those of `parseUpdate`. */
export function parseUpdateStatement(
  fields: Fields,
  { args, data, member }: CommandContext,
  ns: string,
  variables: Variables,
): UpdateStatement {
  const query = fields.requiredDocument('q');
  const multi = fields.strictBool('multi') ?? false;
  const constants = fields.document('c');
  const upsert = fields.strictBool('upsert') ?? false;
  const compileFilter = upsert ? compileUpsertQuery : compileQuery;
  const filter = compileFilter(query, variables, operationCollator(fields, data, ns), searchOf(data, ns));
  const update = parseUpdate(fields, 'u', filter, args, member, withConstants(variables, constants));
  const { sort, hint } = orderOf(fields);
  if (multi && sort) throw new CommandError('FailedToParse', 'sort does not go with multi: true');
  if (multi && update.isReplacement) {
    throw new CommandError('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  return {
    filter,
    update,
    multi,
    upsert,
    supplied: suppliedDocument(fields, constants),
    sort,
    hint,
  };
}

/**
 * Compiles the update that stands in the field `name`. Errors: TypeMismatch 14, FailedToParse 9 for what goes with no
 * pipeline and for a constant that no name can have, Location51198 for constants without one, those of updates and stages.
 */
export function parseUpdate(
  fields: Fields,
  name: string,
  { bytes: query, collator }: CompiledFilter,
  command: Fields,
  member: MemberServices,
  variables: Variables,
): Update {
  const value = fields.value(name) ?? fields.missing(name);
  if (value.type === BsonType.array && member.traits.maxWireVersion >= PIPELINE_WIRE_VERSION) {
    if (fields.has('arrayFilters')) {
      throw new CommandError('FailedToParse', 'arrayFilters do not go with a u that is a pipeline');
    }
    for (const constants = new ElementCursor(fields.document('c') ?? EMPTY_DOCUMENT); constants.next(); )
      checkVariableRead(constants.name);
    return pipelineUpdate(value, member, variables, collator);
  }
  if (fields.has('c')) throw new CommandError(51198, 'c goes only with a u that is a pipeline');
  const arrayFilters = fields.documents('arrayFilters') ?? [];
  if (!member.traits.dollarFieldNames && value.type === BsonType.object) rejectDollarPaths(value);
  return compileUpdate(value, {
    filter: query,
    arrayFilters,
    nowMs: Math.floor(member.now.wallMs),
    bypassesNullTimestamps: bypassesNullTimestamps(command),
    collator,
    meter: variables.meter,
  });
}

/** Whether null timestamps of whole documents stay as they are. Upstream: write_ops.idl, bypassEmptyTsReplacement. */
export function bypassesNullTimestamps(command: Fields): boolean {
  return command.strictBool('bypassEmptyTsReplacement') ?? false;
}

/** Before 5.0 no name may begin with a dollar, a DBRef's aside. Upstream: modifier_set.cpp and its like, storageValid. */
function rejectDollarPaths(update: BsonValue): void {
  if (firstName(update)?.startsWith('$') !== true) checkDollarNames(update);
  const operators = new ElementCursor(update.bytes, update.offset);
  while (operators.next()) {
    if (!operators.name.startsWith('$') || operators.type !== BsonType.object) continue;
    const paths = new ElementCursor(operators.bytes, operators.offset);
    while (paths.next()) {
      const name = paths.name.split('.').find((part) => /^\$(?!ref$|id$|db$)[^[]/.test(part));
      if (name === undefined) continue;
      const message = `The dollar ($) prefixed field '${name}' in '${paths.name}' is not valid for storage.`;
      throw new CommandError('DollarPrefixedFieldName', message);
    }
  }
}

/** Constants of one statement hide those of the command. */
function withConstants(variables: Variables, constants: Uint8Array | undefined): Variables {
  if (!constants) return variables;
  const all = OperationVariables.around(variables, variables);
  const cursor = new ElementCursor(constants);
  while (cursor.next()) all.set(cursor.name, cursor.value());
  return all;
}

/**
 * What an upsert inserts as it is, whatever the pipeline would make of it: the constant `new`.
 * Errors: FailedToParse 9. Upstream: update_stage, `upsertSupplied`, for a `$merge`.
 */
function suppliedDocument(fields: Fields, constants: Uint8Array | undefined): Uint8Array | undefined {
  if (!fields.strictBool('upsertSupplied')) return undefined;
  const supplied = constants && findField(constants, NEW);
  if (supplied?.type === BsonType.object) return bytesOf(supplied);
  throw new CommandError('FailedToParse', "'upsertSupplied' needs a document as the constant 'new'");
}

/** What updating one document costs, its transaction included. Unit: µs. */
export function updateMicros({ costs }: MemberFacts, { indexes }: CollectionView): number {
  return costs.updateMicros + indexes.length * costs.indexKeyMicros + costs.commitMicros;
}

/** Updates a document that matches, here and now. Undefined if that changes nothing. @param ahead what this very document comes to, if that is known */
export function applyUpdate(
  { member, writes }: CommandContext,
  collection: CollectionView,
  recordId: number,
  statement: UpdateStatement,
  ahead?: Updated,
): Uint8Array | undefined {
  const before = collection.get(recordId)!.bytes;
  const result = ahead?.result ?? statement.update.apply(before);
  if (!result.changed) return undefined;
  const { document, diff } = result;
  checkUpdated(member, collection, { before, after: document, bypassesValidation: statement.bypassesValidation });
  writes.update(collection, recordId, new StoredDocument(document), diff, statement.link);
  if (hasUnusualNames(document) && (statement.update.isReplacement || !hasUnusualNames(before)))
    member.counters.dotsAndDollars.updates += 1;
  return document;
}

/** Whether the collection takes what a document has become. Errors: Location17419, Overflow 15, DocumentValidationFailure 121. */
export function checkUpdated(
  member: MemberServices,
  collection: CollectionView,
  { before, after, bypassesValidation }: UpdatedDocument,
): void {
  if (after.length > MAX_BSON_OBJECT_SIZE) {
    throw new CommandError(17419, `Resulting document after update is larger than ${MAX_BSON_OBJECT_SIZE}`);
  }
  checkStoredDepth(after);
  if (!bypassesValidation) checkValid(member, collection, after, before);
}

interface UpdatedDocument {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly bypassesValidation?: boolean | undefined;
}

/** Makes the document of an upsert that found none. Throws DuplicateKey 11000 among others. */
export function* insertUpserted(
  context: CommandContext,
  ns: string,
  statement: UpdateStatement,
): Operation<Uint8Array> {
  const { data, member, writes } = context;
  const { costs } = member;
  const [db, name] = splitNs(ns);
  if (!data.collection(ns)) checkCreatableName(db, name);
  const keys = data.collection(ns)?.indexes.length ?? 1;
  yield* spend(costs.insertMicros + keys * costs.indexKeyMicros + costs.commitMicros);
  const clock = { secs: Math.floor(member.now.wallMs / 1000), inc: 1 };
  // What a whole document left empty is filled in by then; what operators and stages made is not.
  const fillsTimestamps = statement.supplied !== undefined && !bypassesNullTimestamps(context.args);
  const id = newId(member);
  const build = () => buildUpsertDocument(statement.filter.bytes, statement.update, id);
  const { meter } = statement.update;
  const made = statement.supplied ?? (meter ? yield* inTurns(attempted(build, meter)) : build());
  const document = newDocument(made, member.ids, clock, { fillsTimestamps, tooLarge: upsertTooLarge });
  const collection = data.collection(ns);
  if (collection && !statement.bypassesValidation) checkValid(member, collection, document.bytes);
  failIfInsertsAre(member, ns);
  // An inserted document is its own image: a retry finds it in the entry.
  writes.insert(ns, [document], statement.link && [withoutImage(statement.link)]);
  if (hasUnusualNames(document.bytes)) member.counters.dotsAndDollars.inserts += 1;
  return document.bytes;
}

/** Upstream: upsert_stage.cpp, _produceNewDocumentForInsert. */
function upsertTooLarge(): CommandError {
  return new CommandError(17420, `Document to upsert is larger than ${MAX_BSON_OBJECT_SIZE}`);
}

function withoutImage({ lsid, txnNumber, stmtId }: StatementLink): StatementLink {
  return { lsid, txnNumber, stmtId };
}

const ID = encodeName('_id');
const NEW = encodeName('new');

/** The `_id` for a document that brings none. */
function newId({ ids, now }: MemberFacts): BsonValue {
  const bytes = ids.objectId(Math.floor(now.wallMs / 1000));
  return { type: BsonType.objectId, bytes, offset: 0, size: bytes.length };
}

/** A document's `_id`, for a reply. */
export function idOf(document: Uint8Array): RawValue {
  return new RawValue(requiredField(document, ID));
}
