import { type OplogEntry, required } from '@replsim/protocol';
import type { Replication } from './replication.ts';

/**
 * Wakes change streams that wait for what has just been committed. Streams on other namespaces are not checked: a member may
 * have thousands of idle streams.
 */
export class EntryWaiters {
  readonly #repl: Replication;
  /** Up to where entries have been told of; undefined while nobody waits. */
  #told: number | undefined;
  #wakesAll = false;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  /** Something other than an entry may let them go on: a cursor was closed. */
  wakeAll(): void {
    this.#wakesAll = true;
  }

  poll(): void {
    const { scheduler } = this.#repl;
    if (!scheduler.awaitsEntries) {
      this.#told = undefined;
      return;
    }
    const { committedEnd } = this.#repl;
    const from = this.#told;
    this.#told = committedEnd;
    if (from === undefined || this.#wakesAll) {
      this.#wakesAll = false;
      return scheduler.pollAllEntries();
    }
    if (committedEnd > from) this.#tell(from, committedEnd);
  }

  #tell(from: number, end: number): void {
    const { scheduler, oplog } = this.#repl;
    const namespaces = new Set<string>();
    for (let index = Math.max(from, oplog.firstIndex); index < end; index++) {
      const entry: OplogEntry = required(oplog.at(index), 'committed entry');
      const { op, ns } = entry.operation;
      // What a command is about stands in it; there are few of them.
      if (op === 'c') return scheduler.pollAllEntries();
      if (op !== 'n') namespaces.add(ns);
    }
    scheduler.pollEntries(namespaces);
  }
}
