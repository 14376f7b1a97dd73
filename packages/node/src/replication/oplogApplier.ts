import { nextBatchLength } from '@replsim/oplog';
import type { OplogEntry } from '@replsim/protocol';
import type { Core } from '../core.ts';
import { applyEntry } from './applyEntry.ts';
import type { Replication } from './replication.ts';

/** Entries on their way from the oplog into the data, batch by batch. Upstream: oplog_applier_impl.cpp. */
export class OplogApplier {
  readonly #core: Core;
  readonly #repl: Replication;
  readonly #applied: () => void;
  #buffer: OplogEntry[] = [];
  /** How many of the buffer's first entries the batch under way takes; 0 if none is. */
  #applying = 0;

  /** @param applied called after a batch when nothing waits here any more */
  constructor(core: Core, repl: Replication, applied: () => void) {
    this.#core = core;
    this.#repl = repl;
    this.#applied = applied;
  }

  get isIdle(): boolean {
    return this.#buffer.length === 0;
  }

  take(entries: readonly OplogEntry[]): void {
    for (const entry of entries) this.#buffer.push(entry);
    this.#start();
  }

  #start(): void {
    if (this.#applying > 0 || this.#buffer.length === 0) return;
    this.#applying = nextBatchLength(this.#buffer);
    let operations = 0;
    for (let i = 0; i < this.#applying; i++) operations += this.#buffer[i]!.operations.length;
    this.#core.setTimer('apply', operations * this.#core.costs.applyEntryMicros + this.#core.costs.commitMicros);
  }

  onTimer(): void {
    const batch = this.#buffer.splice(0, this.#applying);
    this.#applying = 0;
    this.#apply(batch);
    if (this.#buffer.length > 0) this.#start();
    else this.#applied();
  }

  /** Readers see a batch whole or not at all. */
  #apply(batch: readonly OplogEntry[]): void {
    const core = this.#core;
    const { oplog, positions, progress, elections, parts } = this.#repl;
    let { t } = positions.applied.opTime;
    for (const entry of batch) {
      applyEntry(core, entry, 'steady', parts);
      // A term's first entry is the no-op of its new primary.
      if (entry.opTime.t !== t) elections.last.newTerm = { startMs: entry.wallMs, appliedMs: core.now.wallMs };
      t = entry.opTime.t;
      elections.appliedOps(entry.operations.length);
    }
    const last = batch.at(-1)!;
    positions.applied = { opTime: last.opTime, wallMs: last.wallMs };
    core.markVersion(oplog.lowerBound(last.opTime.ts));
    if (core.tracing) {
      core.trace({
        type: 'applied',
        opTime: last.opTime,
        entries: batch.length,
        stable: positions.stable,
        dataHash: core.engine.dataHash(),
        batch,
      });
    }
    this.#repl.localOplog.truncateHead();
    this.#repl.onStableMoved();
    progress.positionsChanged();
    progress.report();
    this.#repl.tryBecomeSecondary();
    elections.catchUp.onApplied();
  }
}
