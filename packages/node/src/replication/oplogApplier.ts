import { applierLimits, EntryBuffer, nextBatchLength, type OpTimeAndWall } from '@replsim/oplog';
import { type FailPointName, type OplogEntry, required } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import { hangBefore } from '../core/hang.ts';
import { Threads } from '../core/threads.ts';
import { applyEntry } from '../data/applyEntry.ts';
import { documentsHashAt } from '../data/documentsHash.ts';
import type { WrittenEntries } from './oplogWriter.ts';
import { PausedPart } from './pausedPart.ts';
import type { Replication } from './replication.ts';

/** Entries on their way from the oplog into the data, batch by batch. Upstream: oplog_applier_impl.cpp. */
export class OplogApplier implements WrittenEntries {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #onApplied: () => void;
  readonly #buffer: EntryBuffer;
  /** How many of the buffer's first entries the batch under way takes; 0 if none is. */
  #applying = 0;
  #startedMicros = 0;
  readonly #paused: PausedPart;
  readonly #fire = (): void => this.#onTimer();

  /** @param onApplied called after each batch */
  constructor(core: Core, repl: Replication, onApplied: () => void) {
    this.#core = core;
    this.#repl = repl;
    this.#onApplied = onApplied;
    this.#buffer = new EntryBuffer(repl.metrics.buffer.apply);
    const described = { failPoint: 'rsSyncApplyStop', desc: 'OplogApplier-0', logId: 21229 } as const;
    this.#paused = new PausedPart(core, repl.host.scheduler, described, () => this.#start());
  }

  /** Stands still at once if it has to, and not only for the next entry. */
  failPointsChanged(): void {
    this.#paused.stops();
  }

  get isIdle(): boolean {
    return this.#buffer.length === 0;
  }

  hasRoomFor(bytes: number, count: number): boolean {
    return this.#buffer.hasRoomFor(bytes, count);
  }

  take(entries: readonly OplogEntry[]): void {
    this.#buffer.push(entries);
    this.#start();
  }

  /** What the next entry waited for may have come. */
  resume(): void {
    this.#start();
  }

  #start(): void {
    const { entries } = this.#buffer;
    const [next] = entries;
    if (this.#applying > 0 || !next || this.#repl.host.builds.holdsBack(next)) return;
    if (this.#paused.stops()) return;
    this.#applying = nextBatchLength(entries, batchLimits(this.#repl));
    this.#startedMicros = this.#core.now.monotonicMicros;
    this.#hangBefore('pauseBatchApplicationAfterWritingOplogEntries', () =>
      this.#core.setTimer('apply', this.#fire, applyMicros(this.#core, entries, this.#applying), { computes: true }),
    );
  }

  #onTimer(): void {
    // Nothing of a batch can be seen before it is complete.
    const finish = () => this.#hangBefore('pauseBatchApplicationBeforeCompletion', () => this.#finish());
    this.#repl.host.fsyncLock.whenUnlocked(() => this.#core.as(Threads.applier, finish));
  }

  #hangBefore(name: FailPointName, then: () => void): void {
    hangBefore(this.#core, this.#repl.host.scheduler, { name, desc: Threads.applier }, then);
  }

  #finish(): void {
    const batch = this.#buffer.shift(this.#applying);
    this.#apply(batch);
    this.#count(batch);
    this.#applying = 0;
    this.#start();
    this.#onApplied();
  }

  #count(batch: readonly OplogEntry[]): void {
    const { apply } = this.#repl.metrics;
    apply.batchSize += batch.length;
    apply.batches.add(this.#core.now.monotonicMicros - this.#startedMicros);
    for (const { operations } of batch) apply.ops += operations.length;
  }

  /** Readers see a batch whole or not at all. */
  #apply(batch: readonly OplogEntry[]): void {
    const core = this.#core;
    const { oplog, positions, progress, elections, host, localOplog } = this.#repl;
    let { t } = positions.applied.opTime;
    for (const [i, entry] of batch.entries()) {
      applyEntry(core, entry, 'steady', host, batch[i + 1]);
      // A term's first entry is the no-op of its new primary.
      if (entry.opTime.t !== t) elections.last.newTerm = { startMs: entry.wallMs, appliedMs: core.now.wallMs };
      t = entry.opTime.t;
      elections.appliedOps(entry.operations.length);
    }
    const last = required(batch.at(-1), 'entry in the batch');
    positions.applied = { opTime: last.opTime, wallMs: last.wallMs };
    core.markVersion(oplog.lowerBound(last.opTime.ts));
    if (core.tracing) {
      core.trace({
        type: 'applied',
        opTime: last.opTime,
        entries: batch.length,
        dataHash: core.engine.dataHash(),
        stable: positions.stable,
        ...this.#repl.indexHash,
        ...documentsHashAt(core.engine, last),
        batch,
      });
    }
    if (!core.traits.showsWrittenOpTime) this.#makeDurable(positions.applied);
    localOplog.truncateHead();
    this.#repl.onStableMoved();
    progress.positionsChanged();
    progress.report();
    this.#repl.tryBecomeSecondary();
    elections.catchUp.onApplied();
  }

  /** Before 8.0 the journal's word counts for what is applied by then. Upstream: ApplyBatchFinalizerForJournal. */
  #makeDurable(applied: OpTimeAndWall): void {
    const { positions, host } = this.#repl;
    const { epoch } = positions;
    host.journal.whenDurable(() => {
      if (positions.epoch === epoch) this.#repl.onJournalFlushed(applied);
    });
  }
}

/** What one batch may hold on this member. */
export function batchLimits({ host }: Replication) {
  const { parameters, oplogCap } = host;
  const limits = {
    operations: parameters.number('replBatchLimitOperations'),
    bytes: parameters.number('replBatchLimitBytes'),
  };
  return applierLimits(limits, oplogCap.sizeBytes);
}

/** How long a batch of the first `count` entries takes. */
export function applyMicros({ costs }: Core, entries: readonly OplogEntry[], count: number): number {
  let operations = 0;
  for (let i = 0; i < count; i++) operations += entries[i]!.operations.length;
  return operations * costs.applyEntryMicros + costs.commitMicros;
}
