import { noopOperation } from '@replsim/oplog';
import type { Replication } from '../replication/replication.ts';

/**
 * The last stretch before a new primary writes: fetching ends, what was fetched is applied, the config takes over the
 * term, the first entry of the term is written.
 * Upstream: ReplicationCoordinatorImpl::signalDrainComplete.
 */
export class Drain {
  readonly #repl: Replication;
  #underWay = false;

  constructor(repl: Replication) {
    this.#repl = repl;
  }

  start(): void {
    const { replicator } = this.#repl;
    replicator.stop();
    this.#underWay = true;
    if (replicator.isIdle) this.#finish();
  }

  /** Everything that was fetched is applied. */
  onBufferEmpty(): void {
    if (this.#underWay) this.#finish();
  }

  /** The member does not lead any more. */
  abandon(): void {
    this.#underWay = false;
  }

  /** Becoming writable needs all locks, and waits for them. */
  #finish(): void {
    this.#repl.parts.fsyncLock.whenUnlocked(() => this.#finishUnlocked());
  }

  #finishUnlocked(): void {
    if (!this.#underWay) return;
    this.#underWay = false;
    const { elections, configuration, core, topology } = this.#repl;
    if (!elections.isDraining) return;
    const { term } = topology;
    if (core.traits.showsWrittenOpTime) core.log('I', 'REPL', 8938402, 'Oplog writer buffer drained', { term });
    core.log('I', 'REPL', 21239, 'Oplog applier buffer drained', { term });
    configuration.raiseTerm(() => this.#writeFirstEntry());
  }

  /** The first entry of the term; with it the member accepts writes. */
  #writeFirstEntry(): void {
    const { localOplog, progress, elections } = this.#repl;
    const entry = localOplog.writeEntry(noopOperation('new primary'));
    progress.firstOpTimeOfMyTerm = entry.opTime;
    elections.last.primaryship.newTermStartMs = entry.wallMs;
    elections.drained();
  }
}
