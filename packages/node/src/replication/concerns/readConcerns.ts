import type { Operation, ReadConcernRequest } from '@replsim/operations';
import { maxTimestamp, noopOperation } from '@replsim/oplog';
import {
  CommandError,
  compareOpTimes,
  compareTimestamps,
  NULL_OP_TIME,
  type OpTime,
  type Timestamp,
} from '@replsim/protocol';
import { CommittedView, type ReadView } from '@replsim/storage';
import type { Replication } from '../replication.ts';
import type { ConcernsHost } from './concernsHost.ts';
import type { WriteConcerns } from './writeConcerns.ts';

/** Which data a read sees, and when it may. Upstream: read_concern_mongod.cpp, waitForReadConcernImpl. */
export class ReadConcerns {
  readonly #host: ConcernsHost;
  readonly #writeConcerns: WriteConcerns;

  constructor(host: ConcernsHost, writeConcerns: WriteConcerns) {
    this.#host = host;
    this.#writeConcerns = writeConcerns;
  }

  /** The data as the read concern wants them; undefined while nothing is committed. */
  view({ level, atClusterTime }: ReadConcernRequest): ReadView | undefined {
    const { repl, core } = this.#host;
    if (!repl || !readsCommitted(level)) return core.engine;
    if (atClusterTime) return new CommittedView(repl.history.at(atClusterTime), core.engine);
    if (!repl.positions.hasCommittedSnapshot) return undefined;
    const version = repl.stableVersion();
    if (version < core.engine.versions.oldest) return undefined;
    return new CommittedView(core.engine.at(version), core.engine);
  }

  /**
   * Waits until the data that the read concern asks for are there.
   * Errors: NotAReplicaSet 123, NotWritablePrimary 10107, IllegalOperation 20, InvalidOptions 72, SnapshotUnavailable 246,
   * SnapshotTooOld 239.
   * @returns the read concern, with the time of its snapshot if it reads at one
   */
  *wait(request: ReadConcernRequest): Operation<ReadConcernRequest> {
    const { repl } = this.#host;
    this.#check(request);
    if (!repl) return request;
    const { afterClusterTime, atClusterTime, afterOpTime, level } = request;
    const target = afterClusterTime ?? atClusterTime;
    if (target) yield* waitFor(() => compareTimestamps(readableUpTo(repl, level).ts, target) >= 0);
    if (afterOpTime) yield* waitFor(() => compareOpTimes(readableUpTo(repl, level), afterOpTime) >= 0);
    if (level === 'majority') yield* waitFor(() => this.view(request) !== undefined);
    if (level !== 'snapshot') return request;
    if (!atClusterTime && !this.view(request)) {
      throw new CommandError('SnapshotUnavailable', 'No committed OpTime for snapshot read');
    }
    const at = atClusterTime ?? newestSnapshot(repl);
    repl.history.at(at);
    return { ...request, atClusterTime: at };
  }

  #check({ level, afterClusterTime, atClusterTime }: ReadConcernRequest): void {
    const { repl, core } = this.#host;
    const target = afterClusterTime ?? atClusterTime;
    const name = afterClusterTime ? 'afterClusterTime' : 'atClusterTime';
    if (!repl) {
      if (level === 'linearizable') {
        throw new CommandError('NotAReplicaSet', 'node needs to be a replica set member to use read concern');
      }
      if (level === 'snapshot') {
        throw new CommandError('NotAReplicaSet', 'node needs to be a replica set member to use readConcern: snapshot');
      }
      if (!target) return;
      throw new CommandError('IllegalOperation', `Cannot specify ${name} readConcern without replication enabled`);
    }
    if (!repl.topology.config) checkUninitiated(level, target !== undefined);
    if (level === 'linearizable' && repl.topology.state !== 'PRIMARY') {
      throw new CommandError('NotWritablePrimary', 'cannot satisfy linearizable read concern on non-primary node');
    }
    if (!target) return;
    // An arbiter has no data, and so no time.
    const hasTime = repl.topology.state !== 'ARBITER';
    const clusterTime = maxTimestamp(core.clusterTime, repl.positions.written.opTime.ts);
    if (hasTime && compareTimestamps(target, clusterTime) <= 0) return;
    throw new CommandError(
      'InvalidOptions',
      `readConcern ${name} value must not be greater than the current clusterTime. ` +
        `Requested clusterTime: ${show(target)}; current clusterTime: ${show(clusterTime)}`,
    );
  }

  /**
   * After a linearizable read: writes a no-op and waits for a majority to have it. That this member was primary when the data were
   * read proves nothing, as others may have elected somebody whom it cannot hear; a majority that takes an entry from it now had not.
   * Errors: NotWritablePrimary 10107, InterruptedDueToReplStateChange 11602.
   * Upstream: read_concern_mongod.cpp, waitForLinearizableReadConcernImpl.
   */
  *confirmLinearizable(): Operation<void> {
    const { repl } = this.#host;
    if (!repl) return;
    if (!repl.elections.acceptsWrites) {
      throw new CommandError('NotWritablePrimary', 'No longer primary when waiting for linearizable read concern');
    }
    yield* this.#host.fsyncLock.wait();
    const { opTime } = repl.localOplog.writeEntry(noopOperation('linearizable read'));
    try {
      yield* this.#writeConcerns.awaitMajority(opTime);
    } catch (error) {
      if (!(error instanceof CommandError) || error.codeName !== 'PrimarySteppedDown') throw error;
      throw new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted');
    }
  }

  /** See `MemberServices.traceRead`: what a read is about to see, for the checkers. */
  trace(request: ReadConcernRequest, startedMicros: number): (() => void) | undefined {
    const { level, afterClusterTime, atClusterTime } = request;
    const { repl, core } = this.#host;
    const promises = readsCommitted(level) || level === 'linearizable' || afterClusterTime;
    if (!repl || !promises || !core.tracing) return undefined;
    const readAt = readableUpTo(repl, level);
    const snapshot = atClusterTime && this.view(request);
    const opTime = this.readsUpTo(request);
    return () => {
      core.trace({ type: 'readAnswered', level, readAt, startedMicros, ...(afterClusterTime && { afterClusterTime }) });
      if (snapshot && opTime) core.trace({ type: 'snapshotRead', opTime, dataHash: snapshot.dataHash() });
    };
  }

  /** The newest entry of the data that a read is to see, at a time that it names or now; undefined where there is no oplog. */
  readsUpTo({ atClusterTime }: ReadConcernRequest): OpTime | undefined {
    const { repl } = this.#host;
    if (!atClusterTime) return repl?.positions.applied.opTime;
    return repl?.oplog.at(repl.oplog.lastIndexUpTo(atClusterTime))?.opTime;
  }
}

/** Nothing will ever be committed on a member of no set, nor has it a time. Upstream: read_concern_mongod.cpp, waitForReadConcernImpl. */
function checkUninitiated(level: ReadConcernRequest['level'], hasTarget: boolean): void {
  if (hasTarget)
    throw new CommandError('NotPrimaryOrSecondary', 'a member that belongs to no replica set yet has no cluster time');
  if (readsCommitted(level))
    throw new CommandError('NotYetInitialized', `Cannot use readConcern ${level} before the replica set is initiated`);
}

function readsCommitted(level: ReadConcernRequest['level']): boolean {
  return level === 'majority' || level === 'snapshot';
}

/**
 * Up to where a read of this level sees the data. They are kept as they were between batches: where the stable optime lies
 * within a batch, a committed read sees what was before it. What an initial sync has copied is stable for this member, which can
 * go back to nothing before it, and may yet be known to no majority.
 */
function readableUpTo(repl: Replication, level: ReadConcernRequest['level']): OpTime {
  if (!readsCommitted(level)) return repl.positions.applied.opTime;
  if (!repl.positions.hasCommittedSnapshot) return NULL_OP_TIME;
  return repl.oplog.at(repl.stableVersion())?.opTime ?? NULL_OP_TIME;
}

function* waitFor(ready: () => boolean): Operation<void> {
  yield { type: 'wait', what: 'readConcern', ready };
}

/** The time of the newest committed data that are kept; on a secondary the end of a batch. */
function newestSnapshot(repl: Replication): Timestamp {
  return repl.oplog.at(repl.stableVersion())?.opTime.ts ?? repl.positions.stable.ts;
}

function show({ t, i }: Timestamp): string {
  return `Timestamp(${t}, ${i})`;
}
