import { EMPTY_DOCUMENT, RecentBytes } from '@replsim/pipeline';
import {
  BsonType,
  type BsonValue,
  BsonWriter,
  BytePool,
  compareOpTimes,
  decodeDocument,
  encodeName,
  findField,
  isNullOpTime,
  NULL_OP_TIME,
  type OplogEntry,
  type OpTime,
  readInt64,
  readInt64AsNumber,
  readString,
  readTimestamp,
  requiredField,
  type SharedDocument,
  type StatementLink,
  subdocument,
} from '@replsim/protocol';
import { encodeKey, type ReadView, type StorageEngine, StoredDocument } from '@replsim/storage';
import type { Long } from 'bson';

/**
 * The newest write of each session. No entry of the oplog carries it: every member derives it from the entries that it
 * writes or applies, in the same storage transaction. Upstream: session_txn_record.idl, session_update_tracker.cpp.
 */
export const TRANSACTIONS_NS = 'config.transactions';
/** The newest image of a session's findAndModify. Upstream: image_collection_entry.idl. */
const IMAGES_NS = 'config.image_collection';

/** A session's row. */
export interface SessionRecord {
  readonly txnNumber: bigint;
  /** The newest entry of that write; others hang on it by `prevOpTime`. */
  readonly lastWriteOpTime: OpTime;
  /** Of a transaction; a retryable write has none. */
  readonly state?: TransactionRowState | undefined;
  /** The first of its entries, while more of them are to come. */
  readonly startOpTime?: OpTime | undefined;
}

/** Upstream: session_txn_record.idl, DurableTxnState; those of prepared transactions are missing. */
export type TransactionRowState = 'inProgress' | 'committed' | 'aborted';

/** A row that was written here: what it says need not be read from its bytes again. */
class SessionRow extends StoredDocument {
  readonly record: SessionRecord;

  constructor(bytes: Uint8Array, idKey: string, record: SessionRecord) {
    super(bytes, idKey);
    this.record = record;
  }
}

const TXN_NUM = encodeName('txnNum');
const ID = encodeName('_id');
const IMAGE = encodeName('image');
const LAST_WRITE = encodeName('lastWriteOpTime');
const START = encodeName('startOpTime');
const STATE = encodeName('state');
const TS = encodeName('ts');
const T = encodeName('t');

/** What a member knows of a session from its data. */
export function sessionRecord(view: ReadView, lsid: Uint8Array): SessionRecord | undefined {
  const row = rowOf(view, TRANSACTIONS_NS, lsid);
  return row && recordOf(row);
}

function recordOf(row: StoredDocument): SessionRecord | undefined {
  return row instanceof SessionRow ? row.record : readRecord(row.bytes);
}

/** Undefined for what a client has written there by hand, and is no row: nobody's session is noted by it. */
function readRecord(bytes: Uint8Array): SessionRecord | undefined {
  const txnNum = findField(bytes, TXN_NUM);
  const lastWrite = findField(bytes, LAST_WRITE);
  const start = findField(bytes, START);
  const state = findField(bytes, STATE);
  if (txnNum?.type !== BsonType.long || !isOpTime(lastWrite)) return undefined;
  return {
    txnNumber: readInt64(bytes, txnNum.offset),
    lastWriteOpTime: readOpTime(lastWrite),
    ...(state?.type === BsonType.string && { state: readString(state) as TransactionRowState }),
    ...(isOpTime(start) && { startOpTime: readOpTime(start) }),
  };
}

function isOpTime(value: BsonValue | undefined): value is BsonValue {
  if (value?.type !== BsonType.object) return false;
  const [ts, t] = [findField(value.bytes, TS, value.offset), findField(value.bytes, T, value.offset)];
  return ts?.type === BsonType.timestamp && t?.type === BsonType.long;
}

function readOpTime({ bytes, offset }: BsonValue): OpTime {
  const ts = requiredField(bytes, TS, offset);
  const t = requiredField(bytes, T, offset);
  return { ts: readTimestamp(ts), t: readInt64AsNumber(bytes, t.offset) };
}

/** The opTime that the next entry of this write refers to; null for its first. */
export function lastWriteOf(view: ReadView, { lsid, txnNumber }: Pick<StatementLink, 'lsid' | 'txnNumber'>): OpTime {
  const record = sessionRecord(view, lsid);
  return record?.txnNumber === txnNumber ? record.lastWriteOpTime : NULL_OP_TIME;
}

/** What was kept aside for a findAndModify, if it is that of this entry. */
export function retryImage(view: ReadView, { operation, opTime }: OplogEntry): Uint8Array | undefined {
  const { lsid, txnNumber } = operation.statement!;
  const bytes = rowOf(view, IMAGES_NS, lsid)?.bytes;
  if (!bytes) return undefined;
  const row = decodeDocument(bytes) as { txnNum: Long; ts: { t: number; i: number }; invalidated: boolean };
  const same = row.txnNum.toBigInt() === txnNumber && row.ts.t === opTime.ts.t && row.ts.i === opTime.ts.i;
  if (!same || row.invalidated) return undefined;
  return subdocument(bytes, IMAGE);
}

/**
 * Notes what an entry says of its session; entries older than what is noted change nothing.
 * @param image the document before or after, if the entry asks for it and it is known
 */
export function recordStatement(engine: StorageEngine, entry: OplogEntry, image?: SharedDocument): void {
  const { statement } = entry.operation;
  if (!statement || !engine.collection(TRANSACTIONS_NS)) return;
  const known = sessionRecord(engine, statement.lsid);
  // A copy that initial sync made may be ahead of the entries that it applies.
  if (known && compareOpTimes(known.lastWriteOpTime, entry.opTime) >= 0) return;
  const { lsid, txnNumber, needsRetryImage } = statement;
  put(engine, TRANSACTIONS_NS, rowFor(entry, lsid, { txnNumber, lastWriteOpTime: entry.opTime }));
  if (needsRetryImage && engine.collection(IMAGES_NS)) {
    put(engine, IMAGES_NS, imageRow(entry, { lsid, txnNumber, imageKind: needsRetryImage }, image));
  }
}

/**
 * Notes what an entry says of its session's transaction: that there are more to come, that it is committed, or that a new
 * primary has given it up. Upstream: session_update_tracker.cpp.
 */
export function recordTransaction(engine: StorageEngine, entry: OplogEntry): void {
  const { transaction } = entry.operation;
  if (!transaction || !engine.collection(TRANSACTIONS_NS)) return;
  const { lsid, txnNumber, partialTxn } = transaction;
  const isFirst = isNullOpTime(entry.prevOpTime ?? NULL_OP_TIME);
  // The row of the first link says where the chain begins, whatever comes in between.
  if (partialTxn && !isFirst) return;
  const known = sessionRecord(engine, lsid);
  if (known && compareOpTimes(known.lastWriteOpTime, entry.opTime) >= 0) return;
  const state = partialTxn ? 'inProgress' : entry.applyOps ? 'committed' : 'aborted';
  const startOpTime = partialTxn && entry.opTime;
  const record = { txnNumber, lastWriteOpTime: entry.opTime, state, ...(startOpTime && { startOpTime }) } as const;
  put(engine, TRANSACTIONS_NS, rowFor(entry, lsid, record));
}

/** Chains whose end is missing, in the order of their sessions. */
export function unfinishedChains(view: ReadView): readonly (SessionRecord & { readonly lsid: Uint8Array })[] {
  const found: (SessionRecord & { readonly lsid: Uint8Array })[] = [];
  const rows = view.collection(TRANSACTIONS_NS)?.records();
  while (rows?.next()) {
    const { document } = rows;
    const record = recordOf(document);
    if (record?.state === 'inProgress') found.push({ ...record, lsid: subdocument(document.bytes, ID) });
  }
  return found;
}

/** Where the first begins of the chains whose end is missing. */
export function oldestUnfinishedChain(view: ReadView): OpTime | undefined {
  const [first] = unfinishedChains(view)
    .flatMap(({ startOpTime }) => startOpTime ?? [])
    .sort(compareOpTimes);
  return first;
}

/** One buffer for all rows; each leaves with a copy of its own. */
const rowWriter = new BsonWriter();
const rows = new BytePool();

function rowFor({ wallMs }: OplogEntry, lsid: Uint8Array, record: SessionRecord): SessionRow {
  const { txnNumber, startOpTime, lastWriteOpTime, state } = record;
  rowWriter.reset();
  rowWriter.rawDocument('_id', lsid);
  rowWriter.int64('txnNum', txnNumber);
  if (startOpTime) writeOpTime('startOpTime', startOpTime);
  writeOpTime('lastWriteOpTime', lastWriteOpTime);
  rowWriter.date('lastWriteDate', wallMs);
  if (state) rowWriter.string('state', state);
  return new SessionRow(rowWriter.finish(rows), keyOf(lsid), record);
}

function writeOpTime(name: string, { ts, t }: OpTime): void {
  rowWriter.beginDocument(name);
  rowWriter.timestamp('ts', ts);
  rowWriter.int64('t', t);
  rowWriter.endDocument();
}

/** Whose image it is, and whether it shows the document before or after. */
interface ImageOwner extends Pick<StatementLink, 'lsid' | 'txnNumber'> {
  readonly imageKind: NonNullable<StatementLink['needsRetryImage']>;
}

function imageRow({ opTime }: OplogEntry, owner: ImageOwner, image: SharedDocument | undefined): StoredDocument {
  const writer = new BsonWriter((image?.bytes.length ?? 0) + 192);
  writer.rawDocument('_id', owner.lsid);
  writer.int64('txnNum', owner.txnNumber);
  writer.timestamp('ts', opTime.ts);
  writer.string('imageKind', owner.imageKind);
  if (image) writer.rawDocument('image', image.bytes);
  else writer.rawDocument('image', EMPTY_DOCUMENT);
  writer.bool('invalidated', !image);
  if (!image) writer.string('invalidatedReason', 'initial sync');
  return new StoredDocument(writer.finish(), keyOf(owner.lsid));
}

function put(engine: StorageEngine, ns: string, row: StoredDocument): void {
  const recordId = engine.collection(ns)!.findById(row.idKey);
  if (recordId === undefined) engine.insert(ns, row, { allowDuplicates: true });
  else engine.update(ns, recordId, row, { allowDuplicates: true });
}

/** A session's row in one of the collections that are about sessions. */
export function rowOf(view: ReadView, ns: string, lsid: Uint8Array): StoredDocument | undefined {
  const collection = view.collection(ns);
  const recordId = collection?.findById(keyOf(lsid));
  return recordId === undefined ? undefined : collection?.get(recordId);
}

const recentKeys = new RecentBytes<string>();

/** The key of a session's rows. */
function keyOf(lsid: Uint8Array): string {
  return recentKeys.get(lsid, (bytes) => encodeKey({ type: BsonType.object, bytes, offset: 0, size: bytes.length }));
}
