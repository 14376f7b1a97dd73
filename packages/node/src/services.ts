import { allows, CLUSTER } from '@replsim/access';
import type { CommandHost, CommittedOplog, OplogDocuments, SnapshotWindow } from '@replsim/database';
import {
  type ConcernDefaults,
  type Connections,
  type CursorStore,
  type FsyncLock,
  type LogicalSessionServices,
  type OpenConnection,
  type Operation,
  OperationDebug,
  type Profiler,
  type ReadConcernLevel,
  type ReadConcernRequest,
  type Scheduler,
  type ServerCounters,
  type SessionCatalog,
  type TransactionServices,
  type WriteConcernRequest,
} from '@replsim/operations';
import { maxTimestamp } from '@replsim/oplog';
import type { BucketCatalog, FailPoints, ParameterStore, Reply } from '@replsim/pipeline';
import {
  CommandError,
  type Costs,
  compareTimestamps,
  type IdSource,
  type LogLine,
  type MemberState,
  type Now,
  NULL_TIMESTAMP,
  type OpTime,
  type RunCommandReply,
  type Timestamp,
  toBsonTimestamp,
  type VersionTraits,
} from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Timestamp as BsonTimestamp, ObjectId } from 'bson';
import { NO_SIGNATURE, TimeProofs } from './access/timeProofs.ts';
import { UserAccess } from './access/userAccess.ts';
import { call } from './core/call.ts';
import { type CommandLine, commandLineOf } from './core/commandLine.ts';
import type { Core } from './core/core.ts';
import { threadsOf } from './core/threads.ts';
import type { Writes } from './data/writes.ts';
import { BuildServices } from './indexBuilds/buildServices.ts';
import { electionId } from './replCommands/hello.ts';
import { opTimeReply } from './replCommands/replyValues.ts';
import { replMetricsReply, replSections } from './replCommands/serverStatus.ts';
import { ReadConcerns } from './replication/concerns/readConcerns.ts';
import type { WriteConcerns } from './replication/concerns/writeConcerns.ts';
import type { Replication } from './replication/replication.ts';
import type { ServicesHost } from './servicesHost.ts';

/**
 * What commands see of a mongod. Made once: parts that stay are its fields, so that a command reaches them directly; what
 * changes while the process runs is asked for.
 */
export class Services implements CommandHost {
  readonly traits: VersionTraits;
  readonly ids: IdSource;
  readonly failPoints: FailPoints;
  /** `name:port`. */
  readonly host: string;
  readonly processId: Uint8Array;
  readonly writes: Writes;
  readonly transactions: TransactionServices;
  readonly indexBuilds: BuildServices;
  readonly cursors: CursorStore;
  readonly bucketCatalog: BucketCatalog;
  readonly sessions: SessionCatalog;
  readonly logicalSessions: LogicalSessionServices;
  readonly connections: Connections;
  readonly access: UserAccess;
  readonly #timeProofs: TimeProofs;
  readonly defaults: ConcernDefaults;
  readonly parameters: ParameterStore;
  readonly counters: ServerCounters;
  readonly profiler: Profiler;
  readonly fsyncLock: FsyncLock;
  readonly #core: Core;
  readonly #scheduler: Scheduler;
  readonly #repl: Replication | undefined;
  readonly #mongod: ServicesHost;
  readonly #writeConcerns: WriteConcerns;
  readonly #reads: ReadConcerns;

  constructor(host: ServicesHost) {
    const { core } = host;
    this.traits = core.traits;
    this.ids = core.ids;
    this.failPoints = core.failPoints;
    this.host = core.host;
    this.processId = core.options.processId;
    this.writes = host.writes;
    this.transactions = host.transactions;
    this.indexBuilds = new BuildServices(host.indexBuilds);
    this.cursors = host.cursors;
    this.bucketCatalog = host.bucketCatalog;
    this.sessions = host.sessions;
    this.logicalSessions = host.logicalSessions;
    this.connections = host.connections;
    this.access = new UserAccess({
      core,
      parameters: host.parameters,
      isArbiter: () => host.memberState() === 'ARBITER',
    });
    this.#timeProofs = new TimeProofs(core);
    this.defaults = host.defaults;
    this.parameters = host.parameters;
    this.counters = host.counters;
    this.profiler = host.profiler;
    this.fsyncLock = host.fsyncLock;
    this.#core = core;
    this.#scheduler = host.scheduler;
    this.#repl = host.repl;
    this.#mongod = host;
    this.#writeConcerns = host.writeConcerns;
    this.#reads = new ReadConcerns(host, host.writeConcerns);
  }

  // --- what changes ---

  get costs(): Costs {
    return this.#core.costs;
  }

  get now(): Now {
    return this.#core.now;
  }

  /** Known once the process has started. */
  get startedMicros(): number {
    return this.#core.startedMicros;
  }

  get isReadOnly(): boolean {
    return this.#mongod.readOnly !== undefined;
  }

  get memberState(): MemberState | 'STANDALONE' {
    return this.#mongod.memberState();
  }

  get lastOpTime(): OpTime | undefined {
    return this.#scheduler.running?.lastOpTime;
  }

  get debug(): OperationDebug {
    return this.#scheduler.running?.debug ?? new OperationDebug();
  }

  acceptsWritesFor(db: string): boolean {
    return this.#mongod.acceptsWritesFor(db);
  }

  readView(readConcern: ReadConcernRequest): ReadView | undefined {
    return this.#reads.view(readConcern);
  }

  awaitReadConcern(request: ReadConcernRequest): Operation<ReadConcernRequest> {
    return this.#reads.wait(request);
  }

  confirmLinearizable(): Operation<void> {
    return this.#reads.confirmLinearizable();
  }

  traceRead(request: ReadConcernRequest, startedMicros: number): (() => void) | undefined {
    return this.#reads.trace(request, startedMicros);
  }

  /** See `TransactionsHost.readsUpTo`. */
  readsUpTo(request: ReadConcernRequest): OpTime | undefined {
    return this.#reads.readsUpTo(request);
  }

  awaitWriteConcern(request: WriteConcernRequest | undefined): Operation<Reply | undefined> {
    return this.#writeConcerns.wait(request);
  }

  awaitMajorityAnd(request: WriteConcernRequest | undefined): Operation<void> {
    return this.#writeConcerns.waitForMajorityAnd(request);
  }

  *runOnPrimary(command: Uint8Array): Operation<Uint8Array> {
    const primary = this.#repl?.topology.primaryHost;
    if (primary === undefined || primary === this.host) {
      throw new CommandError('NotWritablePrimary', 'no primary is known that could write');
    }
    return (yield* call<RunCommandReply>(this.#core, primary, 'admin', { runCommand: command })).reply;
  }

  // --- what replies show ---

  replyMetadata(level?: ReadConcernLevel): Reply {
    const repl = this.#repl;
    const core = this.#core;
    // An arbiter keeps no time. Upstream: vector_clock.cpp, isEnabled.
    if (!repl?.topology.config || repl.topology.state === 'ARBITER') return {};
    const { positions } = repl;
    const clusterTime = maxTimestamp(core.clusterTime, positions.written.opTime.ts);
    const signature = this.access.isEnabled ? this.#timeProofs.sign(clusterTime) : NO_SIGNATURE;
    // Upstream: service_entry_point, computeOperationTime.
    const read = level === 'majority' || level === 'snapshot' ? positions.stable : positions.applied.opTime;
    const operationTime = (this.lastOpTime ?? read).ts;
    return {
      $clusterTime: { clusterTime: toBsonTimestamp(clusterTime, BsonTimestamp), signature },
      operationTime: toBsonTimestamp(operationTime, BsonTimestamp),
    };
  }

  unacknowledgedWriteRefused(): void {
    const repl = this.#repl;
    if (repl) repl.metrics.network.notPrimaryUnacknowledgedWrites += 1;
  }

  writeMetadata(): { readonly electionId: ObjectId; readonly opTime: Reply } | undefined {
    const repl = this.#repl;
    if (!repl?.topology.config) return undefined;
    const opTime = this.lastOpTime ?? repl.positions.written.opTime;
    return { electionId: electionId(repl.topology.term), opTime: opTimeReply(opTime) };
  }

  heardClusterTime(ts: Timestamp, given: Uint8Array, connection: OpenConnection | undefined): void {
    const repl = this.#repl;
    const core = this.#core;
    if (!repl) return;
    const isAhead = compareTimestamps(ts, maxTimestamp(core.clusterTime, repl.positions.written.opTime.ts)) > 0;
    // Steps of a scenario come on no connection: they are the operator's.
    if (isAhead && connection && this.access.isEnabled) {
      // Upstream: vector_clock.cpp, SignedComponentFormat::in.
      if (!this.access.userOf(connection)) return;
      const isTrusted = allows(this.access.privilegesOf(connection), 'advanceClusterTime', CLUSTER);
      if (!isTrusted) this.#timeProofs.check(ts, given);
    }
    const wallSecs = Math.floor(core.now.wallMs / 1000);
    if (ts.t > core.clusterTime.t && ts.t - wallSecs > this.parameters.number('maxAcceptableLogicalClockDriftSecs')) {
      throw new CommandError(
        'ClusterTimeFailsRateLimiter',
        `New cluster time, ${ts.t}, is too far from this node's wall clock time, ${wallSecs}.`,
      );
    }
    core.sawClusterTime(ts);
  }

  get inQuiesceMode(): boolean {
    return this.#mongod.shutdown.inQuiesceMode;
  }

  topologyVersion(): Reply | undefined {
    const repl = this.#repl;
    if (!repl) return undefined;
    return { processId: new ObjectId(this.processId), counter: BigInt(repl.topology.topologyVersion) };
  }

  oplogDocuments(): OplogDocuments | undefined {
    const { repl, oplog, oplogCap } = this.#mongod;
    if (!repl && oplog.length === 0) return undefined;
    return {
      get firstIndex() {
        return oplog.firstIndex;
      },
      get endIndex() {
        return oplog.endIndex;
      },
      get sizeBytes() {
        return oplog.sizeBytes;
      },
      maxSizeBytes: oplogCap.sizeBytes,
      at: (index) => oplog.at(index)?.bytes,
      lowerBound: (ts) => oplog.lowerBound(ts),
    };
  }

  committedOplog(): CommittedOplog | undefined {
    const { repl, oplog } = this.#mongod;
    if (!repl) return undefined;
    return {
      get firstIndex() {
        return oplog.firstIndex;
      },
      get endIndex() {
        return repl.committedEnd;
      },
      get lastApplied() {
        return repl.positions.applied.opTime;
      },
      at: (index) => oplog.at(index),
      entry: (opTime) => oplog.entry(opTime),
      lowerBound: (ts) => oplog.lowerBound(ts),
    };
  }

  threads(): readonly string[] {
    return threadsOf(this.#repl !== undefined, this.#mongod.ttl.isStarted);
  }

  operations() {
    return this.#scheduler.operations;
  }

  log(severity: LogLine['severity'], component: string, id: number, msg: string, attr: Reply = {}): void {
    this.#core.log(severity, component, id, msg, attr);
  }

  ramLog(name: 'global' | 'startupWarnings') {
    return this.#core.logs[name];
  }

  parameterSet(name: string): void {
    this.#mongod.ttl.parameterChanged(name);
    if (name === 'transactionLifetimeLimitSeconds') this.#mongod.transactionExpiry.limitChanged();
  }

  /** Upstream: op_counters.cpp, OpCounters::getObj, which shows them only if one of them is above zero. */
  relaxedConstraints(): Reply {
    const counts = Object.entries(this.#mongod.relaxed.counts);
    if (counts.every(([, count]) => count === 0)) return {};
    return { constraintsRelaxed: Object.fromEntries(counts.map(([name, count]) => [name, BigInt(count)])) };
  }

  snapshotWindow(): SnapshotWindow {
    const history = this.#mongod.repl?.history;
    if (!history) return { oldest: NULL_TIMESTAMP, stable: NULL_TIMESTAMP, tooOldErrors: 0 };
    return { ...history.window, tooOldErrors: history.tooOldErrors };
  }

  ttlMetrics(): Reply {
    return this.#mongod.ttl.metricsReply();
  }

  replMetrics(): Reply {
    return replMetricsReply(this.#mongod);
  }

  sections(levelOf: (section: string) => number): Reply {
    return replSections(this.#mongod, levelOf);
  }

  commandLine(): CommandLine {
    return commandLineOf(this.#core.options);
  }
}
