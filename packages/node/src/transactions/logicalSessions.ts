import {
  abandonedSessions,
  type LogicalSessionServices,
  type LogicalSessionStats,
  type Operation,
  type Scheduler,
  type SessionCatalog,
} from '@replsim/operations';
import { CommandError, type MemberState, type RunCommandReply, required } from '@replsim/protocol';
import { call } from '../core/call.ts';
import type { Core } from '../core/core.ts';
import { Threads } from '../core/threads.ts';
import {
  checkSessionsCollection,
  makeSessionsCollection,
  recordSessions,
  removeSessions,
  removeTransactionRows,
} from './sessionCollection.ts';

/** What the jobs ask of their member. */
export interface LogicalSessionsHost {
  readonly core: Core;
  readonly scheduler: Scheduler;
  readonly sessions: SessionCatalog;
  readonly parameters: { number(name: string): number; bool(name: string): boolean };
  /** Missing on a standalone. */
  readonly buildingSet: { readonly config: object | undefined; readonly primaryHost: string | undefined } | undefined;
  acceptsWrites(): boolean;
  memberState(): MemberState | 'STANDALONE';
  /** Runs a client's command on this member. Both BSON. */
  runForMember(command: Uint8Array, answer: (reply: Uint8Array) => void): void;
}

const TIMER = 'logicalSessions';

/**
 * Two jobs of each member of a set: one has the primary write down in `config.system.sessions` which sessions are in use here, the
 * other removes on the primary what sessions left in `config.transactions` that nobody uses any more. Both run every
 * `logicalSessionRefreshMillis`; the run that mongod makes when it starts finds no config, and is counted alone. Simplification: a
 * standalone writes nothing down. Upstream: logical_session_cache_impl.cpp, session_catalog_mongod.cpp.
 */
export class LogicalSessions implements LogicalSessionServices {
  readonly #host: LogicalSessionsHost;
  readonly #fire = (): void => this.#onTimer();
  readonly #underWay = new Set<string>();
  #stats: LogicalSessionStats | undefined;

  constructor(host: LogicalSessionsHost) {
    this.#host = host;
  }

  get stats(): LogicalSessionStats {
    const { core } = this.#host;
    const startedMs = core.dateOf(core.startedMicros).getTime();
    this.#stats ??= {
      refreshes: 1,
      refreshedAtMs: startedMs,
      refreshTookMs: 0,
      recorded: 0,
      ended: 0,
      reaps: 1,
      reapedAtMs: startedMs,
      reapTookMs: 0,
      reaped: 0,
    };
    return this.#stats;
  }

  start(): void {
    const { core, parameters, buildingSet } = this.#host;
    if (!buildingSet || !core.traits.systemCollections || parameters.bool('disableLogicalSessionCacheRefresh')) return;
    this.#arm();
  }

  *refresh(): Operation<void> {
    const { core, sessions } = this.#host;
    if (!this.#isInSet()) return;
    const startedMs = core.now.wallMs;
    const refreshes = this.stats.refreshes + 1;
    this.#note({ refreshes, refreshedAtMs: startedMs, refreshTookMs: 0, recorded: 0, ended: 0 });
    try {
      yield* this.#setUp();
      const { active, ended } = sessions.cache.unrecorded();
      yield* recordSessions(active, this.#send);
      yield* removeSessions(ended, this.#send);
      sessions.cache.recorded(active, ended);
      this.#note({ recorded: active.length, ended: ended.length });
    } catch (error) {
      this.#logFailure(error, 20714, 'Failed to refresh the session cache, will try again at the next interval');
    }
    this.#note({ refreshTookMs: core.now.wallMs - startedMs });
  }

  *reap(): Operation<void> {
    const { core, sessions, parameters } = this.#host;
    if (!this.#isInSet()) return;
    const startedMs = core.now.wallMs;
    this.#note({ reaps: this.stats.reaps + 1, reapedAtMs: startedMs, reapTookMs: 0, reaped: 0 });
    try {
      checkSessionsCollection(core.engine, sessions.timeoutMinutes);
    } catch (error) {
      this.#logFailure(error, 20712, 'The sessions collection is not set up, waiting until the next interval');
      return;
    }
    if (!this.#host.acceptsWrites()) return;
    try {
      const before = startedMs - parameters.number('TransactionRecordMinimumLifetimeMinutes') * 60_000;
      const abandoned = abandonedSessions(core.engine, before).filter(({ key }) => !this.#isInUse(key));
      yield* removeTransactionRows(abandoned, this.#sendHere);
      this.#note({ reaped: abandoned.length });
    } catch (error) {
      this.#logFailure(error, 20711, 'Failed to reap the transaction table');
    }
    this.#note({ reapTookMs: core.now.wallMs - startedMs });
  }

  /** The job wakes at whole multiples of its period since the process started. */
  #arm(): void {
    const { core, parameters } = this.#host;
    core.setTimer(TIMER, this.#fire, parameters.number('logicalSessionRefreshMillis') * 1000);
  }

  #onTimer(): void {
    this.#arm();
    this.#run(Threads.sessionRefresh, this.refresh());
    this.#run(Threads.sessionReap, this.reap());
  }

  /** One that takes longer than the period is not begun a second time. */
  #run(desc: string, job: Operation<void>): void {
    if (this.#underWay.has(desc)) return;
    this.#underWay.add(desc);
    const labels = { desc, ns: 'config.system.sessions', commandName: '', killable: 'never' } as const;
    this.#host.core.as(desc, () => this.#host.scheduler.run(labels, job, () => this.#underWay.delete(desc)));
  }

  /** Upstream: an arbiter writes nothing down, and keeps no session. */
  #isInSet(): boolean {
    if (this.#host.memberState() === 'ARBITER') this.#host.sessions.cache.clear();
    return this.#host.buildingSet !== undefined && this.#host.memberState() !== 'ARBITER';
  }

  #isInUse(key: string): boolean {
    return this.#host.scheduler.isUnderWay(({ session }) => session === key);
  }

  /** Members other than the primary check whether they have the primary's collection. */
  *#setUp(): Operation<void> {
    const { core, buildingSet, sessions } = this.#host;
    if (!buildingSet?.config) {
      throw new CommandError('NotYetInitialized', 'Replication has not yet been configured');
    }
    if (this.#host.acceptsWrites()) yield* makeSessionsCollection(core.engine, sessions.timeoutMinutes, this.#sendHere);
    else checkSessionsCollection(core.engine, sessions.timeoutMinutes);
  }

  /** To the current primary. */
  readonly #send = (command: Uint8Array): Operation<Uint8Array> =>
    this.#host.acceptsWrites() ? this.#sendHere(command) : this.#sendToPrimary(command);

  readonly #sendHere = function* (this: LogicalSessions, command: Uint8Array): Operation<Uint8Array> {
    const { core } = this.#host;
    let reply: Uint8Array | undefined;
    this.#host.runForMember(command, (answer) => {
      reply = answer;
      core.wake();
    });
    yield { type: 'wait', what: 'other', ready: () => reply !== undefined };
    return required(reply as Uint8Array | undefined, 'reply that was waited for');
  }.bind(this);

  *#sendToPrimary(command: Uint8Array): Operation<Uint8Array> {
    const { core, buildingSet } = this.#host;
    const primary = buildingSet?.primaryHost;
    if (primary === undefined || primary === core.host) {
      throw new CommandError('NotWritablePrimary', 'there is no primary to tell of sessions');
    }
    return (yield* call<RunCommandReply>(core, primary, 'admin', { runCommand: command })).reply;
  }

  #note(change: Partial<LogicalSessionStats>): void {
    this.#stats = { ...this.stats, ...change };
    this.#host.core.changed();
  }

  #logFailure(error: unknown, id: number, msg: string): void {
    if (!(error instanceof CommandError)) throw error;
    this.#host.core.log('I', 'CONTROL', id, msg, { error: `${error.codeName}: ${error.message}` });
  }
}
