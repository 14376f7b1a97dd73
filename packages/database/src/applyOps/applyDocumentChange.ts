import { type Operation, spend } from '@replsim/operations';
import { type AppliedEntry, checkNotView, int64Of, typeName } from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  CommandError,
  ElementCursor,
  ErrorCodes,
  encodeName,
  findField,
  formatUuid,
} from '@replsim/protocol';
import { applyDiff, sameBytes } from '@replsim/query';
import { type CollectionView, encodeKey, StoredDocument } from '@replsim/storage';
import { checkValid } from '../catalog/validation.ts';
import { trimCapped } from '../crud/cappedTrim.ts';
import { checkUpdated, updateMicros } from '../crud/updateStatement.ts';
import type { CommandContext } from '../definition.ts';
import type { StatusServices } from '../member.ts';

const ID = encodeName('_id');
const VERSION = encodeName('$v');
const DIFF = encodeName('diff');

/**
 * Carries out an insert, an update or a delete. What is there already is replaced by an insert; a delete of nothing is fine.
 * @returns why it could not be done, where others may go on: Location3318200 for another collection by `ui`,
 * UpdateOperationFailed 218, DocumentValidationFailure 121
 * Errors: NamespaceNotFound 26 but for a delete, NoSuchKey 4 without an `_id`, Location4772600, 4770503 and 4770507 for an update that is
 * none, DuplicateKey 11000, WriteConflict 112 for the caller to try again.
 * Upstream: apply_ops.cpp, _applyOps; oplog.cpp, applyOperation_inlock.
 */
export function* applyDocumentChange(
  context: CommandContext,
  entry: AppliedEntry,
  upsert: boolean,
): Operation<CommandError | undefined> {
  const { data, member } = context;
  const { ns, op, ui } = entry;
  if (ui && data.collectionByUuid(ui)?.ns !== ns) {
    return new CommandError(3318200, `Namespace '${ns}' and UUID '${formatUuid(ui)}' point to different collections`);
  }
  checkNotView(data, ns);
  const found = data.collection(ns);
  if (!found && op === 'd') return undefined;
  const collection = present(found, ns);
  yield* spend(op === 'd' ? member.costs.deleteMicros + member.costs.commitMicros : updateMicros(member, collection));
  // Time has passed.
  const now = present(context.data.collection(ns), ns);
  if (op === 'i') return applyInsert(context, now, entry);
  if (op === 'u') return applyUpdate(context, now, entry, upsert);
  applyDelete(context, now, entry);
  return undefined;
}

function present(collection: CollectionView | undefined, ns: string): CollectionView {
  if (collection) return collection;
  throw new CommandError(
    'NamespaceNotFound',
    `cannot apply insert or update operation on a non-existent namespace ${ns}`,
  );
}

function applyInsert(
  context: CommandContext,
  collection: CollectionView,
  { o }: AppliedEntry,
): CommandError | undefined {
  const { member, writes } = context;
  member.counters.opcounters.insert += 1;
  const document = storedOf(o, idOf(o, 'insert'));
  if (!bypassesValidation(context)) {
    try {
      checkValid(member, collection, document.bytes);
    } catch (error) {
      if (error instanceof CommandError && error.code === ErrorCodes.DocumentValidationFailure) return error;
      throw error;
    }
  }
  const recordId = collection.findById(document.idKey);
  if (recordId !== undefined) {
    replace(context, collection, recordId, document.bytes, undefined);
    return undefined;
  }
  writes.insert(collection.ns, [document]);
  if (member.traits.cappedDeletes) trimCapped(context, collection.ns);
  return undefined;
}

function applyUpdate(
  context: CommandContext,
  collection: CollectionView,
  entry: AppliedEntry,
  upsert: boolean,
): CommandError | undefined {
  const { member, writes } = context;
  const { o, o2 } = entry;
  member.counters.opcounters.update += 1;
  const id = idOf(o2, 'update');
  const delta = deltaOf(o);
  const recordId = collection.findById(encodeKey(id));
  if (recordId === undefined) {
    if (!upsert) return new CommandError('UpdateOperationFailed', 'Failed to apply update: there is no such document');
    const made = delta ? applyDiff(keyOf(id), delta) : o;
    writes.insert(collection.ns, [storedOf(made, idOf(made, 'update'))]);
    return undefined;
  }
  const before = collection.get(recordId)!.bytes;
  replace(context, collection, recordId, delta ? applyDiff(before, delta) : replacement(o, id), delta);
  return undefined;
}

function applyDelete(
  { member, writes }: CommandContext<StatusServices>,
  collection: CollectionView,
  { o }: AppliedEntry,
): void {
  member.counters.opcounters.delete += 1;
  const recordId = collection.findById(encodeKey(idOf(o, 'delete')));
  if (recordId !== undefined) writes.delete(collection, [recordId], { grouped: false });
}

/** What changes nothing is not logged. */
function replace(
  context: CommandContext,
  collection: CollectionView,
  recordId: number,
  after: Uint8Array,
  delta: Uint8Array | undefined,
): void {
  const before = collection.get(recordId)!.bytes;
  if (sameBytes(before, after)) return;
  checkUpdated(context.member, collection, { before, after, bypassesValidation: bypassesValidation(context) });
  context.writes.update(collection, recordId, storedOf(after, idOf(after, 'update')), delta && new Uint8Array(delta));
}

/** Errors: ImmutableField 66. */
function replacement(o: Uint8Array, id: BsonValue): Uint8Array {
  if (encodeKey(idOf(o, 'update')) === encodeKey(id)) return o;
  throw new CommandError('ImmutableField', "the update entry's o and o2 have different '_id's");
}

/**
 * The delta of an update, undefined for a whole document, which always has an `_id`.
 * Errors: Location4772600 for another version, 4770503 and 4770507 for a diff that is none. Upstream: write_ops_parsers.cpp,
 * UpdateModification::parseFromOplogEntry; document_diff_serialization.cpp.
 */
function deltaOf(o: Uint8Array): Uint8Array | undefined {
  if (findField(o, ID)) return undefined;
  const version = findField(o, VERSION);
  const isInteger = version?.type === BsonType.int || version?.type === BsonType.long;
  if (!isInteger || int64Of(version) !== 2n) {
    throw new CommandError(4772600, 'Expected _id field or $v:2 in the o of an update');
  }
  const diff = findField(o, DIFF);
  if (diff?.type !== BsonType.object) throw new CommandError(4772601, "Expected 'diff' field to be an object");
  const sections = new ElementCursor(diff.bytes, diff.offset);
  while (sections.next()) {
    const { name, type } = sections;
    if (!/^([diu]$|s)/.test(name)) throw new CommandError(4770503, `Unexpected section: ${name} in document diff`);
    if (type === BsonType.object) continue;
    throw new CommandError(4770507, `Expected ${name} section to be type object, not ${typeName(type)}`);
  }
  return o;
}

/** Errors: NoSuchKey 4. */
function idOf(document: Uint8Array | undefined, kind: string): BsonValue {
  const id = document && findField(document, ID);
  if (id) return id;
  throw new CommandError('NoSuchKey', `Failed to apply ${kind} due to missing _id`);
}

/** A copy, its `_id` in the first place. */
function storedOf(document: Uint8Array, id: BsonValue): StoredDocument {
  const cursor = new ElementCursor(document);
  if (cursor.next() && cursor.name === '_id') return new StoredDocument(new Uint8Array(document));
  const writer = new BsonWriter(document.length);
  writer.rawValue('_id', id);
  const all = new ElementCursor(document);
  while (all.next()) if (all.name !== '_id') writer.rawValue(all.name, all.value());
  return new StoredDocument(writer.finish());
}

function keyOf(id: BsonValue): Uint8Array {
  const writer = new BsonWriter(64);
  writer.rawValue('_id', id);
  return writer.finish();
}

function bypassesValidation({ args }: CommandContext): boolean {
  return args.bool('bypassDocumentValidation');
}
