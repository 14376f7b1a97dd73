import {
  compareTimestamps,
  NULL_TIMESTAMP,
  type OplogEntry,
  type OplogOperation,
  type OpTime,
  type Timestamp,
  TransactionChain,
} from '@replsim/protocol';

/** How many changes are remembered for streams that do not get on. */
const MAX_KEPT = 65_536;

/** What comes into the data at one opTime. */
export interface ChangesAt {
  readonly opTime: OpTime;
  readonly operations: readonly OplogOperation[];
}

/** What primaries write, on whichever branch, while somebody watches; counted from the first on, so that a place stays one. */
export class StreamedChanges {
  readonly #kept: ChangesAt[] = [];
  readonly #chain = new TransactionChain();
  #first = 0;
  /** The greatest timestamp that was ever written. */
  newest: Timestamp = NULL_TIMESTAMP;
  /** The greatest of those that are forgotten. */
  forgotten: Timestamp = NULL_TIMESTAMP;

  /** The place of the oldest that is known. */
  get first(): number {
    return this.#first;
  }

  get end(): number {
    return this.#first + this.#kept.length;
  }

  at(place: number): ChangesAt {
    return this.#kept[place - this.#first]!;
  }

  /** @param watched whether anybody watches */
  wrote(entries: readonly OplogEntry[], watched: boolean): void {
    const last = entries.at(-1)?.opTime.ts;
    if (last && compareTimestamps(last, this.newest) > 0) this.newest = last;
    if (!watched) return;
    for (const entry of entries) {
      if (entry.operation.op === 'n') continue;
      const operations = this.#chain.operationsOf(entry);
      if (operations.length > 0) this.#kept.push({ opTime: entry.opTime, operations });
    }
    if (this.#kept.length > 2 * MAX_KEPT) this.forgetBefore(this.end - MAX_KEPT);
  }

  /** In halves, so that each is moved once on average. */
  forgetBefore(place: number): void {
    const gone = place - this.#first;
    if (gone <= 0 || 2 * gone < this.#kept.length) return;
    for (const { opTime } of this.#kept.splice(0, gone)) {
      if (compareTimestamps(opTime.ts, this.forgotten) > 0) this.forgotten = opTime.ts;
    }
    this.#first = place;
  }
}
