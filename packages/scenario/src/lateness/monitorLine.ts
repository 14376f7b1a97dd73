import { type MemberTrace, required } from '@replsim/protocol';

type MonitorTrace = Extract<MemberTrace, { type: 'ttlMonitor' }>;

/** What a member's TTL monitor did from one instant to the next record's. Times are microseconds of virtual time. */
export interface MonitorRecord {
  readonly atMicros: number;
  readonly phase: MonitorTrace['phase'];
  /** Its process, or the process's TTL part, stands still. */
  readonly stopped: boolean;
  /** When this sleep, or this pass, began: earlier than the record where only its end was moved or it was stopped. */
  readonly sinceMicros: number;
  /** When a sleeper means to wake; its clock may have it wake at another time. */
  readonly wakeMicros: number;
}

/** The past of one member's TTL monitor, kept from its trace. */
export class MonitorLine {
  readonly #records: MonitorRecord[] = [];
  /** Why its thread stands still. */
  readonly #stops = new Set<string>();

  observe(atMicros: number, { phase, sinceMicros = atMicros, wakeMicros = atMicros }: MonitorTrace): void {
    this.#records.push({ atMicros, phase, stopped: this.#stops.size > 0, sinceMicros, wakeMicros });
  }

  /** The process, or its TTL part, stands still. @param why the same word lets it go on */
  stop(atMicros: number, why: string): void {
    this.#stops.add(why);
    this.#goOn(atMicros);
  }

  resume(atMicros: number, why: string): void {
    this.#stops.delete(why);
    this.#goOn(atMicros);
  }

  ended(atMicros: number): void {
    this.#stops.clear();
    this.observe(atMicros, { type: 'ttlMonitor', phase: 'off' });
  }

  /** The record in force at an instant is the last one that is not later; -1 if there is none. */
  indexAt(micros: number): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#records[middle]!.atMicros <= micros) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  record(index: number): MonitorRecord | undefined {
    return this.#records[index];
  }

  /** Whether the thread woke where this record begins, and for what is due since `dueMicros`. */
  wokeAt(index: number, dueMicros: number): boolean {
    const record = required(this.#records[index], 'record of the monitor');
    if (record.sinceMicros < dueMicros) return false;
    if (record.phase === 'inPass' || record.phase === 'hanging') return true;
    // It fell asleep again on the spot.
    return record.phase === 'sleeping' && record.sinceMicros === record.atMicros && this.#slept(index - 1);
  }

  /** The first wake-up at that instant or later. */
  firstWake(fromMicros: number): number | undefined {
    let index = this.indexAt(fromMicros);
    // Of several records of one instant the first may be it.
    while (index > 0 && this.#records[index - 1]?.atMicros === fromMicros) index--;
    index = Math.max(index, 0);
    for (let record = this.#records[index]; record !== undefined; record = this.#records[++index])
      if (record.atMicros >= fromMicros && this.wokeAt(index, fromMicros)) return record.atMicros;
    return undefined;
  }

  #goOn(atMicros: number): void {
    const last = this.#records.at(-1);
    if (last) this.#records.push({ ...last, atMicros, stopped: this.#stops.size > 0 });
  }

  #slept(index: number): boolean {
    return this.#records[index]?.phase === 'sleeping';
  }
}
