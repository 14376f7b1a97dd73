import type { CollectionChanges } from '@replsim/pipeline';
import type { StatementLink } from '@replsim/protocol';
import type { CollectionView, IndexOptionChange, ReadView, StoredDocument } from '@replsim/storage';

/**
 * The one way by which data changes on a member that accepts writes: each call is one storage transaction, records
 * itself in the oplog, and throws CommandError (nothing changed) when refused. Costs are spent by the caller.
 */
export interface WriteServices {
  /**
   * What a write meets: the newest data, whatever read concern the command has that asks for it. `$out` and `$merge` read
   * at theirs, and change what is there now.
   */
  newest(): ReadView;
  /**
   * Creates the collection first where it is missing. All documents have their `_id` first. What went in before a refused
   * document stays.
   */
  insert(ns: string, documents: readonly StoredDocument[], statements?: readonly StatementLink[]): void;
  /**
   * @param delta the `{ $v: 2, diff }` document, undefined for a replacement
   * @param statement of the retryable write that this is part of
   */
  update(
    collection: CollectionView,
    recordId: number,
    after: StoredDocument,
    delta: Uint8Array | undefined,
    statement?: StatementLink,
  ): void;
  /** Several at once are grouped as `applyOps` if `grouped`; a statement of a retryable write deletes one. */
  delete(
    collection: CollectionView,
    recordIds: readonly number[],
    options: { readonly grouped: boolean; readonly statement?: StatementLink | undefined },
  ): void;
  /**
   * Inserts, updates and deletes of documents, in whatever collections, as one `applyOps` entry: the others apply all of them
   * at once, and a rollback undoes all of them.
   */
  together(write: () => void): void;
  /**
   * @param uuid if it is not for the member to choose; never in a transaction
   * @param idIndex the spec of the index on `_id`, if it is not the one that the options ask for
   */
  createCollection(ns: string, options: Uint8Array, uuid?: Uint8Array, idIndex?: Uint8Array): void;
  dropCollection(ns: string): void;
  dropDatabase(db: string): void;
  /** While a database is being dropped, creating a collection in it fails with DatabaseDropPending 215. */
  setDropPending(db: string, pending: boolean): void;
  /** Both in one database; a target that exists is dropped, which the caller has seen to be wanted. */
  renameCollection(from: string, to: string, options: { readonly stayTemp: boolean }): void;
  /** @param spec complete and validated, BSON, as `listIndexes` shows it */
  createIndex(ns: string, spec: Uint8Array): void;
  dropIndex(ns: string, name: string): void;
  /** @param changes validated; `expireAfterSeconds` in seconds */
  collModIndex(ns: string, name: string, changes: IndexOptionChange): void;
  /** @param changes validated */
  collModCollection(ns: string, changes: CollectionChanges): void;
}
