import { recordTransaction, unfinishedChains } from '@replsim/operations';
import { noopOperation } from '@replsim/oplog';
import { type FailPointName, UNINITIALIZED_TERM } from '@replsim/protocol';
import { hangBefore } from '../core/hang.ts';
import { Threads } from '../core/threads.ts';
import { createSessionCollections } from '../data/systemCollections.ts';
import type { ElectionHost } from './electionHost.ts';

/**
 * The last stretch before a new primary writes: fetching ends, what was fetched is applied, the config takes over the
 * term, the first entry of the term is written. A write that did not wait for it would be judged by data that are not the newest,
 * and stand in the oplog behind entries that it did not see. Upstream: ReplicationCoordinatorImpl::signalDrainComplete.
 */
export class Drain {
  readonly #host: ElectionHost;
  #underWay = false;

  constructor(host: ElectionHost) {
    this.#host = host;
  }

  start(): void {
    const { core, replicator } = this.#host;
    core.log('I', 'REPL', 21107, 'Stopping replication producer');
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
    const { core, fsyncLock } = this.#host;
    fsyncLock.whenUnlocked(() => core.as(Threads.applier, () => this.#finishUnlocked()));
  }

  #finishUnlocked(): void {
    if (!this.#underWay) return;
    this.#underWay = false;
    const { elections, core, topology } = this.#host;
    if (!elections.isDraining) return;
    const { term } = topology;
    if (core.traits.showsWrittenOpTime) {
      core.log('I', 'REPL', 8938402, 'Oplog writer buffer drained', { term }, Threads.writer);
    }
    core.log('I', 'REPL', 21239, 'Oplog applier buffer drained', { term }, Threads.batcher);
    this.#hangBefore('hangBeforeRSTLOnDrainComplete', () => this.#raiseTerm());
  }

  /** A config that was forced has no term, and none to raise. */
  #raiseTerm(): void {
    const { configuration, killer, topology } = this.#host;
    killer.killConflicting('stepUp');
    const raise = () =>
      configuration.raiseTerm(() =>
        this.#hangBefore('hangAfterReconfigOnDrainComplete', () => this.#writeFirstEntry()),
      );
    if (topology.configInForce.term === UNINITIALIZED_TERM) raise();
    else this.#hangBefore('hangBeforeReconfigOnDrainComplete', raise);
  }

  /** If the member was deposed while it was held, it does not continue, and a later term is not held by this. */
  #hangBefore(name: FailPointName, then: () => void): void {
    const { core, elections, scheduler, topology } = this.#host;
    const { term } = topology;
    hangBefore(core, scheduler, { name, desc: Threads.applier }, () => {
      if (elections.isDraining && topology.term === term) then();
    });
  }

  /**
   * The first entry of the term; with it the member accepts writes. It says nothing and is needed: entries of older terms are
   * committed only together with one of this term, and on an idle set there would be none.
   */
  #writeFirstEntry(): void {
    const { core, localOplog, positions, progress, elections } = this.#host;
    progress.myTermFollows = positions.written.opTime;
    core.log('I', 'REPL', 6015310, 'Starting to transition to primary');
    core.log('I', 'REPL', 6015309, 'Writing the first entry of the term');
    this.#abortUnfinished();
    createSessionCollections(this.#host);
    const entry = localOplog.writeEntry(noopOperation('new primary'));
    progress.firstOpTimeOfMyTerm = entry.opTime;
    elections.last.primaryship.newTermStartMs = entry.wallMs;
    elections.drained();
  }

  /**
   * Of a transaction that took several entries the old primary may have died before its followers had the last: nobody will
   * write that now. Upstream: MongoDSessionCatalog::onStepUp, abortInProgressTransactions.
   */
  #abortUnfinished(): void {
    const { core, localOplog } = this.#host;
    for (const { lsid, txnNumber, lastWriteOpTime } of unfinishedChains(core.engine)) {
      recordTransaction(core.engine, localOplog.logAbort({ lsid, txnNumber }, lastWriteOpTime));
      localOplog.committedLocally();
    }
  }
}
