import { compareOpTimes, isNullOpTime, maxOpTime, NULL_OP_TIME, type OpTime } from '@replsim/protocol';

/** An opTime with the wall clock of its writer, ms since 1970. */
export interface OpTimeAndWall {
  readonly opTime: OpTime;
  readonly wallMs: number;
}

export const NULL_POSITION: OpTimeAndWall = Object.freeze({ opTime: NULL_OP_TIME, wallMs: 0 });

/**
 * How far this member is. `durable ≤ written` and `applied ≤ written`; between the first two there is no order since 8.0,
 * and before it `durable ≤ applied`.
 * Upstream: TopologyCoordinator's MemberData of oneself, and lastCommittedOpTimeAndWallTime.
 */
export class Positions {
  readonly #writtenCounts: boolean;
  written: OpTimeAndWall = NULL_POSITION;
  applied: OpTimeAndWall = NULL_POSITION;
  durable: OpTimeAndWall = NULL_POSITION;
  commitPoint: OpTimeAndWall = NULL_POSITION;
  /** Below it nothing is ever rolled back to: what an initial sync or `replSetInitiate` began with. */
  initialData: OpTime = NULL_OP_TIME;
  /** Data are not consistent before everything up to here is applied: `local.replset.minvalid`. */
  minValid: OpTime = NULL_OP_TIME;
  #droppedAt: OpTime | undefined;
  /** Where everything was when it was last reset. */
  #resetAt = { applied: NULL_OP_TIME, commitPoint: NULL_OP_TIME };
  /** While data are copied nothing in them is stable. */
  initialSyncing = false;
  /** Grows when positions go back: what was on its way then says nothing any more. */
  epoch = 0;

  /** @param writtenCounts whether an entry counts for others once it is written; before 8.0 it had to be applied */
  constructor(writtenCounts = true) {
    this.#writtenCounts = writtenCounts;
  }

  /** What votes, commit point and write concerns know as written, and a journal flush that begins now makes durable. */
  get counted(): OpTimeAndWall {
    return this.#writtenCounts ? this.written : this.applied;
  }

  /** As it is reported to others, and counted here. */
  get told(): Pick<Positions, 'written' | 'applied' | 'durable'> {
    if (this.#writtenCounts) return this;
    return { written: this.applied, applied: this.applied, durable: this.durable };
  }

  /** After a restart or a rollback everything is known to be at one place. */
  reset(position: OpTimeAndWall): void {
    this.epoch += 1;
    this.written = position;
    this.applied = position;
    this.durable = position;
    this.#resetAt = { applied: position.opTime, commitPoint: this.commitPoint.opTime };
  }

  /** A config changed what committed means: no majority reads until something is committed under the new one. */
  dropCommittedSnapshot(): void {
    this.#droppedAt = this.commitPoint.opTime;
  }

  /**
   * Whether there is a committed snapshot to read from. A restart and a rollback leave none until the commit point or the
   * data move on. Upstream: _currentCommittedSnapshot, _setStableTimestampForStorage.
   */
  get hasCommittedSnapshot(): boolean {
    const { opTime } = this.commitPoint;
    if (isNullOpTime(opTime)) return false;
    // What an initial sync copied may be ahead of what is committed.
    if (compareOpTimes(opTime, this.initialData) < 0) return false;
    if (this.#droppedAt !== undefined && compareOpTimes(opTime, this.#droppedAt) <= 0) return false;
    const { applied, commitPoint } = this.#resetAt;
    return compareOpTimes(this.applied.opTime, applied) > 0 || compareOpTimes(opTime, commitPoint) > 0;
  }

  /**
   * The stable optime: data up to here will never be rolled back. Null while there is no commit point. It may lag behind
   * that, as what the others have committed is not in these data before it is applied here, and a checkpoint is made of data.
   * Upstream: ReplicationCoordinatorImpl::_recalculateStableOpTime.
   */
  get stable(): OpTime {
    const { commitPoint, applied, initialData } = this;
    if (this.initialSyncing) return NULL_OP_TIME;
    if (compareOpTimes(commitPoint.opTime, NULL_OP_TIME) === 0) return initialData;
    const stable = compareOpTimes(commitPoint.opTime, applied.opTime) <= 0 ? commitPoint.opTime : applied.opTime;
    return maxOpTime(stable, initialData);
  }
}

/** The later of what is known and what is heard. */
export function forward(known: OpTimeAndWall, opTime: OpTime, wallMs: number): OpTimeAndWall {
  return compareOpTimes(opTime, known.opTime) > 0 ? { opTime, wallMs } : known;
}
