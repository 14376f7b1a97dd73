import type { OplogEntry, TraceEvent } from '@replsim/protocol';

type TtlDeleted = Extract<TraceEvent, { type: 'ttlDeleted' }>;

/** So many of the newest entries are remembered at least; of what is older than those remembered nothing is known. */
const KEPT_ENTRIES = 20_000;

/** Entries that a primary wrote at once. */
export interface Batch {
  readonly atMicros: number;
  readonly member: string;
  readonly entries: readonly OplogEntry[];
  /** The TTL monitor's deletion that they record, if they do. */
  readonly expired: TtlDeleted | undefined;
}

/** What primaries wrote, whichever branch it is on: oldest first, and when and by whom. */
export class Written {
  #batches: Batch[] = [];
  #entries = 0;
  /** The monitor's transaction whose entries come next, by member. */
  readonly #expiring = new Map<string, TtlDeleted>();
  /** Whether there were older ones. */
  forgot = false;

  observe(event: TraceEvent): void {
    if (event.type === 'ttlDeleted') this.#expiring.set(event.member, event);
    if (event.type === 'processStopped') this.#expiring.delete(event.member);
    if (event.type !== 'oplogWritten' || event.origin !== 'self') return;
    const { atMicros, member, entries } = event;
    this.#batches.push({ atMicros, member, entries, expired: this.#expiring.get(member) });
    this.#expiring.delete(member);
    this.#entries += entries.length;
    if (this.#entries > 2 * KEPT_ENTRIES) this.#forget();
  }

  /** Oldest first. */
  get batches(): readonly Batch[] {
    return this.#batches;
  }

  /** Newest first. */
  *newestFirst(): Generator<OplogEntry> {
    for (let batch = this.#batches.length - 1; batch >= 0; batch--) {
      const { entries } = this.#batches[batch]!;
      for (let index = entries.length - 1; index >= 0; index--) yield entries[index]!;
    }
  }

  #forget(): void {
    let gone = 0;
    while (this.#entries - this.#batches[gone]!.entries.length >= KEPT_ENTRIES)
      this.#entries -= this.#batches[gone++]!.entries.length;
    if (gone === 0) return;
    this.#batches = this.#batches.slice(gone);
    this.forgot = true;
  }
}
