import type { Scheduler } from '@replsim/operations';
import { encodeDocument, type OplogEntry } from '@replsim/protocol';
import { ENTRY_KIND, type Journalled } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import { hangBefore } from '../core/hang.ts';
import { JournalSegments } from './journalSegments.ts';

/** What a journal record says; the number stands on disk. */
export const RecordKinds = {
  /** An oplog entry. */
  entry: ENTRY_KIND,
  /** A write that is not replicated, as an entry without opTime: a standalone's, or one to `local`. */
  unreplicated: 2,
  /** The oplog was cut behind this opTime: `{ ts, t }`. */
  truncateAfter: 3,
  /** The oplog and all data were dropped: an initial sync begins. */
  clear: 4,
  /** The one document of a collection in `local`: `{ ns, document }`. */
  localDocument: 5,
  /** The cap of the oplog was changed: `{ maxSizeBytes }`. */
  oplogSize: 6,
  /** The oplog was made to begin here: `{ ts }`. */
  truncateBefore: 7,
} as const;

/** Upstream: storage.journal.commitIntervalMs. */
const COMMIT_INTERVAL_MICROS = 100_000;
const FLUSHER = 'JournalFlusher';

interface JournalHost {
  readonly scheduler: Scheduler;
}

/**
 * What is to go to the journal and what is there already. Flushes one group at a time: what comes meanwhile forms
 * the next group. Upstream: journal_flusher.cpp.
 */
export class Journal {
  readonly #core: Core;
  readonly #host: JournalHost;
  #unflushed: Journalled[] = [];
  /** Which parts of the journal the disk holds, and what of it may go. */
  readonly segments = new JournalSegments();
  /** Records appended so far; the next number reaches it once they are flushed. */
  #appended = 0;
  #durable = 0;
  /** The number of records that the flush under way makes durable; 0 if none is. */
  #flushing = 0;
  #flushAgain = false;
  #pausing = false;
  #timerSet = false;
  #nextTicket = 1;
  /** Unreplicated records since the data were made, those of earlier processes included. */
  unreplicatedCount = 0;
  readonly #whenDurable: { readonly upTo: number; readonly then: () => void; readonly thread: string }[] = [];
  readonly #tickets = new Map<number, () => void>();
  /** Called when a flush begins; what it returns is called when that flush has ended. */
  onFlush: () => () => void = () => () => {};
  #atEnd: () => void = () => {};
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: JournalHost) {
    this.#core = core;
    this.#host = host;
  }

  append(kind: number, payload: Uint8Array): void {
    if (kind === RecordKinds.unreplicated) {
      this.unreplicatedCount += 1;
      this.segments.appendedUnreplicated();
    }
    this.#append({ kind, payload });
  }

  #append(record: Journalled): void {
    this.#unflushed.push(record);
    this.#appended += 1;
    if (!this.#timerSet && this.#flushing === 0) {
      this.#timerSet = true;
      this.#core.setTimer('journal', this.#fire, COMMIT_INTERVAL_MICROS);
    }
  }

  /** The cap of the oplog outlives the process. */
  oplogResized(maxSizeBytes: number): void {
    this.append(RecordKinds.oplogSize, encodeDocument({ maxSizeBytes }));
  }

  appendEntry(entry: OplogEntry): void {
    this.segments.appendedEntry(entry.opTime.ts);
    this.#append(entry);
  }

  /** Calls `then` once all that was appended so far is durable; asks for a flush at once. */
  whenDurable(then: () => void): void {
    if (this.#durable === this.#appended) {
      then();
      return;
    }
    this.#whenDurable.push({ upTo: this.#appended, then, thread: this.#core.thread });
    this.requestFlush();
  }

  /** Flushes now, or as soon as the flush under way has ended. */
  requestFlush(): void {
    this.#flush();
  }

  #onTimer(): void {
    this.#timerSet = false;
    this.requestFlush();
  }

  /** A ticket for an effect that the disk answers; `then` runs when it has. */
  ticket(then: () => void): number {
    const ticket = this.#nextTicket++;
    this.#tickets.set(ticket, then);
    return ticket;
  }

  onDiskDone(ticket: number): void {
    const then = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    then?.();
  }

  /** Where a fail point stops the flusher, what is asked for meanwhile is done by the flush that follows. */
  #flush(): void {
    if (!this.#core.failPoints.areConfigured) return this.#flushNow();
    if (this.#pausing) return;
    this.#pausing = true;
    const { scheduler } = this.#host;
    hangBefore(this.#core, scheduler, { name: 'pauseJournalFlusherThread', desc: FLUSHER }, () => {
      hangBefore(this.#core, scheduler, { name: 'pauseJournalFlusherBeforeFlush', desc: FLUSHER }, () => {
        this.#pausing = false;
        this.#flushNow();
      });
    });
  }

  #flushNow(): void {
    if (this.#flushing > 0) {
      this.#flushAgain = true;
      return;
    }
    if (this.#unflushed.length === 0) return;
    if (this.#timerSet) {
      this.#timerSet = false;
      this.#core.cancelTimer('journal');
    }
    const records = this.#unflushed;
    this.#unflushed = [];
    this.#flushing = this.#appended;
    this.segments.flushBegins();
    this.#atEnd = this.onFlush();
    const ticket = this.ticket(() => this.#flushed());
    this.#core.push({ type: 'writeJournal', ticket, records, costMicros: this.#core.costs.journalFlushMicros });
  }

  #flushed(): void {
    this.#durable = this.#flushing;
    this.#flushing = 0;
    const again = this.#flushAgain;
    this.#flushAgain = false;
    this.segments.flushEnded();
    this.#atEnd();
    while (this.#whenDurable[0] && this.#whenDurable[0].upTo <= this.#durable) {
      const { then, thread } = this.#whenDurable.shift()!;
      this.#core.as(thread, then);
    }
    this.#core.wake();
    if (again) this.#flush();
    else if (this.#unflushed.length > 0 && !this.#timerSet && this.#flushing === 0) {
      this.#timerSet = true;
      this.#core.setTimer('journal', this.#fire, COMMIT_INTERVAL_MICROS);
    }
  }
}
