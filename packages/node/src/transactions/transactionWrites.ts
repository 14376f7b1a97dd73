import type { WriteServices } from '@replsim/operations';
import { commandOperation, deleteOperation, insertOperation, updateOperation } from '@replsim/oplog';
import { keepsPreImages } from '@replsim/pipeline';
import {
  BsonWriter,
  CommandError,
  invariant,
  type OplogOperation,
  operationByteLength,
  required,
  splitNamespace,
} from '@replsim/protocol';
import {
  type CollectionView,
  idIndexSpec,
  parseIndexSpec,
  type ReadView,
  type StorageTransaction,
  type StoredDocument,
} from '@replsim/storage';
import type { Core } from '../core/core.ts';
import { copyFields } from '../data/copyFields.ts';
import { checkDatabaseCase } from '../data/databaseCase.ts';

const EMPTY = new BsonWriter().finish();

/** What the writes of a transaction ask of their member. */
export interface TransactionWritesHost {
  readonly core: Core;
  readonly parameters: { number(name: string): number };
  readonly writes: {
    /** Throws what a write outside would: NotWritablePrimary 10107, UserWritesBlocked 371. */
    checkAccepted(ns: string): void;
  };
}

/**
 * Where the writes of an open transaction go: into its own copies of the data, and remembered as what the oplog will say of them.
 * Upstream: op_observer_impl.cpp, where a transaction's operations go to the participant instead of the oplog.
 */
export class TransactionWrites implements WriteServices {
  readonly operations: OplogOperation[] = [];
  readonly #host: TransactionWritesHost;
  readonly #storage: StorageTransaction;
  #bytes = 0;

  constructor(host: TransactionWritesHost, storage: StorageTransaction) {
    this.#host = host;
    this.#storage = storage;
  }

  newest(): ReadView {
    return this.#storage;
  }

  insert(ns: string, documents: readonly StoredDocument[]): void {
    this.#host.writes.checkAccepted(ns);
    if (!this.#storage.collection(ns)) this.createCollection(ns, EMPTY);
    const collection = required(this.#storage.collection(ns), 'collection to write to');
    for (const document of documents) {
      this.#storage.insert(ns, document);
      this.#remember(insertOperation(collection, document));
    }
  }

  update(collection: CollectionView, recordId: number, after: StoredDocument, delta: Uint8Array | undefined): void {
    this.#host.writes.checkAccepted(collection.ns);
    const before = this.#storage.update(collection.ns, recordId, after);
    this.#remember(updateOperation(collection, before, after, delta), keepsPreImages(collection) ? before : undefined);
  }

  delete(collection: CollectionView, recordIds: readonly number[]): void {
    this.#host.writes.checkAccepted(collection.ns);
    for (const recordId of recordIds) {
      const before = this.#storage.delete(collection.ns, recordId);
      this.#remember(deleteOperation(collection, before), keepsPreImages(collection) ? before : undefined);
    }
  }

  together(write: () => void): void {
    // All of a transaction is.
    write();
  }

  createCollection(ns: string, options: Uint8Array, _uuid?: Uint8Array, idIndex?: Uint8Array): void {
    this.#host.writes.checkAccepted(ns);
    const [db, name] = splitNamespace(ns);
    checkDatabaseCase(db, this.#storage.databases());
    const uuid = this.#host.core.ids.uuid();
    const created = this.#storage.createCollection(ns, { uuid, options, idIndex });
    const writer = new BsonWriter();
    writer.string('create', name);
    copyFields(writer, options);
    if (!created.clusteredIndex) writer.rawDocument('idIndex', idIndex ?? idIndexSpec(options).bytes);
    this.#remember(commandOperation(db, writer.finish(), { ui: uuid }));
  }

  createIndex(ns: string, spec: Uint8Array): void {
    this.#host.writes.checkAccepted(ns);
    this.#storage.createIndex(ns, parseIndexSpec(spec));
    const { uuid } = required(this.#storage.collection(ns), 'collection of the index');
    const [db, name] = splitNamespace(ns);
    const writer = new BsonWriter();
    writer.string('createIndexes', name);
    copyFields(writer, spec);
    this.#remember(commandOperation(db, writer.finish(), { ui: uuid }));
  }

  // What a transaction cannot hold is refused before it comes here.

  dropCollection(): void {
    notHere();
  }

  dropDatabase(): void {
    notHere();
  }

  setDropPending(): void {
    notHere();
  }

  renameCollection(): void {
    notHere();
  }

  dropIndex(): void {
    notHere();
  }

  collModIndex(): void {
    notHere();
  }

  collModCollection(): void {
    notHere();
  }

  /** Throws TransactionTooLarge 257. Upstream: transaction_operations.cpp, addOperation. */
  #remember(operation: OplogOperation, preImage?: StoredDocument): void {
    this.operations.push(operation);
    this.#bytes += operationByteLength(operation) + (preImage?.bytes.length ?? 0);
    const limit = this.#host.parameters.number('transactionSizeLimitBytes');
    if (this.#bytes > limit) {
      const problem = `Total size of all transaction operations must be less than server parameter 'transactionSizeLimitBytes' = ${limit}`;
      throw new CommandError('TransactionTooLarge', problem);
    }
  }
}

function notHere(): never {
  invariant(false, 'no transaction drops, renames or changes a collection');
}
