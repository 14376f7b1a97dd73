import {
  BsonWriter,
  encodeName,
  type OplogOperation,
  requiredField,
  type SharedDocument,
  type StatementLink,
} from '@replsim/protocol';

/**
 * What a change of data looks like in the oplog: the operations that a primary records, as data.
 * Upstream: op_observer_impl.cpp; formats in oplog_entry.idl.
 */

/** A collection as entries name it. */
export interface LoggedCollection {
  readonly ns: string;
  /** 16 bytes. */
  readonly uuid: Uint8Array;
}

const ID = encodeName('_id');

/** `{ _id }` of a document, BSON. */
function documentKeyOf(document: SharedDocument): Uint8Array {
  const writer = new BsonWriter(64);
  writer.rawValue('_id', requiredField(document.bytes, ID));
  return writer.finish();
}

/**
 * A change of one document. Its key is written out on demand, which for most deletes never happens: members
 * find the document by what it shares.
 */
class DocumentOperation implements OplogOperation {
  readonly op: 'i' | 'u' | 'd';
  readonly ns: string;
  readonly ui: Uint8Array;
  readonly document: SharedDocument;
  readonly before?: SharedDocument;
  readonly statement?: StatementLink;
  readonly #delta: Uint8Array | undefined;

  constructor(
    op: 'i' | 'u' | 'd',
    collection: LoggedCollection,
    document: SharedDocument,
    statement?: StatementLink,
    before?: SharedDocument,
    delta?: Uint8Array,
  ) {
    this.op = op;
    this.ns = collection.ns;
    this.ui = collection.uuid;
    this.document = document;
    if (statement) this.statement = statement;
    if (before) this.before = before;
    this.#delta = delta;
  }

  get o(): Uint8Array {
    return this.op === 'd' ? documentKeyOf(this.document) : (this.#delta ?? this.document.bytes);
  }

  get o2(): Uint8Array | undefined {
    return this.op === 'd' ? undefined : documentKeyOf(this.document);
  }
}

/** @param statement of the retryable write that this is part of */
export function insertOperation(
  collection: LoggedCollection,
  document: SharedDocument,
  statement?: StatementLink,
): OplogOperation {
  return new DocumentOperation('i', collection, document, statement);
}

/**
 * @param delta the `{ $v: 2, diff }` document, or undefined where the whole replacement is logged
 * @param statement of the retryable write that this is part of
 */
export function updateOperation(
  collection: LoggedCollection,
  before: SharedDocument,
  after: SharedDocument,
  delta: Uint8Array | undefined,
  statement?: StatementLink,
): OplogOperation {
  return new DocumentOperation('u', collection, after, statement, before, delta);
}

/** @param statement of the retryable write that this is part of */
export function deleteOperation(
  collection: LoggedCollection,
  document: SharedDocument,
  statement?: StatementLink,
): OplogOperation {
  return new DocumentOperation('d', collection, document, statement);
}

const EMPTY = new BsonWriter().finish();

/**
 * Several operations as one `applyOps` command: a batched delete of two documents or more.
 * Its `o` is written out by the entry itself, when somebody asks for bytes.
 */
export function applyOpsOperation(): OplogOperation {
  return { op: 'c', ns: 'admin.$cmd', o: EMPTY };
}

/** A new primary gives up a transaction whose last entry never came. */
export function abortTransactionOperation(): OplogOperation {
  const writer = new BsonWriter();
  writer.int32('abortTransaction', 1);
  return { op: 'c', ns: 'admin.$cmd', o: writer.finish() };
}

/**
 * A change of the catalog.
 * @param o the command as secondaries run it, BSON, its name first
 * @param o2 what rollback and change streams need beside it, BSON
 */
export function commandOperation(
  db: string,
  o: Uint8Array,
  options: { readonly ui?: Uint8Array; readonly o2?: Uint8Array } = {},
): OplogOperation {
  return { op: 'c', ns: `${db}.$cmd`, o, ...options };
}

/** An entry that changes nothing, and says what a client gave: `appendOplogNote`. @param o BSON */
export function oplogNoteOperation(o: Uint8Array): OplogOperation {
  return { op: 'n', ns: '', o };
}

/** An entry that changes nothing: `initiating set`, `new primary`, `periodic noop`, `Reconfig set`. */
export function noopOperation(msg: string, extra: Readonly<Record<string, number>> = {}): OplogOperation {
  const writer = new BsonWriter();
  writer.string('msg', msg);
  for (const [name, value] of Object.entries(extra)) writer.int32(name, value);
  return { op: 'n', ns: '', o: writer.finish() };
}
