import { type KnownPosition, maxTimestamp, noopOperation, numNodesReached } from '@replsim/oplog';
import {
  CommandError,
  compareOpTimes,
  compareTimestamps,
  implicitDefaultWriteConcern,
  isNullOpTime,
  type MemberState,
  type OpTime,
  toBsonTimestamp,
} from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Binary, Timestamp as BsonTimestamp, Long, ObjectId } from 'bson';
import type { MemberServices, OplogDocuments, Reply, TimedLogLine } from './commands/command.ts';
import type { ReadConcernLevel, ReadConcernRequest, WriteConcernRequest } from './commands/concerns.ts';
import type { Mongod } from './mongod.ts';
import type { Operation } from './operations/operation.ts';
import { replMetricsReply, replSection } from './replCommands/serverStatus.ts';
import type { Replication } from './replication/replication.ts';

const NO_SIGNATURE = { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO };

/** What commands see of a mongod: its parts under the names that commands use. */
export class Services implements MemberServices {
  readonly #mongod: Mongod;

  constructor(mongod: Mongod) {
    this.#mongod = mongod;
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
  get engine() {
    return this.#mongod.core.engine;
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
  get parameters() {
    return this.#mongod.parameters;
  }
  get counters() {
    return this.#mongod.counters;
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

  readView(level: ReadConcernLevel): ReadView | undefined {
    const { repl, core } = this.#mongod;
    const committed = repl && (level === 'majority' || level === 'snapshot');
    if (!committed) return core.engine;
    const version = repl.stableVersion();
    return version < core.engine.versions.oldest ? undefined : core.engine.at(version);
  }

  // --- concerns ---

  *awaitReadConcern(request: ReadConcernRequest): Operation<void> {
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
      yield { type: 'wait', what: 'readConcern', ready: () => this.readView(level) !== undefined };
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
    const failure = yield* this.awaitWriteConcern({ w: 'majority', wtimeoutMS: 0 });
    if (failure) throw new CommandError('InterruptedDueToReplStateChange', 'stepped down while waiting');
  }

  *awaitWriteConcern(request: WriteConcernRequest | undefined): Operation<Reply | undefined> {
    const { repl } = this.#mongod;
    if (!repl) return yield* this.#awaitJournal(request?.j ?? false);
    const { config } = repl.topology;
    const provenance = request?.w === undefined ? 'implicitDefault' : 'clientSupplied';
    const w = request?.w ?? (config ? implicitDefaultWriteConcern(config) : 1);
    const majorityJournals = config?.writeConcernMajorityJournalDefault ?? true;
    const j = request?.j ?? (w === 'majority' && majorityJournals);
    const wtimeoutMS = request?.wtimeoutMS ?? 0;
    const opTime = repl.positions.written.opTime;
    const { term } = repl.topology;
    const refusal = this.#unsatisfiable(repl, w);
    if (refusal) return refusal;
    const deposed = () => !repl.elections.isLeader || repl.topology.term !== term;
    const holds = () => this.#holds(repl, w, j, opTime);
    if (w === 'majority' || j) this.#mongod.journal.requestFlush();
    const inTime = yield {
      type: 'wait',
      what: 'writeConcern',
      ready: () => holds() || deposed(),
      ...(wtimeoutMS > 0 && { deadlineMicros: this.now.monotonicMicros + wtimeoutMS * 1000 }),
    };
    if (holds()) {
      const shown = typeof w === 'object' ? JSON.stringify(w) : w;
      this.#mongod.core.trace({ type: 'writeAcknowledged', opTime, w: shown, majority: w === 'majority' });
      return undefined;
    }
    if (inTime) {
      const errmsg = 'Primary stepped down while waiting for replication';
      return {
        code: 189,
        codeName: 'PrimarySteppedDown',
        errmsg,
        errInfo: { writeConcern: { w, wtimeout: wtimeoutMS, provenance } },
      };
    }
    return {
      code: 64,
      codeName: this.traits.writeConcernTimeoutName,
      errmsg: 'waiting for replication timed out',
      errInfo: { wtimeout: true, writeConcern: { w, j, wtimeout: wtimeoutMS, provenance } },
    };
  }

  *#awaitJournal(j: boolean): Operation<undefined> {
    if (!j) return undefined;
    let durable = false;
    this.#mongod.journal.whenDurable(() => {
      durable = true;
    });
    yield { type: 'wait', what: 'journal', ready: () => durable };
    return undefined;
  }

  #unsatisfiable(repl: Replication, w: number | string | Readonly<Record<string, number>>): Reply | undefined {
    const members = repl.topology.config?.members ?? [];
    if (typeof w === 'number') {
      const bearing = members.filter(({ arbiterOnly }) => !arbiterOnly).length;
      if (w <= Math.max(bearing, 1)) return undefined;
      return { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' };
    }
    if (w === 'majority') return undefined;
    const mode = typeof w === 'string' ? w : JSON.stringify(w);
    return {
      code: 79,
      codeName: 'UnknownReplWriteConcern',
      errmsg: `No write concern mode named '${mode}' found in replica set configuration`,
    };
  }

  #holds(repl: Replication, w: number | string | object, j: boolean, opTime: OpTime): boolean {
    if (isNullOpTime(opTime)) return true;
    if (w === 'majority')
      return compareOpTimes(repl.positions.commitPoint.opTime, opTime) >= 0 && (!j || this.#ownDurable(repl, opTime));
    const needed = Math.max(Number(w), 1);
    const positions: readonly KnownPosition[] = repl.progress.knownPositions();
    return numNodesReached(positions, opTime, needed, j);
  }

  #ownDurable(repl: Replication, opTime: OpTime): boolean {
    return compareOpTimes(repl.positions.durable.opTime, opTime) >= 0;
  }

  // --- what replies show ---

  replyMetadata(): Reply {
    const { repl, core } = this.#mongod;
    if (!repl?.topology.config) return {};
    const clusterTime = maxTimestamp(core.clusterTime, repl.positions.written.opTime.ts);
    return {
      $clusterTime: { clusterTime: toBsonTimestamp(clusterTime, BsonTimestamp), signature: NO_SIGNATURE },
      operationTime: toBsonTimestamp(repl.positions.applied.opTime.ts, BsonTimestamp),
    };
  }

  topologyVersion(): Reply | undefined {
    const { repl } = this.#mongod;
    if (!repl) return undefined;
    return { processId: new ObjectId(this.processId), counter: BigInt(repl.topology.topologyVersion) };
  }

  oplogDocuments(): OplogDocuments | undefined {
    const { repl, core, oplog } = this.#mongod;
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
      maxSizeBytes: core.options.oplogSizeBytes,
      at: (index) => oplog.at(index)?.bytes,
      lowerBound: (ts) => oplog.lowerBound(ts),
    };
  }

  operations() {
    return this.#mongod.scheduler.operations;
  }

  logLines(log: 'global' | 'startupWarnings'): readonly TimedLogLine[] {
    const { core } = this.#mongod;
    return log === 'global' ? core.logLines : core.startupWarnings;
  }

  parameterSet(name: string): void {
    this.#mongod.ttl.parameterChanged(name);
  }

  ttlMetrics(): Reply {
    return this.#mongod.ttl.metricsReply();
  }

  replMetrics(): Reply {
    return replMetricsReply(this.#mongod);
  }

  sections(): Reply {
    return replSection(this.#mongod);
  }

  commandLine(): { readonly argv: readonly string[]; readonly parsed: Reply } {
    const { host, setName, mode } = this.#mongod.core.options;
    const [name, port] = host.split(':');
    const replSet = mode === 'replSet' ? setName : undefined;
    return {
      argv: ['mongod', '--bind_ip', name!, '--port', port!, ...(replSet ? ['--replSet', replSet] : [])],
      parsed: {
        net: { bindIp: name, port: Number(port) },
        ...(replSet && { replication: { replSet } }),
      },
    };
  }
}
