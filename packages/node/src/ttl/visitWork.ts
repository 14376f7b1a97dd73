import { type Operation, sleep, spend } from '@replsim/operations';
import { CommandError, databaseOf, formatUuid } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import { backoffMicros } from '@replsim/transactions';
import { VisitProgress, type VisitResult, type VisitTargets } from '@replsim/ttl';
import type { Core } from '../core/core.ts';
import { type Batch, BatchBuffer } from './batchBuffer.ts';
import type { ExpiredScan, Found } from './expiredScan.ts';
import type { TtlHost, VisitingMonitor } from './ttlHost.ts';

/**
 * Deletes what a scan finds, batch by batch, each a storage transaction that takes its time.
 * Upstream: batched_delete_stage.cpp; without batches delete_stage.cpp.
 */
export class VisitWork {
  readonly #core: Core;
  readonly #host: TtlHost;
  readonly #monitor: VisitingMonitor;
  readonly #collection: CollectionView;
  readonly #scan: ExpiredScan;
  readonly #progress: VisitProgress;
  readonly #buffer: BatchBuffer;
  /** Examined, and not yet paid for. */
  #examined = 0;
  #deleted = 0;

  constructor(
    core: Core,
    host: TtlHost,
    monitor: VisitingMonitor,
    collection: CollectionView,
    scan: ExpiredScan,
    targets: VisitTargets,
  ) {
    this.#core = core;
    this.#host = host;
    this.#monitor = monitor;
    this.#collection = collection;
    this.#scan = scan;
    this.#progress = new VisitProgress(targets);
    this.#buffer = new BatchBuffer(core, host.counters, collection, scan, targets, this.#progress);
  }

  *run(): Operation<VisitResult> {
    const began = this.#core.now.monotonicMicros;
    let action: ReturnType<VisitProgress['staged']> = 'stage';
    while (action !== 'over') {
      if (action === 'stage') action = this.#stageNext();
      else {
        yield* this.#commitBatch();
        action = this.#progress.committed(this.#buffer.size, this.#core.now.monotonicMicros - began);
      }
    }
    yield* this.#payForScan();
    const { passTargetMet } = this.#progress;
    const { extendedRange } = this.#scan;
    const tookMicros = this.#core.now.monotonicMicros - began;
    const done = { type: 'done', ns: this.#collection.ns, deleted: this.#deleted, tookMicros, passTargetMet } as const;
    return extendedRange ? { ...done, extendedRange } : done;
  }

  #stageNext(): ReturnType<VisitProgress['staged']> {
    let found = this.#scan.next();
    while (found && this.#buffer.has(found)) found = this.#scan.next();
    this.#examined += this.#scan.takeExamined();
    if (!found) return this.#progress.endOfRange();
    this.#buffer.add(found);
    return this.#progress.staged(found.document.bytes.length);
  }

  *#payForScan(): Operation<void> {
    const micros = this.#examined * this.#core.costs.scanKeyMicros;
    this.#examined = 0;
    yield* spend(micros);
  }

  /** One storage transaction. If others have changed what it is about, it is undone as a whole and done again. */
  *#commitBatch(): Operation<void> {
    yield* this.#payForScan();
    for (let attempt = 1; ; attempt++) {
      const batch = this.#buffer.evaluate(this.#deleted);
      yield* spend(batch.micros + this.#core.costs.commitMicros);
      this.#requireSource();
      if (!batch.conflict && this.#isUnchanged(batch.doomed) && this.#commit(batch)) return;
      this.#buffer.refetchAll();
      yield* sleep(backoffMicros(attempt));
      this.#requireSource();
    }
  }

  /**
   * What is deleted from was dropped while time went by. Simpler than mongod, which ends the plan of a collection that was
   * renamed as well (SERVER-31695), silently, and goes on under the new name at its next pass.
   * Upstream: requires_index_stage.cpp, requires_collection_stage.cpp.
   */
  #requireSource(): void {
    const { ns, uuid } = this.#collection;
    if (this.#core.engine.collection(ns) !== this.#collection) {
      throw new CommandError('QueryPlanKilled', `collection dropped. UUID ${formatUuid(uuid)}`);
    }
    if (!this.#scan.isThere()) throw new CommandError('QueryPlanKilled', `index '${this.#scan.index}' dropped`);
  }

  #isUnchanged(doomed: readonly Found[]): boolean {
    for (const { recordId, document } of doomed) if (this.#collection.get(recordId) !== document) return false;
    return true;
  }

  /** @returns false if an open transaction has written one of the documents */
  #commit(batch: Batch): boolean {
    try {
      if (batch.doomed.length > 0) this.#delete(batch);
    } catch (error) {
      if (!(error instanceof CommandError) || error.codeName !== 'WriteConflict') throw error;
      this.#host.counters.writeConflicts += 1;
      return false;
    }
    this.#deleted += batch.doomed.length;
    this.#buffer.committed(batch, this.#core.costs.commitMicros);
    return true;
  }

  #delete({ doomed, grouped }: Batch): void {
    const recordIds = doomed.map(({ recordId }) => recordId);
    const announce = () => this.#trace(doomed);
    this.#host.writes.delete(this.#collection, recordIds, { grouped, by: 'ttl', announce });
  }

  #trace(doomed: readonly Found[]): void {
    const core = this.#core;
    if (!core.tracing) return;
    const { ns } = this.#collection;
    const { expireAfterSeconds, fromMs, index, limitMs } = this.#scan;
    core.trace({
      type: 'ttlDeleted',
      ns,
      index,
      expireAfterSeconds,
      wallMs: core.now.wallMs,
      limitMs,
      ...(fromMs !== undefined && { fromMs }),
      dates: doomed.map(({ document }) => this.#scan.dueDate(document) ?? Number.NaN),
      acceptsWrites: this.#host.acceptsWritesFor(databaseOf(ns)),
      standaloneOnReplSetData: this.#monitor.standaloneOnReplSetData,
    });
  }
}
