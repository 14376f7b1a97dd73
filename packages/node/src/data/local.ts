import {
  decodeDocument,
  encodeDocument,
  encodeName,
  RawBson,
  readString,
  requiredField,
  subdocument,
} from '@replsim/protocol';
import { type StorageEngine, StoredDocument } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import { type Journal, RecordKinds } from './journal.ts';

/**
 * The collections in `local` that hold one document each: config, vote, rollback id, minvalid. Nothing there is
 * replicated; each change goes to the journal, and whoever needs it durable asks the journal.
 */
export class LocalDocuments {
  readonly #core: Core;
  readonly #journal: Journal;

  constructor(core: Core, journal: Journal) {
    this.#core = core;
    this.#journal = journal;
  }

  /** Replaces the one document of `ns` without a word to the journal: a restart must not depend on it. */
  show(ns: string, document: Uint8Array): void {
    putLocalDocument(this.#core.engine, ns, document, this.#core.ids.uuid());
  }

  /** Replaces the one document of `ns`. */
  set(ns: string, document: Uint8Array): void {
    putLocalDocument(this.#core.engine, ns, document, this.#core.ids.uuid());
    this.#journal.append(RecordKinds.localDocument, encodeDocument({ ns, document: new RawBson(document) }));
  }

  get(ns: string): Record<string, unknown> | undefined {
    const bytes = this.bytes(ns);
    return bytes && (decodeDocument(bytes) as Record<string, unknown>);
  }

  bytes(ns: string): Uint8Array | undefined {
    return localDocument(this.#core.engine, ns);
  }
}

/** The one document of a collection in `local`. */
function localDocument(engine: StorageEngine, ns: string): Uint8Array | undefined {
  const records = engine.collection(ns)?.records();
  return records?.next() ? records.document.bytes : undefined;
}

/** @param uuid for the collection, in case it has to be made */
export function putLocalDocument(engine: StorageEngine, ns: string, document: Uint8Array, uuid: Uint8Array): void {
  // These documents have no `_id` of their own kind everywhere, and nobody looks one up.
  const collection = engine.collection(ns) ?? engine.createCollection(ns, { uuid, withoutIdIndex: true });
  const records = collection.records();
  while (records.next()) engine.delete(ns, records.recordId);
  engine.insert(ns, new StoredDocument(document));
}

const NS = encodeName('ns');
const DOCUMENT = encodeName('document');

/** What a journal record says of a collection in `local`: its one document, which is copied and not decoded. */
export function readLocalRecord(record: Uint8Array): { readonly ns: string; readonly document: Uint8Array } {
  return { ns: readString(requiredField(record, NS)), document: subdocument(record, DOCUMENT) };
}
