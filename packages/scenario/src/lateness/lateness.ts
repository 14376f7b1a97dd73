import { databaseOf, isReplicated, type OplogEntry, type SharedDocument, type TraceEvent } from '@replsim/protocol';
import { Branches } from '@replsim/why';
import { Batches } from './batches.ts';
import type { PrimaryParts } from './causes.ts';
import { IndexDeletions } from './indexDeletions.ts';
import { Leaders, type Leadership } from './leaders.ts';
import { MonitorLine } from './monitorLine.ts';
import { inMs, type LatenessSummary, type PartsMs, summarize } from './summary.ts';
import { waitsOf } from './waiting.ts';

/** In the place of a leader that there is not yet. */
const NOBODY = '';

type Deleted = Extract<TraceEvent, { type: 'ttlDeleted' }>;

/** A TTL index, or a collection with the option, that some member's monitor has known. */
export interface KnownIndex {
  readonly ns: string;
  readonly index: string;
}

/**
 * Measures how late TTL deletes documents, and tells why, from the trace alone.
 *
 * A document expires at its date plus the seconds by which it was deleted, on the run's own clock: a member whose clock is
 * fast deletes early, and that lateness is negative. A deletion counts while the newest primary's log holds it; one that
 * was rolled back is counted as undone, and the document counts when it is deleted again, late since its one expiry.
 */
export class Lateness {
  readonly #branches = new Branches();
  readonly #batches = new Batches(this.#branches);
  readonly #leaders = new Leaders();
  readonly #lines = new Map<string, MonitorLine>();
  readonly #deletions = new Map<string, IndexDeletions>();
  /** By index: since when it has had the seconds that it has. */
  readonly #settings = new Map<string, KnownIndex & { seconds: number | undefined; sinceMicros: number }>();
  /** When each document was first written; documents are shared by all that speak of them. */
  readonly #inserted = new WeakMap<SharedDocument, number>();
  /** Deletions whose entries come next in the trace. */
  readonly #unlogged = new Map<string, Deleted>();
  readonly #standalone = new Set<string>();
  readonly #summaries = new Map<string, { readonly version: number; readonly summary: LatenessSummary }>();
  #epochMs = 0;
  #version = 0;

  observe(event: TraceEvent): void {
    if (event.type === 'runStarted') this.#epochMs = event.epochMs;
    this.#branches.observe(event);
    this.#leaders.observe(event);
    switch (event.type) {
      case 'oplogWritten':
        if (event.origin === 'self') this.#logged(event.member, event.entries, event.atMicros);
        break;
      case 'ttlDeleted':
        this.#deleted(event);
        break;
      case 'ttlIndexRegistered':
        this.#registered(event);
        break;
      case 'ttlMonitor':
        this.#line(event.member).observe(event.atMicros, event);
        break;
      case 'processStarted':
        if (event.mode === 'standalone') this.#standalone.add(event.member);
        else this.#standalone.delete(event.member);
        break;
      case 'processStopped':
        this.#line(event.member).ended(event.atMicros);
        break;
      case 'processPaused':
        this.#line(event.member).stop(event.atMicros, 'paused');
        break;
      case 'processResumed':
        this.#line(event.member).resume(event.atMicros, 'paused');
        break;
      case 'partHeld':
        if (event.part === 'ttl') this.#line(event.member).stop(event.atMicros, 'held');
        break;
      case 'partReleased':
        if (event.part === 'ttl') this.#line(event.member).resume(event.atMicros, 'held');
        break;
      case 'applied':
      case 'rolledBack':
      case 'initialSync':
        break;
      default:
        return;
    }
    this.#version++;
    this.#batches.observe(event);
  }

  /** The indexes that the monitors have been responsible for, in the order in which they came up. */
  get indexes(): readonly KnownIndex[] {
    return [...this.#settings.values()].map(({ ns, index }) => ({ ns, index }));
  }

  /** The members that hold data. */
  get members(): readonly string[] {
    return this.#batches.members;
  }

  /**
   * The lateness of what was deleted by an index.
   * @param on until gone on this member; else until deleted on the primary
   */
  summary({ ns, index }: KnownIndex, on?: string): LatenessSummary {
    const key = `${ns} ${index} ${on ?? ''}`;
    const known = this.#summaries.get(key);
    if (known?.version === this.#version) return known.summary;
    const summary = summarize(this.#of(ns, index), this.#batches, on);
    this.#summaries.set(key, { version: this.#version, summary });
    return summary;
  }

  /** Calls `take` with each deletion that counts: when it was, how late, and how much of that a cause made; µs. */
  forEach(
    { ns, index }: KnownIndex,
    take: (atMicros: number, latenessMicros: number, part: (cause: keyof PrimaryParts) => number) => void,
  ): void {
    const rows = this.#of(ns, index);
    for (let row = 0; row < rows.length; row++) {
      const batch = rows.batchOf(row);
      if (!this.#batches.isUndone(batch))
        take(this.#batches.deletedMicros(batch), rows.lateness(row), (cause) => rows.part(row, cause));
    }
  }

  /**
   * What a document that is due, and still there, has waited for: the parts of its lateness if it were deleted now by whoever leads, or
   * led last. Undefined where nobody has led.
   * @param expiryMicros its date and the seconds of the index, on the run's own clock
   * @param insertedMicros when it was first written
   * @param wallMsOf a member's own clock now
   */
  waited(
    { ns, index }: KnownIndex,
    { expiryMicros, insertedMicros }: { readonly expiryMicros: number; readonly insertedMicros: number },
    atMicros: number,
    wallMsOf: (member: string) => number,
  ): PartsMs | undefined {
    const member = this.#leaders.last;
    if (member === undefined) return undefined;
    const offsetMs = wallMsOf(member) - (this.#epochMs + Math.floor(atMicros / 1000));
    const settled = this.#settings.get(`${ns} ${index}`)?.sinceMicros ?? 0;
    const possibleMicros = Math.max(settled, insertedMicros);
    const led = this.#leaders.before(member);
    // Whoever comes next has not begun, and so has not woken.
    const next = { member: NOBODY, fromMicros: atMicros, toMicros: Number.POSITIVE_INFINITY };
    const leaders = this.#leaders.leads(member) ? led : [...led, next];
    return inMs({ ...this.#parts(leaders, atMicros, expiryMicros, possibleMicros, offsetMs * 1000), lag: 0 });
  }

  #deleted(event: Deleted): void {
    if (this.#standalone.has(event.member) || !isReplicated(event.ns)) this.#measure(event, undefined, []);
    else this.#unlogged.set(event.member, event);
  }

  /** Remembers what was written when; and the entries of a deletion say which documents it was about. */
  #logged(member: string, entries: readonly OplogEntry[], atMicros: number): void {
    const deleted = this.#unlogged.get(member);
    const inserted: number[] = [];
    for (const { operations } of entries)
      for (const { op, document, before } of operations) {
        if (!document) continue;
        if (op === 'i') this.#inserted.set(document, atMicros);
        else if (op === 'u' && before) this.#inserted.set(document, this.#inserted.get(before) ?? 0);
        else if (op === 'd' && deleted) inserted.push(this.#inserted.get(document) ?? 0);
      }
    if (!deleted) return;
    this.#unlogged.delete(member);
    this.#measure(deleted, entries.at(-1), inserted);
  }

  #measure(event: Deleted, entry: OplogEntry | undefined, inserted: readonly number[]): void {
    const { atMicros, dates, expireAfterSeconds, index, member, ns } = event;
    const rows = this.#of(ns, index);
    const batch = this.#batches.add(member, atMicros, entry?.opTime);
    const offsetMs = event.wallMs - (this.#epochMs + Math.floor(atMicros / 1000));
    const settled = this.#settings.get(`${ns} ${index}`)?.sinceMicros ?? 0;
    const leaders = this.#leaders.before(member);
    for (const [i, date] of dates.entries()) {
      if (Number.isNaN(date)) continue;
      const expiryMicros = (date + expireAfterSeconds * 1000 - this.#epochMs) * 1000;
      const possibleMicros = Math.max(settled, inserted[i] ?? 0);
      rows.add(batch, this.#parts(leaders, atMicros, expiryMicros, possibleMicros, offsetMs * 1000));
    }
  }

  /** @param offsetMicros how far the member's clock is ahead */
  #parts(
    leaders: readonly Leadership[],
    atMicros: number,
    expiryMicros: number,
    possibleMicros: number,
    offsetMicros: number,
  ): PrimaryParts {
    // By the member's own clock; one that was set back since may show that it has not come yet.
    const ownExpiry = Math.min(expiryMicros - offsetMicros, atMicros);
    const due = Math.min(Math.max(ownExpiry, possibleMicros), atMicros);
    const waits = waitsOf(due, atMicros, leaders, (name) => this.#line(name));
    return { arrival: due - ownExpiry, clock: ownExpiry - expiryMicros, ...waits };
  }

  #registered(event: Extract<TraceEvent, { type: 'ttlIndexRegistered' }>): void {
    const { atMicros, expireAfterSeconds: seconds, index, member, ns } = event;
    // What a set has for itself is nobody's to be late with.
    if (databaseOf(ns) === 'config') return;
    const key = `${ns} ${index}`;
    const known = this.#settings.get(key);
    // Every member registers it, some late, and each again when it starts.
    if (known && (known.seconds === seconds || !this.#leaders.leads(member))) return;
    this.#settings.set(key, { ns, index, seconds, sinceMicros: atMicros });
  }

  #of(ns: string, index: string): IndexDeletions {
    const key = `${ns} ${index}`;
    const known = this.#deletions.get(key) ?? new IndexDeletions(ns, index);
    this.#deletions.set(key, known);
    return known;
  }

  #line(member: string): MonitorLine {
    const known = this.#lines.get(member) ?? new MonitorLine();
    this.#lines.set(member, known);
    return known;
  }
}
