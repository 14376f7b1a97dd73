import type { OplogEntry, OplogReply, OpTime } from '@replsim/protocol';
import type { Core } from '../core.ts';
import type { FetchedEntries } from './fetching.ts';
import type { Replication } from './replication.ts';

/** Entries on their way from the fetcher's buffer into the oplog. Upstream: oplog_writer_impl.cpp. */
export class OplogWriter implements FetchedEntries {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #written: (entries: readonly OplogEntry[]) => void;
  #buffer: OplogEntry[] = [];
  /** How many of the buffer's first entries the write under way takes; 0 if none is. */
  #writing = 0;
  /** Metadata of the newest batch: the commit point in it is taken over once its entries are written. */
  #pendingMetadata: OplogReply | undefined;

  /** @param written where entries go on that are in the oplog */
  constructor(core: Core, repl: Replication, written: (entries: readonly OplogEntry[]) => void) {
    this.#core = core;
    this.#repl = repl;
    this.#written = written;
  }

  get isIdle(): boolean {
    return this.#buffer.length === 0;
  }

  get newestHeld(): OpTime {
    return this.#buffer.at(-1)?.opTime ?? this.#repl.oplog.last;
  }

  take(entries: readonly OplogEntry[], reply: OplogReply): void {
    for (const entry of entries) this.#buffer.push(entry);
    this.#pendingMetadata = reply;
    if (this.#buffer.length > 0) this.#start();
    else this.#repl.progress.learn(reply.$replData, true);
  }

  /** Drops what was fetched and is not written yet. */
  discard(): void {
    this.#buffer = [];
    this.#writing = 0;
    this.#core.cancelTimer('write');
  }

  #start(): void {
    if (this.#writing > 0) return;
    const ready = this.#dueEntries();
    if (ready === 0) {
      this.#core.setTimer('write', 1_000_000);
      return;
    }
    this.#writing = ready;
    this.#core.setTimer('write', ready * this.#core.costs.fetchEntryMicros);
  }

  /** A delayed member lets entries lie until they are old enough. */
  #dueEntries(): number {
    const delay = this.#repl.topology.self?.secondaryDelaySecs ?? 0;
    if (delay === 0) return this.#buffer.length;
    const newest = Math.floor(this.#core.now.wallMs / 1000) - delay;
    const firstTooNew = this.#buffer.findIndex((entry) => entry.opTime.ts.t > newest);
    return firstTooNew === -1 ? this.#buffer.length : firstTooNew;
  }

  onTimer(): void {
    const count = this.#writing;
    this.#writing = 0;
    if (count > 0) {
      const entries = this.#buffer.splice(0, count);
      this.write(entries);
      if (this.#buffer.length === 0 && this.#pendingMetadata) {
        this.#repl.progress.learn(this.#pendingMetadata.$replData, true);
        this.#pendingMetadata = undefined;
      }
      this.#repl.progress.report();
      this.#written(entries);
    }
    if (this.#buffer.length > 0) this.#start();
  }

  /** Entries from the source, in order, go to the oplog and to the journal at once. */
  write(entries: readonly OplogEntry[]): void {
    for (const entry of entries) this.#repl.localOplog.append(entry);
    const last = entries.at(-1)!;
    this.#repl.positions.written = { opTime: last.opTime, wallMs: last.wallMs };
    if (this.#core.tracing) {
      this.#core.trace({ type: 'oplogWritten', entries, origin: 'fetched', acceptsWrites: false });
    }
    this.#repl.parts.journal.requestFlush();
    this.#core.wake();
  }
}
