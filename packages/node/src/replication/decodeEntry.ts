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
  readInt32,
  readInt64AsNumber,
  type StatementLink,
  UNINITIALIZED_TERM,
} from '@replsim/protocol';
import type { Long } from 'bson';

const TS = encodeName('ts');
const T = encodeName('t');
const WALL = encodeName('wall');

/** An entry as the journal holds it. */
export function decodeEntry(bytes: Uint8Array): OplogEntry {
  const { applyOps, ...plain } = decodeOperation(bytes);
  const ts = findField(bytes, TS)!;
  const t = findField(bytes, T);
  const wall = findField(bytes, WALL)!;
  const opTime = {
    ts: { t: readInt32(bytes, ts.offset + 4) >>> 0, i: readInt32(bytes, ts.offset) >>> 0 },
    t: t ? readInt64AsNumber(bytes, t.offset) : UNINITIALIZED_TERM,
  };
  const statement = decodeStatement(bytes);
  const operation = statement ? { ...plain, statement: statement.link } : plain;
  const wallMs = readInt64AsNumber(bytes, wall.offset);
  return OplogEntry.withBytes(bytes, operation, opTime, wallMs, applyOps, statement?.prevOpTime);
}

const LSID = encodeName('lsid');

/** What makes an entry part of a retryable write; undefined for all others. */
function decodeStatement(bytes: Uint8Array): { link: StatementLink; prevOpTime: OpTime } | undefined {
  const lsid = findField(bytes, LSID);
  if (!lsid) return undefined;
  const { txnNumber, stmtId, prevOpTime, needsRetryImage } = decodeDocument(bytes) as {
    txnNumber: Long;
    stmtId: unknown;
    prevOpTime: { ts: { t: number; i: number }; t: unknown };
    needsRetryImage?: StatementLink['needsRetryImage'];
  };
  const link = {
    lsid: bytes.slice(lsid.offset, lsid.offset + lsid.size),
    txnNumber: txnNumber.toBigInt(),
    stmtId: Number(stmtId),
    ...(needsRetryImage && { needsRetryImage }),
  };
  const { ts, t } = prevOpTime;
  return { link, prevOpTime: { ts: { t: ts.t, i: ts.i }, t: Number(t) } };
}

/** The operation in an entry, or in one element of `applyOps`. */
export function decodeOperation(bytes: Uint8Array): OplogOperation & { readonly applyOps?: OplogOperation[] } {
  const raw = (name: string): Uint8Array | undefined => {
    const value = findField(bytes, encodeName(name));
    return value?.type === BsonType.object ? value.bytes.slice(value.offset, value.offset + value.size) : undefined;
  };
  const { op, ns, ui } = decodeDocument(bytes) as { op: OplogOperation['op']; ns: string; ui?: { buffer: Uint8Array } };
  const o = raw('o')!;
  const o2 = raw('o2');
  const inner = op === 'c' ? findField(o, encodeName('applyOps')) : undefined;
  return {
    op,
    ns,
    o,
    ...(ui && { ui: Uint8Array.from(ui.buffer) }),
    ...(o2 && { o2 }),
    ...(inner && { applyOps: elementsOf(inner).map(decodeOperation) }),
  };
}

function elementsOf(array: BsonValue): Uint8Array[] {
  const cursor = new ElementCursor(array.bytes, array.offset);
  const documents: Uint8Array[] = [];
  while (cursor.next()) documents.push(cursor.bytes.slice(cursor.offset, cursor.offset + cursor.size));
  return documents;
}
