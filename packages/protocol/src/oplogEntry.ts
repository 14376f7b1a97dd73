import { BytePool } from './bson/bytePool.ts';
import { encodeName, findField } from './bson/element.ts';
import { BsonWriter } from './bson/writer.ts';
import type { OpTime } from './opTime.ts';
import { NULL_OP_TIME, UNINITIALIZED_TERM } from './opTime.ts';

/** A stored document as entries share it: one object for all members; storage keeps more beside the bytes. */
export interface SharedDocument {
  readonly bytes: Uint8Array;
}

/** `i`nsert, `u`pdate, `d`elete, `c`ommand, `n`o-op. Upstream: oplog_entry.idl, OpTypeEnum. */
export type OpType = 'i' | 'u' | 'd' | 'c' | 'n';

/**
 * Which statement of a client's retryable write an operation carries out; a retry is answered from it.
 * Upstream: oplog_entry.idl with OperationSessionInfo and stmtId.
 */
export interface StatementLink {
  /** `{ id, uid }`, BSON. */
  readonly lsid: Uint8Array;
  readonly txnNumber: bigint;
  readonly stmtId: number;
  /** The image that every member keeps aside while it applies the operation: what findAndModify has shown. */
  readonly needsRetryImage?: 'preImage' | 'postImage';
}

/**
 * One replicated change, alone or inside `applyOps`. `o` and `o2` are BSON documents.
 * Upstream: oplog_entry.idl, DurableReplOperation.
 */
export interface OplogOperation {
  readonly op: OpType;
  readonly ns: string;
  /** The collection's UUID, 16 bytes. */
  readonly ui?: Uint8Array;
  readonly o: Uint8Array;
  readonly o2?: Uint8Array | undefined;
  /** What an insert or update leaves, what a delete removes: shared, so that no member builds it again. */
  readonly document?: SharedDocument;
  /** What an update changed: a member that holds this very object need not apply the diff. */
  readonly before?: SharedDocument;
  /** Set for the operations of a retryable write. */
  readonly statement?: StatementLink | undefined;
}

/**
 * One entry of `local.oplog.rs`, immutable and shared by every member that holds it.
 * Upstream: oplog_entry.idl, OplogEntryBase; field order is that of a mongod 8.0.
 */
export class OplogEntry {
  readonly operation: OplogOperation;
  readonly opTime: OpTime;
  /** The writer's wall clock, ms since 1970. */
  readonly wallMs: number;
  /** The operations of an `applyOps` command, which are applied one by one. */
  readonly applyOps: readonly OplogOperation[] | undefined;
  /** The entry before it of the same retryable write, null for the first; only where the operation has a statement. */
  readonly prevOpTime: OpTime | undefined;
  #bytes: Uint8Array | undefined;
  #byteLength = 0;

  constructor(
    operation: OplogOperation,
    opTime: OpTime,
    wallMs: number,
    applyOps?: readonly OplogOperation[],
    prevOpTime?: OpTime,
  ) {
    this.operation = operation;
    this.opTime = opTime;
    this.wallMs = wallMs;
    this.applyOps = applyOps;
    this.prevOpTime = prevOpTime;
  }

  /** The operations that change data: those inside `applyOps`, or the entry's own. */
  get operations(): readonly OplogOperation[] {
    return this.applyOps ?? [this.operation];
  }

  /**
   * The entry as BSON; encoded for whichever member asks first, and again for those who ask long afterwards: an oplog of
   * millions of entries would otherwise weigh more than the data.
   */
  get bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      this.#bytes = encodeEntry(this);
      this.#byteLength = this.#bytes.length;
      OplogEntry.#remember(this);
    }
    return this.#bytes;
  }

  /** The length of `bytes`. */
  get byteLength(): number {
    return this.#byteLength || this.bytes.length;
  }

  /** Lets go of the bytes of the entry that was encoded longest ago. */
  static #remember(entry: OplogEntry): void {
    const oldest = recentlyEncoded[nextRecent];
    if (oldest) oldest.#bytes = undefined;
    recentlyEncoded[nextRecent] = entry;
    nextRecent = (nextRecent + 1) % RECENT_ENTRIES;
  }

  /** An entry read back from bytes keeps them. */
  static withBytes(
    bytes: Uint8Array,
    operation: OplogOperation,
    opTime: OpTime,
    wallMs: number,
    applyOps?: readonly OplogOperation[],
    prevOpTime?: OpTime,
  ): OplogEntry {
    const entry = new OplogEntry(operation, opTime, wallMs, applyOps, prevOpTime);
    entry.#bytes = bytes;
    entry.#byteLength = bytes.length;
    return entry;
  }
}

/** How many entries keep their bytes: enough for all members of a set to journal and send what was just written. */
const RECENT_ENTRIES = 8192;
/** A ring. Whether an entry is in it shows in nothing but time and memory. */
const recentlyEncoded: (OplogEntry | undefined)[] = [];
let nextRecent = 0;

/** One buffer for all entries; each leaves with a copy of its own. */
const writer = new BsonWriter(4096);
/** Entries let go of their bytes in the order in which they were encoded. */
const pool = new BytePool();

function encodeEntry(entry: OplogEntry): Uint8Array {
  writer.reset();
  const { statement } = entry.operation;
  if (statement) {
    writer.rawDocument('lsid', statement.lsid);
    writer.int64('txnNumber', statement.txnNumber);
  }
  writeOperation(entry.operation, entry.applyOps);
  writer.timestamp('ts', entry.opTime.ts);
  if (entry.opTime.t !== UNINITIALIZED_TERM) writer.int64('t', entry.opTime.t);
  writer.int64('v', 2);
  writer.date('wall', entry.wallMs);
  if (statement) writeStatement(statement, entry.prevOpTime ?? NULL_OP_TIME);
  return writer.finish(pool);
}

function writeStatement({ stmtId, needsRetryImage }: StatementLink, prevOpTime: OpTime): void {
  writer.int32('stmtId', stmtId);
  writer.beginDocument('prevOpTime');
  writer.timestamp('ts', prevOpTime.ts);
  writer.int64('t', prevOpTime.t);
  writer.endDocument();
  if (needsRetryImage) writer.string('needsRetryImage', needsRetryImage);
}

function writeOperation(operation: OplogOperation, applyOps?: readonly OplogOperation[]): void {
  writer.string('op', operation.op);
  writer.string('ns', operation.ns);
  if (operation.ui) writer.binary('ui', 4, operation.ui);
  if (applyOps) {
    writer.beginDocument('o');
    writer.beginArray('applyOps');
    applyOps.forEach((inner, index) => {
      writer.beginDocument(String(index));
      writeOperation(inner);
      writer.endDocument();
    });
    writer.endArray();
    writer.endDocument();
  } else if (operation.op === 'd' && operation.document) {
    writeKey('o', operation.document);
  } else {
    writer.rawDocument('o', operation.o);
  }
  if (operation.op === 'i' && operation.document) writeKey('o2', operation.document);
  else if (operation.o2) writer.rawDocument('o2', operation.o2);
}

const ID = encodeName('_id');

/** `{ _id }` of a document, straight into the entry. */
function writeKey(name: string, document: SharedDocument): void {
  writer.beginDocument(name);
  writer.rawValue('_id', findField(document.bytes, ID)!);
  writer.endDocument();
}
