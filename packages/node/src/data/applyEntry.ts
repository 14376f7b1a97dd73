import { recordStatement, recordTransaction } from '@replsim/operations';
import { cappedLimits, excessRecords, keepsPreImages } from '@replsim/pipeline';
import {
  encodeName,
  findField,
  isLocal,
  isNullOpTime,
  type OplogEntry,
  type OplogOperation,
  required,
  requiredField,
  type StatementLink,
} from '@replsim/protocol';
import { applyDiff, isDelta } from '@replsim/query';
import { type CollectionView, encodeKey, StoredDocument } from '@replsim/storage';
import type { ApplyHost, ApplyMode, ApplyTarget } from './applyHost.ts';
import { applyCommand } from './catalogChanges.ts';
import { keepPreImage } from './preImages.ts';
import type { ConstraintViolation } from './relaxedConstraints.ts';

/**
 * Applies one entry, idempotently; nothing in it can fail. Upstream: oplog.cpp, applyOperation_inlock.
 * @param next what follows in the same batch: readers see both or none, so a session's row is written for its last one only
 */
export function applyEntry(
  core: ApplyTarget,
  entry: OplogEntry,
  mode: ApplyMode,
  host: ApplyHost,
  next?: OplogEntry,
): void {
  const removedBefore = core.tracing ? new Map<string, number>() : undefined;
  const { statement } = entry.operation;
  const image = statement?.needsRetryImage;
  const before = image === 'preImage' ? documentOf(core, entry.operation) : undefined;
  for (const link of linksOf(entry, host)) {
    for (let i = 0; i < link.operations.length; i++) {
      const operation = link.operations[i]!;
      // While data are copied they are of no single moment, so an image would be wrong.
      if (mode !== 'initialSync') keepImageOf(core, link, operation, i, host);
      applyOperation(core, operation, mode, host, removedBefore);
    }
  }
  if (entry.operation.transaction) recordTransaction(core.engine, entry);
  if (statement && (image || !isFollowed(statement, next))) {
    const kept = image === 'postImage' ? documentOf(core, entry.operation) : before;
    recordStatement(core.engine, entry, mode === 'initialSync' ? undefined : kept);
  }
  for (const [ns, count] of removedBefore ?? []) {
    core.trace({
      type: 'documentsRemoved',
      ns,
      count,
      by: mode === 'initialSync' ? 'initialSync' : mode === 'recovery' ? 'rollback' : 'oplog',
      memberState: host.memberState(),
      acceptsWrites: false,
    });
  }
}

/**
 * The entries whose changes come with an entry. Of a transaction that did not fit into one nothing is in the data before the last,
 * which brings it all. Upstream: transaction_oplog_application.cpp, readTransactionOperationsFromOplogChain.
 */
function linksOf(entry: OplogEntry, host: ApplyHost): readonly OplogEntry[] {
  const { transaction } = entry.operation;
  if (!transaction) return [entry];
  // What a new primary gave up has changed nothing.
  if (transaction.partialTxn || !entry.applyOps) return [];
  const links = [entry];
  for (let at = entry.prevOpTime; at && !isNullOpTime(at); ) {
    const link = required(host.findEntry(at), `entry of a transaction at ${JSON.stringify(at)}`);
    links.push(link);
    at = link.prevOpTime;
  }
  return links.reverse();
}

/** What a change is about to take away on this member, where its collection keeps such. */
function keepImageOf(
  core: ApplyTarget,
  entry: OplogEntry,
  operation: OplogOperation,
  applyOpsIndex: number,
  { observer }: ApplyHost,
): void {
  const { op } = operation;
  if (op !== 'u' && op !== 'd') return;
  const collection = collectionOf(core, operation);
  if (!collection || !keepsPreImages(collection)) return;
  const before = documentOf(core, operation);
  if (before && keepPreImage(core, collection, entry, before, applyOpsIndex)) observer.preImageKept();
}

/** Whether the next entry notes all that this one has to say of its session. Upstream: session_update_tracker.cpp. */
function isFollowed({ lsid, txnNumber }: StatementLink, next: OplogEntry | undefined): boolean {
  const following = next?.operation.statement;
  return following !== undefined && following.txnNumber === txnNumber && sameBytes(following.lsid, lsid);
}

function applyOperation(
  core: ApplyTarget,
  operation: OplogOperation,
  mode: ApplyMode,
  host: ApplyHost,
  removed: Map<string, number> | undefined,
): void {
  const { op } = operation;
  if (op === 'n') return;
  if (op === 'c') {
    applyCommand(core, operation, mode, host);
    host.counters.opcountersRepl.command += 1;
    return;
  }
  const collection = collectionOf(core, operation);
  if (!collection) {
    if (op === 'd') relax('deleteFromMissingNamespace', operation, mode, host);
    return;
  }
  if (op === 'i') applyInsert(core, collection, operation, mode, host);
  else if (op === 'u') applyUpdate(core, collection, operation, mode, host);
  else if (applyDelete(core, collection, operation, mode, host)) {
    removed?.set(collection.ns, (removed.get(collection.ns) ?? 0) + 1);
  }
}

/** Only in steady state are the data those that the entry was written for. */
function relax(violation: ConstraintViolation, operation: OplogOperation, mode: ApplyMode, host: ApplyHost): void {
  if (mode === 'steady') host.relaxed.found(violation, operation);
}

/** The document that an operation is about, as it is now. */
function documentOf(core: ApplyTarget, operation: OplogOperation): StoredDocument | undefined {
  const collection = collectionOf(core, operation);
  if (!collection) return undefined;
  const recordId = collection.findById(idKeyOf(operation.o2 ?? operation.o));
  return recordId === undefined ? undefined : collection.get(recordId);
}

function collectionOf(core: ApplyTarget, operation: OplogOperation): CollectionView | undefined {
  const { ns, ui } = operation;
  const named = core.engine.collection(ns);
  if (!ui || (named && sameBytes(named.uuid, ui))) return named;
  return core.engine.collectionByUuid(ui);
}

/** Entries share their arrays with each other, so the first test nearly always settles it. */
function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a === b || (a.length === b.length && a.every((byte, i) => byte === b[i]));
}

function applyInsert(
  core: ApplyTarget,
  collection: CollectionView,
  operation: OplogOperation,
  mode: ApplyMode,
  host: ApplyHost,
): void {
  const document = (operation.document as StoredDocument | undefined) ?? new StoredDocument(operation.o);
  host.counters.opcountersRepl.insert += 1;
  const present = recordIdOf(collection, document.idKey);
  if (present === undefined) {
    core.engine.insert(collection.ns, document, { allowDuplicates: true });
    if (!core.traits.cappedDeletes)
      for (const excess of excessRecords(collection)) core.engine.delete(collection.ns, excess);
  } else {
    relax('insertOnExistingDoc', operation, mode, host);
    core.engine.update(collection.ns, present, document, { allowDuplicates: true });
  }
}

function applyUpdate(
  core: ApplyTarget,
  collection: CollectionView,
  operation: OplogOperation,
  mode: ApplyMode,
  host: ApplyHost,
): void {
  host.counters.opcountersRepl.update += 1;
  const idKey = idKeyOf(required(operation.o2, 'o2 in an update'));
  const recordId = recordIdOf(collection, idKey);
  const before = recordId === undefined ? undefined : collection.get(recordId);
  if (!before && mode !== 'steady') return;
  // A capped collection may have lost the document at its head, and must not get it back at its end.
  if (!before && cappedLimits(collection)) return;
  const after = documentAfter(operation, before);
  if (recordId === undefined) {
    relax('updateOnMissingDoc', operation, mode, host);
    core.engine.insert(collection.ns, after, { allowDuplicates: true });
  } else {
    core.engine.update(collection.ns, recordId, after, { allowDuplicates: true });
  }
}

function documentAfter(operation: OplogOperation, before: StoredDocument | undefined): StoredDocument {
  const { o, document } = operation;
  // The very document that the primary updated: its result is mine, and shared.
  if (document && before === operation.before) return document as StoredDocument;
  if (!isDelta(o)) return (document as StoredDocument | undefined) ?? new StoredDocument(o);
  return new StoredDocument(applyDiff(before?.bytes ?? required(operation.o2, 'o2 in an update'), o));
}

/** @returns whether there was something to delete */
function applyDelete(
  core: ApplyTarget,
  collection: CollectionView,
  operation: OplogOperation,
  mode: ApplyMode,
  host: ApplyHost,
): boolean {
  host.counters.opcountersRepl.delete += 1;
  const document = operation.document as StoredDocument | undefined;
  const recordId = recordIdOf(collection, document ? document.idKey : idKeyOf(operation.o));
  if (recordId === undefined) {
    relax('deleteWasEmpty', operation, mode, host);
    return false;
  }
  core.engine.delete(collection.ns, recordId);
  return true;
}

const ID = encodeName('_id');

function idKeyOf(documentKey: Uint8Array): string {
  return encodeKey(requiredField(documentKey, ID));
}

/** The few documents that a mongod keeps in `local` for itself have no index on `_id`. */
function recordIdOf(collection: CollectionView, idKey: string): number | undefined {
  const found = collection.findById(idKey);
  if (found !== undefined || !isLocal(collection.ns)) return found;
  const records = collection.records();
  while (records.next()) {
    const id = findField(records.document.bytes, ID);
    if (id && encodeKey(id) === idKey) return records.recordId;
  }
  return undefined;
}
