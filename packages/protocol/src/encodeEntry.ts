/**
 * Oplog entries as BSON, and how long they are as that. The two walk an entry in the same steps.
 * Upstream: oplog_entry.idl; the order of fields is that of a mongod 8.0.
 */
import { BytePool } from './bson/bytePool.ts';
import { encodeName, requiredField } from './bson/element.ts';
import { BsonWriter, indexName } from './bson/writer.ts';
import type {
  OplogEntryFields,
  OplogOperation,
  SharedDocument,
  StatementLink,
  TransactionLink,
} from './oplogOperation.ts';
import { NULL_OP_TIME, type OpTime, UNINITIALIZED_TERM } from './opTime.ts';

/** One buffer for all entries; each leaves with a copy of its own. */
const writer = new BsonWriter(4096);
/** Entries let go of their bytes in the order in which they were encoded. */
const pool = new BytePool();

/** An entry as BSON. */
export function encodeEntry(entry: OplogEntryFields): Uint8Array {
  writer.reset();
  const { statement, transaction } = entry.operation;
  const session = statement ?? transaction;
  if (session) {
    writer.rawDocument('lsid', session.lsid);
    writer.int64('txnNumber', session.txnNumber);
  }
  writeOperation(entry.operation, entry.applyOps);
  writer.timestamp('ts', entry.opTime.ts);
  if (entry.opTime.t !== UNINITIALIZED_TERM) writer.int64('t', entry.opTime.t);
  writer.int64('v', 2);
  writer.date('wall', entry.wallMs);
  if (statement) writer.int32('stmtId', statement.stmtId);
  if (session) writePrevOpTime(entry.prevOpTime ?? NULL_OP_TIME);
  if (statement?.needsRetryImage) writer.string('needsRetryImage', statement.needsRetryImage);
  return writer.finish(pool);
}

function writePrevOpTime(prevOpTime: OpTime): void {
  writer.beginDocument('prevOpTime');
  writer.timestamp('ts', prevOpTime.ts);
  writer.int64('t', prevOpTime.t);
  writer.endDocument();
}

function writeOperation(operation: OplogOperation, applyOps?: readonly OplogOperation[]): void {
  writer.string('op', operation.op);
  writer.string('ns', operation.ns);
  if (operation.ui) writer.binary('ui', 4, operation.ui);
  if (applyOps) {
    writer.beginDocument('o');
    writer.beginArray('applyOps');
    applyOps.forEach((inner, index) => {
      writer.beginDocument(indexName(index));
      writeOperation(inner);
      writer.endDocument();
    });
    writer.endArray();
    if (operation.transaction) writeChainFields(operation.transaction);
    writer.endDocument();
  } else if (operation.op === 'd' && operation.document) {
    writeKey('o', operation.document);
  } else {
    writer.rawDocument('o', operation.o);
  }
  if (operation.op === 'i' && operation.document) writeKey('o2', operation.document);
  else if (operation.o2) writer.rawDocument('o2', operation.o2);
}

function writeChainFields({ partialTxn, count }: TransactionLink): void {
  if (partialTxn) writer.bool('partialTxn', true);
  if (count !== undefined) writer.int64('count', count);
}

const ID = encodeName('_id');

/** `{ _id }` of a document, straight into the entry. */
function writeKey(name: string, document: SharedDocument): void {
  writer.beginDocument(name);
  writer.rawValue('_id', requiredField(document.bytes, ID));
  writer.endDocument();
}

/** A document's length and its final NUL. */
const FRAME_BYTES = 5;
const INT32_BYTES = 4;
/** Of an int64, a date and a timestamp. */
const LONG_BYTES = 8;

/** The length of what `encodeEntry` gives, without making it. */
export function entryLength({ operation, applyOps, opTime }: OplogEntryFields): number {
  const { statement, transaction } = operation;
  const session = statement ?? transaction;
  return (
    FRAME_BYTES +
    operationLength(operation, applyOps) +
    element('ts', LONG_BYTES) +
    (opTime.t === UNINITIALIZED_TERM ? 0 : element('t', LONG_BYTES)) +
    element('v', LONG_BYTES) +
    element('wall', LONG_BYTES) +
    (session ? sessionLength(session.lsid) : 0) +
    (statement ? statementLength(statement) : 0) +
    (transaction ? chainFieldsLength(transaction) : 0)
  );
}

function sessionLength(lsid: Uint8Array): number {
  return (
    element('lsid', lsid.length) +
    element('txnNumber', LONG_BYTES) +
    element('prevOpTime', FRAME_BYTES + element('ts', LONG_BYTES) + element('t', LONG_BYTES))
  );
}

function statementLength({ needsRetryImage }: StatementLink): number {
  const image = needsRetryImage ? element('needsRetryImage', stringLength(needsRetryImage)) : 0;
  return element('stmtId', INT32_BYTES) + image;
}

function chainFieldsLength({ partialTxn, count }: TransactionLink): number {
  return (partialTxn ? element('partialTxn', 1) : 0) + (count === undefined ? 0 : element('count', LONG_BYTES));
}

/** How long an operation is as an element of `applyOps`, its name aside. Unit: bytes. */
export function operationByteLength(operation: OplogOperation): number {
  return FRAME_BYTES + operationLength(operation);
}

function operationLength(operation: OplogOperation, applyOps?: readonly OplogOperation[]): number {
  const { op, ns, ui, document } = operation;
  const head = element('op', stringLength(op)) + element('ns', stringLength(ns));
  return (
    head +
    (ui ? element('ui', INT32_BYTES + 1 + ui.length) : 0) +
    element('o', applyOps ? groupLength(applyOps) : op === 'd' && document ? keyLength(document) : operation.o.length) +
    keyFieldLength(operation)
  );
}

function keyFieldLength(operation: OplogOperation): number {
  const { op, document } = operation;
  if (op === 'i' && document) return element('o2', keyLength(document));
  const { o2 } = operation;
  return o2 ? element('o2', o2.length) : 0;
}

function groupLength(applyOps: readonly OplogOperation[]): number {
  let length = FRAME_BYTES;
  let i = 0;
  for (const operation of applyOps) length += element(indexName(i++), FRAME_BYTES + operationLength(operation));
  return FRAME_BYTES + element('applyOps', length);
}

function keyLength(document: SharedDocument): number {
  return FRAME_BYTES + element('_id', requiredField(document.bytes, ID).size);
}

/** A type, an ASCII name with its NUL, a value. */
function element(name: string, valueBytes: number): number {
  return 1 + name.length + 1 + valueBytes;
}

function stringLength(text: string): number {
  return INT32_BYTES + utf8Length(text) + 1;
}

function utf8Length(text: string): number {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return encodeName(text).length;
  return text.length;
}
