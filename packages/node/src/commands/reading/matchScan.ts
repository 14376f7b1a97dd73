import { CommandError } from '@replsim/protocol';
import type { Filter } from '@replsim/query';
import type { CollectionView, IndexCursor, IndexView, ReadView, RecordCursor, StoredDocument } from '@replsim/storage';
import type { Operation } from '../../operations/operation.ts';
import { spend } from '../../operations/operation.ts';
import type { Plan } from '../planner/plan.ts';

/** Keys or documents that are looked at before others get their turn. Upstream: internalQueryExecYieldIterations. */
export const SLICE = 100;

/**
 * Walks the documents of a plan that match a filter, a slice at a time: `next()` gives up after SLICE keys, so that its
 * caller can let time pass and others work, and goes on from there with the data as it is then.
 */
export class MatchScan {
  readonly view: ReadView;
  readonly collection: CollectionView;
  /** The match that `next()` found. */
  recordId = 0;
  /** There are no more matches; in a tailable scan, for now. */
  done = false;
  /** A collection that is renamed ends the scan: whoever asked meant the name. */
  readonly #ns: string;
  readonly #plan: Plan;
  readonly #filter: Filter;
  #left = SLICE;
  #examined = 0;
  #document: StoredDocument | undefined;
  #records: RecordCursor | undefined;
  #entries: IndexCursor | undefined;
  /** The plan's range that `#entries` walks. */
  #range = 0;
  /** Documents that a multikey index has brought up already. */
  readonly #seen: Set<number> | undefined;
  #lastRecordId = 0;

  constructor(view: ReadView, collection: CollectionView, plan: Plan, filter: Filter) {
    this.view = view;
    this.collection = collection;
    this.#ns = collection.ns;
    this.#plan = plan;
    this.#filter = filter;
    if (plan.stage === 'COLLSCAN') this.#records = collection.records({ reverse: plan.reverse });
    else if (plan.index.multikey) this.#seen = new Set();
  }

  /** The document that `next()` found. */
  get document(): StoredDocument {
    return this.#document!;
  }

  /** Moves to the next match. False if there is none, or after a slice without one: see `done`. */
  next(): boolean {
    while (this.#left > 0 && !this.done) {
      const document = this.#advance();
      if (!document) {
        this.done = true;
        return false;
      }
      this.#left -= 1;
      this.#examined += 1;
      if (this.#filter(document.bytes)) {
        this.#document = document;
        return true;
      }
    }
    return false;
  }

  /** How many keys or documents have been looked at since it was last asked. */
  takeExamined(): number {
    const examined = this.#examined;
    this.#examined = 0;
    return examined;
  }

  /** Begins a new slice after time has passed. Throws QueryPlanKilled 175 if the collection or index is gone. */
  resume(): void {
    this.#left = SLICE;
    const { ns } = this.collection;
    if (!isSame(this.view.collection(ns), this.collection)) {
      throw new CommandError('QueryPlanKilled', `collection dropped. UUID of ${ns} is no longer there`);
    }
    if (ns !== this.#ns) {
      throw new CommandError('QueryPlanKilled', `collection renamed from '${this.#ns}' to '${ns}'.`);
    }
    if (this.#plan.stage === 'IXSCAN' && !this.collection.index(this.#plan.index.spec.name)) {
      throw new CommandError(
        'QueryPlanKilled',
        `query plan killed :: caused by :: index '${this.#plan.index.spec.name}' dropped`,
      );
    }
  }

  /** For a tailable scan in natural order: whether something was inserted behind what has been read. */
  hasNews(): boolean {
    return this.collection.nextRecordId > this.#lastRecordId + 1;
  }

  /** Goes on behind what has been read, once a tailable scan has reached the end. */
  reopen(): void {
    this.done = false;
    this.#records = this.collection.records({ after: this.#lastRecordId });
  }

  #advance(): StoredDocument | undefined {
    return this.#plan.stage === 'COLLSCAN' ? this.#nextRecord(this.#records!) : this.#nextEntry(this.#plan);
  }

  #nextRecord(records: RecordCursor): StoredDocument | undefined {
    if (!records.next()) return undefined;
    this.recordId = records.recordId;
    this.#lastRecordId = this.recordId;
    return records.document;
  }

  #nextEntry(plan: Plan & { readonly stage: 'IXSCAN' }): StoredDocument | undefined {
    for (;;) {
      if (!this.#entries) {
        const bounds = plan.ranges[this.#range];
        if (!bounds) return undefined;
        this.#entries = liveIndex(this.collection, plan.index).range(bounds);
      }
      if (!this.#entries.next()) {
        this.#entries = undefined;
        this.#range += 1;
        continue;
      }
      const { recordId } = this.#entries;
      if (this.#seen?.has(recordId)) continue;
      this.#seen?.add(recordId);
      const document = this.collection.get(recordId);
      if (!document) continue;
      this.recordId = recordId;
      return document;
    }
  }
}

/** Moves a scan to its next match and lets the time pass that looking took; false at the end. */
export function* nextMatch(scan: MatchScan, scanKeyMicros: number): Operation<boolean> {
  for (;;) {
    const found = scan.next();
    if (found) return true;
    yield* spend(scan.takeExamined() * scanKeyMicros);
    if (scan.done) return false;
    scan.resume();
  }
}

function liveIndex(collection: CollectionView, index: IndexView): IndexView {
  return collection.index(index.spec.name) ?? index;
}

function isSame(a: CollectionView | undefined, b: CollectionView): boolean {
  return a !== undefined && (a === b || a.uuid === b.uuid);
}
