import type { OplogEntry } from '@replsim/protocol';
import type { BufferCounters } from './replicationMetrics.ts';

/** Entries that wait, first in, first out, and how many bytes they are. Upstream: oplog_buffer_blocking_queue.cpp. */
export class EntryBuffer {
  readonly #entries: OplogEntry[] = [];
  readonly #counters: BufferCounters;

  /** @param counters kept up to date, for `metrics.repl.buffer` */
  constructor(counters: BufferCounters) {
    this.#counters = counters;
  }

  get entries(): readonly OplogEntry[] {
    return this.#entries;
  }

  get length(): number {
    return this.#entries.length;
  }

  get last(): OplogEntry | undefined {
    return this.#entries.at(-1);
  }

  /** An empty buffer takes anything, or a batch above a limit could never pass. */
  hasRoomFor(bytes: number, count: number): boolean {
    if (this.length === 0) return true;
    const { sizeBytes, maxSizeBytes, maxCount } = this.#counters;
    return sizeBytes + bytes <= maxSizeBytes && (maxCount === 0 || this.length + count <= maxCount);
  }

  /** How many bytes the first `count` entries are. */
  bytesOf(count: number): number {
    let bytes = 0;
    for (let i = 0; i < count; i++) bytes += this.#entries[i]!.byteLength;
    return bytes;
  }

  push(entries: readonly OplogEntry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#counters.sizeBytes += entry.byteLength;
    }
    this.#counters.count = this.length;
  }

  /** Removes the first `count` entries. */
  shift(count: number): OplogEntry[] {
    this.#counters.sizeBytes -= this.bytesOf(count);
    const removed = this.#entries.splice(0, count);
    this.#counters.count = this.length;
    return removed;
  }
}
