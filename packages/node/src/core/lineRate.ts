import type { LogLine } from '@replsim/protocol';

/** What clients bring about without being let in: by these alone anybody could fill a log. */
const OF_CLIENTS: ReadonlySet<string> = new Set(['ACCESS', 'NETWORK']);

const SECOND_MICROS = 1_000_000;

/** How many lines were left out in a second, by their ids. */
export type LeftOut = Readonly<Record<string, number>>;

/** How many lines of each kind clients may cause in a second. Nothing of the kind is in mongod. */
export class LineRate {
  #beganMicros = 0;
  #written = new Map<number, number>();
  #leftOut = new Map<number, number>();

  /** When the second is over in which something was left out; undefined as long as nothing was. Unit: µs, of the monotonic clock. */
  get tellsAtMicros(): number | undefined {
    return this.#leftOut.size === 0 ? undefined : this.#beganMicros + SECOND_MICROS;
  }

  /** @param most of one id in a second; 0: as many as there are @returns whether the line is written */
  admits({ component, id, severity }: LogLine, most: number, nowMicros: number): boolean {
    // Debugging is turned on to see everything.
    if (most === 0 || !OF_CLIENTS.has(component) || severity.startsWith('D')) return true;
    if (this.#leftOut.size === 0 && nowMicros - this.#beganMicros >= SECOND_MICROS) {
      this.#beganMicros = nowMicros;
      this.#written.clear();
    }
    const before = this.#written.get(id) ?? 0;
    const isWritten = before < most;
    if (isWritten) this.#written.set(id, before + 1);
    else this.#leftOut.set(id, (this.#leftOut.get(id) ?? 0) + 1);
    return isWritten;
  }

  /** The second is over. @returns what it had beyond the limit */
  takeLeftOut(nowMicros: number): LeftOut {
    const leftOut = Object.fromEntries([...this.#leftOut].map(([id, count]) => [String(id), count]));
    this.#leftOut.clear();
    this.#written.clear();
    this.#beganMicros = nowMicros;
    return leftOut;
  }
}
