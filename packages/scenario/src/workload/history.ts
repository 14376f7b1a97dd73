import {
  encodeName,
  findField,
  type OplogOperation,
  type OpTime,
  readInt32,
  type Term,
  type TraceEvent,
  toHex,
} from '@replsim/protocol';
import { Branches, type Loss, Losses } from '@replsim/why';
import { showValue } from '../file/show.ts';
import { Phases } from './latencies.ts';
import { Primaries } from './outages.ts';

/** Where and when an entry was undone. */
export interface RollBack {
  readonly member: string;
  readonly atMicros: number;
}

/** What the trace of a run tells of the fate of its writes. It sees every event; ledgers ask it. */
export class History {
  readonly branches = new Branches();
  readonly primaries = new Primaries();
  readonly phases = new Phases();
  readonly #losses = new Losses(this.branches);
  readonly #rollBacks: (RollBack & { readonly from: OpTime; readonly commonPoint: OpTime })[] = [];
  /** The entries of each retryable write and each transaction, one a branch at most if all is well. */
  readonly #statements = new Map<string, OpTime[]>();
  /** The entries that touched a document, and those that touched a collection, as they were written. */
  readonly #documents = new Map<string, OpTime[]>();
  readonly #collections = new Map<string, OpTime[]>();
  /** Grows: the newest of what members had answered for with `w: "majority"`, at each answer. */
  readonly #majority: { readonly atMicros: number; readonly opTime: OpTime }[] = [];
  /** Who wrote an entry, and when. */
  readonly #writers = new Map<string, { readonly member: string; readonly atMicros: number }>();

  /** Grows when a write that survived may be lost now, or the other way round. */
  get newestTerm(): Term | undefined {
    return this.branches.newestTerm;
  }

  observe(event: TraceEvent): void {
    this.branches.observe(event);
    this.primaries.observe(event);
    this.phases.observe(event);
    this.#losses.observe(event);
    switch (event.type) {
      case 'rolledBack': {
        const { member, atMicros, from, commonPoint } = event;
        this.#rollBacks.push({ member, atMicros, from, commonPoint });
        return;
      }
      case 'writeAcknowledged':
        if (event.majority) this.#majority.push({ atMicros: event.atMicros, opTime: event.opTime });
        return;
      case 'oplogWritten':
        if (event.origin !== 'self') return;
        for (const { operation, operations, applyOps, opTime } of event.entries) {
          this.#writers.set(keyOf(opTime), { member: event.member, atMicros: event.atMicros });
          const { transaction } = operation;
          if (transaction && applyOps && !transaction.partialTxn) this.#done(transaction, opTime);
          for (const operation of operations) this.#index(operation, opTime);
        }
        return;
    }
  }

  /** The election that lost an entry, and the weakest concern that would have kept it; undefined while it survives. */
  lossOf(opTime: OpTime): Loss | undefined {
    const writer = this.#writers.get(keyOf(opTime));
    return writer && this.#losses.lossOf({ opTime, ...writer });
  }

  /** The members that undid an entry. */
  rollBacksOf(opTime: OpTime): RollBack[] {
    return this.#rollBacks
      .filter(({ from, commonPoint }) => this.branches.holds(from, opTime) && !this.branches.holds(commonPoint, opTime))
      .map(({ member, atMicros }) => ({ member, atMicros }));
  }

  /**
   * The entries that carried out a retryable write or a transaction, in the order in which they were written.
   * @param lsid the session's UUID, hex
   */
  entriesOf(lsid: string, txnNumber: number): readonly OpTime[] {
    return this.#statements.get(`${lsid} ${txnNumber}`) ?? [];
  }

  /** The latest entry that touched a document, of those that a log which ends in `end` holds. */
  lastTouching(ns: string, id: string, end: OpTime): OpTime | undefined {
    return this.#documents.get(`${ns} ${id}`)?.findLast((opTime) => this.branches.holds(end, opTime));
  }

  /** How many entries have touched a collection so far. */
  touching(ns: string): number {
    return this.#collections.get(ns)?.length ?? 0;
  }

  /** The latest entry on a collection that a majority had answered for by then. */
  committedBy(ns: string, byMicros: number): OpTime | undefined {
    const acknowledged = this.#majority.findLast(({ atMicros }) => atMicros <= byMicros)?.opTime;
    return acknowledged && this.#collections.get(ns)?.findLast((opTime) => this.branches.holds(acknowledged, opTime));
  }

  /** A retryable write, or a transaction, is carried out by the entry. */
  #done({ lsid: session, txnNumber }: { readonly lsid: Uint8Array; readonly txnNumber: bigint }, opTime: OpTime): void {
    const id = findField(session, ID_OF_SESSION);
    // A UUID's bytes stand behind their length and subtype.
    const lsid = id ? toHex(id.bytes.subarray(id.offset + 5, id.offset + 5 + readInt32(id.bytes, id.offset))) : '';
    append(this.#statements, `${lsid} ${txnNumber}`, opTime);
  }

  #index({ op, ns, o, o2, document, statement }: OplogOperation, opTime: OpTime): void {
    if (statement) this.#done(statement, opTime);
    if (op !== 'i' && op !== 'u' && op !== 'd') return;
    append(this.#collections, ns, opTime);
    const source = op === 'u' ? o2 : op === 'd' ? (document?.bytes ?? o) : o;
    const id = source && findField(source, DOCUMENT_ID);
    if (id) append(this.#documents, `${ns} ${showValue(id)}`, opTime);
  }
}

const ID_OF_SESSION = encodeName('id');
const DOCUMENT_ID = encodeName('_id');

function append(map: Map<string, OpTime[]>, key: string, opTime: OpTime): void {
  const list = map.get(key);
  if (list) list.push(opTime);
  else map.set(key, [opTime]);
}

function keyOf({ ts, t }: OpTime): string {
  return `${ts.t} ${ts.i} ${t}`;
}
