import type { DataHash, OpTime, Term } from '@replsim/protocol';
import { keepNewest } from '../keepNewest.ts';
import { HashLine, type HashReport } from './hashLine.ts';

/** How far back reports are remembered: in the newest term, in each older one, and in how many. */
const KEEP_NEWEST = 16_384;
const KEEP_OLDER = 1024;
const MAX_TERMS = 64;

/** Who was the first to report which data, at each opTime. */
export class HashLines {
  readonly #lines = new Map<Term, HashLine>();

  /** @returns the report that was first at this opTime, or undefined after having kept this one as the first */
  report({ t, ts }: OpTime, hash: DataHash, member: string): HashReport | undefined {
    return this.#lineOf(t).report(ts, hash, member, KEEP_NEWEST);
  }

  /** The report that was first at this opTime, as far as it is remembered. */
  at({ t, ts }: OpTime): HashReport | undefined {
    return this.#lines.get(t)?.at(ts);
  }

  /** The line of a term; a new term's makes the older ones shorter. */
  #lineOf(term: Term): HashLine {
    let line = this.#lines.get(term);
    if (line === undefined) {
      for (const older of this.#lines.values()) older.trim(KEEP_OLDER);
      line = new HashLine();
      this.#lines.set(term, line);
      keepNewest(this.#lines, MAX_TERMS);
    }
    return line;
  }
}
