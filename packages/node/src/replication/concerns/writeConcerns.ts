import { type Operation, pauseWhileSet, type WriteConcernRequest } from '@replsim/operations';
import { type Quorum, quorumOf, quorumReached, type Unsatisfiable, type WriteConcern } from '@replsim/oplog';
import type { Reply } from '@replsim/pipeline';
import {
  CommandError,
  compareOpTimes,
  ErrorCodes,
  isNullOpTime,
  type OpTime,
  type ReplSetConfig,
  type Term,
  UNINITIALIZED_TERM,
  type WriteConcernW,
} from '@replsim/protocol';
import type { Replication } from '../replication.ts';
import type { ConcernsHost } from './concernsHost.ts';

const HANG = 'hangBeforeWaitingForWriteConcern';
const TEN_MINUTES_MS = 600_000;

/**
 * Waits until enough members have what was written.
 * Upstream: write_concern.cpp; ReplicationCoordinatorImpl::awaitReplication and _doneWaitingForReplication.
 */
export class WriteConcerns {
  readonly #host: ConcernsHost;

  constructor(host: ConcernsHost) {
    this.#host = host;
  }

  /** A client's write concern with the defaults filled in. */
  resolve(request: WriteConcernRequest | undefined): WriteConcern {
    const { repl, defaults } = this.#host;
    const config = repl?.topology.config;
    if (request) {
      const { w = 1, j, wtimeoutMS, provenance = 'clientSupplied' } = request;
      return { w, j: j ?? this.#journals(w, config), wtimeoutMS, provenance };
    }
    if (!repl) return { w: 1, j: false, wtimeoutMS: 0, provenance: 'implicitDefault' };
    const { w, j, wtimeout, isCustom } = defaults.writeConcern(config);
    const provenance = isCustom ? 'customDefault' : 'implicitDefault';
    return { w, j: j ?? this.#journals(w, config), wtimeoutMS: wtimeout, provenance };
  }

  /**
   * As the log and the profiler show it; undefined where a standalone is asked for nothing.
   * Upstream: write_concern_options.cpp, WriteConcernOptions::toBSON.
   */
  shown(request: WriteConcernRequest | undefined): Reply | undefined {
    const { repl, defaults } = this.#host;
    if (!repl && !request) return undefined;
    const { w, wtimeoutMS, provenance } = this.resolve(request);
    const { j } = request ?? defaults.stored?.defaultWriteConcern ?? {};
    return { w, ...(j !== undefined && { j }), wtimeout: wtimeoutMS, provenance };
  }

  /** Where `j` is not given, only a majority journals. Upstream: populateUnsetWriteConcernOptionsSyncMode. */
  #journals(w: WriteConcernW, config: ReplSetConfig | undefined): boolean {
    return w === 'majority' && (config?.writeConcernMajorityJournalDefault ?? true);
  }

  /**
   * Waits for the newest write of the operation that runs now; for the member's newest entry if it wrote nothing, since
   * the client may be told of what others wrote before.
   * @returns the `writeConcernError`, or undefined if the write concern holds
   */
  *wait(request: WriteConcernRequest | undefined): Operation<Reply | undefined> {
    const { core, repl, scheduler } = this.#host;
    if (core.failPoints.areConfigured) {
      const interruption = yield* interruptionOf(pauseWhileSet(core, HANG, { uninterrupted: true }));
      if (interruption) return this.#failure(interruption, this.resolve(request));
    }
    if (!repl) return yield* this.#awaitJournal(request?.j ?? false);
    const concern = this.resolve(request);
    const opTime = scheduler.running?.lastOpTime ?? repl.positions.written.opTime;
    const ended = this.#counted(opTime, concern);
    try {
      yield* this.#until(repl, opTime, concern);
      ended(0);
      this.#trace(opTime, concern.w);
      return undefined;
    } catch (error) {
      // The write is done, so whatever ends the wait is a failed write concern and no failed command.
      if (!(error instanceof CommandError)) throw error;
      ended(error.code);
      return this.#failure(error, concern);
    }
  }

  /** A wait begins. @returns what to call at its end, with the code; a wait that asks no other member does not count */
  #counted(opTime: OpTime, { w, provenance }: WriteConcern): (code: number) => void {
    const { core, counters } = this.#host;
    if (isNullOpTime(opTime) || (typeof w === 'number' && w <= 1)) return () => {};
    const startedMicros = core.now.monotonicMicros;
    const isClients = provenance === 'clientSupplied';
    return (code) =>
      counters.writeConcerns.waited({ millis: (core.now.monotonicMicros - startedMicros) / 1000, code, isClients });
  }

  /**
   * Waits until a majority has what the operation that runs now has written, and then as its write concern asks; for each as long as
   * its `wtimeout` says, or ten minutes if it gave no write concern. Throws what ended the wait. Upstream: drop_database.cpp.
   */
  *waitForMajorityAnd(request: WriteConcernRequest | undefined): Operation<void> {
    const { repl, scheduler } = this.#host;
    const opTime = scheduler.running?.lastOpTime;
    if (!repl || !opTime) return;
    const own = this.resolve(request);
    const wtimeoutMS = own.provenance === 'implicitDefault' ? TEN_MINUTES_MS : own.wtimeoutMS;
    yield* this.#until(repl, opTime, this.resolve({ w: 'majority', wtimeoutMS }));
    yield* this.#until(repl, opTime, own);
  }

  /** Waits, without limit, until a majority has an entry. Throws PrimarySteppedDown 189. */
  *awaitMajority(opTime: OpTime): Operation<void> {
    const { repl } = this.#host;
    if (repl) yield* this.#until(repl, opTime, this.resolve({ w: 'majority', wtimeoutMS: 0 }));
  }

  /** Throws what `writeConcernError` says. */
  *#until(repl: Replication, opTime: OpTime, { w, j, wtimeoutMS }: WriteConcern): Operation<void> {
    if (isNullOpTime(opTime)) return;
    if (typeof w === 'number' && w <= 1) {
      // Nobody else is asked, so it does not matter who is primary.
      if (j) yield* this.#awaitJournal(true);
      return;
    }
    const quorum = new Wanted(repl, w);
    if (w === 'majority' || j) this.#host.journal.requestFlush();
    const fate = () => steppedDown(repl.elections.isLeader, repl.topology.term, opTime) ?? quorum.refusal();
    const holds = () => isMet(repl, quorum.get(), w, opTime, j);
    const verdict = () => fate() !== undefined || holds();
    const { now } = this.#host.core;
    const limited = wtimeoutMS !== 0 && { deadlineMicros: now.monotonicMicros + Math.max(wtimeoutMS, 0) * 1000 };
    yield { type: 'wait', what: 'writeConcern', ready: verdict, ...limited };
    const failed = fate();
    if (failed) throw failed;
    if (!holds()) throw new CommandError('WriteConcernFailed', 'waiting for replication timed out');
  }

  #failure({ code, codeName, message: errmsg }: CommandError, concern: WriteConcern): Reply {
    const { w, j, wtimeoutMS: wtimeout, provenance } = concern;
    const timedOut = code === ErrorCodes.WriteConcernFailed;
    return {
      code,
      codeName: timedOut ? this.#host.core.traits.writeConcernTimeoutName : codeName,
      errmsg,
      errInfo: { ...(timedOut && { wtimeout: true }), writeConcern: { w, j, wtimeout, provenance } },
    };
  }

  #trace(opTime: OpTime, w: WriteConcernW): void {
    const shown = typeof w === 'object' ? JSON.stringify(w) : w;
    const { running } = this.#host.scheduler;
    if (running) running.metConcern = shown;
    this.#host.core.trace({ type: 'writeAcknowledged', opTime, w: shown, majority: w === 'majority' });
  }

  *#awaitJournal(j: boolean): Operation<undefined> {
    if (!j) return undefined;
    let durable = false;
    this.#host.journal.whenDurable(() => {
      durable = true;
    });
    // It holds no locks, so a step-down lets it wait on.
    yield { type: 'wait', what: 'writeConcern', ready: () => durable };
    return undefined;
  }
}

/** What ended an operation in a pause, if anything did. */
function* interruptionOf(pause: Operation<void>): Operation<CommandError | undefined> {
  try {
    yield* pause;
    return undefined;
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
}

/** What `w` asks for, evaluated again if a config was installed meanwhile. */
class Wanted {
  readonly #repl: Replication;
  readonly #w: WriteConcernW;
  #config: ReplSetConfig | undefined;
  #answer: Quorum | Unsatisfiable = { of: 'members', count: 1 };

  constructor(repl: Replication, w: WriteConcernW) {
    this.#repl = repl;
    this.#w = w;
  }

  refusal(): CommandError | undefined {
    const answer = this.#look();
    return 'code' in answer ? new CommandError(answer.code, answer.errmsg) : undefined;
  }

  get(): Quorum {
    const answer = this.#look();
    return 'code' in answer ? { of: 'members', count: Infinity } : answer;
  }

  #look(): Quorum | Unsatisfiable {
    const { config } = this.#repl.topology;
    if (config && config !== this.#config) {
      this.#config = config;
      this.#answer = quorumOf(config, this.#w);
    }
    return this.#answer;
  }
}

/**
 * Why nobody can promise anything about a write any more; undefined while its primary is still that. Terms are compared, so
 * that a member which was elected again meanwhile has stepped down all the same.
 */
export function steppedDown(isLeader: boolean, term: Term, opTime: OpTime): CommandError | undefined {
  if (!isLeader) {
    return new CommandError('PrimarySteppedDown', 'Primary stepped down while waiting for replication');
  }
  // The first entry of a set has no term.
  if (opTime.t === term || opTime.t === UNINITIALIZED_TERM) return undefined;
  return new CommandError(
    'PrimarySteppedDown',
    `Term changed from ${opTime.t} to ${term} while waiting for replication, indicating that this node must have stepped down.`,
  );
}

function isMet(repl: Replication, quorum: Quorum, w: WriteConcernW, opTime: OpTime, j: boolean): boolean {
  if (j && compareOpTimes(repl.positions.durable.opTime, opTime) < 0) return false;
  if (w === 'majority') {
    if (compareOpTimes(repl.positions.stable, opTime) < 0) return false;
    // The commit point says that a majority has it, journalled if that is what the config counts.
    if (!j || repl.topology.config?.writeConcernMajorityJournalDefault) return true;
  }
  return quorumReached(quorum, repl.progress.knownPositions(), opTime, j);
}
