import {
  BsonType,
  type BsonValue,
  CommandError,
  encodeName,
  findField,
  RawValue,
  type StatementLink,
  type VersionTraits,
} from '@replsim/protocol';
import { buildUpsertDocument, compileUpdate, type Update, type Variables } from '@replsim/query';
import { type CollectionView, StoredDocument } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import { MAX_BSON_OBJECT_SIZE } from '../admin/diagnostics.ts';
import { checkCollation } from '../catalog/collectionOptions.ts';
import type { MemberServices } from '../command.ts';
import type { Fields } from '../fields.ts';
import { checkCreatableName, splitNs } from '../namespaces.ts';
import { type CompiledFilter, compile, hintOf } from '../reading/query.ts';
import { newDocument } from './newDocument.ts';

/** One update, compiled. */
export interface UpdateStatement {
  readonly filter: CompiledFilter;
  readonly update: Update;
  readonly multi: boolean;
  readonly upsert: boolean;
  readonly sort?: Uint8Array | undefined;
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
const statementFieldsWithoutSort = new Set([...statementFields].filter((name) => name !== 'sort'));

/** What goes wrong with the shape of a statement is the whole command's failure. Errors: those of `Fields`. */
export function checkUpdateShape(statement: Fields, { maxWireVersion }: VersionTraits): void {
  statement.allow(maxWireVersion >= SORT_WIRE_VERSION ? statementFields : statementFieldsWithoutSort);
  statement.requiredDocument('q');
  const update = statement.value('u') ?? statement.missing('u');
  if (update.type !== BsonType.object && update.type !== BsonType.array) {
    throw new CommandError('FailedToParse', 'Update argument must be either an object or an array');
  }
  for (const name of ['c', 'sort'] as const) statement.document(name);
  statement.documents('arrayFilters');
  for (const name of ['multi', 'upsert', 'upsertSupplied'] as const) statement.bool(name);
  checkCollation(statement.document('collation'));
}

/** Reads one entry of `updates` that `checkUpdateShape` has seen. Errors: FailedToParse 9, those of `parseUpdate`. */
export function parseUpdateStatement(fields: Fields, member: MemberServices, variables: Variables): UpdateStatement {
  const query = fields.requiredDocument('q');
  const multi = fields.bool('multi');
  const update = parseUpdate(fields, 'u', query, member);
  const sort = fields.document('sort');
  if (multi && sort) throw new CommandError('FailedToParse', 'Cannot specify sort with multi=true');
  if (multi && update.isReplacement) {
    throw new CommandError('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  return {
    filter: compile(query, variables),
    update,
    multi,
    upsert: fields.bool('upsert'),
    sort,
    hint: hintOf(fields),
  };
}

/** Compiles the update that stands in the field `name`. Errors: TypeMismatch 14, CommandNotSupported 115 for a pipeline. */
export function parseUpdate(fields: Fields, name: string, query: Uint8Array, member: MemberServices): Update {
  const value = fields.value(name) ?? fields.missing(name);
  if (value.type === BsonType.array) {
    throw new CommandError('CommandNotSupported', 'an update with a pipeline is not supported by replsim yet');
  }
  const arrayFilters = fields.documents('arrayFilters') ?? [];
  return compileUpdate(value, { filter: query, arrayFilters, nowMs: Math.floor(member.now.wallMs) });
}

/** What updating one document costs, its transaction included. Unit: µs. */
export function updateMicros({ costs }: MemberServices, { indexes }: CollectionView): number {
  return costs.updateMicros + indexes.length * costs.indexKeyMicros + costs.commitMicros;
}

/** Updates a document that matches, here and now. Undefined if that changes nothing. */
export function applyUpdate(
  member: MemberServices,
  collection: CollectionView,
  recordId: number,
  statement: UpdateStatement,
): Uint8Array | undefined {
  const result = statement.update.apply(collection.get(recordId)!.bytes);
  if (!result.changed) return undefined;
  const { document, diff } = result;
  if (document.length > MAX_BSON_OBJECT_SIZE) {
    throw new CommandError(17419, `Resulting document after update is larger than ${MAX_BSON_OBJECT_SIZE}`);
  }
  member.writes.update(collection, recordId, new StoredDocument(document), diff, statement.link);
  return document;
}

/** Makes the document of an upsert that found none. Throws DuplicateKey 11000 among others. */
export function* insertUpserted(member: MemberServices, ns: string, statement: UpdateStatement): Operation<Uint8Array> {
  const { costs, engine, writes } = member;
  const [db, name] = splitNs(ns);
  if (!engine.collection(ns)) checkCreatableName(db, name);
  const keys = engine.collection(ns)?.indexes.length ?? 1;
  yield* spend(costs.insertMicros + keys * costs.indexKeyMicros + costs.commitMicros);
  const clock = { secs: Math.floor(member.now.wallMs / 1000), inc: 1 };
  const document = newDocument(
    buildUpsertDocument(statement.filter.bytes, statement.update, newId(member)),
    member.ids,
    clock,
  );
  // An inserted document is its own image: a retry finds it in the entry.
  writes.insert(ns, [document], statement.link && [withoutImage(statement.link)]);
  return document.bytes;
}

function withoutImage({ lsid, txnNumber, stmtId }: StatementLink): StatementLink {
  return { lsid, txnNumber, stmtId };
}

const ID = encodeName('_id');

/** The `_id` for a document that brings none. */
function newId({ ids, now }: MemberServices): BsonValue {
  const bytes = ids.objectId(Math.floor(now.wallMs / 1000));
  return { type: BsonType.objectId, bytes, offset: 0, size: bytes.length };
}

/** A document's `_id`, for a reply. */
export function idOf(document: Uint8Array): RawValue {
  return new RawValue(findField(document, ID)!);
}
