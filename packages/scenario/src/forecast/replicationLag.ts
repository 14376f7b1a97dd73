import { compareTimestamps, type Timestamp, type TraceEvent } from '@replsim/protocol';

/** How far members are behind: for how long the oldest entry that one has not applied has been there. */
export class ReplicationLag {
  /** The entries that primaries wrote, oldest first, from the first that somebody lacks. */
  #written: { readonly ts: Timestamp; readonly atMicros: number }[] = [];
  /** How many entries were before the first of `#written`. */
  #dropped = 0;
  /** By member: how many entries it has. */
  readonly #has = new Map<string, number>();

  /** @param members those that hold data */
  constructor(members: readonly string[]) {
    for (const member of members) this.#has.set(member, 0);
  }

  observe(event: TraceEvent): void {
    if (event.type === 'oplogWritten' && event.origin === 'self') {
      const { atMicros, entries } = event;
      for (const { opTime } of entries) this.#written.push({ ts: opTime.ts, atMicros });
    } else if (event.type === 'applied') this.#applied(event.member, event.opTime.ts);
  }

  /** Of the member that is furthest behind, µs. */
  at(nowMicros: number): number {
    const first = this.#written[Math.min(...this.#has.values()) - this.#dropped];
    return first ? nowMicros - first.atMicros : 0;
  }

  #applied(member: string, ts: Timestamp): void {
    let has = this.#has.get(member) ?? 0;
    let next = this.#written[has - this.#dropped];
    while (next !== undefined && compareTimestamps(next.ts, ts) <= 0) next = this.#written[++has - this.#dropped];
    this.#has.set(member, has);
    const everybody = Math.min(...this.#has.values()) - this.#dropped;
    if (everybody < 1024) return;
    this.#written = this.#written.slice(everybody);
    this.#dropped += everybody;
  }
}
