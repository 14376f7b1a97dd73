import { encodeEntry, entryLength } from './encodeEntry.ts';
import type { OplogEntryFields, OplogOperation } from './oplogOperation.ts';
import type { OpTime } from './opTime.ts';

/**
 * One entry of `local.oplog.rs`, immutable and shared by every member that holds it.
 * Upstream: oplog_entry.idl, OplogEntryBase; field order is that of a mongod 8.0.
 */
export class OplogEntry implements OplogEntryFields {
  readonly operation: OplogOperation;
  readonly opTime: OpTime;
  readonly wallMs: number;
  readonly applyOps: readonly OplogOperation[] | undefined;
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
      OplogEntry.#remember(this);
    }
    return this.#bytes;
  }

  /** The length of `bytes`, which need not be made for it: in a set that lives in memory few entries ever are. */
  get byteLength(): number {
    if (this.#byteLength === 0) this.#byteLength = entryLength(this);
    return this.#byteLength;
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
