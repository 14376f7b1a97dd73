import type { OplogEntry, OplogOperation, OpTime, TraceEvent } from '@replsim/protocol';
import { countUpTo } from './search.ts';

/** A change of how many documents a member has. */
export interface DocumentsChange {
  readonly atMicros: number;
  readonly member: string;
  /** How many more there are; fewer, below 0. */
  readonly change: number;
  /** `ttl`: the member's own TTL monitor deleted them. `oplog`: another member's did, and the deletion has arrived. */
  readonly by: 'ttl' | 'oplog' | 'others';
}

/** How many documents there are behind an entry, and of which namespaces the last of them know. */
interface Count {
  readonly documents: number;
  /** Of the newest entry of a branch alone: a map for each would outweigh the trace. */
  byNs: Map<string, number> | undefined;
}

/**
 * How many documents of users the members hold. It is counted along the oplog, once for each entry, so that a rollback, a crash or an
 * initial sync needs no counting: a member's documents are those of the entry that it has applied.
 */
export class Documents {
  readonly #after = new Map<string, Count>();
  /** The newest entry that each member has written or fetched. */
  readonly #newest = new Map<string, string>();
  readonly #applied = new Map<string, string>();
  readonly #changes: DocumentsChange[] = [];
  /** Whose TTL monitor has deleted by an entry. */
  readonly #deleters = new Map<string, string>();
  /** Whose monitor has just deleted: its entries are written next. */
  #deleting: string | undefined;

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'ttlDeleted':
        this.#deleting = event.member;
        break;
      case 'oplogWritten':
        this.#written(event);
        break;
      case 'applied':
        this.#moved(event.atMicros, event.member, event.opTime);
        break;
      case 'rolledBack':
        this.#newest.set(event.member, keyOf(event.commonPoint));
        this.#moved(event.atMicros, event.member, event.commonPoint);
        break;
      case 'processStarted':
        this.#newest.set(event.member, keyOf(event.lastApplied));
        this.#moved(event.atMicros, event.member, event.lastApplied);
        break;
      case 'initialSync':
        if (event.phase === 'done' && event.opTime) this.#moved(event.atMicros, event.member, event.opTime);
        break;
      default:
    }
  }

  /** Behind an entry; undefined where that cannot be told. */
  after(opTime: OpTime | undefined): number | undefined {
    return opTime && this.#after.get(keyOf(opTime))?.documents;
  }

  /** Changes after an instant and up to another, oldest first. */
  between(afterMicros: number, upToMicros: number): readonly DocumentsChange[] {
    const count = (atMicros: number) => countUpTo(this.#changes, (change) => change.atMicros, atMicros);
    return this.#changes.slice(count(afterMicros), count(upToMicros));
  }

  #written({ member, origin, entries }: Extract<TraceEvent, { type: 'oplogWritten' }>): void {
    if (origin === 'self') {
      for (const entry of entries) this.#count(member, entry);
      if (this.#deleting === member) {
        for (const { opTime } of entries) this.#deleters.set(keyOf(opTime), member);
        this.#deleting = undefined;
      }
    }
    const last = entries.at(-1);
    if (last) this.#newest.set(member, keyOf(last.opTime));
  }

  #count(member: string, entry: OplogEntry): void {
    const key = keyOf(entry.opTime);
    const before = this.#after.get(this.#newest.get(member) ?? '') ?? { documents: 0, byNs: new Map() };
    const { byNs } = before;
    this.#newest.set(member, key);
    let documents = before.documents;
    for (const operation of entry.operations) documents += changeOf(operation, byNs);
    // The map moves on with the branch; who writes behind an earlier entry has none, and counts no dropped collections.
    before.byNs = undefined;
    this.#after.set(key, { documents, byNs });
  }

  #moved(atMicros: number, member: string, opTime: OpTime): void {
    const key = keyOf(opTime);
    const before = this.#after.get(this.#applied.get(member) ?? '')?.documents ?? 0;
    const now = this.#after.get(key)?.documents;
    this.#applied.set(member, key);
    if (now === undefined || now === before) return;
    const deleter = now < before ? this.#deleters.get(key) : undefined;
    const by = deleter === undefined ? 'others' : deleter === member ? 'ttl' : 'oplog';
    this.#changes.push({ atMicros, member, change: now - before, by });
  }
}

/** Of these a mongod keeps its own books. */
const OWN = /^(admin|local|config)\.|\.system\./;

/** How many documents more an operation leaves. @param byNs what there is; undefined where that is not known */
function changeOf({ op, ns, o }: OplogOperation, byNs: Count['byNs']): number {
  const dropped = op === 'c' ? droppedBy(o) : undefined;
  if (dropped !== undefined) {
    const full = ns.replace(/\$cmd$/, dropped);
    const change = -(byNs?.get(full) ?? 0);
    byNs?.delete(full);
    return change;
  }
  if (OWN.test(ns) || (op !== 'i' && op !== 'd')) return 0;
  const change = op === 'i' ? 1 : -1;
  byNs?.set(ns, Math.max(0, (byNs.get(ns) ?? 0) + change));
  return change;
}

const DROP = Array.from('\u0002drop\0', (letter) => letter.charCodeAt(0));

/** The collection that a command drops: its first field is a string of that name. */
function droppedBy(o: Uint8Array): string | undefined {
  const start = 4;
  if (DROP.some((byte, i) => o[start + i] !== byte)) return undefined;
  const from = start + DROP.length + 4;
  return new TextDecoder().decode(o.subarray(from, o.indexOf(0, from)));
}

/** Entries of different branches may have the same time, and not the same term. */
function keyOf({ ts, t }: OpTime): string {
  return `${ts.t} ${ts.i} ${t}`;
}
