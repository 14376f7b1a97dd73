import type { Operation, ScanWork } from '@replsim/operations';
import {
  type IndexPlan,
  IndexWalk,
  NearOrder,
  type Plan,
  placeOf,
  readableIndex,
  type ScanStart,
} from '@replsim/pipeline';
import { CommandError, required } from '@replsim/protocol';
import { Evaluation, type Filter, type Meter, UNFINISHED } from '@replsim/query';
import type { CollectionView, ReadView, RecordCursor, RecordPlace, StoredDocument } from '@replsim/storage';
import type { MemberServices } from '../member.ts';
import { payFor } from './payFor.ts';

/** Keys or documents that are looked at before others get their turn. Upstream: internalQueryExecYieldIterations. */
export const SLICE = 100;

/** What a scan counts from its beginning on, as `explain` shows it. */
export interface ScanCounts {
  keysExamined: number;
  docsExamined: number;
  /** Documents that passed the filter. */
  matched: number;
  /** Keys of documents that an earlier key had brought up. */
  dupsDropped: number;
  seeks: number;
  /** How often it let others work. */
  yields: number;
}

/**
 * Walks the documents of a plan that match a filter, a slice at a time: `next()` gives up after SLICE keys, so that its
 * caller can let time pass and others work, and goes on from there with the data as it is then.
 */
export class MatchScan {
  readonly view: ReadView;
  readonly collection: CollectionView;
  readonly plan: Plan;
  /** The match that `next()` found. */
  recordId = 0;
  /** There are no more matches; in a tailable scan, for now. */
  done = false;
  readonly counts: ScanCounts = {
    keysExamined: 0,
    docsExamined: 0,
    matched: 0,
    dupsDropped: 0,
    seeks: 0,
    yields: 0,
  };
  /** A collection that is renamed ends the scan: whoever asked meant the name. */
  readonly #ns: string;
  readonly #filter: Filter;
  readonly #meter: Meter | undefined;
  readonly #covered: boolean;
  /** Of the filter, which may be long for one document. */
  readonly #evaluation: Evaluation | undefined;
  /** The document for which that is not at its end, as it was when it was met. */
  #halfDone: StoredDocument | undefined;
  #left = SLICE;
  #document: StoredDocument | undefined;
  #records: RecordCursor | undefined;
  /** Looked for when the first record is. */
  readonly #start: ScanStart | undefined;
  readonly #walk: IndexWalk | undefined;
  readonly #near: NearOrder | undefined;
  /** How many keys the walk had met when the slice was last reckoned. */
  #walked = 0;
  /** What a stretch of a clustered collection meets are its documents: there are no keys beside them. */
  readonly #isClustered: boolean;
  /** Documents that a multikey index has brought up already. */
  readonly #seen: Set<number> | undefined;
  #lastRecordId = 0;
  #lastPlace: RecordPlace | undefined;
  /** The id that the next insert was to get when the scan came to its end. */
  #endedBefore = 0;
  /** The counts as `takeWork` last saw them. */
  #taken: Pick<ScanCounts, 'keysExamined' | 'docsExamined' | 'yields'> = {
    keysExamined: 0,
    docsExamined: 0,
    yields: 0,
  };

  /**
   * @param covered the keys hold all that is wanted, so that documents are not counted as looked at
   * @param start where a scan in natural order begins, if not with the first record
   */
  constructor(
    view: ReadView,
    collection: CollectionView,
    plan: Plan,
    filter: { readonly matches: Filter; readonly meter: Meter | undefined },
    covered = false,
    start?: ScanStart,
  ) {
    this.view = view;
    this.collection = collection;
    this.plan = plan;
    this.#ns = collection.ns;
    this.#filter = filter.matches;
    this.#meter = filter.meter;
    this.#evaluation = filter.meter && new Evaluation(filter.meter);
    this.#covered = covered;
    this.#isClustered = plan.stage === 'IXSCAN' && plan.index.spec.clustered;
    this.#start = start;
    if (plan.stage === 'COLLSCAN') {
      if (!start) this.#records = collection.records({ reverse: plan.reverse });
    } else {
      const apart = plan.text !== undefined || (plan.ranges.length === 1 && !plan.keyTest);
      this.#walk = new IndexWalk(collection, plan.index, plan.ranges, apart);
      if (plan.index.multikey) this.#seen = new Set();
      this.#near = plan.near && new NearOrder(plan.near);
    }
  }

  /** The document that `next()` found. */
  get document(): StoredDocument {
    return this.#document!;
  }

  /** Moves to the next match. False if there is none, or after a slice without one: see `done`. */
  next(): boolean {
    while (this.#left > 0 && !this.done) {
      const document = this.#halfDone ?? this.#advance();
      this.#halfDone = undefined;
      if (!document) {
        // A slice of keys without a document is no end.
        if (this.#left > 0) this.#end();
        return false;
      }
      const matches = this.#matches(document);
      if (matches === UNFINISHED) {
        this.#left = 0;
        this.#halfDone = document;
        return false;
      }
      // One document may be as much work as a slice of others.
      if (this.#meter?.isDue) this.#left = 0;
      if (matches) {
        this.#document = document;
        this.counts.matched += 1;
        return true;
      }
    }
    return false;
  }

  #matches({ bytes }: StoredDocument): boolean | typeof UNFINISHED {
    return this.#evaluation ? this.#evaluation.attempt(() => this.#filter(bytes)) : this.#filter(bytes);
  }

  /** What has been looked at since it was last asked. */
  takeWork(): ScanWork {
    const { counts, plan } = this;
    const keysExamined = counts.keysExamined - this.#taken.keysExamined;
    const docsExamined = counts.docsExamined - this.#taken.docsExamined;
    const yields = counts.yields - this.#taken.yields;
    this.#taken = { ...counts };
    const looked = this.#walk && !this.#isClustered ? keysExamined : docsExamined;
    return {
      keysExamined,
      docsExamined,
      charged: looked + (this.#meter?.isDue ? this.#meter.take() : 0),
      yields,
      plan,
      ns: this.#ns,
    };
  }

  /** Begins a new slice after time has passed. Throws QueryPlanKilled 175 if the collection or index is gone. */
  resume(): void {
    if (this.#left <= 0) this.counts.yields += 1;
    this.#left = SLICE;
    const { ns } = this.collection;
    if (!isSame(this.view.collection(ns), this.collection)) {
      throw new CommandError('QueryPlanKilled', `collection dropped. UUID of ${ns} is no longer there`);
    }
    if (ns !== this.#ns) {
      throw new CommandError('QueryPlanKilled', `collection renamed from '${this.#ns}' to '${ns}'.`);
    }
    if (this.plan.stage === 'IXSCAN' && !readableIndex(this.collection, this.plan.index.spec.name)) {
      throw new CommandError(
        'QueryPlanKilled',
        `query plan killed :: caused by :: index '${this.plan.index.spec.name}' dropped`,
      );
    }
  }

  /**
   * For a tailable scan in natural order: whether something was inserted behind what has been read. That the collection is
   * gone is news too.
   */
  hasNews(): boolean {
    if (!isSame(this.view.collection(this.collection.ns), this.collection)) return true;
    return this.collection.nextRecordId > this.#endedBefore;
  }

  /**
   * For a scan in natural order of a capped collection, which must not pass over a hole without a word.
   * Throws CappedPositionLost 136. Upstream: collection_scan.cpp, doRestoreStateRequiresCollection.
   */
  requirePosition(): void {
    if (this.plan.stage !== 'COLLSCAN' || this.#lastRecordId === 0 || this.collection.get(this.#lastRecordId)) return;
    throw new CommandError(
      'CappedPositionLost',
      `the cursor stood in a capped collection at a document that has been deleted, RecordId(${this.#lastRecordId})`,
    );
  }

  /** Goes on behind what has been read, once a tailable scan has reached the end. */
  reopen(): void {
    this.done = false;
    this.#records = this.collection.records(this.#lastPlace === undefined ? {} : { after: this.#lastPlace });
  }

  #end(): void {
    this.done = true;
    this.#endedBefore = this.collection.nextRecordId;
  }

  #advance(): StoredDocument | undefined {
    if (this.plan.stage === 'COLLSCAN') {
      this.#records ??= this.collection.records({ after: placeOf(this.collection, required(this.#start, 'start')) });
      return this.#nextRecord(this.#records);
    }
    return this.#near ? this.#nextNear(this.plan, this.#near) : this.#nextEntry(this.plan);
  }

  /** The next in the order of distances. What has gone away meanwhile, or has moved out of them, is passed over. */
  #nextNear(plan: IndexPlan, near: NearOrder): StoredDocument | undefined {
    while (!near.isComplete) {
      const document = this.#nextEntry(plan);
      if (document) near.add(this.recordId, document.bytes);
      else if (this.#left > 0) near.complete();
      else return undefined;
    }
    for (let recordId = near.next(); recordId !== undefined; recordId = near.next()) {
      const document = this.collection.get(recordId);
      if (!document || !near.locate(document.bytes)) continue;
      this.recordId = recordId;
      return document;
    }
    return undefined;
  }

  #nextRecord(records: RecordCursor): StoredDocument | undefined {
    if (!records.next()) return undefined;
    this.recordId = records.recordId;
    this.#lastRecordId = this.recordId;
    this.#lastPlace = records.place;
    this.#left -= 1;
    this.counts.docsExamined += 1;
    return records.document;
  }

  #nextEntry({ keyTest }: IndexPlan): StoredDocument | undefined {
    const walk = this.#walk!;
    const { counts } = this;
    while (this.#left > 0) {
      const found = walk.next();
      // A walk through several ranges may have looked at more keys than the one it found.
      this.#left -= walk.keysExamined - this.#walked;
      this.#walked = walk.keysExamined;
      if (!this.#isClustered) counts.keysExamined = walk.keysExamined;
      counts.seeks = walk.seeks;
      if (!found) {
        this.#left = Math.max(this.#left, 1);
        return undefined;
      }
      const { recordId } = walk;
      if (this.#seen?.has(recordId)) {
        counts.dupsDropped += 1;
        continue;
      }
      this.#seen?.add(recordId);
      const document = this.collection.get(recordId);
      if (!document || (keyTest && !keyTest(document.bytes))) continue;
      if (!this.#covered) counts.docsExamined += 1;
      this.recordId = recordId;
      return document;
    }
    return undefined;
  }
}

/** Moves a scan to its next match and lets the time pass that looking took; false at the end. */
export function* nextMatch(
  scan: MatchScan,
  member: Pick<MemberServices, 'costs' | 'debug' | 'parameters'>,
): Operation<boolean> {
  for (;;) {
    const found = scan.next();
    if (found) return true;
    yield* payFor(member, scan);
    if (scan.done) return false;
    scan.resume();
  }
}

function isSame(a: CollectionView | undefined, b: CollectionView): boolean {
  return a !== undefined && (a === b || a.uuid === b.uuid);
}
