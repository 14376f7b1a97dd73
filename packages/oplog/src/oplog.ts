import {
  compareTimestamps,
  formatOpTime,
  InvariantError,
  NULL_OP_TIME,
  type OplogEntry,
  type OpTime,
  sameOpTime,
  type Timestamp,
} from '@replsim/protocol';

/**
 * One member's `local.oplog.rs` in memory: entries in order, each with an index that grows forever, so that an index
 * stays good when the head is truncated. Only its owner changes it.
 */
export class Oplog {
  #entries: OplogEntry[] = [];
  /** Index of `#entries[#head]`. */
  #first = 0;
  /** Entries before it are gone; they are dropped in bulk. */
  #head = 0;
  #sizeBytes = 0;

  /** Index of the oldest entry held. */
  get firstIndex(): number {
    return this.#first;
  }

  /** One past the index of the newest entry. */
  get endIndex(): number {
    return this.#first + this.#entries.length - this.#head;
  }

  get length(): number {
    return this.#entries.length - this.#head;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** The newest entry's opTime; null for an empty oplog. */
  get last(): OpTime {
    return this.lastEntry?.opTime ?? NULL_OP_TIME;
  }

  get first(): OpTime {
    return this.#entries[this.#head]?.opTime ?? NULL_OP_TIME;
  }

  get lastEntry(): OplogEntry | undefined {
    // Entries before the head may still be there when none is held any more.
    return this.length === 0 ? undefined : this.#entries.at(-1);
  }

  /** The entry at an index, while it is held. */
  at(index: number): OplogEntry | undefined {
    return index < this.#first ? undefined : this.#entries[index - this.#first + this.#head];
  }

  /** Adds an entry whose timestamp must be after all others; the caller also calls `addBytes`. @returns its index */
  append(entry: OplogEntry): number {
    const last = this.lastEntry;
    if (last && compareTimestamps(entry.opTime.ts, last.opTime.ts) <= 0) {
      throw new InvariantError(
        `${formatOpTime(entry.opTime, 0)} is not after ${formatOpTime(last.opTime, 0)}, the oplog's last`,
      );
    }
    this.#entries.push(entry);
    return this.endIndex - 1;
  }

  /** Counts an entry's bytes once they are known, which is when the journal encodes it. */
  addBytes(bytes: number): void {
    this.#sizeBytes += bytes;
  }

  /** Index of the first entry whose timestamp is not before `ts`; `endIndex` if there is none. */
  lowerBound(ts: Timestamp): number {
    let low = this.#head;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTimestamps(this.#entries[middle]!.opTime.ts, ts) < 0) low = middle + 1;
      else high = middle;
    }
    return low - this.#head + this.#first;
  }

  /** Index of the newest entry at or before `ts`; one before `firstIndex` if there is none. */
  lastIndexUpTo(ts: Timestamp): number {
    const index = this.lowerBound(ts);
    const entry = this.at(index);
    return entry && compareTimestamps(entry.opTime.ts, ts) === 0 ? index : index - 1;
  }

  /** This very entry, while it is held. */
  entry(opTime: OpTime): OplogEntry | undefined {
    const entry = this.at(this.lowerBound(opTime.ts));
    return entry && sameOpTime(entry.opTime, opTime) ? entry : undefined;
  }

  /** Whether this very entry is held. */
  has(opTime: OpTime): boolean {
    return this.entry(opTime) !== undefined;
  }

  /** The entries held from `fromIndex` on and before `toIndex`. */
  slice(fromIndex: number, toIndex: number): OplogEntry[] {
    const shift = this.#head - this.#first;
    // Bounds before the head must not become negative, which `Array.slice` would count from the end.
    return this.#entries.slice(Math.max(fromIndex + shift, this.#head), Math.max(toIndex + shift, this.#head));
  }

  /** Cuts everything behind `opTime`; what is cut comes back, oldest first. */
  truncateAfter(opTime: OpTime): OplogEntry[] {
    const keep = this.lastIndexUpTo(opTime.ts) + 1 - this.#first + this.#head;
    const removed = this.#entries.splice(Math.max(keep, this.#head));
    for (const entry of removed) this.#sizeBytes -= entry.byteLength;
    return removed;
  }

  /**
   * Lets go of the oldest entries while they exceed `capBytes`, but of none from `keepFromIndex` on, which recovery needs,
   * and of none that was written at `keepFromMs` (wall clock, ms since 1970) or later.
   * Upstream truncates by markers, in larger pieces.
   * @returns how many entries went
   */
  truncateHead(capBytes: number, keepFromIndex: number, keepFromMs = Number.POSITIVE_INFINITY): number {
    let removed = 0;
    while (this.#sizeBytes > capBytes && this.#first < keepFromIndex && this.length > 1) {
      const oldest = this.#entries[this.#head]!;
      if (oldest.wallMs >= keepFromMs) break;
      this.#sizeBytes -= oldest.byteLength;
      this.#head += 1;
      this.#first += 1;
      removed += 1;
    }
    if (this.#head > 4096 && this.#head * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#head);
      this.#head = 0;
    }
    return removed;
  }

  /** Lets go of all entries before `ts`. */
  truncateBefore(ts: Timestamp): void {
    const first = this.#entries.findIndex((entry, i) => i >= this.#head && compareTimestamps(entry.opTime.ts, ts) >= 0);
    this.truncateHead(0, first < 0 ? this.endIndex : this.#first + first - this.#head);
  }

  /** Empties the oplog, as an initial sync does; indices go on from where they were. */
  clear(): void {
    this.#first = this.endIndex;
    this.#entries = [];
    this.#head = 0;
    this.#sizeBytes = 0;
  }
}
