import { type Operation, oldestUnfinishedChain, type Scheduler } from '@replsim/operations';
import type { Oplog, Positions } from '@replsim/oplog';
import { NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import { hangBefore } from '../core/hang.ts';
import { encodeMetadata } from './checkpointMetadata.ts';
import type { Journal } from './journal.ts';
import type { OplogCap } from './oplogCap.ts';

/** Upstream: storage.syncPeriodSecs. */
const CHECKPOINT_INTERVAL_MICROS = 60_000_000;
const PAUSED = { name: 'pauseCheckpointThread', desc: 'Checkpointer' } as const;

/** What a checkpoint is taken of. */
export interface CheckpointsHost {
  readonly journal: Journal;
  readonly scheduler: Scheduler;
  readonly oplog: Oplog;
  readonly oplogCap: OplogCap;
  /** Why this process writes nothing, if it does not. */
  readonly readOnly: string | undefined;
  /** Missing on a standalone. */
  readonly repl:
    | {
        readonly positions: Positions;
        /** The entries that recovery needs no more may go. */
        readonly localOplog: { truncateHead(): void };
        /** Storage's number for the newest kept data that are not newer than the stable optime. */
        stableVersion(): number;
      }
    | undefined;
}

/**
 * Writes the data at the stable optime to disk from time to time, so that recovery need not begin at the beginning.
 * Upstream: checkpointer.cpp.
 */
export class Checkpoints {
  readonly #core: Core;
  readonly #host: CheckpointsHost;
  #timerSet = false;
  #underWay = false;
  #pausing = false;
  #lastStable: OpTime = NULL_OP_TIME;
  #neededFrom: OpTime = NULL_OP_TIME;
  readonly #fire = (): void => this.#onTimer();

  constructor(core: Core, host: CheckpointsHost) {
    this.#core = core;
    this.#host = host;
  }

  /** The stable optime of the last checkpoint on disk: oplog entries after it are needed for recovery. */
  get lastStable(): OpTime {
    return this.#lastStable;
  }

  /**
   * What recovery needs begins no later than here: transactions whose end comes after `lastStable` begin before.
   * Upstream: transaction_participant.cpp, getOldestActiveTimestamp.
   */
  get neededFrom(): OpTime {
    return this.#neededFrom;
  }

  /** The last checkpoint is of this. @param data those that it holds */
  holds(stable: OpTime, data: ReadView): void {
    this.#lastStable = stable;
    this.#neededFrom = oldestUnfinishedChain(data) ?? stable;
  }

  /** Data changed: a checkpoint is due within the interval. */
  dirty(): void {
    if (this.#timerSet) return;
    this.#timerSet = true;
    this.#core.setTimer('checkpoint', this.#fire, CHECKPOINT_INTERVAL_MICROS);
  }

  #onTimer(): void {
    this.#timerSet = false;
    if (this.#underWay || this.#pausing) return this.dirty();
    this.#pausing = true;
    hangBefore(this.#core, this.#host.scheduler, PAUSED, () => {
      this.#pausing = false;
      if (this.#underWay) this.dirty();
      else this.take(() => {});
    });
  }

  /** Takes one at once and waits until it is on disk. */
  *takeNow(): Operation<void> {
    let done = false;
    this.take(() => {
      done = true;
      this.#core.wake();
    });
    yield { type: 'wait', what: 'journal', ready: () => done };
  }

  /**
   * The data as they are now; they are written once the journal holds everything that led to them.
   * @param then called once they are on disk, or at once where there is nothing to take
   */
  take(then: () => void): void {
    const { repl, journal, oplog, readOnly } = this.#host;
    const { engine } = this.#core;
    if (readOnly) return then();
    const version = repl ? repl.stableVersion() : Number.NaN;
    // A standalone leaves the oplog alone: what was stable stays so. So does what recovery began with.
    const stable = (repl && oplog.at(version))?.opTime ?? this.lastStable;
    // While data are copied there is nothing to return to: the checkpoint at the end of the copy is the first.
    if (repl && (repl.positions.initialSyncing || version < engine.versions.oldest)) {
      then();
      return;
    }
    const view = repl ? engine.checkpointView(version) : engine.snapshot();
    this.#underWay = true;
    const droppable = journal.segments.droppable(oplog.length === 0 ? undefined : oplog.first.ts);
    const metadata = encodeMetadata({
      stable,
      unreplicated: journal.unreplicatedCount,
      unreplicatedDropped: droppable.unreplicated,
      oplogSizeBytes: this.#host.oplogCap.changedToBytes,
    });
    journal.whenDurable(() => {
      const ticket = journal.ticket(() => {
        this.#underWay = false;
        this.holds(stable, view);
        journal.segments.dropped(droppable);
        this.#core.trace({ type: 'checkpointed', stable });
        repl?.localOplog.truncateHead();
        then();
      });
      const costMicros = this.#core.costs.checkpointMicros;
      const dropThroughSeq = droppable.throughSegment;
      this.#core.push({ type: 'writeCheckpoint', ticket, view, metadata, dropThroughSeq, costMicros });
    });
  }
}
