import type { Operation } from '@replsim/database';
import { NULL_OP_TIME, type OpTime } from '@replsim/protocol';
import type { Core } from '../core/core.ts';
import type { MemberParts } from '../mongod.ts';
import { encodeMetadata } from './checkpointMetadata.ts';

/** Upstream: storage.syncPeriodSecs. */
const CHECKPOINT_INTERVAL_MICROS = 60_000_000;

/**
 * Writes the data at the stable optime to disk from time to time, so that recovery need not begin at the beginning.
 * Upstream: checkpointer.cpp.
 */
export class Checkpoints {
  readonly #core: Core;
  readonly #parts: MemberParts;
  #timerSet = false;
  #underWay = false;
  /** The stable optime of the last checkpoint on disk: oplog entries after it are needed for recovery. */
  lastStable: OpTime = NULL_OP_TIME;

  constructor(core: Core, parts: MemberParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /** Data changed: a checkpoint is due within the interval. */
  dirty(): void {
    if (this.#timerSet) return;
    this.#timerSet = true;
    this.#core.setTimer('checkpoint', CHECKPOINT_INTERVAL_MICROS);
  }

  onTimer(): void {
    this.#timerSet = false;
    if (this.#underWay) this.dirty();
    else this.#take(() => {});
  }

  /** Takes one at once and waits until it is on disk. */
  *takeNow(): Operation<void> {
    let done = false;
    this.#take(() => {
      done = true;
      this.#core.wake();
    });
    yield { type: 'wait', what: 'journal', ready: () => done };
  }

  /** The data as they are now; they are written once the journal holds everything that led to them. */
  #take(then: () => void): void {
    const { repl, journal, oplog, readOnly } = this.#parts;
    const { engine } = this.#core;
    if (readOnly) return then();
    const version = repl ? repl.stableVersion() : Number.NaN;
    // A standalone leaves the oplog alone: what was stable stays so. So does what recovery began with.
    const stable = repl?.oplog.at(version)?.opTime ?? this.lastStable;
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
      oplogSizeBytes: this.#parts.oplogCap.changedToBytes,
    });
    journal.whenDurable(() => {
      const ticket = journal.ticket(() => {
        this.#underWay = false;
        this.lastStable = stable;
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
