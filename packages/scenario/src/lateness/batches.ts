import { isNullOpTime, type OpTime, type TraceEvent } from '@replsim/protocol';
import type { Branches } from '@replsim/why';
import { Column } from './column.ts';

/** Still there. */
const NOT_YET = Number.NaN;
/** The member got its data only later: what it never had it does not lose. */
const NEVER_HAD = Number.POSITIVE_INFINITY;

/** What one member has to do with the batches. */
interface Copy {
  /** When each batch's documents were gone here; at most as long as there are batches. */
  readonly gone: Column;
  /** Batches that are still there, oldest first. */
  pending: number[];
  /** The first of `pending` that counts. */
  head: number;
  /** Something was applied here; arbiters and processes without a set never do. */
  hasData: boolean;
}

/** When the documents of each batch that a TTL monitor deleted were gone, on each member. */
export class Batches {
  readonly #branches: Branches;
  readonly #atMicros = new Column();
  readonly #opTimes: (OpTime | undefined)[] = [];
  readonly #deleters: string[] = [];
  readonly #copies = new Map<string, Copy>();

  constructor(branches: Branches) {
    this.#branches = branches;
  }

  /** The members that hold data, in the order in which they began. */
  get members(): string[] {
    return [...this.#copies].filter(([, { hasData }]) => hasData).map(([member]) => member);
  }

  /** @param opTime of its last entry; undefined where it leaves none @returns the batch's number */
  add(member: string, atMicros: number, opTime: OpTime | undefined): number {
    const batch = this.#opTimes.length;
    this.#atMicros.push(atMicros);
    this.#opTimes.push(opTime);
    this.#deleters.push(member);
    for (const [other, { pending }] of this.#copies) if (other !== member && opTime) pending.push(batch);
    this.#markGone(this.#copyOf(member), batch, atMicros);
    return batch;
  }

  deletedMicros(batch: number): number {
    return this.#atMicros.at(batch);
  }

  /** The newest primary's log does not hold it: the documents have come back, or will. */
  isUndone(batch: number): boolean {
    const opTime = this.#opTimes[batch];
    return opTime !== undefined && !this.#branches.survives(opTime);
  }

  /** When its documents were gone from a member for good; undefined while they are there, or if they never were. */
  goneMicros(batch: number, member: string): number | 'waiting' | undefined {
    const copy = this.#copies.get(member);
    if (!copy?.hasData && this.#deleters[batch] !== member) return undefined;
    const gone = copy !== undefined && batch < copy.gone.length ? copy.gone.at(batch) : NOT_YET;
    if (gone === NEVER_HAD) return undefined;
    if (Number.isNaN(gone)) return this.#opTimes[batch] ? 'waiting' : undefined;
    return gone;
  }

  /** To be shown every event after `branches` has seen it. */
  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'applied': {
        const copy = this.#copyOf(event.member);
        copy.hasData = true;
        return this.#advance(copy, event.opTime, event.atMicros);
      }
      case 'processStarted':
        if (event.mode !== 'replSet') return;
        if (isNullOpTime(event.lastApplied)) return this.#empty(this.#copyOf(event.member), event.atMicros);
        return this.#settle(this.#copyOf(event.member), event.lastApplied, event.atMicros);
      case 'rolledBack':
        return this.#settle(this.#copyOf(event.member), event.commonPoint, event.atMicros);
      case 'initialSync':
        if (event.phase === 'started') this.#empty(this.#copyOf(event.member), event.atMicros);
        return;
    }
  }

  /** Everything up to `opTime` is in place. Most events come here, and most find nothing to do. */
  #advance(copy: Copy, opTime: OpTime, atMicros: number): void {
    while (copy.head < copy.pending.length) {
      const batch = copy.pending[copy.head]!;
      const entry = this.#opTimes[batch]!;
      if (this.#branches.holds(opTime, entry)) this.#markGone(copy, batch, atMicros);
      // An entry of an older term that is not held is on another line, and this member never applies it.
      else if (entry.t >= opTime.t) break;
      copy.head++;
    }
    if (copy.head < 1024) return;
    copy.pending = copy.pending.slice(copy.head);
    copy.head = 0;
  }

  /** The member's data are those of `opTime` now: what was deleted later is back, what was deleted before is gone. */
  #settle(copy: Copy, opTime: OpTime, atMicros: number): void {
    copy.pending = [];
    copy.head = 0;
    for (const [batch, entry] of this.#opTimes.entries()) {
      if (entry === undefined) continue;
      const gone = batch < copy.gone.length ? copy.gone.at(batch) : NOT_YET;
      if (gone === NEVER_HAD) continue;
      const held = this.#branches.holds(opTime, entry);
      if (held && Number.isNaN(gone)) this.#markGone(copy, batch, atMicros);
      if (held) continue;
      if (!Number.isNaN(gone)) copy.gone.set(batch, NOT_YET);
      copy.pending.push(batch);
    }
  }

  /** The member throws its data away, if it had any. */
  #empty(copy: Copy, atMicros: number): void {
    for (const batch of copy.pending.slice(copy.head)) this.#markGone(copy, batch, copy.hasData ? atMicros : NEVER_HAD);
    copy.pending = [];
    copy.head = 0;
  }

  #markGone(copy: Copy, batch: number, atMicros: number): void {
    copy.gone.grow(batch + 1, NOT_YET);
    copy.gone.set(batch, atMicros);
  }

  #copyOf(member: string): Copy {
    const known = this.#copies.get(member);
    if (known) return known;
    const pending = this.#opTimes.flatMap((opTime, batch) => (opTime ? [batch] : []));
    const copy = { gone: new Column(), pending, head: 0, hasData: false };
    this.#copies.set(member, copy);
    return copy;
  }
}
