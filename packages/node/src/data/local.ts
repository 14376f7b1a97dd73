import {
  BsonWriter,
  decodeDocument,
  encodeDocument,
  encodeName,
  findField,
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
 * replicated; each change goes to the journal, and a caller that needs it durable waits for the journal.
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

  /** Replaces the one document of `ns`; what has no `_id` of its own keeps the one that it got first. */
  set(ns: string, contents: Uint8Array): void {
    const document = findField(contents, ID) ? contents : this.#withId(ns, contents);
    putLocalDocument(this.#core.engine, ns, document, this.#core.ids.uuid());
    this.#journal.append(RecordKinds.localDocument, encodeDocument({ ns, document: new RawBson(document) }));
  }

  /** A mongod has the server make one up (`Helpers::putSingleton`); this is as good as any other, and chance is left alone. */
  #withId(ns: string, contents: Uint8Array): Uint8Array {
    const before = this.bytes(ns);
    const id = before && findField(before, ID);
    const writer = new BsonWriter(contents.length + 32);
    if (id) writer.rawValue('_id', id);
    else writer.objectId('_id', this.#core.options.processId);
    writer.rawElements(contents, 4, contents.length - 1);
    return writer.finish();
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
  // Nobody looks one up by its `_id`.
  const collection = engine.collection(ns) ?? engine.createCollection(ns, { uuid, withoutIdIndex: true });
  const records = collection.records();
  while (records.next()) engine.delete(ns, records.recordId);
  engine.insert(ns, new StoredDocument(document));
}

const ID = encodeName('_id');
const NS = encodeName('ns');
const DOCUMENT = encodeName('document');

/** What a journal record says of a collection in `local`: its one document, which is copied and not decoded. */
export function readLocalRecord(record: Uint8Array): { readonly ns: string; readonly document: Uint8Array } {
  return { ns: readString(requiredField(record, NS)), document: subdocument(record, DOCUMENT) };
}
