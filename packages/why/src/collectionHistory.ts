import {
  decodePromoted,
  encodeName,
  findField,
  type OplogEntry,
  type OplogOperation,
  splitNamespace,
  TransactionChain,
  toHex,
} from '@replsim/protocol';
import { buildOf, type CatalogChange, type GoneIndex, type TtlIndex, TtlIndexes } from './ttlIndexes.ts';
import type { Batch } from './written.ts';

/** A document was made, changed or taken away. */
export interface Change {
  readonly kind: 'inserted' | 'updated' | 'deleted' | 'dropped' | 'renamed';
  readonly entry: OplogEntry;
  readonly batch: Batch;
  /** What has its `_id`; undefined for what befalls a whole collection. */
  readonly id: Uint8Array | undefined;
  /** What is left of it; undefined where that is nothing, or not known. */
  readonly document: Uint8Array | undefined;
  /** Of a deletion by the TTL monitor: the date that made it due. Unit: ms since 1970. */
  readonly dueByMs?: number;
  /** Of a renaming: the collection's new name. */
  readonly to?: string;
  readonly operation: OplogOperation;
}

/** What became of a collection and its documents, by the entries that changed them. */
export interface CollectionHistory {
  /** Of each document the changes, oldest first, by its `_id` as bytes. */
  readonly documents: ReadonlyMap<string, readonly Change[]>;
  /** Those with seconds. */
  readonly indexes: readonly TtlIndex[];
  /** Those that are not there any more, or not yet. */
  readonly gone: readonly GoneIndex[];
  /** A time series: what is measured lies in the documents of another collection. */
  readonly timeseries: boolean;
}

const ID = encodeName('_id');

/** Which entries count: there may be two branches of history. */
export interface Counting {
  /** Of those that change the catalog. */
  readonly command: (entry: OplogEntry) => boolean;
  /** Of those that change documents of the collection. */
  readonly document: (entry: OplogEntry) => boolean;
  /** The release, on which it depends which seconds a monitor takes. */
  readonly version: string;
}

/** @param batches oldest first */
export function historyOf(batches: readonly Batch[], ns: string, counting: Counting): CollectionHistory {
  const names = namesOf(batches, ns, counting);
  const history = new History(names, counting.version);
  const chain = new TransactionChain();
  for (const batch of batches) {
    let deletions = 0;
    for (const entry of batch.entries) {
      for (const operation of chain.operationsOf(entry)) {
        const date = operation.op === 'd' ? batch.expired?.dates[deletions++] : undefined;
        if (operation.op === 'c' ? counting.command(entry) : names.has(operation.ns) && counting.document(entry))
          history.take(operation, entry, batch, date);
      }
    }
  }
  return history;
}

/** The collection's name at last, and before it those that it had earlier. */
function namesOf(batches: readonly Batch[], ns: string, { command }: Counting): Set<string> {
  const names = new Set([ns]);
  for (const { entries } of batches.toReversed()) {
    for (const entry of entries.toReversed()) {
      const renamed = entry.operation.op === 'c' && !entry.applyOps ? renaming(entry.operation) : undefined;
      if (renamed && names.has(renamed.to) && command(entry)) names.add(renamed.from);
    }
  }
  return names;
}

class History implements CollectionHistory {
  readonly documents = new Map<string, Change[]>();
  timeseries = false;
  readonly #names: ReadonlySet<string>;
  readonly #ttl: TtlIndexes;
  readonly #asked: string;

  /** @param names the collection's name at last, and before it those that it had earlier */
  constructor(names: ReadonlySet<string>, version: string) {
    this.#names = names;
    [this.#asked = ''] = names;
    this.#ttl = new TtlIndexes(version);
  }

  get indexes(): TtlIndex[] {
    return this.#ttl.of(this.#asked);
  }

  get gone(): GoneIndex[] {
    return this.#ttl.goneFrom(this.#asked);
  }

  take(operation: OplogOperation, entry: OplogEntry, batch: Batch, dueByMs: number | undefined): void {
    const { op, o, o2, document } = operation;
    if (op === 'c') return this.#command(operation, entry, batch);
    const change = { entry, batch, operation };
    if (op === 'i') this.#add(o, { ...change, kind: 'inserted', document: o });
    if (op === 'u') this.#add(o2 ?? o, { ...change, kind: 'updated', document: document?.bytes ?? replacement(o) });
    if (op === 'd')
      this.#add(o, {
        ...change,
        kind: 'deleted',
        document: undefined,
        ...(dueByMs !== undefined && { dueByMs }),
      });
  }

  #add(id: Uint8Array, given: Omit<Change, 'id'>): void {
    const change = { ...given, id };
    const key = keyOf(id);
    const changes = this.documents.get(key);
    if (changes) changes.push(change);
    else this.documents.set(key, [change]);
  }

  #command(operation: OplogOperation, entry: OplogEntry, batch: Batch): void {
    const o = decodePromoted(operation.o) as CatalogChange;
    const [db] = splitNamespace(operation.ns);
    const change = { entry, batch, operation, document: undefined, id: undefined };
    if (o.renameCollection !== undefined && o.to !== undefined) {
      if (o.dropTarget && this.#names.has(o.to)) this.#everyone({ ...change, kind: 'dropped' });
      if (!this.#names.has(o.renameCollection)) return;
      this.#everyone({ ...change, kind: 'renamed', to: o.to });
      this.#ttl.renamed(o.renameCollection, o.to);
      return;
    }
    const name =
      o.create ?? o.drop ?? o.createIndexes ?? o.commitIndexBuild ?? o.collMod ?? o.dropIndexes ?? buildOf(o);
    const ns = `${db}.${name}`;
    if (!this.#names.has(ns)) {
      // A time series is a view of the buckets.
      if (o.create !== undefined && this.#names.has(`${db}.${o.create.replace(/^system\.buckets\./, '')}`))
        this.timeseries = true;
      return;
    }
    if (o.drop !== undefined) this.#everyone({ ...change, kind: 'dropped' });
    this.#ttl.take(ns, o, batch.atMicros);
  }

  /** Something befalls all documents that there are. */
  #everyone(change: Change): void {
    for (const changes of this.documents.values()) {
      const last = changes.at(-1)?.kind;
      if (last !== 'deleted' && last !== 'dropped') changes.push(change);
    }
  }
}

function renaming({ o }: OplogOperation): { readonly from: string; readonly to: string } | undefined {
  const { renameCollection: from, to } = decodePromoted(o) as CatalogChange;
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** What an update leaves that says the whole document. */
function replacement(o: Uint8Array): Uint8Array | undefined {
  return findField(o, ID) && o;
}

/** A retryable write's session (hex) and number, by which its client knows it; undefined for all others. */
export function statementKey({ statement }: OplogOperation): string | undefined {
  return statement && sessionKey(statement);
}

/** The same of all retryable writes of an entry, and of the transaction that it ends. */
export function statementKeys({ operation, operations, applyOps }: OplogEntry): string[] {
  const { transaction } = operation;
  if (transaction) return applyOps && !transaction.partialTxn ? [sessionKey(transaction)] : [];
  return operations.flatMap((each) => statementKey(each) ?? []);
}

function sessionKey({ lsid, txnNumber }: { readonly lsid: Uint8Array; readonly txnNumber: bigint }): string {
  const { id } = decodePromoted(lsid) as { id?: { buffer: Uint8Array } };
  return `${id ? toHex(id.buffer) : ''} ${txnNumber}`;
}

/** A document's `_id`, byte for byte. */
function keyOf(document: Uint8Array): string {
  const id = findField(document, ID);
  return id ? `${id.type} ${toHex(id.bytes.subarray(id.offset, id.offset + id.size))}` : '';
}
