import {
  BsonType,
  type BsonValue,
  decodeDocument,
  ElementCursor,
  encodeName,
  findField,
  OplogEntry,
  type OplogOperation,
  type OpTime,
  readInt64AsNumber,
  readTimestamp,
  required,
  requiredField,
  type StatementLink,
  type TransactionLink,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import type { Long } from 'bson';

const TS = encodeName('ts');
const T = encodeName('t');
const WALL = encodeName('wall');
const PARTIAL_TXN = encodeName('partialTxn');
const COUNT = encodeName('count');

/** An entry as the journal holds it. */
export function decodeEntry(bytes: Uint8Array): OplogEntry {
  const session = decodeSession(bytes);
  const { applyOps, ...operation } = decodeOperation(bytes, session);
  const ts = requiredField(bytes, TS);
  const t = findField(bytes, T);
  const wall = requiredField(bytes, WALL);
  const opTime = {
    ts: readTimestamp(ts),
    t: t ? readInt64AsNumber(bytes, t.offset) : UNINITIALIZED_TERM,
  };
  const wallMs = readInt64AsNumber(bytes, wall.offset);
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

const LSID = encodeName('lsid');

/** What makes an entry part of a session; undefined for all others. */
interface EntrySession {
  readonly lsid: Uint8Array;
  readonly txnNumber: bigint;
  readonly prevOpTime: OpTime;
}

function decodeSession(bytes: Uint8Array): EntrySession | undefined {
  const lsid = findField(bytes, LSID);
  if (!lsid) return undefined;
  const { txnNumber, prevOpTime } = decodeDocument(bytes) as {
    txnNumber: Long;
    prevOpTime: { ts: { t: number; i: number }; t: unknown };
  };
  const { ts, t } = prevOpTime;
  return {
    lsid: bytes.slice(lsid.offset, lsid.offset + lsid.size),
    txnNumber: txnNumber.toBigInt(),
    prevOpTime: { ts: { t: ts.t, i: ts.i }, t: Number(t) },
  };
}

/** The fields of an operation, as far as one look at them all is enough. */
interface PlainFields {
  readonly op: OplogOperation['op'];
  readonly ns: string;
  readonly ui?: { readonly buffer: Uint8Array };
  /** Unset outside retryable writes, and inside transactions. */
  readonly stmtId?: unknown;
  readonly needsRetryImage?: StatementLink['needsRetryImage'];
}

/** The operation in an entry, or in one element of `applyOps`. @param session of the entry */
function decodeOperation(
  bytes: Uint8Array,
  session: EntrySession | undefined,
): OplogOperation & { readonly applyOps?: OplogOperation[] } {
  const raw = (name: string): Uint8Array | undefined => {
    const value = findField(bytes, encodeName(name));
    return value?.type === BsonType.object ? value.bytes.slice(value.offset, value.offset + value.size) : undefined;
  };
  const fields = decodeDocument(bytes) as unknown as PlainFields;
  const { op, ns, ui } = fields;
  const o = required(raw('o'), 'o in an operation');
  const o2 = raw('o2');
  const inner = op === 'c' ? findField(o, encodeName('applyOps')) : undefined;
  const statement = session && statementOf(session, fields);
  return {
    op,
    ns,
    o,
    ...(ui && { ui: Uint8Array.from(ui.buffer) }),
    ...(o2 && { o2 }),
    ...(statement && { statement }),
    ...(inner && { applyOps: elementsOf(inner).map((element) => decodeOperation(element, session)) }),
  };
}

function statementOf(
  { lsid, txnNumber }: EntrySession,
  { stmtId, needsRetryImage }: PlainFields,
): StatementLink | undefined {
  if (stmtId === undefined) return undefined;
  return { lsid, txnNumber, stmtId: Number(stmtId), ...(needsRetryImage && { needsRetryImage }) };
}

function elementsOf(array: BsonValue): Uint8Array[] {
  const cursor = new ElementCursor(array.bytes, array.offset);
  const documents: Uint8Array[] = [];
  while (cursor.next()) documents.push(cursor.bytes.slice(cursor.offset, cursor.offset + cursor.size));
  return documents;
}
