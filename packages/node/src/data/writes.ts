import { GUARDS, transactionalFailure } from '@replsim/database';
import { recordStatement, TRANSACTIONS_NS, type WriteServices } from '@replsim/operations';
import { applyOpsOperation, commandOperation, deleteOperation, insertOperation, updateOperation } from '@replsim/oplog';
import { type CollectionChanges, cappedLimits, changedOptions, excessRecords, keepsPreImages } from '@replsim/pipeline';
import {
  BsonWriter,
  CommandError,
  databaseOf,
  ElementCursor,
  encodeDocument,
  encodeName,
  formatUuid,
  isReplicated,
  type MemberState,
  NULL_OP_TIME,
  OplogEntry,
  type OplogOperation,
  RawBson,
  readString,
  required,
  requiredField,
  type SharedDocument,
  type StatementLink,
  splitNamespace,
  writeJsValue,
} from '@replsim/protocol';
import {
  type CollectionView,
  type IndexOptionChange,
  idIndexSpec,
  parseIndexSpec,
  type ReadView,
  type StoredDocument,
} from '@replsim/storage';
import { collModReply } from '@replsim/ttl';
import { Binary } from 'bson';
import type { Core } from '../core/core.ts';
import type { Checkpoints } from './checkpoints.ts';
import { copyFields } from './copyFields.ts';
import { checkDatabaseCase } from './databaseCase.ts';
import { type Journal, RecordKinds } from './journal.ts';
import type { LocalOplog } from './localOplog.ts';
import { keepPreImage } from './preImages.ts';
import { renamed } from './renamed.ts';
import type { WriteObserver } from './writeObserver.ts';

const EMPTY = new BsonWriter().finish();

/** What the write path asks of its member. */
export interface WritesHost {
  readonly journal: Journal;
  readonly checkpoints: Checkpoints;
  /** Missing on a standalone. */
  readonly localOplog: LocalOplog | undefined;
  readonly observer: WriteObserver;
  memberState(): MemberState | 'STANDALONE';
  acceptsWrites(): boolean;
  acceptsWritesFor(db: string): boolean;
  /** Whether the command that runs now came in a session, on a member of a set. */
  runsInSession(): boolean;
  /** Throws UserWritesBlocked 371 where users may not write. */
  checkUserWrite(ns: string): void;
  /** Closes the connection on which the command came that runs now. */
  hangUp(): void;
}

/**
 * The write path: each call changes the data and records it, in one storage transaction. On a member of a set it
 * writes oplog entries; on a standalone, and in `local`, the journal alone.
 * Upstream: write_ops_exec.cpp down to op_observer_impl.cpp.
 */
export class Writes implements WriteServices {
  readonly #core: Core;
  readonly #host: WritesHost;
  /** Databases. */
  readonly #dropPending = new Set<string>();
  #author: 'client' | 'member' = 'client';
  /** Whether what is replicated goes to the oplog. */
  #logged = true;
  /** What is to be one entry, while it is being written. */
  #together: OplogOperation[] | undefined;

  constructor(core: Core, host: WritesHost) {
    this.#core = core;
    this.#host = host;
  }

  newest(): ReadView {
    return this.#core.engine;
  }

  /** What the member itself has to write, before it accepts the writes of others. Upstream: AllowNonLocalWritesBlock. */
  internally(write: () => void): void {
    this.#author = 'member';
    try {
      write();
    } finally {
      this.#author = 'client';
    }
  }

  /** As `internally`, and the others do not hear of it. Upstream: UnreplicatedWritesBlock. */
  unreplicated(write: () => void): void {
    this.#logged = false;
    try {
      this.internally(write);
    } finally {
      this.#logged = true;
    }
  }

  insert(ns: string, documents: readonly StoredDocument[], statements?: readonly StatementLink[]): void {
    this.#check(ns);
    if (documents.length === 0) return;
    this.#guard(ns, 'written', documents);
    const { engine } = this.#core;
    if (!engine.collection(ns)) this.createCollection(ns, EMPTY);
    const collection = this.#collection(ns);
    const failure = this.#failureOf(statements?.[0]);
    if (failure && documents.length === 1) throw failure;
    const operations: OplogOperation[] = [];
    try {
      for (let i = 0; i < documents.length; i++) {
        // Documents that cannot go in together are tried one by one. Upstream: write_ops_exec.cpp, insertBatchAndHandleErrors.
        if (failure) this.#mayFail(statements?.[i]);
        const document = documents[i]!;
        engine.insert(ns, document);
        operations.push(insertOperation(collection, document, statements?.[i]));
      }
    } finally {
      this.#evict(collection);
      // What went in before a refused document stays, and has to be recorded.
      this.#log(ns, operations);
    }
  }

  update(
    collection: CollectionView,
    recordId: number,
    after: StoredDocument,
    delta: Uint8Array | undefined,
    statement?: StatementLink,
  ): void {
    this.#check(collection.ns);
    this.#checkStillThere(collection);
    const before = required(collection.get(recordId), 'record to update');
    this.#guard(collection.ns, 'written', [after]);
    this.#mayFail(statement);
    this.#core.engine.update(collection.ns, recordId, after);
    this.#log(collection.ns, [updateOperation(collection, before, after, delta, statement)]);
  }

  delete(
    collection: CollectionView,
    recordIds: readonly number[],
    options: {
      readonly grouped: boolean;
      readonly by?: 'client' | 'ttl';
      /** Called when nothing stands in the way any more, before anything is deleted: the trace tells causes first. */
      readonly announce?: () => void;
      readonly statement?: StatementLink | undefined;
    },
  ): void {
    this.#check(collection.ns);
    this.#checkStillThere(collection);
    this.#checkDeletable(collection, options.by);
    if (GUARDS.has(collection.ns)) {
      const documents = recordIds.flatMap((recordId) => collection.get(recordId) ?? []);
      this.#guard(collection.ns, 'deleted', documents);
    }
    this.#mayFail(options.statement);
    const { engine } = this.#core;
    // All of them or none: what was deleted before one that another holds would not be in the oplog.
    engine.checkUnreserved(collection.ns, recordIds);
    options.announce?.();
    const operations: OplogOperation[] = [];
    for (const recordId of recordIds) {
      const document = collection.get(recordId);
      if (!document) continue;
      engine.delete(collection.ns, recordId);
      operations.push(deleteOperation(collection, document, options.statement));
    }
    this.#traceRemoved(collection.ns, operations.length, options.by ?? 'client');
    if (options.grouped && operations.length > 0) this.#logGroup(collection.ns, operations);
    else this.#log(collection.ns, operations);
  }

  together(write: () => void): void {
    const operations: OplogOperation[] = [];
    this.#together = operations;
    try {
      write();
    } finally {
      this.#together = undefined;
      const [first] = operations;
      // What went in before a refused write stays, and has to be recorded.
      if (first && operations.length > 1) this.#logGroup(first.ns, operations);
      else if (first) this.#log(first.ns, operations);
    }
  }

  /** What the server itself reads stands up to it, where a client writes it by hand. */
  #guard(ns: string, how: 'written' | 'deleted', documents: readonly StoredDocument[]): void {
    const guard = this.#author === 'client' ? GUARDS.get(ns) : undefined;
    if (!guard) return;
    const writer = { traits: this.#core.traits, isInSession: this.#host.runsInSession() };
    for (const { bytes } of documents) guard[how](bytes, writer);
  }

  /** Where each member keeps to the limits of a capped collection by itself, the oplog says nothing of what goes. */
  #evict(collection: CollectionView): void {
    if (this.#core.traits.cappedDeletes) return;
    const excess = excessRecords(collection);
    for (const recordId of excess) this.#core.engine.delete(collection.ns, recordId);
    this.#traceRemoved(collection.ns, excess.length, 'client');
  }

  /** What could not be asked before the collection was there. Upstream: get_executor.cpp; collection.cpp, deleteDocument. */
  #checkDeletable(collection: CollectionView, by: 'client' | 'ttl' = 'client'): void {
    if (this.#core.traits.cappedDeletes || !cappedLimits(collection)) return;
    if (by === 'ttl') throw new CommandError(10089, 'documents of a capped collection cannot be deleted');
    throw new CommandError('IllegalOperation', `documents of a capped collection cannot be deleted: ${collection.ns}`);
  }

  #traceRemoved(ns: string, count: number, by: 'client' | 'ttl' | 'drop'): void {
    if (!this.#core.tracing || count === 0) return;
    this.#core.trace({
      type: 'documentsRemoved',
      ns,
      count,
      by,
      memberState: this.#host.memberState(),
      acceptsWrites: this.#host.acceptsWrites(),
    });
  }

  createCollection(ns: string, options: Uint8Array, uuid = this.#core.ids.uuid(), idIndex?: Uint8Array): void {
    this.#check(ns);
    const { engine } = this.#core;
    const [db, name] = splitNamespace(ns);
    if (this.#author === 'client') checkDatabaseCase(db, engine.databases());
    if (this.#dropPending.has(db)) {
      throw new CommandError('DatabaseDropPending', `${ns} cannot be made, as its database is being dropped`);
    }
    const created = engine.createCollection(ns, { uuid, options, idIndex });
    this.#host.observer.collectionMade(ns);
    const writer = new BsonWriter();
    writer.string('create', name);
    copyFields(writer, options);
    // What is clustered by `_id` has no index on it.
    if (!created.clusteredIndex) writer.rawDocument('idIndex', idIndex ?? idIndexSpec(options).bytes);
    this.#log(ns, [commandOperation(db, writer.finish(), { ui: uuid })]);
  }

  dropCollection(ns: string): void {
    this.#check(ns);
    const collection = this.#collection(ns);
    this.#host.observer.dropped(collection);
    const { count, uuid } = collection;
    const [db, name] = splitNamespace(ns);
    this.#core.engine.dropCollection(ns);
    this.#traceRemoved(ns, count, 'drop');
    const o2 = encodeDocument({ numRecords: count });
    this.#log(ns, [commandOperation(db, encodeDocument({ drop: name }), { ui: uuid, o2 })]);
  }

  dropDatabase(db: string): void {
    for (const { ns } of [...this.#core.engine.collections()]) if (ns.startsWith(`${db}.`)) this.dropCollection(ns);
    this.#check(`${db}.$cmd`);
    this.#log(`${db}.$cmd`, [commandOperation(db, encodeDocument({ dropDatabase: 1 }))]);
  }

  /** Upstream: Database::setDropPending. */
  setDropPending(db: string, pending: boolean): void {
    if (pending) this.#dropPending.add(db);
    else this.#dropPending.delete(db);
  }

  renameCollection(from: string, to: string, { stayTemp }: { readonly stayTemp: boolean }): void {
    this.#check(from);
    const { engine } = this.#core;
    const { uuid } = this.#collection(from);
    const target = engine.collection(to);
    if (target) {
      engine.dropCollection(to);
      this.#traceRemoved(to, target.count, 'drop');
    }
    renamed(this.#core, from, to, stayTemp);
    const o = encodeDocument({
      renameCollection: from,
      to,
      stayTemp,
      ...(target && { dropTarget: new Binary(target.uuid, Binary.SUBTYPE_UUID) }),
    });
    const options = { ui: uuid, ...(target && { o2: encodeDocument({ numRecords: target.count }) }) };
    this.#log(from, [commandOperation(splitNamespace(from)[0], o, options)]);
  }

  createIndex(ns: string, spec: Uint8Array): void {
    this.#check(ns);
    this.#core.engine.createIndex(ns, parseIndexSpec(spec));
    this.recordIndex(ns, spec);
    this.#host.observer.indexChanged(ns, indexName(spec));
  }

  /** Records an index that is there already. @param spec BSON */
  recordIndex(ns: string, spec: Uint8Array): void {
    const [db, name] = splitNamespace(ns);
    const collection = this.#collection(ns);
    const writer = new BsonWriter();
    writer.string('createIndexes', name);
    copyFields(writer, spec);
    this.#log(ns, [commandOperation(db, writer.finish(), { ui: collection.uuid })]);
  }

  dropIndex(ns: string, indexName: string): void {
    this.#check(ns);
    const collection = this.#collection(ns);
    const [db, name] = splitNamespace(ns);
    const o2 = required(collection.index(indexName), 'index to drop').spec.bytes;
    this.#core.engine.dropIndex(ns, indexName);
    const o = encodeDocument({ dropIndexes: name, index: indexName });
    this.#log(ns, [commandOperation(db, o, { ui: collection.uuid, o2 })]);
  }

  collModIndex(ns: string, indexName: string, changes: IndexOptionChange): void {
    this.#check(ns);
    const collection = this.#collection(ns);
    const [db, name] = splitNamespace(ns);
    const old = required(collection.index(indexName), 'index to change').spec;
    const { expireAfterSeconds, hidden, prepareUnique } = changes;
    const before = expireAfterSeconds !== undefined && collModReply(old.expireAfterSeconds, expireAfterSeconds);
    const o2 = encodeDocument({
      collectionOptions_old: storedOptions(collection),
      indexOptions_old: {
        // An index that becomes TTL had no value before.
        ...(before && 'expireAfterSeconds_old' in before && { expireAfterSeconds: before.expireAfterSeconds_old }),
        ...(hidden !== undefined && { hidden: old.hidden }),
        ...(prepareUnique !== undefined && { prepareUnique: old.prepareUnique }),
      },
    });
    this.#core.engine.setIndexOption(ns, indexName, changes);
    this.#host.observer.indexChanged(ns, indexName);
    const index = { name: indexName, ...changes };
    // What changes nothing at all is logged all the same, and does not name the index.
    const o = encodeDocument({ collMod: name, ...(Object.keys(changes).length > 0 && { index }) });
    this.#log(ns, [commandOperation(db, o, { ui: collection.uuid, o2 })]);
  }

  collModCollection(ns: string, changes: CollectionChanges): void {
    this.#check(ns);
    const { engine } = this.#core;
    const collection = this.#collection(ns);
    const { options, uuid } = collection;
    const o2 = encodeDocument({ collectionOptions_old: storedOptions(collection) });
    const [db, name] = splitNamespace(ns);
    engine.setOptions(ns, changedOptions(options, changes));
    this.#host.observer.collectionMade(ns);
    const writer = new BsonWriter();
    writer.string('collMod', name);
    // A mongod writes each number as an int64, `off` as it was sent.
    for (const [option, value] of Object.entries(changes)) {
      if (typeof value === 'number') writer.int64(option, value);
      else writeJsValue(writer, option, value);
    }
    this.#log(ns, [commandOperation(db, writer.finish(), { ui: uuid, o2 })]);
  }

  /** Tells the trace what a transaction that is being committed has deleted. */
  traceCommitted(operations: readonly OplogOperation[]): void {
    if (!this.#core.tracing) return;
    const removed = new Map<string, number>();
    for (const { op, ns } of operations) if (op === 'd') removed.set(ns, (removed.get(ns) ?? 0) + 1);
    for (const [ns, count] of removed) this.#traceRemoved(ns, count, 'client');
  }

  /** Tells those who listen of a collection or an index that a transaction has made. */
  announceCreated({ ns, o }: OplogOperation): void {
    const command = new ElementCursor(o);
    if (!command.next()) return;
    const made = `${databaseOf(ns)}.${readString(command)}`;
    if (command.name === 'create') this.#host.observer.collectionMade(made);
    else this.#host.observer.indexChanged(made, indexName(o));
  }

  /** Records a change of the catalog that its caller has made. @param o the command, BSON */
  recordCommand(ns: string, o: Uint8Array, ui: Uint8Array): void {
    this.#log(ns, [commandOperation(splitNamespace(ns)[0], o, { ui })]);
  }

  /** Throws NotWritablePrimary 10107, for callers that change the catalog themselves. */
  checkAccepted(ns: string): void {
    this.#check(ns);
  }

  /** The caller has checked that it exists, or has just created it. */
  #collection(ns: string): CollectionView {
    return required(this.#core.engine.collection(ns), 'collection to write to');
  }

  /** The gate inside: a state change between the command's check and its write is caught here. */
  #check(ns: string): void {
    if (this.#author === 'member') return;
    const db = databaseOf(ns);
    if (!this.#host.acceptsWritesFor(db)) throw new CommandError('NotWritablePrimary', 'not primary');
    this.#host.checkUserWrite(ns);
  }

  /**
   * Location40527 for a statement of a retryable write where the collection was dropped that tells of them, and what the fail point
   * `onPrimaryTransactionalWrite` makes of it. Upstream: transaction_participant.cpp, updateSessionEntry.
   */
  #failureOf(statement: StatementLink | undefined): CommandError | undefined {
    const { engine, failPoints, traits } = this.#core;
    if (!statement) return undefined;
    if (traits.systemCollections && !engine.collection(TRANSACTIONS_NS)) {
      const why = `${TRANSACTIONS_NS} is missing: somebody has dropped it`;
      return new CommandError(40527, `Unable to persist transaction state because ${why}`);
    }
    if (!failPoints.areConfigured) return undefined;
    return transactionalFailure(failPoints, () => this.#host.hangUp());
  }

  #mayFail(statement: StatementLink | undefined): void {
    const failure = this.#failureOf(statement);
    if (failure) throw failure;
  }

  /** A collection that was dropped while an operation let time pass; another may bear its name by now. */
  #checkStillThere(collection: CollectionView): void {
    if (this.#core.engine.collection(collection.ns) !== collection) {
      throw new CommandError('QueryPlanKilled', `collection dropped. UUID ${formatUuid(collection.uuid)}`);
    }
  }

  #log(ns: string, operations: readonly OplogOperation[]): void {
    if (this.#together) this.#together.push(...operations);
    if (this.#together || operations.length === 0) return;
    const { localOplog, observer } = this.#host;
    if (localOplog && this.#logged && isReplicated(ns)) {
      const entries = localOplog.logOperations(operations);
      const newest = required(entries.at(-1), 'entry of these operations');
      // Entries of one transaction are of one session, whose newest one counts.
      recordStatement(this.#core.engine, newest, imageFor(newest.operation));
      this.#keepPreImages(ns, entries);
      observer.logged(entries);
      localOplog.committedLocally();
    } else {
      for (const operation of operations)
        this.#journalOnly(new OplogEntry(operation, NULL_OP_TIME, this.#core.now.wallMs));
    }
  }

  #keepPreImages(ns: string, entries: readonly OplogEntry[]): void {
    const collection = this.#core.engine.collection(ns);
    if (collection && keepsPreImages(collection)) this.keepPreImages(entries);
  }

  /** Of what these entries have changed, where collections keep such. Images are of the same storage transaction as the changes. */
  keepPreImages(entries: readonly OplogEntry[]): void {
    for (const entry of entries) {
      for (const [i, { op, ns, before, document }] of entry.operations.entries()) {
        const image = op === 'u' ? before : op === 'd' ? document : undefined;
        const collection = image && this.#core.engine.collection(ns);
        if (!collection || !keepsPreImages(collection)) continue;
        if (keepPreImage(this.#core, collection, entry, image, i)) this.#host.observer.preImageKept();
      }
    }
  }

  /** One `applyOps` entry, which reserves an opTime for each operation in it and stands at the first. */
  #logGroup(ns: string, operations: readonly OplogOperation[]): void {
    const { localOplog, observer } = this.#host;
    if (localOplog && isReplicated(ns)) {
      const entries = localOplog.logOperations([applyOpsOperation()], operations);
      this.#keepPreImages(ns, entries);
      observer.logged(entries);
      localOplog.committedLocally();
    } else {
      this.#journalOnly(new OplogEntry(applyOpsOperation(), NULL_OP_TIME, this.#core.now.wallMs, operations));
    }
  }

  #journalOnly(entry: OplogEntry): void {
    this.#core.wake();
    this.#host.journal.append(RecordKinds.unreplicated, entry.bytes);
    this.#host.checkpoints.dirty();
  }
}

/** As the catalog keeps them, the UUID first. Upstream: collection_options.cpp, CollectionOptions::toBSON. */
function storedOptions({ uuid, options }: CollectionView): RawBson {
  const writer = new BsonWriter();
  writeJsValue(writer, 'uuid', new Binary(uuid, Binary.SUBTYPE_UUID));
  copyFields(writer, options);
  return new RawBson(writer.finish());
}

/** What a findAndModify has shown, and a retry of it must show again. */
function imageFor({ statement, document, before, op }: OplogOperation): SharedDocument | undefined {
  return statement?.needsRetryImage === 'preImage' && op === 'u' ? before : document;
}

const NAME = encodeName('name');

function indexName(spec: Uint8Array): string {
  const name = requiredField(spec, NAME);
  return readString(name);
}
