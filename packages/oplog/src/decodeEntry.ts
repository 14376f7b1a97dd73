import {
  BsonType,
  type BsonValue,
  ElementCursor,
  encodeName,
  findField,
  OplogEntry,
  type OplogOperation,
  type OpTime,
  readInt32,
  readInt64,
  readInt64AsNumber,
  readString,
  readTimestamp,
  required,
  requiredField,
  type StatementLink,
  type TransactionLink,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';

const TS = encodeName('ts');
const T = encodeName('t');
const PARTIAL_TXN = encodeName('partialTxn');
const COUNT = encodeName('count');
const APPLY_OPS = encodeName('applyOps');

/**
 * The fields of an entry or of one of its operations. A start reads each entry of the oplog, so they are looked at once, and no value is made
 * that nobody asks for: a start on 17,000 s of oplog takes half the time.
 */
type EntryFields = ReadonlyMap<string, BsonValue>;

function fieldsOf(bytes: Uint8Array, start = 0): EntryFields {
  const fields = new Map<string, BsonValue>();
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) fields.set(cursor.name, cursor.value());
  return fields;
}

/** An entry as the journal holds it, which is as `encodeEntry` wrote it. */
export function decodeEntry(bytes: Uint8Array): OplogEntry {
  const fields = fieldsOf(bytes);
  const session = sessionOf(fields);
  const { applyOps, ...operation } = decodeOperation(fields, session);
  const t = fields.get('t');
  const opTime = {
    ts: readTimestamp(required(fields.get('ts'), 'ts of an entry')),
    t: t ? readInt64AsNumber(bytes, t.offset) : UNINITIALIZED_TERM,
  };
  const wallMs = readInt64AsNumber(bytes, required(fields.get('wall'), 'wall of an entry').offset);
  // A group of statements is tied to its write by those: any of them names the session.
  const statement = operation.statement ?? applyOps?.find((inner) => inner.statement)?.statement;
  const link = statement ? { statement } : session && { transaction: transactionOf(session, operation.o) };
  return OplogEntry.withBytes(bytes, { ...operation, ...link }, opTime, wallMs, applyOps, session?.prevOpTime);
}

/** What belongs to a session and carries out no statement is a transaction's. */
function transactionOf({ lsid, txnNumber }: EntrySession, o: Uint8Array): TransactionLink {
  const count = findField(o, COUNT);
  return {
    lsid,
    txnNumber,
    ...(findField(o, PARTIAL_TXN) && { partialTxn: true }),
    ...(count && { count: readInt64AsNumber(o, count.offset) }),
  };
}

/** What makes an entry part of a session; undefined for all others. */
interface EntrySession {
  readonly lsid: Uint8Array;
  readonly txnNumber: bigint;
  readonly prevOpTime: OpTime;
}

function sessionOf(fields: EntryFields): EntrySession | undefined {
  const lsid = fields.get('lsid');
  if (!lsid) return undefined;
  const txnNumber = required(fields.get('txnNumber'), 'txnNumber of an entry with a session');
  const prevOpTime = copyOf(required(fields.get('prevOpTime'), 'prevOpTime of an entry with a session'));
  return {
    lsid: copyOf(lsid),
    txnNumber: readInt64(txnNumber.bytes, txnNumber.offset),
    prevOpTime: {
      ts: readTimestamp(requiredField(prevOpTime, TS)),
      t: readInt64AsNumber(prevOpTime, requiredField(prevOpTime, T).offset),
    },
  };
}

/** The operation in an entry, or in one element of `applyOps`. @param session of the entry */
function decodeOperation(
  fields: EntryFields,
  session: EntrySession | undefined,
): OplogOperation & { readonly applyOps?: OplogOperation[] } {
  const op = readString(required(fields.get('op'), 'op in an operation')) as OplogOperation['op'];
  const ui = fields.get('ui');
  const o = copyOf(required(fields.get('o'), 'o in an operation'));
  const o2 = fields.get('o2');
  const inner = op === 'c' ? findField(o, APPLY_OPS) : undefined;
  const statement = session && statementOf(session, fields);
  return {
    op,
    ns: readString(required(fields.get('ns'), 'ns in an operation')),
    o,
    ...(ui && { ui: uuidOf(ui) }),
    ...(o2?.type === BsonType.object && { o2: copyOf(o2) }),
    ...(statement && { statement }),
    ...(inner && { applyOps: operationsIn(inner, session) }),
  };
}

function operationsIn(array: BsonValue, session: EntrySession | undefined): OplogOperation[] {
  const cursor = new ElementCursor(array.bytes, array.offset);
  const operations: OplogOperation[] = [];
  while (cursor.next()) operations.push(decodeOperation(fieldsOf(cursor.bytes, cursor.offset), session));
  return operations;
}

/** `stmtId` is unset outside of retryable writes, and inside of transactions. */
function statementOf({ lsid, txnNumber }: EntrySession, fields: EntryFields): StatementLink | undefined {
  const stmtId = fields.get('stmtId');
  if (!stmtId) return undefined;
  const image = fields.get('needsRetryImage');
  return {
    lsid,
    txnNumber,
    stmtId: readInt32(stmtId.bytes, stmtId.offset),
    ...(image && { needsRetryImage: readString(image) as Required<StatementLink>['needsRetryImage'] }),
  };
}

/** It is kept for long, and must not keep what it was read from. */
function copyOf({ bytes, offset, size }: BsonValue): Uint8Array {
  return bytes.slice(offset, offset + size);
}

/** Behind the length and the subtype. */
function uuidOf({ bytes, offset, size }: BsonValue): Uint8Array {
  return bytes.slice(offset + 5, offset + size);
}
