import {
  BucketCatalog,
  ConcernDefaults,
  Connections,
  CursorStore,
  FsyncLock,
  ParameterStore,
  Profiler,
  parametersOf,
  ServerCounters,
  SessionCatalog,
} from '@replsim/database';
import type { Oplog } from '@replsim/oplog';
import {
  type CloneCommand,
  type ClonerListIndexesCommand,
  type ClonerQueryCommand,
  ErrorCodes,
  type ErrorReply,
  type HeartbeatCommand,
  InvariantError,
  type MemberReply,
  type MemberRequest,
  type MemberState,
  type Now,
  NULL_OP_TIME,
  type OplogFindCommand,
  type OplogGetMoreCommand,
  type OplogProbeCommand,
  type OplogScanCommand,
  type OpTime,
  type ReplSetConfig,
  type RequestVotesCommand,
  type UpdatePositionCommand,
} from '@replsim/protocol';
import type { DiskFile, StorageEngine } from '@replsim/storage';
import { ClientCommands } from './clientCommands.ts';
import { Core, type StartupOptions } from './core/core.ts';
import { dieOfDisk } from './core/diskFailure.ts';
import type { MongodEffect, MongodEvent } from './core/events.ts';
import { Scheduler } from './core/scheduler.ts';
import { Checkpoints } from './data/checkpoints.ts';
import { Journal } from './data/journal.ts';
import { LocalDocuments } from './data/local.ts';
import { Writes } from './data/writes.ts';
import { fsyncLockChanged, remindOfFsyncLock } from './fsync/lockChanges.ts';
import { IndexBuilds } from './indexBuilds/indexBuilds.ts';
import { onVote } from './indexBuilds/votes.ts';
import { logListening, logSignal, logStart } from './processLog.ts';
import { ConsistencyMarkers } from './replication/consistencyMarkers.ts';
import { OplogCap } from './replication/oplogCap.ts';
import { RelaxedConstraints } from './replication/relaxedConstraints.ts';
import { Replication } from './replication/replication.ts';
import { Shutdown } from './shutdown/shutdown.ts';
import { logStartupWarnings } from './startupWarnings.ts';
import { timersOf } from './timers.ts';
import { TtlMonitor } from './ttl/ttlMonitorThread.ts';
import { UserWriteBlock } from './writeBlock/userWriteBlock.ts';

/** What the handshake of a new fetcher is told, so that it looks for another source; who fetches already goes on. */
const QUIESCING: ErrorReply = {
  ok: 0,
  code: ErrorCodes.ShutdownInProgress,
  errmsg: 'Replication coordinator is in quiesce mode',
};

/** What a process found on its disk. */
export interface Recovered {
  /** `local.system.replset` holds a document: these are a replica set's data. */
  readonly hasReplSetConfig: boolean;
  readonly lastApplied: OpTime;
  readonly config?: ReplSetConfig | undefined;
  readonly initialSyncUnfinished?: boolean;
}

/** The parts of one mongod, which know each other through this. */
export interface MemberParts {
  readonly journal: Journal;
  readonly local: LocalDocuments;
  readonly scheduler: Scheduler;
  readonly fsyncLock: FsyncLock;
  readonly userWriteBlock: UserWriteBlock;
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly ttl: TtlMonitor;
  readonly indexBuilds: IndexBuilds;
  readonly cursors: CursorStore;
  readonly parameters: ParameterStore;
  readonly shutdown: Shutdown;
  /** Missing on a standalone. */
  readonly repl: Replication | undefined;
  readonly oplog: Oplog;
  readonly oplogCap: OplogCap;
  readonly rollbackFiles: DiskFile[];
  readonly consistencyMarkers: ConsistencyMarkers;
  readonly counters: ServerCounters;
  readonly profiler: Profiler;
  readonly sessions: SessionCatalog;
  readonly connections: Connections;
  readonly defaults: ConcernDefaults;
  readonly relaxed: RelaxedConstraints;
  /** Ends the connections of all clients, as a rollback does. */
  closeClientConnections(): void;
  /** Why this process writes nothing to its data, if it does not. */
  readonly readOnly: 'queryableBackup' | 'recoveredFromOplog' | undefined;
  memberState(): MemberState | 'STANDALONE';
  acceptsWrites(): boolean;
  acceptsWritesFor(db: string): boolean;
}

/**
 * One mongod. Everything that happens to it comes in by `step`, everything that it does goes out as effects: it reads
 * no clock, draws no number and touches no disk.
 */
export class Mongod implements MemberParts {
  readonly core: Core;
  readonly journal: Journal;
  readonly local: LocalDocuments;
  readonly consistencyMarkers: ConsistencyMarkers;
  readonly scheduler: Scheduler;
  readonly fsyncLock = new FsyncLock(() => fsyncLockChanged(this));
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly ttl: TtlMonitor;
  readonly indexBuilds: IndexBuilds;
  readonly cursors: CursorStore;
  /** The buckets of time series that are open on this member. */
  readonly bucketCatalog = new BucketCatalog();
  readonly parameters: ParameterStore;
  readonly repl: Replication | undefined;
  readonly counters = new ServerCounters();
  readonly profiler: Profiler;
  readonly relaxed: RelaxedConstraints;
  readonly sessions: SessionCatalog;
  readonly connections: Connections;
  readonly defaults: ConcernDefaults;
  readonly userWriteBlock: UserWriteBlock;
  readonly clients: ClientCommands;
  readonly shutdown = new Shutdown(this);
  readonly #timers = timersOf(this, () => remindOfFsyncLock(this));
  readonly oplog: Oplog;
  readonly oplogCap: OplogCap;
  /** What rollbacks removed, of earlier processes too. */
  readonly rollbackFiles: DiskFile[] = [];
  /** What the disk gave back; set before the first event. */
  recovered: Recovered = { hasReplSetConfig: false, lastApplied: NULL_OP_TIME };

  constructor(options: StartupOptions, engine: StorageEngine, oplog: Oplog) {
    this.oplog = oplog;
    this.oplogCap = new OplogCap(options);
    this.core = new Core(options, engine);
    this.relaxed = new RelaxedConstraints(this.core);
    this.journal = new Journal(this.core);
    this.local = new LocalDocuments(this.core, this.journal);
    this.consistencyMarkers = new ConsistencyMarkers(this.local);
    this.scheduler = new Scheduler(this.core);
    this.profiler = new Profiler(this.core);
    this.parameters = new ParameterStore(parametersOf(this.core.traits, this.core.logVerbosity), options.parameters);
    this.connections = new Connections({
      log: (id, msg, attr, ctx) => this.core.log('I', 'NETWORK', id, msg, attr, ctx),
      isQuiet: () => this.parameters.bool('quiet'),
    });
    this.cursors = new CursorStore(this.core.ids, {
      session: () => this.clients.sessionNow,
      nowMicros: () => this.core.now.monotonicMicros,
      timeoutMillis: () => this.parameters.number('cursorTimeoutMillis'),
      sessionCursorsTimeOut: () => this.parameters.bool('enableTimeoutOfInactiveSessionCursors'),
      wake: () => this.core.wake(),
    });
    this.checkpoints = new Checkpoints(this.core, this);
    this.writes = new Writes(this.core, this);
    this.ttl = new TtlMonitor(this.core, this);
    this.repl = options.mode === 'replSet' ? new Replication(this.core, this, oplog) : undefined;
    this.indexBuilds = new IndexBuilds(this);
    this.defaults = new ConcernDefaults(
      () => this.core.engine,
      () => this.core.now.wallMs,
    );
    this.userWriteBlock = new UserWriteBlock(() => this.core.engine, this.core.traits);
    this.sessions = new SessionCatalog({
      engine: () => this.core.engine,
      findEntry: (opTime) => oplog.entry(opTime),
      wake: () => this.core.wake(),
      closeCursors: (key) => this.cursors.closeAll(({ session }) => session === key),
      wallMs: () => this.core.now.wallMs,
      timeoutMinutes: () => this.parameters.number('localLogicalSessionTimeoutMinutes'),
      inUse: (key) => this.scheduler.isUnderWay((operation) => operation.session === key),
    });
    this.clients = new ClientCommands(this);
    this.core.failPoints.onChange = () => this.core.wake();
  }

  /** Grows whenever something may show in what this member answers. */
  get changes(): number {
    return this.core.changes;
  }

  closeClientConnections(): void {
    this.clients.closeConnections();
  }

  memberState(): MemberState | 'STANDALONE' {
    return this.repl?.topology.state ?? 'STANDALONE';
  }

  get readOnly(): 'queryableBackup' | 'recoveredFromOplog' | undefined {
    if (this.core.options.queryableBackupMode) return 'queryableBackup';
    return this.parameters.bool('recoverFromOplogAsStandalone') ? 'recoveredFromOplog' : undefined;
  }

  /** Mode WritablePrimary, or a standalone. */
  acceptsWrites(): boolean {
    return this.repl ? this.repl.elections.acceptsWrites : this.readOnly === undefined;
  }

  /** `local` may be written anywhere. */
  acceptsWritesFor(db: string): boolean {
    return (db === 'local' && this.readOnly === undefined) || this.acceptsWrites();
  }

  /**
   * Moves the member on by one event.
   * @returns what the host has to do, in order
   */
  step(event: MongodEvent, now: Now): readonly MongodEffect[] {
    this.core.now = now;
    this.#handle(event);
    this.#settle();
    return this.core.takeEffects();
  }

  /** Answers a command at this instant; its work takes no time, and it may not wait. */
  ask(command: Uint8Array, now: Now): Uint8Array {
    this.core.now = now;
    return this.clients.answerAtOnce(command);
  }

  /** Lets everybody go on who waited for what this step changed. */
  #settle(): void {
    while (this.core.woken) {
      this.core.woken = false;
      this.scheduler.poll();
    }
    this.repl?.server.poll();
  }

  #handle(event: MongodEvent): void {
    switch (event.type) {
      case 'started':
        return this.#started();
      case 'message':
        if (event.message.$clusterTime) this.core.heardClusterTime(event.message.$clusterTime);
        if (event.message.kind === 'request') return this.#onRequest(event.message);
        return this.core.answered(event.message.id, event.message.reply);
      case 'timer':
        return this.#onTimer(event.key);
      case 'command':
        return this.clients.run(event.requestId, event.command, event);
      case 'connectionOpened':
        return this.connections.opened(event.connectionId, event.remote);
      case 'connectionClosed':
        return this.clients.connectionClosed(event.connectionId);
      case 'awaitEnded':
        return this.clients.awaitEnded(event.requestId);
      case 'diskDone':
        return this.journal.onDiskDone(event.ticket);
      case 'diskFailed':
        return dieOfDisk(this.core, event.reason);
      case 'terminate':
        logSignal(this.core);
        return this.shutdown.onSignal();
    }
  }

  #started(): void {
    const { core, repl } = this;
    const { recovered } = this;
    core.startedMicros = core.now.monotonicMicros;
    logStart(core);
    this.journal.onFlush = () => {
      if (!repl) return () => {};
      const { written, epoch } = repl.positions;
      return () => {
        if (repl.positions.epoch === epoch) repl.onJournalFlushed(written);
      };
    };
    logStartupWarnings(this);
    this.ttl.start(recovered.hasReplSetConfig);
    core.trace({
      type: 'processStarted',
      mode: core.options.mode,
      hasReplSetConfig: recovered.hasReplSetConfig,
      ttlMonitorStarted: this.ttl.isStarted,
      lastApplied: recovered.lastApplied,
      term: repl?.topology.term ?? -1,
      ...(repl && { rbid: repl.rbid }),
      dataHash: core.engine.dataHash(),
    });
    repl?.start(recovered.config, recovered.initialSyncUnfinished ?? false);
    this.indexBuilds.restartAll();
    logListening(core);
  }

  // --- messages ---

  #onRequest(request: MemberRequest): void {
    const { repl, core } = this;
    const { command } = request;
    const respond = (reply: MemberReply | ErrorReply) => core.respond(request.from, request.channel, request.id, reply);
    if (!repl) return respond({ ok: 0, code: ErrorCodes.NoReplicationEnabled, errmsg: 'not running with --replSet' });
    if ('replSetHeartbeat' in command) return respond(repl.heartbeatRequests.onRequest(command as HeartbeatCommand));
    if ('replSetRequestVotes' in command) return repl.votes.onRequest(request, command as RequestVotesCommand);
    if ('getMore' in command) return repl.server.onGetMore(request, command as OplogGetMoreCommand);
    if ('replSetUpdatePosition' in command) {
      return respond(repl.progress.onUpdatePosition(command as UpdatePositionCommand));
    }
    if (onVote(this.indexBuilds, request)) return;
    if ('$_requestResumeToken' in command) return repl.cloneServer.onQuery(request, command as ClonerQueryCommand);
    if ('listIndexes' in command) return respond(repl.cloneServer.listIndexes(command as ClonerListIndexesCommand));
    if ('find' in command) {
      const unreadable = repl.server.refusal();
      if (unreadable) return respond(unreadable);
      if ('limit' in command) {
        return respond(this.shutdown.isQuiescing ? QUIESCING : repl.server.probe(command as OplogProbeCommand));
      }
      if ('sort' in command) return respond(repl.server.scan(command as OplogScanCommand));
      return repl.server.onFind(request, command as OplogFindCommand);
    }
    if ('replSetGetRBID' in command) return respond({ ok: 1, rbid: repl.rbid });
    if ('replSetStepUp' in command) {
      core.log('I', 'COMMAND', 21581, 'Received replSetStepUp request');
      repl.elections.stand('stepUpRequestSkipDryRun');
      return respond({ ok: 1 });
    }
    this.clients.runForMember((command as CloneCommand).clone, (reply) => respond({ ok: 1, reply }));
  }

  // --- timers ---

  #onTimer(key: string): void {
    const fire = this.#timers.get(key);
    if (fire) fire();
    else this.#onNumberedTimer(key);
  }

  #onNumberedTimer(key: string): void {
    const colon = key.indexOf(':');
    const number = Number(key.slice(colon + 1));
    switch (key.slice(0, colon)) {
      case 'hb':
        return this.repl?.heartbeats.onTimer(number);
      case 'op':
        return this.scheduler.onTimer(number);
      case 'park':
        return this.repl?.server.onParkTimer(number);
    }
    throw new InvariantError(`no such timer: ${key}`);
  }
}
