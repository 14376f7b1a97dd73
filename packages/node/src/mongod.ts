import { allows, CLUSTER } from '@replsim/access';
import {
  type AskedConcerns,
  ConcernDefaults,
  Connections,
  CursorStore,
  FsyncLock,
  type Operation,
  Profiler,
  type ReadConcernRequest,
  Scheduler,
  ServerCounters,
  SessionCatalog,
  shownReadConcern,
  type WriteConcernRequest,
} from '@replsim/operations';
import type { Oplog } from '@replsim/oplog';
import { BucketCatalog, failPointParameters, ParameterStore, parametersOf } from '@replsim/pipeline';
import {
  ErrorCodes,
  type MemberRequest,
  type MemberState,
  type Now,
  NULL_OP_TIME,
  type OplogEntry,
  type OpTime,
  type ReplSetConfig,
  required,
} from '@replsim/protocol';
import type { DiskFile, ReadView, StorageEngine } from '@replsim/storage';
import { MemberKeys } from './access/memberKeys.ts';
import { cursorsOfUsers, sessionsOfUsers } from './access/userLimits.ts';
import { ClientCommands } from './clientCommands.ts';
import { noteWritten } from './clientWrites.ts';
import { Core, type StartupOptions } from './core/core.ts';
import { dieOfDisk } from './core/diskFailure.ts';
import type { MongodEffect, MongodEvent } from './core/events.ts';
import { logListening, logSignal, logStart } from './core/processLog.ts';
import { Threads } from './core/threads.ts';
import { Checkpoints, type CheckpointsHost } from './data/checkpoints.ts';
import { Journal } from './data/journal.ts';
import { LocalDocuments } from './data/local.ts';
import type { LocalOplog } from './data/localOplog.ts';
import { OplogCap } from './data/oplogCap.ts';
import { PreImageRemover } from './data/preImageRemover.ts';
import { RelaxedConstraints } from './data/relaxedConstraints.ts';
import type { WriteObserver } from './data/writeObserver.ts';
import { Writes, type WritesHost } from './data/writes.ts';
import type { FsyncHost } from './fsync/fsyncHost.ts';
import { fsyncLockChanged } from './fsync/lockChanges.ts';
import { AppliedBuilds } from './indexBuilds/appliedBuilds.ts';
import { IndexBuilds } from './indexBuilds/indexBuilds.ts';
import type { BuildingSet, IndexBuildsHost } from './indexBuilds/memberBuilds.ts';
import type { ReplCommandHost } from './replCommands/replCommandHost.ts';
import type { ConcernsHost } from './replication/concerns/concernsHost.ts';
import { WriteConcerns } from './replication/concerns/writeConcerns.ts';
import { ConsistencyMarkers } from './replication/consistencyMarkers.ts';
import { Replication } from './replication/replication.ts';
import type { ReplicationHost } from './replication/replicationHost.ts';
import { answerRequest } from './requests.ts';
import { Shutdown } from './shutdown/shutdown.ts';
import type { ShutdownHost } from './shutdown/shutdownHost.ts';
import { recordStart } from './startupLog.ts';
import { logStartupWarnings } from './startupWarnings.ts';
import { StepGuard } from './stepGuard.ts';
import { LogicalSessions, type LogicalSessionsHost } from './transactions/logicalSessions.ts';
import { logSlowTransaction } from './transactions/slowTransaction.ts';
import { TransactionExpiry, type TransactionExpiryHost } from './transactions/transactionExpiry.ts';
import { Transactions, type TransactionsHost } from './transactions/transactions.ts';
import type { TtlHost } from './ttl/ttlHost.ts';
import { TtlMonitorThread } from './ttl/ttlMonitorThread.ts';
import { UserWriteBlock } from './writeBlock/userWriteBlock.ts';
import type { WriteBlockHost } from './writeBlock/writeBlockHost.ts';

/** What a process found on its disk. */
export interface Recovered {
  /** `local.system.replset` holds a document: these are a replica set's data. */
  readonly hasReplSetConfig: boolean;
  readonly lastApplied: OpTime;
  readonly config?: ReplSetConfig | undefined;
  readonly initialSyncUnfinished?: boolean;
}

/**
 * One mongod. Everything that happens to it comes in by `step`, everything that it does goes out as effects: it reads
 * no clock, draws no number and touches no disk.
 */
export class Mongod
  implements
    WritesHost,
    CheckpointsHost,
    TtlHost,
    IndexBuildsHost,
    ReplicationHost,
    ConcernsHost,
    FsyncHost,
    ShutdownHost,
    WriteBlockHost,
    ReplCommandHost,
    TransactionsHost,
    TransactionExpiryHost,
    LogicalSessionsHost
{
  readonly core: Core;
  readonly #memberKeys: MemberKeys;
  readonly journal: Journal;
  readonly local: LocalDocuments;
  readonly consistencyMarkers: ConsistencyMarkers;
  readonly scheduler: Scheduler;
  readonly fsyncLock = new FsyncLock(() => fsyncLockChanged(this));
  readonly checkpoints: Checkpoints;
  readonly writes: Writes;
  readonly ttl: TtlMonitorThread;
  readonly preImageRemover: PreImageRemover;
  readonly indexBuilds: IndexBuilds;
  readonly builds: AppliedBuilds;
  readonly observer: WriteObserver;
  readonly writeConcerns: WriteConcerns;
  readonly cursors: CursorStore;
  /** The buckets of time series that are open on this member. */
  readonly bucketCatalog = new BucketCatalog();
  readonly parameters: ParameterStore;
  readonly repl: Replication | undefined;
  readonly counters = new ServerCounters();
  readonly profiler: Profiler;
  readonly relaxed: RelaxedConstraints;
  readonly sessions: SessionCatalog;
  readonly transactions: Transactions;
  readonly transactionExpiry: TransactionExpiry;
  readonly logicalSessions: LogicalSessions;
  readonly connections: Connections;
  readonly defaults: ConcernDefaults;
  readonly userWriteBlock: UserWriteBlock;
  readonly clients: ClientCommands;
  readonly shutdown = new Shutdown(this);
  readonly oplog: Oplog;
  readonly oplogCap: OplogCap;
  /** What rollbacks removed, of earlier processes too. */
  readonly rollbackFiles: DiskFile[] = [];
  /** What the disk gave back; set before the first event. */
  recovered: Recovered = { hasReplSetConfig: false, lastApplied: NULL_OP_TIME };

  #guard: StepGuard | undefined;
  /** How often its oplog has dropped its oldest entries on request. */
  oplogTruncations = 0;

  constructor(options: StartupOptions, engine: StorageEngine, oplog: Oplog) {
    this.oplog = oplog;
    this.oplogCap = new OplogCap(options);
    this.core = new Core(options, engine);
    this.#memberKeys = new MemberKeys(this.core);
    this.relaxed = new RelaxedConstraints(this.core);
    this.journal = new Journal(this.core, this);
    this.local = new LocalDocuments(this.core, this.journal);
    this.consistencyMarkers = new ConsistencyMarkers(this.local);
    this.scheduler = new Scheduler(this.core);
    this.profiler = new Profiler(this.core, (concerns) => this.#shownConcerns(concerns));
    const { traits, logVerbosity, failPoints } = this.core;
    this.parameters = new ParameterStore(
      [...parametersOf(traits, logVerbosity), ...failPointParameters(options.parameters, failPoints)],
      options.parameters,
    );
    this.core.mostClientLines = () => this.parameters.number('clientLogLinesPerSecond');
    this.connections = new Connections({
      log: (id, msg, attr, ctx, severity = 'I') => this.core.log(severity, 'NETWORK', id, msg, attr, ctx),
      isQuiet: () => this.parameters.bool('quiet'),
      nowMicros: () => this.core.now.monotonicMicros,
    });
    this.cursors = new CursorStore(this.core.ids, {
      user: () => this.clients.userNow,
      access: () => this.clients.services.access,
      held: cursorsOfUsers(this.parameters),
      nowMicros: () => this.core.now.monotonicMicros,
      timeoutMillis: () => this.parameters.number('cursorTimeoutMillis'),
      sessionCursorsTimeOut: () => this.parameters.bool('enableTimeoutOfInactiveSessionCursors'),
      wake: () => {
        this.core.wake();
        this.repl?.entryWaiters.wakeAll();
      },
    });
    this.checkpoints = new Checkpoints(this.core, this);
    this.writes = new Writes(this.core, this);
    this.ttl = new TtlMonitorThread(this.core, this);
    this.preImageRemover = new PreImageRemover(this.core, this);
    this.indexBuilds = new IndexBuilds(this);
    this.builds = new AppliedBuilds(this.indexBuilds);
    this.observer = this.#observerOfWrites();
    this.defaults = new ConcernDefaults(
      () => this.core.engine,
      () => this.core.now.wallMs,
      this.core.traits,
    );
    this.userWriteBlock = new UserWriteBlock(() => this.core.engine, this.core.traits);
    this.repl = options.mode === 'replSet' ? new Replication(this.core, this, oplog) : undefined;
    this.writeConcerns = new WriteConcerns(this);
    this.sessions = this.#sessionCatalog();
    this.transactions = new Transactions(this);
    this.transactionExpiry = new TransactionExpiry(this);
    this.logicalSessions = new LogicalSessions(this);
    this.clients = new ClientCommands(this);
    this.core.failPoints.onChange = () => {
      this.core.wake();
      this.repl?.replicator.failPointsChanged();
    };
  }

  /** As mongod logs them; a standalone has none but those that it is given. */
  #shownConcerns({ read, write }: AskedConcerns): Readonly<Record<string, unknown>> {
    const isShown = this.repl !== undefined || read.provenance === 'clientSupplied';
    const writeConcern = write && this.writeConcerns.shown(write.request);
    return { ...(isShown && { readConcern: shownReadConcern(read) }), ...(writeConcern && { writeConcern }) };
  }

  /** What follows from a write beside the write. */
  #observerOfWrites(): WriteObserver {
    return {
      collectionMade: (ns) => this.ttl.registerCollection(ns),
      indexChanged: (ns, indexName) => this.ttl.register(ns, indexName),
      dropped: (collection) => this.indexBuilds.abortAll(collection, 'collection dropped'),
      preImageKept: () => {
        this.counters.preImages.docsInserted += 1;
        if (!this.core.recovering) this.preImageRemover.kept();
      },
      logged: (entries) => {
        const { opTime, operation } = required(entries.at(-1), 'entry that was written');
        if (operation.statement || operation.transaction) this.counters.transactionsCollectionWrites += 1;
        const { running } = this.scheduler;
        if (!running) return;
        running.lastOpTime = opTime;
        if (this.core.tracingFates) noteWritten(running, entries, this.core.now.monotonicMicros);
      },
    };
  }

  #sessionCatalog(): SessionCatalog {
    return new SessionCatalog({
      engine: () => this.core.engine,
      findEntry: (opTime) => this.findEntry(opTime),
      wake: () => this.core.wake(),
      closeCursors: (key, of) =>
        this.cursors.closeAll(({ session, txnNumber }) => session === key && (of === undefined || of === txnNumber)),
      held: sessionsOfUsers(this.parameters, this.core.options.authorization === true),
      wallMs: () => this.core.now.wallMs,
      timeoutMinutes: () => this.parameters.number('localLogicalSessionTimeoutMinutes'),
      inUse: (key) => this.scheduler.isUnderWay((operation) => operation.session === key),
      now: () => this.core.now,
      transactionEnded: (session, cause) => logSlowTransaction(this, session, cause),
      lifetimeLimitSecs: () => this.parameters.number('transactionLifetimeLimitSeconds'),
      transactionChanged: () => this.transactionExpiry.changed(),
    });
  }

  /** Grows whenever something may show in what this member answers. */
  get changes(): number {
    return this.core.changes;
  }

  /** How far its journal reaches; undefined on a standalone. */
  get durable(): OpTime | undefined {
    return this.repl?.positions.durable.opTime;
  }

  /** What its `hello` says as `isWritablePrimary`, for those who would ask it after every event. */
  get saysPrimary(): boolean {
    return this.repl?.elections.acceptsWrites ?? true;
  }

  /** What its `hello` says as `arbiterOnly`. */
  get saysArbiter(): boolean {
    return this.repl?.topology.self?.arbiterOnly ?? false;
  }

  /** Whether it would stand for election now, if it had to. */
  get electable(): boolean {
    return this.repl !== undefined && this.repl.elections.whyNotElectable('electionTimeout') === undefined;
  }

  /** Until when it may not stand, because it was frozen or stepped down; 0 if nothing of the kind holds it. */
  get barredUntilMicros(): number {
    return this.repl?.elections.stepDownUntilMicros ?? 0;
  }

  /** What commands of the host ask, which no mongod knows: whether the user of a connection may set parameters. */
  managesHost(connectionId: number): boolean {
    const { access } = this.clients.services;
    return (
      !access.isEnabled || allows(access.privilegesOf(this.connections.find(connectionId)), 'setParameter', CLUSTER)
    );
  }

  // --- what its parts ask of it ---

  runForMember(command: Uint8Array, answer: (reply: Uint8Array) => void): void {
    this.clients.runForMember(command, answer);
  }

  get localOplog(): LocalOplog | undefined {
    return this.repl?.localOplog;
  }

  get buildingSet(): BuildingSet | undefined {
    return this.repl;
  }

  get buildsIndexes(): boolean {
    return this.repl?.topology.self?.buildIndexes !== false;
  }

  checkUserWrite(ns: string): void {
    if (this.repl && !this.#bypassesWriteBlock()) this.userWriteBlock.check(ns);
  }

  /** Upstream: write_block_bypass.cpp, WriteBlockBypass::setFromMetadata. */
  #bypassesWriteBlock(): boolean {
    const { access } = this.clients.services;
    const connection = access.isEnabled ? this.scheduler.running?.connection : undefined;
    return connection !== undefined && allows(access.privilegesOf(connection), 'bypassWriteBlockingMode', CLUSTER);
  }

  awaitBuildsOf(db: string): Operation<void> {
    return this.indexBuilds.awaitDatabase(db);
  }

  awaitMajority(opTime: OpTime): Operation<void> {
    return this.writeConcerns.awaitMajority(opTime);
  }

  findEntry(opTime: OpTime): OplogEntry | undefined {
    return this.oplog.entry(opTime);
  }

  viewAt(readConcern: ReadConcernRequest): ReadView | undefined {
    return this.clients.services.readView(readConcern);
  }

  readsUpTo(readConcern: ReadConcernRequest): OpTime | undefined {
    return this.clients.services.readsUpTo(readConcern);
  }

  lastApplied(): OpTime {
    return required(this.repl, 'set of a member with transactions').positions.applied.opTime;
  }

  describeWriteConcern(request: WriteConcernRequest | undefined): object {
    const { w, wtimeoutMS: wtimeout, provenance } = this.writeConcerns.resolve(request);
    return { w, wtimeout, provenance };
  }

  isWriteConcernInForce(request: WriteConcernRequest | undefined): boolean {
    const { w, provenance } = this.writeConcerns.resolve(request);
    return provenance !== 'implicitDefault' || w !== 1;
  }

  runsInSession(): boolean {
    return this.repl !== undefined && this.scheduler.running?.session !== undefined;
  }

  hangUp(): void {
    this.clients.hangUp();
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
    this.core.thread = threadOf(event);
    this.#handle(event);
    this.#settle();
    this.#guard?.check();
    return this.core.takeEffects();
  }

  /** Answers a command at this instant; its work takes no time, and it may not wait. */
  ask(command: Uint8Array, now: Now): Uint8Array {
    this.core.now = now;
    this.core.thread = Threads.client;
    return this.clients.answerAtOnce(command);
  }

  /** Lets everybody go on who waited for what this step changed. */
  #settle(): void {
    do {
      while (this.core.woken) {
        this.core.woken = false;
        this.scheduler.poll();
      }
      this.repl?.entryWaiters.poll();
    } while (this.core.woken);
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
        return this.core.fireTimer(event.key);
      case 'command':
        return this.clients.run(event.requestId, event.command, event);
      case 'connectionOpened':
        return this.connections.opened(event.connectionId, event.remote);
      case 'connectionRejected':
        return this.connections.rejected(event.remote);
      case 'connectionSecured':
        return this.connections.secured(event.connectionId, event.peer);
      case 'connectionRefused':
        this.connections.refused(event.connectionId, event.refusal);
        return this.clients.connectionClosed(event.connectionId);
      case 'connectionClosed':
        return this.clients.connectionClosed(event.connectionId);
      case 'awaitEnded':
        return this.clients.awaitEnded(event.requestId);
      case 'diskDone':
        return this.journal.onDiskDone(event.ticket);
      case 'diskFailed':
        return dieOfDisk(this.core, event.reason);
      case 'truncateOplog':
        return this.#truncateOplog(event.olderThanMs);
      case 'terminate':
        logSignal(this.core);
        return this.shutdown.onSignal();
    }
  }

  /** Why it cannot drop its oldest entries; undefined if it can. */
  get keepsOplog(): string | undefined {
    const { repl } = this;
    if (!repl) return 'runs as a standalone, which leaves its oplog alone';
    if (repl.positions.initialSyncing) return 'is in an initial sync, which needs all entries that it has fetched';
    return this.oplog.length === 0 ? 'has no oplog' : undefined;
  }

  /** What a checkpoint of now no longer needs goes. A standalone leaves the oplog alone, and a copy under way needs all of it. */
  #truncateOplog(olderThanMs: number): void {
    const { core, repl } = this;
    const keepFromMs = core.now.wallMs - olderThanMs;
    this.checkpoints.take(() => {
      if (repl && !repl.positions.initialSyncing && this.oplog.length > 0) repl.localOplog.truncateOlder(keepFromMs);
      // Over when no crash brings them back.
      this.journal.whenDurable(() => {
        this.oplogTruncations += 1;
        core.changed();
      });
    });
  }

  #started(): void {
    this.#guard =
      this.repl && new StepGuard(this.repl.positions, this.repl.topology, !this.core.traits.showsWrittenOpTime);
    const { core, repl } = this;
    const { recovered } = this;
    core.startedMicros = core.now.monotonicMicros;
    logStart(core);
    this.journal.onFlush = () => {
      if (!repl) return () => {};
      const { counted, epoch } = repl.positions;
      return () => {
        if (repl.positions.epoch === epoch) repl.onJournalFlushed(counted);
      };
    };
    logStartupWarnings(core, this.readOnly);
    if (!this.readOnly) recordStart(core, this.writes);
    this.ttl.start(recovered.hasReplSetConfig);
    this.preImageRemover.start();
    this.logicalSessions.start();
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
    const refusal = this.#memberKeys.refusal(request);
    if (refusal) return core.respond(request.from, request.channel, request.id, refusal);
    if (repl) return answerRequest(this, repl, request);
    const errmsg = 'not running with --replSet';
    core.respond(request.from, request.channel, request.id, { ok: 0, code: ErrorCodes.NoReplicationEnabled, errmsg });
  }
}

/** The thread that handles an event; code that continues on another thread names that one. */
function threadOf(event: MongodEvent): string {
  if (event.type === 'terminate') return Threads.signalHandler;
  return event.type === 'message' && event.message.kind === 'request' ? Threads.client : Threads.replCoord;
}
