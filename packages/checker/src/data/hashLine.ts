import type { DataHash, Timestamp } from '@replsim/protocol';

/** A row: the two halves of the timestamp, the two lanes of the hash, and the member's number. */
const WIDTH = 5;

/** Who reported which data. */
export interface HashReport {
  readonly hash: DataHash;
  readonly member: string;
}

/**
 * The newest data hashes of one term, sorted by timestamp. A primary reports at every transaction, so a report is a row
 * of numbers and no object: thousands that live for a while and then die are what a garbage collector is worst at.
 */
export class HashLine {
  readonly #members: string[] = [];
  #rows = new Uint32Array(64 * WIDTH);
  #length = 0;

  /** @returns the report that was first at this timestamp, or undefined after having kept this one as the first */
  report(ts: Timestamp, hash: DataHash, member: string, keep: number): HashReport | undefined {
    // Nearly all reports are a primary's, and go to the end.
    let index = this.#length;
    if (index > 0 && this.#compare(index - 1, ts) >= 0) {
      index = this.#firstNotBefore(ts);
      if (this.#compare(index, ts) === 0) return this.#read(index);
    }
    this.#insert(index, ts, hash, member);
    // In halves, so that a row is moved once on average.
    if (this.#length >= 2 * keep) this.trim(keep);
    return undefined;
  }

  /** The report that was first at this timestamp, as far as it is remembered. */
  at(ts: Timestamp): HashReport | undefined {
    const index = this.#firstNotBefore(ts);
    return index < this.#length && this.#compare(index, ts) === 0 ? this.#read(index) : undefined;
  }

  /** Forgets all but the newest `keep` reports. */
  trim(keep: number): void {
    if (this.#length <= keep) return;
    this.#rows.copyWithin(0, (this.#length - keep) * WIDTH, this.#length * WIDTH);
    this.#length = keep;
  }

  #insert(index: number, ts: Timestamp, hash: DataHash, member: string): void {
    let number = this.#members.indexOf(member);
    if (number < 0) number = this.#members.push(member) - 1;
    const start = index * WIDTH;
    if ((this.#length + 1) * WIDTH > this.#rows.length) {
      const rows = new Uint32Array(2 * this.#rows.length);
      rows.set(this.#rows);
      this.#rows = rows;
    }
    if (index < this.#length) this.#rows.copyWithin(start + WIDTH, start, this.#length * WIDTH);
    this.#rows[start] = ts.t;
    this.#rows[start + 1] = ts.i;
    this.#rows[start + 2] = hash[0];
    this.#rows[start + 3] = hash[1];
    this.#rows[start + 4] = number;
    this.#length++;
  }

  #read(index: number): HashReport {
    const [rows, start] = [this.#rows, index * WIDTH];
    return { hash: [rows[start + 2]!, rows[start + 3]!], member: this.#members[rows[start + 4]!]! };
  }

  #firstNotBefore(ts: Timestamp): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(middle, ts) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(index: number, ts: Timestamp): number {
    return this.#rows[index * WIDTH]! - ts.t || this.#rows[index * WIDTH + 1]! - ts.i;
  }
}
