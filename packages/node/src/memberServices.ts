import {
  type CommandHost,
  type Operation,
  OperationDebug,
  type OplogDocuments,
  type ReadConcernLevel,
  type ReadConcernRequest,
  type Reply,
  type WriteConcernRequest,
} from '@replsim/database';
import { maxTimestamp } from '@replsim/oplog';
import {
  CommandError,
  type LogLine,
  type MemberState,
  type OpTime,
  type Timestamp,
  toBsonTimestamp,
} from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Binary, Timestamp as BsonTimestamp, Long, ObjectId } from 'bson';
import { type CommandLine, commandLineOf } from './core/commandLine.ts';
import { BuildServices } from './indexBuilds/buildServices.ts';
import type { Mongod } from './mongod.ts';
import { electionId } from './replCommands/hello.ts';
import { opTimeReply } from './replCommands/replyValues.ts';
import { replMetricsReply, replSections } from './replCommands/serverStatus.ts';
import { ReadConcerns } from './replication/concerns/readConcerns.ts';
import { WriteConcerns } from './replication/concerns/writeConcerns.ts';

const NO_SIGNATURE = { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO };

/** What commands see of a mongod: its parts under the names that commands use. */
export class Services implements CommandHost {
  readonly #mongod: Mongod;
  readonly #writeConcerns: WriteConcerns;
  readonly #reads: ReadConcerns;
  readonly indexBuilds: BuildServices;

  constructor(mongod: Mongod) {
    this.#mongod = mongod;
    this.#writeConcerns = new WriteConcerns(mongod);
    this.indexBuilds = new BuildServices(mongod.indexBuilds);
    this.#reads = new ReadConcerns(mongod, this.#writeConcerns);
  }

  get now() {
    return this.#mongod.core.now;
  }
  get costs() {
    return this.#mongod.core.costs;
  }
  get traits() {
    return this.#mongod.core.traits;
  }
  get writes() {
    return this.#mongod.writes;
  }
  get ids() {
    return this.#mongod.core.ids;
  }
  get cursors() {
    return this.#mongod.cursors;
  }
  get bucketCatalog() {
    return this.#mongod.bucketCatalog;
  }
  get sessions() {
    return this.#mongod.sessions;
  }
  get connections() {
    return this.#mongod.connections;
  }
  get defaults() {
    return this.#mongod.defaults;
  }
  get parameters() {
    return this.#mongod.parameters;
  }
  get counters() {
    return this.#mongod.counters;
  }
  get profiler() {
    return this.#mongod.profiler;
  }
  get failPoints() {
    return this.#mongod.core.failPoints;
  }
  get fsyncLock() {
    return this.#mongod.fsyncLock;
  }
  get isReadOnly() {
    return this.#mongod.readOnly !== undefined;
  }
  get host() {
    return this.#mongod.core.host;
  }
  get startedMicros() {
    return this.#mongod.core.startedMicros;
  }
  get processId() {
    return this.#mongod.core.options.processId;
  }
  get memberState(): MemberState | 'STANDALONE' {
    return this.#mongod.memberState();
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

  awaitWriteConcern(request: WriteConcernRequest | undefined): Operation<Reply | undefined> {
    return this.#writeConcerns.wait(request);
  }

  // --- what replies show ---

  replyMetadata(level?: ReadConcernLevel): Reply {
    const { repl, core } = this.#mongod;
    if (!repl?.topology.config) return {};
    const { positions } = repl;
    const clusterTime = maxTimestamp(core.clusterTime, positions.written.opTime.ts);
    // Upstream: service_entry_point, computeOperationTime.
    const read = level === 'majority' || level === 'snapshot' ? positions.stable : positions.applied.opTime;
    const operationTime = (this.lastOpTime ?? read).ts;
    return {
      $clusterTime: { clusterTime: toBsonTimestamp(clusterTime, BsonTimestamp), signature: NO_SIGNATURE },
      operationTime: toBsonTimestamp(operationTime, BsonTimestamp),
    };
  }

  get lastOpTime(): OpTime | undefined {
    return this.#mongod.scheduler.running?.lastOpTime;
  }

  unacknowledgedWriteRefused(): void {
    const { repl } = this.#mongod;
    if (repl) repl.metrics.network.notPrimaryUnacknowledgedWrites += 1;
  }

  writeMetadata(): { readonly electionId: ObjectId; readonly opTime: Reply } | undefined {
    const { repl } = this.#mongod;
    if (!repl?.topology.config) return undefined;
    const opTime = this.lastOpTime ?? repl.positions.written.opTime;
    return { electionId: electionId(repl.topology.term), opTime: opTimeReply(opTime) };
  }

  heardClusterTime(ts: Timestamp): void {
    const { core, parameters, repl } = this.#mongod;
    if (!repl) return;
    const wallSecs = Math.floor(core.now.wallMs / 1000);
    if (ts.t > core.clusterTime.t && ts.t - wallSecs > parameters.number('maxAcceptableLogicalClockDriftSecs')) {
      throw new CommandError(
        'ClusterTimeFailsRateLimiter',
        `New cluster time, ${ts.t}, is too far from this node's wall clock time, ${wallSecs}.`,
      );
    }
    core.sawClusterTime(ts);
  }

  topologyVersion(): Reply | undefined {
    const { repl } = this.#mongod;
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

  get debug(): OperationDebug {
    return this.#mongod.scheduler.running?.debug ?? new OperationDebug();
  }

  operations() {
    return this.#mongod.scheduler.operations;
  }

  log(severity: LogLine['severity'], component: string, id: number, msg: string, attr: Reply = {}): void {
    const { running } = this.#mongod.scheduler;
    this.#mongod.core.log(severity, component, id, msg, attr, running?.connection?.desc ?? 'conn');
  }

  ramLog(name: 'global' | 'startupWarnings') {
    return this.#mongod.core.logs[name];
  }

  parameterSet(name: string): void {
    this.#mongod.ttl.parameterChanged(name);
  }

  /** Upstream: op_counters.cpp, OpCounters::getObj, which shows them only if one of them is above zero. */
  relaxedConstraints(): Reply {
    const counts = Object.entries(this.#mongod.relaxed.counts);
    if (counts.every(([, count]) => count === 0)) return {};
    return { constraintsRelaxed: Object.fromEntries(counts.map(([name, count]) => [name, BigInt(count)])) };
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
    return commandLineOf(this.#mongod.core.options);
  }
}
