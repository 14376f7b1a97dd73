import type { Operation } from '@replsim/operations';
import {
  encodeName,
  formatUuid,
  type OplogEntry,
  type OplogOperation,
  required,
  requiredField,
  toHex,
  uuidAttr,
} from '@replsim/protocol';
import { encodeKey, type StoredDocument } from '@replsim/storage';
import type { Replication } from '../replication.ts';

/** The documents of one collection that the undone entries touched. */
interface Touched {
  readonly ns: string;
  readonly uuid: Uint8Array;
  readonly idKeys: Set<string>;
}

/**
 * Keeps what a rollback is about to take away: for every collection a file with the current version of each document that
 * the undone entries inserted or updated. What they deleted comes back by itself.
 * Upstream: rollback_impl.cpp, _writeRollbackFiles.
 */
export function* writeRollbackFiles(repl: Replication, undone: readonly OplogEntry[]): Operation<void> {
  const { core, host } = repl;
  let pending = 0;
  for (const touched of touchedDocuments(undone)) {
    const collection = core.engine.collectionByUuid(touched.uuid);
    if (!collection) {
      core.log('I', 'ROLLBACK', 21608, 'Rollback cannot keep documents of a collection that is gone', {
        uuid: uuidAttr(touched.uuid),
      });
      continue;
    }
    const documents: StoredDocument[] = [];
    for (const idKey of touched.idKeys) {
      const recordId = collection.findById(idKey);
      if (recordId !== undefined) documents.push(required(collection.get(recordId), 'record to keep'));
    }
    if (documents.length === 0) continue;
    const path = `rollback/${formatUuid(touched.uuid)}/${fileName(core.now.wallMs, host.rollbackFiles.length)}`;
    core.log('I', 'ROLLBACK', 21609, 'Preparing to write deleted documents to a rollback file', {
      namespace: collection.ns,
      uuid: formatUuid(touched.uuid),
      file: path,
    });
    const bytes = joined(documents);
    host.rollbackFiles.push({ path, bytes });
    core.trace({ type: 'rollbackFile', ns: collection.ns, path, documents: documents.length });
    pending += 1;
    const ticket = host.journal.ticket(() => {
      pending -= 1;
      core.wake();
    });
    core.push({ type: 'writeFile', ticket, path, bytes, costMicros: core.costs.journalFlushMicros });
  }
  yield { type: 'wait', what: 'journal', ready: () => pending === 0 };
}

function touchedDocuments(entries: readonly OplogEntry[]): Iterable<Touched> {
  const byUuid = new Map<string, Touched>();
  for (const { operations } of entries) {
    for (const operation of operations) {
      const { op, ui, ns } = operation;
      if ((op !== 'i' && op !== 'u') || !ui) continue;
      const uuid = toHex(ui);
      let touched = byUuid.get(uuid);
      if (!touched) {
        touched = { ns, uuid: ui, idKeys: new Set() };
        byUuid.set(uuid, touched);
      }
      touched.idKeys.add(idKeyOf(operation));
    }
  }
  return byUuid.values();
}

const ID = encodeName('_id');

function idKeyOf({ op, o, o2, document }: OplogOperation): string {
  return document
    ? (document as StoredDocument).idKey
    : encodeKey(requiredField(op === 'u' ? required(o2, 'o2 in an update') : o, ID));
}

/** Upstream: remove_saver.cpp; colons are left out, since not every file system has them. */
function fileName(wallMs: number, serial: number): string {
  return `removed.${new Date(wallMs).toISOString().slice(0, 19).replaceAll(':', '-')}.${serial}.bson`;
}

/** BSON documents one after the other, as `bsondump` and `mongorestore` read them. */
function joined(documents: readonly StoredDocument[]): Uint8Array {
  const file = new Uint8Array(documents.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  for (const { bytes } of documents) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}
