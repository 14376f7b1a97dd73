import { EntryBuffer, EntrySources, nextWriterBatchLength } from '@replsim/oplog';
import { type OplogEntry, type OpTime, required } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { FetchedEntries } from './fetching.ts';
import { PausedPart } from './pausedPart.ts';
import type { Replication } from './replication.ts';

/** How often a delayed member looks whether an entry has become old enough. */
const DELAY_POLL_MICROS = 1_000_000;

/** Where entries go that are in the oplog. */
export interface WrittenEntries {
  hasRoomFor(bytes: number, count: number): boolean;
  take(entries: readonly OplogEntry[]): void;
}

/** Entries on their way from the fetcher's buffer into the oplog. Upstream: oplog_writer_impl.cpp. */
export class OplogWriter implements FetchedEntries {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #next: WrittenEntries;
  readonly #onRoom: () => void;
  readonly #buffer: EntryBuffer;
  /** Of what waits in the buffer: another source may have been chosen meanwhile. */
  readonly #sources = new EntrySources();
  /** How many of the buffer's first entries the write under way takes; 0 if none is. */
  #writing = 0;
  #startedMicros = 0;
  /** Up to where the trace knows that entries wait to become old enough. */
  #delayed: OplogEntry | undefined;
  readonly #paused: PausedPart;
  readonly #fire = (): void => this.#onTimer();

  /** @param onRoom called when the buffer has become smaller */
  constructor(core: Core, repl: Replication, next: WrittenEntries, onRoom: () => void) {
    this.#core = core;
    this.#repl = repl;
    this.#next = next;
    this.#onRoom = onRoom;
    this.#buffer = new EntryBuffer(repl.metrics.buffer.write);
    const described = { failPoint: 'rsSyncApplyStop', desc: 'OplogWriter-0', logId: 8543102 } as const;
    this.#paused = new PausedPart(core, repl.host.scheduler, described, () => this.#start());
  }

  /** Stands still at once if it has to, and not only for the next entry. */
  failPointsChanged(): void {
    this.#paused.stops();
  }

  get isIdle(): boolean {
    return this.#buffer.length === 0;
  }

  get newestHeld(): OpTime {
    return this.#buffer.last?.opTime ?? this.#repl.oplog.last;
  }

  hasRoomFor(bytes: number, count: number): boolean {
    return this.#buffer.hasRoomFor(bytes, count);
  }

  take(entries: readonly OplogEntry[], source: string): void {
    this.#buffer.push(entries);
    this.#sources.push(source, entries.length);
    this.#start();
  }

  /** The apply buffer has become smaller. */
  onRoom(): void {
    this.#start();
  }

  #start(): void {
    if (this.#writing > 0 || this.#buffer.length === 0) return;
    if (this.#paused.stops()) return;
    const count = nextWriterBatchLength(this.#buffer.entries, this.#dueEntries());
    if (count === 0) {
      this.#traceDelayed();
      this.#core.setTimer('write', this.#fire, DELAY_POLL_MICROS);
      return;
    }
    if (!this.#next.hasRoomFor(this.#buffer.bytesOf(count), count)) return;
    this.#writing = count;
    this.#startedMicros = this.#core.now.monotonicMicros;
    this.#core.setTimer('write', this.#fire, count * this.#core.costs.fetchEntryMicros, { computes: true });
  }

  /** The trace shows nowhere else what waits here, and an entry that a member has fetched needs no source any more. */
  #traceDelayed(): void {
    const { last } = this.#buffer;
    if (!last || last === this.#delayed || !this.#core.tracing) return;
    this.#delayed = last;
    this.#core.trace({ type: 'entriesDelayed', upTo: last.opTime });
  }

  /** A delayed member lets entries lie until they are old enough. Upstream: oplog_writer_batcher.cpp, _calculateSecondaryDelayLatestTimestamp. */
  #dueEntries(): number {
    const { self, state } = this.#repl.topology;
    const delay = self?.secondaryDelaySecs ?? 0;
    // A member that is elected all the same must not wait.
    if (delay === 0 || state === 'PRIMARY') return this.#buffer.length;
    const newest = Math.floor(this.#core.now.wallMs / 1000) - delay;
    const firstTooNew = this.#buffer.entries.findIndex((entry) => entry.opTime.ts.t > newest);
    return firstTooNew === -1 ? this.#buffer.length : firstTooNew;
  }

  #onTimer(): void {
    this.#repl.host.fsyncLock.whenUnlocked(() => this.#finish());
  }

  #finish(): void {
    const count = this.#writing;
    this.#writing = 0;
    if (count > 0) {
      const entries = this.#buffer.shift(count);
      let start = 0;
      for (const { source, count: some } of this.#sources.shift(count)) {
        this.write(entries.slice(start, start + some), source);
        start += some;
      }
      this.#count(entries.length);
      this.#repl.progress.report();
      this.#next.take(entries);
      this.#onRoom();
    }
    this.#start();
  }

  #count(entries: number): void {
    const { write } = this.#repl.metrics;
    write.batchSize += entries;
    write.batches.add(this.#core.now.monotonicMicros - this.#startedMicros);
  }

  /** Entries from the source, in order, go to the oplog and to the journal at once. */
  write(entries: readonly OplogEntry[], source: string): void {
    for (const entry of entries) this.#repl.localOplog.append(entry);
    const last = required(entries.at(-1), 'entry to write');
    this.#repl.positions.written = { opTime: last.opTime, wallMs: last.wallMs };
    if (this.#core.tracing) {
      this.#core.trace({ type: 'oplogWritten', entries, origin: 'fetched', source, acceptsWrites: false });
    }
    this.#repl.host.journal.requestFlush();
    this.#core.wake();
  }
}
