import { BsonType, type BsonValue, readInt64AsNumber } from '@replsim/protocol';
import { extractIndexValues } from '@replsim/query';
import {
  type CollectionView,
  dateKey,
  type IndexCursor,
  type IndexView,
  invertKey,
  type RecordId,
  type StoredDocument,
} from '@replsim/storage';
import { expiryLimitMs, MIN_DATE_MS, type TtlVisit, ttlKindOf, VisitProgress, type VisitResult } from '@replsim/ttl';
import type { Core } from './core.ts';
import type { MemberParts } from './mongod.ts';
import { type Operation, spend } from './operations/operation.ts';

/** A document that was found to be due, as it was then. */
interface Staged {
  readonly recordId: RecordId;
  readonly document: StoredDocument;
}

/**
 * One visit of the TTL monitor: deletes what is due by one index, batch by batch, each a storage transaction that takes
 * its time. Upstream: ttl_monitor.cpp, TTLMonitor::_deleteExpiredWithIndex; batched_delete_stage.cpp.
 */
export function* deleteExpired(core: Core, parts: MemberParts, visit: TtlVisit): Operation<VisitResult> {
  const collection = core.engine.collectionByUuid(fromHex(visit.collectionUuid));
  const index = collection?.index(visit.indexName!);
  if (!collection || !index) return { type: 'gone' };
  const { spec } = index;
  const key = spec.parts.map(({ path, descending }) => [path, descending ? -1 : 1] as const);
  const special = spec.kind === 'special';
  const kind = ttlKindOf({ key, expireAfterSeconds: spec.expireAfterSeconds, special }, core.traits);
  if (kind.type === 'notTtl') return { type: 'gone' };
  if (kind.type === 'skipped') {
    return { type: 'skipped', logId: kind.logId, attr: { reason: kind.reason, ns: collection.ns, index: spec.name } };
  }
  const attr = { namespace: collection.ns, key: Object.fromEntries(key), name: spec.name };
  core.debug(1, 'INDEX', 22533, 'Running the TTL job for an index', attr, 'TTLMonitor');
  yield* hangWithLock(core, parts);
  const limitMs = expiryLimitMs(visit.wallMs, kind.expireAfterSeconds);
  const work = new VisitWork(core, parts, collection, index, kind.expireAfterSeconds, limitMs, visit);
  return yield* work.run();
}

/** The fail point `hangTTLMonitorWithLock`: the visit stands still for as long as it is set. */
function* hangWithLock(core: Core, { ttl }: MemberParts): Operation<void> {
  const { failPoints } = core;
  if (!failPoints.enter('hangTTLMonitorWithLock')) return;
  const { passes } = ttl.metricsReply();
  core.log(
    'I',
    'INDEX',
    22534,
    'Hanging with its lock held, due to a fail point',
    { ttlPasses: Number(passes) },
    'TTLMonitor',
  );
  yield { type: 'wait', what: 'failPoint', ready: () => !failPoints.isArmed('hangTTLMonitorWithLock') };
}

class VisitWork {
  readonly #core: Core;
  readonly #parts: MemberParts;
  readonly #collection: CollectionView;
  readonly #index: IndexView;
  readonly #expireAfterSeconds: number;
  readonly #limitMs: number;
  readonly #visit: TtlVisit;
  readonly #progress: VisitProgress;
  #buffer: Staged[] = [];
  #scanned = 0;
  #deleted = 0;

  constructor(
    core: Core,
    parts: MemberParts,
    collection: CollectionView,
    index: IndexView,
    expireAfterSeconds: number,
    limitMs: number,
    visit: TtlVisit,
  ) {
    this.#core = core;
    this.#parts = parts;
    this.#collection = collection;
    this.#index = index;
    this.#expireAfterSeconds = expireAfterSeconds;
    this.#limitMs = limitMs;
    this.#visit = visit;
    this.#progress = new VisitProgress(visit.targets);
  }

  *run(): Operation<VisitResult> {
    const began = this.#core.now.monotonicMicros;
    const cursor = this.#range();
    let action: ReturnType<VisitProgress['staged']> = 'stage';
    while (action !== 'over') {
      if (action === 'stage') action = this.#stageNext(cursor);
      else {
        yield* this.#commitBatch();
        action = this.#progress.committed(this.#buffer.length, this.#core.now.monotonicMicros - began);
      }
    }
    yield* spend(this.#scanned * this.#core.costs.scanKeyMicros);
    const { passTargetMet } = this.#progress;
    return { type: 'done', ns: this.#collection.ns, deleted: this.#deleted, passTargetMet };
  }

  /** Oldest first, whichever way the index runs. */
  #range(): IndexCursor {
    const { descending } = this.#index.spec.parts[0]!;
    const oldest = dateKey(MIN_DATE_MS);
    const newest = dateKey(this.#limitMs);
    return descending
      ? this.#index.range({ lower: invertKey(newest), upper: invertKey(oldest), reverse: true })
      : this.#index.range({ lower: oldest, upper: newest });
  }

  #stageNext(cursor: IndexCursor): ReturnType<VisitProgress['staged']> {
    while (cursor.next()) {
      this.#scanned += 1;
      const { recordId } = cursor;
      const document = this.#collection.get(recordId)!;
      // One document may come up for several of its dates.
      if (this.#index.multikey && this.#buffer.some((staged) => staged.recordId === recordId)) continue;
      this.#buffer.push({ recordId, document });
      return this.#progress.staged(document.bytes.length);
    }
    return this.#progress.endOfRange();
  }

  /** One storage transaction: as much of the buffer as time and the entry's size allow. */
  *#commitBatch(): Operation<void> {
    const core = this.#core;
    const { costs } = core;
    const batch = this.#takeBatch();
    const keys = this.#collection.indexes.length;
    const micros =
      this.#scanned * costs.scanKeyMicros +
      batch.length * (costs.deleteMicros + keys * costs.indexKeyMicros) +
      costs.commitMicros;
    this.#scanned = 0;
    yield* spend(micros + this.#sleepOf(batch.length));
    // The storage engine had the batch done again: each time it costs what it cost before.
    while (this.#core.failPoints.enter('throwWriteConflictExceptionInBatchedDeleteStage')) yield* spend(micros);
    const due = batch.filter((staged) => this.#isStillDue(staged));
    if (due.length > 0) this.#delete(due, batch.length > 1 && this.#visit.targets.batched);
    const { batchedDeletes } = this.#parts.counters;
    if (this.#visit.targets.batched) {
      batchedDeletes.batches += 1;
      batchedDeletes.docs += due.length;
      batchedDeletes.timeInBatchMillis += Math.floor(micros / 1000);
    }
  }

  /** The fail point `batchedDeleteStageSleepAfterNDocuments`: `{ ns, nDocs, sleepMs }`. Unit: µs. */
  #sleepOf(documents: number): number {
    const data = this.#core.failPoints.enter(
      'batchedDeleteStageSleepAfterNDocuments',
      ({ ns, nDocs }) => (ns === undefined || ns === this.#collection.ns) && documents >= Number(nDocs ?? 1),
    );
    return Number(data?.sleepMs ?? 0) * 1000;
  }

  #takeBatch(): Staged[] {
    const { costs } = this.#core;
    const perDocument = costs.deleteMicros + this.#collection.indexes.length * costs.indexKeyMicros;
    this.#progress.beginBatch();
    let count = 0;
    while (count < this.#buffer.length) {
      if (!this.#progress.fits(this.#buffer[count]!.document.idKey.length)) break;
      count += 1;
      if (this.#progress.batchTimeIsOver(count * perDocument)) break;
    }
    const batch = this.#buffer.splice(0, count);
    return this.#visit.targets.reverse ? batch.reverse() : batch;
  }

  /** Time has passed since it was found: an update may have saved it, another delete may have taken it. */
  #isStillDue({ recordId, document }: Staged): boolean {
    const now = this.#collection.get(recordId);
    if (now === document) return true;
    return now !== undefined && this.#expiredDate(now) !== undefined;
  }

  #delete(due: readonly Staged[], grouped: boolean): void {
    const core = this.#core;
    if (core.tracing) {
      core.trace({
        type: 'ttlDeleted',
        ns: this.#collection.ns,
        index: this.#index.spec.name,
        expireAfterSeconds: this.#expireAfterSeconds,
        wallMs: core.now.wallMs,
        limitMs: this.#limitMs,
        dates: due.map(({ document }) => this.#expiredDate(document) ?? Number.NaN),
        acceptsWrites: this.#parts.acceptsWritesFor(this.#collection.ns.slice(0, this.#collection.ns.indexOf('.'))),
        standaloneOnReplSetData: this.#parts.ttl.standaloneOnReplSetData,
      });
    }
    this.#parts.writes.delete(
      this.#collection,
      due.map(({ recordId }) => recordId),
      { grouped, by: 'ttl' },
    );
    this.#deleted += due.length;
  }

  /** The earliest date that makes the document expire, ms. */
  #expiredDate(document: StoredDocument): number | undefined {
    let earliest: number | undefined;
    for (const value of extractIndexValues(document.bytes, this.#index.spec.parts[0]!.path).values) {
      const date = dateOf(value);
      if (date !== undefined && date <= this.#limitMs) earliest = Math.min(earliest ?? date, date);
    }
    return earliest;
  }
}

function dateOf(value: BsonValue): number | undefined {
  return value.type === BsonType.date ? readInt64AsNumber(value.bytes, value.offset) : undefined;
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}
