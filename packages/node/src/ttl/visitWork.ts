import type { CollectionView } from '@replsim/storage';
import { VisitProgress, type VisitResult, type VisitTargets } from '@replsim/ttl';
import type { Core } from '../core.ts';
import type { MemberParts } from '../mongod.ts';
import { type Operation, spend } from '../operations/operation.ts';
import type { ExpiredScan, Found } from './expiredScan.ts';

/**
 * Deletes what a scan finds, batch by batch, each a storage transaction that takes its time.
 * Upstream: batched_delete_stage.cpp.
 */
export class VisitWork {
  readonly #core: Core;
  readonly #parts: MemberParts;
  readonly #collection: CollectionView;
  readonly #scan: ExpiredScan;
  readonly #targets: VisitTargets;
  readonly #progress: VisitProgress;
  #buffer: Found[] = [];
  /** Examined, and not yet paid for. */
  #examined = 0;
  #deleted = 0;

  constructor(core: Core, parts: MemberParts, collection: CollectionView, scan: ExpiredScan, targets: VisitTargets) {
    this.#core = core;
    this.#parts = parts;
    this.#collection = collection;
    this.#scan = scan;
    this.#targets = targets;
    this.#progress = new VisitProgress(targets);
  }

  *run(): Operation<VisitResult> {
    const began = this.#core.now.monotonicMicros;
    let action: ReturnType<VisitProgress['staged']> = 'stage';
    while (action !== 'over') {
      if (action === 'stage') action = this.#stageNext();
      else {
        yield* this.#commitBatch();
        action = this.#progress.committed(this.#buffer.length, this.#core.now.monotonicMicros - began);
      }
    }
    yield* spend(this.#examined * this.#core.costs.scanKeyMicros);
    const { passTargetMet } = this.#progress;
    return { type: 'done', ns: this.#collection.ns, deleted: this.#deleted, passTargetMet };
  }

  #stageNext(): ReturnType<VisitProgress['staged']> {
    let found = this.#scan.next();
    while (found && this.#isStaged(found)) found = this.#scan.next();
    this.#examined += this.#scan.takeExamined();
    if (!found) return this.#progress.endOfRange();
    this.#buffer.push(found);
    return this.#progress.staged(found.document.bytes.length);
  }

  #isStaged({ recordId }: Found): boolean {
    return this.#scan.repeats && this.#buffer.some((staged) => staged.recordId === recordId);
  }

  /** One storage transaction: as much of the buffer as time and the entry's size allow. */
  *#commitBatch(): Operation<void> {
    const core = this.#core;
    const { costs } = core;
    const batch = this.#takeBatch();
    const keys = this.#collection.indexes.length;
    const micros =
      this.#examined * costs.scanKeyMicros +
      batch.length * (costs.deleteMicros + keys * costs.indexKeyMicros) +
      costs.commitMicros;
    this.#examined = 0;
    yield* spend(micros + this.#sleepOf(batch.length));
    // The storage engine had the batch done again: each time it costs what it cost before.
    while (this.#core.failPoints.enter('throwWriteConflictExceptionInBatchedDeleteStage')) yield* spend(micros);
    const due = batch.filter((found) => this.#isStillDue(found));
    if (due.length > 0) this.#delete(due, batch.length > 1 && this.#targets.batched);
    const { batchedDeletes } = this.#parts.counters;
    if (this.#targets.batched) {
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

  #takeBatch(): Found[] {
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
    return this.#targets.reverse ? batch.reverse() : batch;
  }

  /** Time has passed since it was found: an update may have saved it, another delete may have taken it. */
  #isStillDue({ recordId, document }: Found): boolean {
    const now = this.#collection.get(recordId);
    if (now === document) return true;
    return now !== undefined && this.#scan.dueDate(now) !== undefined;
  }

  #delete(due: readonly Found[], grouped: boolean): void {
    const core = this.#core;
    const collection = this.#collection;
    if (core.tracing) {
      const { expireAfterSeconds, index, limitMs } = this.#scan;
      core.trace({
        type: 'ttlDeleted',
        ns: collection.ns,
        index,
        expireAfterSeconds,
        wallMs: core.now.wallMs,
        limitMs,
        dates: due.map(({ document }) => this.#scan.dueDate(document) ?? Number.NaN),
        acceptsWrites: this.#parts.acceptsWritesFor(collection.ns.slice(0, collection.ns.indexOf('.'))),
        standaloneOnReplSetData: this.#parts.ttl.standaloneOnReplSetData,
      });
    }
    const recordIds = due.map(({ recordId }) => recordId);
    this.#parts.writes.delete(collection, recordIds, { grouped, by: 'ttl' });
    this.#deleted += due.length;
  }
}
