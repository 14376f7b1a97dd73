import { compareTimestamps, type OpTime, sameOpTime, type Term, type Timestamp } from '@replsim/protocol';

/**
 * The newest entries of one term in the order in which they stand in every log that holds them; the term's first entry
 * also knows what lies before it. A place is counted from the term's first entry, and stays when the head is cut off.
 */
export class TermLine {
  readonly term: Term;
  /** Who wrote the term's entries here first. */
  readonly member: string;
  /** The entry before the term's first; undefined where the trace does not tell. */
  readonly before: OpTime | undefined;
  #opTimes: OpTime[];
  /** The place of the oldest entry kept. */
  #base = 0;

  constructor(first: OpTime, before: OpTime | undefined, member: string) {
    this.term = first.t;
    this.before = before;
    this.member = member;
    this.#opTimes = [first];
  }

  /** The place behind the last entry. */
  get length(): number {
    return this.#base + this.#opTimes.length;
  }

  get last(): OpTime {
    return this.#opTimes.at(-1)!;
  }

  /** The entry at `place`, or undefined: not written yet, or forgotten. */
  at(place: number): OpTime | undefined {
    return this.#opTimes[place - this.#base];
  }

  /** What stands before `place`, or undefined where that is not known. */
  predecessorOf(place: number): OpTime | undefined {
    return place === 0 ? this.before : this.at(place - 1);
  }

  /** Adds an entry, which must be later than the last one. */
  append(opTime: OpTime, keep: number): void {
    this.#opTimes.push(opTime);
    // In halves, so that an entry is moved once on average.
    if (this.#opTimes.length >= 2 * keep) this.trim(keep);
  }

  /** Forgets all but the newest `keep` entries. */
  trim(keep: number): void {
    const surplus = this.#opTimes.length - keep;
    if (surplus <= 0) return;
    this.#opTimes = this.#opTimes.slice(surplus);
    this.#base += surplus;
  }

  /**
   * Where `opTime` (of this term) stands.
   * @returns its place; `missing` when the term has no such entry; `unknown` when it is older than what is kept, or newer
   */
  find(opTime: OpTime): number | 'missing' | 'unknown' {
    const index = this.#firstNotBefore(opTime.ts);
    const found = this.#opTimes[index];
    if (found === undefined) return 'unknown';
    if (sameOpTime(found, opTime)) return this.#base + index;
    const headKnown = this.#base === 0 && this.before !== undefined;
    return index === 0 && !headKnown ? 'unknown' : 'missing';
  }

  #firstNotBefore(ts: Timestamp): number {
    let low = 0;
    let high = this.#opTimes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareTimestamps(this.#opTimes[middle]!.ts, ts) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
