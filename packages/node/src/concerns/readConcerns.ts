import { noopOperation } from '@replsim/oplog';
import { CommandError, compareTimestamps, type OpTime } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import type { ReadConcernLevel, ReadConcernRequest } from '../commands/concerns.ts';
import type { Mongod } from '../mongod.ts';
import type { Operation } from '../operations/operation.ts';
import type { Replication } from '../replication/replication.ts';
import type { WriteConcerns } from './writeConcerns.ts';

/** Which data a read sees, and when it may. Upstream: read_concern_mongod.cpp. */
export class ReadConcerns {
  readonly #mongod: Mongod;
  readonly #writeConcerns: WriteConcerns;

  constructor(mongod: Mongod, writeConcerns: WriteConcerns) {
    this.#mongod = mongod;
    this.#writeConcerns = writeConcerns;
  }

  view(level: ReadConcernLevel): ReadView | undefined {
    const { repl, core } = this.#mongod;
    const committed = repl && (level === 'majority' || level === 'snapshot');
    if (!committed) return core.engine;
    if (!repl.positions.hasCommittedSnapshot) return undefined;
    const version = repl.stableVersion();
    return version < core.engine.versions.oldest ? undefined : core.engine.at(version);
  }

  *wait(request: ReadConcernRequest): Operation<void> {
    const { repl, core } = this.#mongod;
    if (!repl) return;
    const { afterClusterTime, level } = request;
    if (afterClusterTime) {
      if (compareTimestamps(afterClusterTime, core.clusterTime) > 0) {
        throw new CommandError(
          'InvalidOptions',
          'readConcern afterClusterTime value must not be greater than the current clusterTime',
        );
      }
      const reached = () => compareTimestamps(this.#readOpTime(repl, level).ts, afterClusterTime) >= 0;
      if (!reached() && repl.elections.acceptsWrites) repl.localOplog.writeEntry(noopOperation('afterClusterTime'));
      yield { type: 'wait', what: 'readConcern', ready: reached };
    }
    if (level === 'majority' || level === 'snapshot') {
      yield { type: 'wait', what: 'readConcern', ready: () => this.view(level) !== undefined };
    }
  }

  #readOpTime(repl: Replication, level: ReadConcernLevel): OpTime {
    return level === 'majority' || level === 'snapshot' ? repl.positions.stable : repl.positions.applied.opTime;
  }

  *confirmLinearizable(): Operation<void> {
    const { repl } = this.#mongod;
    if (!repl) return;
    if (!repl.elections.acceptsWrites) throw new CommandError('NotWritablePrimary', 'not primary');
    repl.localOplog.writeEntry(noopOperation('linearizable read'));
    const failure = yield* this.#writeConcerns.wait({ w: 'majority', wtimeoutMS: 0 });
    if (failure) throw new CommandError('InterruptedDueToReplStateChange', 'stepped down while waiting');
  }

  /** See `MemberServices.traceRead`: what a read is about to see, for the checkers. */
  trace({ level, afterClusterTime }: ReadConcernRequest, startedMicros: number): (() => void) | undefined {
    const { repl, core } = this.#mongod;
    const promises = level === 'majority' || level === 'snapshot' || level === 'linearizable' || afterClusterTime;
    if (!repl || !promises || !core.tracing) return undefined;
    const readAt = this.#readOpTime(repl, level);
    return () =>
      core.trace({ type: 'readAnswered', level, readAt, startedMicros, ...(afterClusterTime && { afterClusterTime }) });
  }
}
