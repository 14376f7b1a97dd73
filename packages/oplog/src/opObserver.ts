import { BsonWriter, type OplogOperation, type SharedDocument } from '@replsim/protocol';

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

/** @param documentKey `{ _id }` of the document, BSON */
export function insertOperation(
  collection: LoggedCollection,
  document: SharedDocument,
  documentKey: Uint8Array,
): OplogOperation {
  return { op: 'i', ns: collection.ns, ui: collection.uuid, o: document.bytes, o2: documentKey, document };
}

/**
 * @param delta the `{ $v: 2, diff }` document, or undefined where the whole replacement is logged
 * @param documentKey `{ _id }`, BSON
 */
export function updateOperation(
  collection: LoggedCollection,
  before: SharedDocument,
  after: SharedDocument,
  delta: Uint8Array | undefined,
  documentKey: Uint8Array,
): OplogOperation {
  const o = delta ?? after.bytes;
  return { op: 'u', ns: collection.ns, ui: collection.uuid, o, o2: documentKey, document: after, before };
}

/** @param documentKey `{ _id }`, BSON */
export function deleteOperation(
  collection: LoggedCollection,
  document: SharedDocument,
  documentKey: Uint8Array,
): OplogOperation {
  return { op: 'd', ns: collection.ns, ui: collection.uuid, o: documentKey, document };
}

const EMPTY = new BsonWriter().finish();

/**
 * Several operations as one `applyOps` command: a batched delete of two documents or more.
 * Its `o` is written out by the entry itself, when somebody asks for bytes.
 */
export function applyOpsOperation(): OplogOperation {
  return { op: 'c', ns: 'admin.$cmd', o: EMPTY };
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

/** An entry that changes nothing: `initiating set`, `new primary`, `periodic noop`, `Reconfig set`. */
export function noopOperation(msg: string, extra: Readonly<Record<string, number>> = {}): OplogOperation {
  const writer = new BsonWriter();
  writer.string('msg', msg);
  for (const [name, value] of Object.entries(extra)) writer.int32(name, value);
  return { op: 'n', ns: '', o: writer.finish() };
}
