import {
  compareTimestamps,
  isNullOpTime,
  type OplogEntry,
  type OpTime,
  type Term,
  type Timestamp,
  type TraceEvent,
} from '@replsim/protocol';

/**
 * The tree that the oplogs of all members form. All entries of a term stand in one line, as one member wrote them, so it
 * takes one number a term to know a log by its end: what the term's first entry follows.
 * The checkers keep such a tree too; a verdict shares no code with what it judges, nor with what is told of it.
 */
export class Branches {
  readonly #ends = new Map<string, OpTime>();
  readonly #durable = new Map<string, OpTime>();
  readonly #before = new Map<Term, OpTime>();
  #newestTerm: Term | undefined;

  /** The newest term in which a primary has written: its line, down to the root, is what survives. */
  get newestTerm(): Term | undefined {
    return this.#newestTerm;
  }

  /** The member's last entry. */
  endOf(member: string): OpTime | undefined {
    return this.#ends.get(member);
  }

  /** Whether the log that ends in `end` holds `opTime`. */
  holds(end: OpTime, opTime: OpTime): boolean {
    let at: OpTime | undefined = end;
    while (at && at.t > opTime.t) at = this.#before.get(at.t);
    return at?.t === opTime.t && compareTimestamps(at.ts, opTime.ts) >= 0;
  }

  /** Whether the newest primary's log holds it. */
  survives(opTime: OpTime): boolean {
    return this.lostInTerm(opTime) === undefined;
  }

  /** The election that lost an entry: the first on the surviving line whose winner did not hold it; undefined if none did. */
  lostInTerm(opTime: OpTime): Term | undefined {
    let term = this.#newestTerm;
    if (term === undefined || opTime.t >= term) return undefined;
    for (;;) {
      const before = this.#before.get(term);
      // Where the line began before the trace, nothing is known to be lost.
      if (!before) return undefined;
      if (before.t <= opTime.t) return this.holds(before, opTime) ? undefined : term;
      term = before.t;
    }
  }

  /** The entry of the member's log that has this timestamp or, if none has, the term in which it would stand. */
  opTimeAt(member: string, ts: Timestamp): OpTime | undefined {
    let at = this.#ends.get(member);
    if (!at) return undefined;
    for (;;) {
      const before = this.#before.get(at.t);
      if (!before || compareTimestamps(before.ts, ts) < 0) return { ts, t: at.t };
      at = before;
    }
  }

  /** The members whose log, or durable log, holds an entry now. */
  holders(opTime: OpTime): { readonly written: string[]; readonly durable: string[] } {
    const having = (ends: ReadonlyMap<string, OpTime>) =>
      [...ends].filter(([, end]) => this.holds(end, opTime)).map(([member]) => member);
    return { written: having(this.#ends), durable: having(this.#durable) };
  }

  /** Takes in the log's change. */
  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'oplogWritten':
        return this.#written(event.member, event.entries, event.origin);
      case 'acceptsWrites':
        if (event.follows) this.#begun(event.term, event.follows);
        return;
      case 'journalFlushed':
        this.#durable.set(event.member, event.opTime);
        return;
      case 'processStarted':
        if (event.mode !== 'standalone') this.#returnTo(event.member, event.lastApplied);
        return;
      case 'rolledBack':
        return this.#returnTo(event.member, event.commonPoint);
      case 'initialSync':
        if (event.phase === 'started') this.#forget(event.member);
        return;
    }
  }

  #written(member: string, entries: readonly OplogEntry[], origin: 'self' | 'fetched'): void {
    let end = this.#ends.get(member);
    for (const { opTime } of entries) {
      if (end && end.t < opTime.t && !this.#before.has(opTime.t)) this.#before.set(opTime.t, end);
      end = opTime;
    }
    if (!end) return;
    this.#ends.set(member, end);
    if (origin === 'self' && (this.#newestTerm === undefined || end.t > this.#newestTerm)) this.#newestTerm = end.t;
  }

  /** A primary has written the first entry of its term, as every one does before clients may write. */
  #begun(term: Term, follows: OpTime): void {
    if (follows.t < term && !this.#before.has(term)) this.#before.set(term, follows);
    if (this.#newestTerm === undefined || term > this.#newestTerm) this.#newestTerm = term;
  }

  #returnTo(member: string, opTime: OpTime): void {
    if (isNullOpTime(opTime)) return this.#forget(member);
    this.#ends.set(member, opTime);
    const durable = this.#durable.get(member);
    if (!durable || !this.holds(opTime, durable)) this.#durable.set(member, opTime);
  }

  #forget(member: string): void {
    this.#ends.delete(member);
    this.#durable.delete(member);
  }
}
