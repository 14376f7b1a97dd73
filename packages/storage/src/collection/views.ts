/** What may be read of an engine, now or at an earlier version; both give the same answers to the same questions. */
import type { DataHash } from '@replsim/protocol';
import type { IndexSpec } from '../keys/indexSpec.ts';
import type { IndexBounds, IndexCursor } from './indexCursor.ts';
import type { StoredDocument } from './storedDocument.ts';

/**
 * What a document is called in its collection: a positive safe integer that grows with each insert, so that the order of
 * record ids is natural order unless the collection is clustered. Members that inserted in the same order have the same
 * ids; nothing relies on it. Simplification: in a mongod the `_id` itself is the record id of a clustered collection.
 */
export type RecordId = number;

/** A place in natural order: a record id, or the key of an `_id` in a clustered collection. */
export type RecordPlace = RecordId | string;

/** Walks a record store in natural order: `while (cursor.next()) use(cursor.recordId, cursor.document)`. */
export interface RecordCursor {
  readonly recordId: number;
  readonly document: StoredDocument;
  /** From where `records({ after })` goes on, be the record still there or not. */
  readonly place: RecordPlace;
  /** Moves to the next record; false at the end. Records inserted ahead of it meanwhile are met. */
  next(): boolean;
}

/** All collections of one member, as they are or as they were. */
export interface ReadView {
  collection(ns: string): CollectionView | undefined;
  /** @param uuid 16 bytes */
  collectionByUuid(uuid: Uint8Array): CollectionView | undefined;
  /** Every collection, in the order of namespaces. */
  collections(): CollectionView[];
  /** Over all documents and names of replicated namespaces; equal data has equal hashes, whatever its history. */
  dataHash(): DataHash;
}

/** One collection. On a live engine the object stays the same while the collection exists, renamed or not. */
export interface CollectionView {
  readonly ns: string;
  /** 16 bytes. */
  readonly uuid: Uint8Array;
  /** The options of `create`, a BSON document. */
  readonly options: Uint8Array;
  /** Documents. */
  readonly count: number;
  /** The sum of the documents' sizes. Unit: bytes. */
  readonly dataSize: number;
  /** Over the collection's documents, without regard to their order or record ids. */
  readonly dataHash: DataHash;
  /** The id that the next insert gets. */
  readonly nextRecordId: RecordId;
  /**
   * Ready indexes in the order of their creation, `_id_` first; only clustered collections and some in `local` lack
   * `_id_`.
   */
  readonly indexes: readonly IndexView[];
  /** The `_id`s by which the records of a clustered collection are kept: no index of its own, though it reads as one. */
  readonly clusteredIndex: IndexView | undefined;
  index(name: string): IndexView | undefined;
  /** Indexes that are being built, build by build in the order of their beginning. */
  readonly unfinished: readonly UnfinishedIndexesView[];
  get(recordId: RecordId): StoredDocument | undefined;
  /** @param idKey `encodeKey(value of _id)` or `storedDocument.idKey` */
  findById(idKey: string): RecordId | undefined;
  /**
   * A cursor in natural order (of insertion, or by `_id` where clustered); it stands before the first record, or just
   * behind `after` in its direction, and may be used while records change.
   */
  records(options?: { readonly after?: RecordPlace; readonly reverse?: boolean }): RecordCursor;
}

/** One index of a collection. */
export interface IndexView {
  readonly spec: IndexSpec;
  /** True once any document had an array on an indexed path; it never turns false again. */
  readonly multikey: boolean;
  /** Keys, of which a multikey document has several and a document outside a partial index none. */
  readonly keyCount: number;
  /** How many queries have used it since it was made or loaded; versions of an index share the count. */
  readonly accesses: { ops: number };
  /** A cursor over the entries within `bounds` (all without); it may be used while entries change. */
  range(bounds?: IndexBounds): IndexCursor;
}

/** The indexes that one build makes together, and how far it is. */
export interface UnfinishedIndexesView {
  /** Of the build, 16 bytes. */
  readonly uuid: Uint8Array;
  /** What is in them so far. */
  readonly indexes: readonly IndexView[];
  readonly documentsScanned: number;
  /** Every record that there was when the scan began is in. */
  readonly isScanned: boolean;
}
