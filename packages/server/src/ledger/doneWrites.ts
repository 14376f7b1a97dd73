import {
  encodeName,
  findField,
  type OplogEntry,
  type OplogOperation,
  type OpTime,
  readInt32,
  type TraceEvent,
  toHex,
} from '@replsim/protocol';
import type { WrittenEntry } from '@replsim/why';

/** A client's write as the oplog has it. */
export interface DoneWrite extends WrittenEntry {
  /** The `_id` of each document, as a document `{ _id }`; the first 100. */
  readonly ids: Uint8Array[];
}

/** So many writes of which no client has heard are remembered: what waits for its write concern, or for a retry. */
const KEPT_WRITES = 10_000;
const KEPT_IDS = 100;
const SESSION_ID = encodeName('id');
const DOCUMENT_ID = encodeName('_id');
/** Where the value of an `_id` stands in a document that has no more: behind length, type and name. */
const ID_OFFSET = 4 + 1 + DOCUMENT_ID.length + 1;

/** What primaries wrote of late, and no client has been told of. */
export class DoneWrites {
  readonly #writes = new Map<string, DoneWrite>();

  wrote({ member, atMicros, entries }: Extract<TraceEvent, { type: 'oplogWritten' }>): void {
    for (const entry of entries) {
      const { operation, operations, opTime } = entry;
      const transaction = transactionKey(entry);
      if (operation.op === 'n') continue;
      for (const each of operations) {
        const key = transaction ?? (each.statement ? statementKey(each.statement) : opTimeKey(opTime));
        this.#add(key, opTime, member, atMicros, each);
      }
    }
    for (const key of this.#writes.keys()) {
      if (this.#writes.size <= KEPT_WRITES) return;
      this.#writes.delete(key);
    }
  }

  /** What was written of a command; nobody needs to remember it here any longer. */
  take(key: string): DoneWrite | undefined {
    const done = this.#writes.get(key);
    this.#writes.delete(key);
    return done;
  }

  #add(key: string, opTime: OpTime, member: string, atMicros: number, operation: OplogOperation): void {
    const known = this.#writes.get(key);
    // What a later primary does anew replaces what the earlier one did.
    const ids = known?.opTime.t === opTime.t ? known.ids : [];
    const id = ids.length < KEPT_IDS ? idOf(operation) : undefined;
    if (id) ids.push(id);
    this.#writes.set(key, { opTime, member, atMicros, ids });
  }
}

/** By which a retryable write or a transaction is known, however often it is sent. */
export function sessionKey(lsid: string, txnNumber: number | bigint): string {
  return `${lsid} ${txnNumber}`;
}

/** By which any other write is known: its newest entry. */
export function opTimeKey({ ts, t }: OpTime): string {
  return `${ts.t}.${ts.i}.${t}`;
}

function statementKey({ lsid, txnNumber }: { readonly lsid: Uint8Array; readonly txnNumber: bigint }): string {
  const id = findField(lsid, SESSION_ID);
  // A UUID's bytes stand behind their length and subtype.
  const hex = id ? toHex(id.bytes.subarray(id.offset + 5, id.offset + 5 + readInt32(id.bytes, id.offset))) : '';
  return sessionKey(hex, txnNumber);
}

/** Of a transaction that is committed by this entry. */
function transactionKey({ operation: { transaction }, applyOps }: OplogEntry): string | undefined {
  return transaction && applyOps && !transaction.partialTxn ? statementKey(transaction) : undefined;
}

function idOf({ op, o, o2, document }: OplogOperation): Uint8Array | undefined {
  if (op !== 'i' && op !== 'u' && op !== 'd') return undefined;
  const source = op === 'u' ? o2 : op === 'd' ? (document?.bytes ?? o) : o;
  const id = source && findField(source, DOCUMENT_ID);
  if (!id) return undefined;
  const size = ID_OFFSET + id.size + 1;
  const bytes = new Uint8Array(size);
  bytes[0] = size;
  bytes[1] = size >> 8;
  bytes[2] = size >> 16;
  bytes[4] = id.type;
  bytes.set(DOCUMENT_ID, 5);
  // Most are short, and a view of them costs more than a loop.
  for (let i = 0; i < id.size; i++) bytes[ID_OFFSET + i] = id.bytes[id.offset + i]!;
  return bytes;
}
