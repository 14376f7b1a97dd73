import { HeldByUser } from '@replsim/access';
import { FailPoints, ParameterStore, parametersOf } from '@replsim/pipeline';
import {
  CommandError,
  DEFAULT_COSTS,
  decodePromoted,
  encodeDocument,
  IdSource,
  type LogLine,
  type MemberState,
  type OpTime,
  RawBson,
  type Timestamp,
  VERSIONS,
} from '@replsim/protocol';
import {
  type CollectionView,
  type IndexOptionChange,
  parseIndexSpec,
  type ReadView,
  StorageEngine,
  type StoredDocument,
} from '@replsim/storage';
import { Binary, Long } from 'bson';
import { ConcernDefaults } from '../../operations/src/concernDefaults.ts';
import type { ReadConcernRequest, WriteConcernRequest } from '../../operations/src/concernRequests.ts';
import { Connections } from '../../operations/src/connections/connections.ts';
import type { OpenConnection } from '../../operations/src/connections/openConnection.ts';
import { ServerCounters } from '../../operations/src/counts/counters.ts';
import { CursorStore } from '../../operations/src/cursors.ts';
import { FsyncLock } from '../../operations/src/operations/fsyncLock.ts';
import type { Operation, Pause, RunningOperation } from '../../operations/src/operations/operation.ts';
import { OperationDebug } from '../../operations/src/operations/operationDebug.ts';
import { ProfilerSettings } from '../../operations/src/profiler/profilerSettings.ts';
import type { LogicalSessionServices } from '../../operations/src/sessions/logicalSessions.ts';
import type { TransactionServices } from '../../operations/src/sessions/openTransaction.ts';
import { SessionCatalog } from '../../operations/src/sessions/sessionCatalog.ts';
import type { WriteServices } from '../../operations/src/writes.ts';
import { type CollectionChanges, changedOptions } from '../../pipeline/src/collections/collectionChanges.ts';
import type { Reply } from '../../pipeline/src/reply.ts';
import { BucketCatalog } from '../../pipeline/src/timeseries/bucketCatalog.ts';
import { allCommands } from '../src/allCommands.ts';
import type {
  BuildRequest,
  BuildStats,
  CommandHost,
  IndexBuildServices,
  MemberAccess,
  OplogDocuments,
} from '../src/member.ts';
import { RamLog } from '../src/ramLog.ts';
import { Dispatcher, type RequestOrigin } from '../src/requests/dispatcher.ts';
import { CommandRegistry } from '../src/requests/registry.ts';

/** A write as the fake records it: the call's name and what tells it from others. */
export type Write = readonly [name: string, ...details: unknown[]];

/** Carries writes out on the engine directly, and notes each. */
class FakeWrites implements WriteServices {
  readonly log: Write[] = [];
  readonly #engine: StorageEngine;
  readonly #ids: IdSource;

  constructor(engine: StorageEngine, ids: IdSource) {
    this.#engine = engine;
    this.#ids = ids;
  }

  newest(): ReadView {
    return this.#engine;
  }

  insert(ns: string, documents: readonly StoredDocument[]): void {
    if (!this.#engine.collection(ns)) this.createCollection(ns, encodeDocument({}));
    let n = 0;
    try {
      for (const document of documents) {
        this.#engine.insert(ns, document);
        n += 1;
      }
    } finally {
      this.log.push(['insert', ns, n]);
    }
  }

  update(collection: CollectionView, recordId: number, after: StoredDocument, delta: Uint8Array | undefined): void {
    this.#engine.update(collection.ns, recordId, after);
    this.log.push(['update', collection.ns, recordId, delta && decodePromoted(delta)]);
  }

  delete(collection: CollectionView, recordIds: readonly number[], options: { readonly grouped: boolean }): void {
    for (const recordId of recordIds) this.#engine.delete(collection.ns, recordId);
    this.log.push(['delete', collection.ns, [...recordIds], options.grouped]);
  }

  together(write: () => void): void {
    this.log.push(['together']);
    write();
  }

  createCollection(ns: string, options: Uint8Array, uuid = this.#ids.uuid(), idIndex?: Uint8Array): void {
    this.#engine.createCollection(ns, { uuid, options, idIndex });
    this.log.push(['create', ns, decodePromoted(options)]);
  }

  dropCollection(ns: string): void {
    this.#engine.dropCollection(ns);
    this.log.push(['drop', ns]);
  }

  dropDatabase(db: string): void {
    for (const { ns } of this.#engine.collections()) if (ns.startsWith(`${db}.`)) this.dropCollection(ns);
    this.log.push(['dropDatabase', db]);
  }

  setDropPending(db: string, pending: boolean): void {
    this.log.push(['dropPending', db, pending]);
  }

  renameCollection(from: string, to: string): void {
    if (this.#engine.collection(to)) this.#engine.dropCollection(to);
    this.#engine.renameCollection(from, to);
    this.log.push(['rename', from, to]);
  }

  createIndex(ns: string, spec: Uint8Array): void {
    this.#engine.createIndex(ns, parseIndexSpec(spec));
    this.log.push(['createIndex', ns, decodePromoted(spec)]);
  }

  dropIndex(ns: string, name: string): void {
    this.#engine.dropIndex(ns, name);
    this.log.push(['dropIndex', ns, name]);
  }

  collModIndex(ns: string, name: string, changes: IndexOptionChange): void {
    this.#engine.setIndexOption(ns, name, changes);
    this.log.push(['collMod', ns, name, changes]);
  }

  collModCollection(ns: string, changes: CollectionChanges): void {
    this.#engine.setOptions(ns, changedOptions(this.#engine.collection(ns)!.options, changes));
    this.log.push(['collMod', ns, changes]);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies without telling each type
export type Doc = Record<string, any>;

/** One command under way: how far it got, and its reply once it has one. */
export class Running {
  reply: Doc | undefined;
  /** The reply as it went out. */
  bytes: Uint8Array | undefined;
  pause: Pause | undefined;
  readonly #member: FakeMember;
  readonly #operation: Operation<Uint8Array>;

  constructor(member: FakeMember, operation: Operation<Uint8Array>) {
    this.#member = member;
    this.#operation = operation;
    this.#take(operation.next(true));
  }

  /** Lets one pause end: work is paid for, a wait ends if its condition holds or, with `timeOut`, at its deadline. */
  step(timeOut = false): void {
    const { pause } = this;
    if (!pause) return;
    if (pause.type === 'spend') {
      this.#member.advance(pause.micros);
      this.#take(this.#operation.next(true));
    } else if (pause.ready()) {
      this.#take(this.#operation.next(true));
    } else if (timeOut) {
      if (pause.deadlineMicros === undefined) throw new Error(`waits for ever for ${pause.what}`);
      this.#member.now = { ...this.#member.now, monotonicMicros: pause.deadlineMicros };
      this.#take(this.#operation.next(false));
    } else {
      throw new Error(`waits for ${pause.what}`);
    }
  }

  kill(error: CommandError): void {
    this.#take(this.#operation.throw(error));
  }

  finish(): Doc {
    for (let steps = 0; !this.reply; steps++) {
      if (steps > 100_000) throw new Error('goes on for ever');
      this.step(true);
    }
    return this.reply;
  }

  #take(step: IteratorResult<Pause, Uint8Array>): void {
    this.pause = step.done ? undefined : step.value;
    if (!step.done) return;
    this.bytes = step.value;
    this.reply = decodePromoted(step.value);
  }
}

/** What makes a command a retryable write. */
export const RETRYABLE = { lsid: { id: new Binary(new Uint8Array(16), Binary.SUBTYPE_UUID) }, txnNumber: Long.ONE };

/** Builds at one instant, so that none is ever under way. */
class FakeIndexBuilds implements IndexBuildServices {
  /** An index is said to be under way, of whatever collection. */
  busy = false;
  readonly #writes: FakeWrites;

  constructor(writes: FakeWrites) {
    this.#writes = writes;
  }

  checkNone(): void {
    if (this.busy) throw new CommandError('BackgroundOperationInProgressForNamespace', 'an index build is running');
  }

  *awaitNone(): Operation<void> {}

  checkGoesOn(): void {}

  *awaitDatabase(): Operation<void> {}

  readonly mayStart = true;

  *awaitStart(): Operation<void> {}

  *build({ collection, specs }: BuildRequest): Operation<BuildStats> {
    const { length: numIndexesBefore } = collection.indexes;
    for (const spec of specs) this.#writes.createIndex(collection.ns, spec.bytes);
    return { numIndexesBefore, numIndexesAfter: numIndexesBefore + specs.length };
  }

  checkCommitQuorum(): void {}

  setCommitQuorum(): void {}

  abortByNames(): boolean {
    return false;
  }

  abortAll(): void {}
}

/** The commands that any member has. */
export function databaseCommands(): CommandRegistry {
  const registry = new CommandRegistry(VERSIONS['8.0'].maxWireVersion);
  registry.register(allCommands());
  return registry;
}

/** A member without a set around it: a real engine, a clock that moves as work is paid for, and hooks to turn. */
export class FakeMember implements CommandHost {
  now = { monotonicMicros: 5_000_000, wallMs: Date.UTC(2025, 0, 1) };
  readonly costs = DEFAULT_COSTS;
  traits = VERSIONS['8.0'];
  readonly engine = new StorageEngine();
  readonly ids = new IdSource([1, 2]);
  readonly ownWrites = new FakeWrites(this.engine, this.ids);
  readonly indexBuilds = new FakeIndexBuilds(this.ownWrites);
  readonly cursors = new CursorStore(this.ids, {
    user: () => ({
      session: this.session,
      txnNumber: this.txnNumber,
      connection: this.connection,
      debug: this.debug,
    }),
    access: () => this.access,
    held: new HeldByUser(() => {}),
    nowMicros: () => this.now.monotonicMicros,
    timeoutMillis: () => this.parameters.number('cursorTimeoutMillis'),
    sessionCursorsTimeOut: () => this.parameters.bool('enableTimeoutOfInactiveSessionCursors'),
    wake: () => {},
  });
  /** Of the command that is run next, by the hex of its UUID. */
  session: string | undefined;
  txnNumber: bigint | undefined;
  /** On which the command that runs now came. */
  connection: OpenConnection | undefined;
  readonly bucketCatalog = new BucketCatalog();
  readonly sessions = new SessionCatalog({
    engine: () => this.engine,
    findEntry: () => undefined,
    wake: () => {},
    closeCursors: (key, of) =>
      this.cursors.closeAll(({ session, txnNumber }) => session === key && (of === undefined || of === txnNumber)),
    held: new HeldByUser(() => {}),
    wallMs: () => this.now.wallMs,
    timeoutMinutes: () => 30,
    inUse: () => false,
    lifetimeLimitSecs: () => this.parameters.number('transactionLifetimeLimitSeconds'),
    now: () => this.now,
    transactionEnded: () => {},
    transactionChanged: () => {},
  });
  /** The jobs that somebody did not want to wait for. */
  readonly jobs: string[] = [];
  readonly logicalSessions: LogicalSessionServices = {
    stats: {
      ...{ refreshes: 1, refreshedAtMs: 0, refreshTookMs: 0, recorded: 0, ended: 0 },
      ...{ reaps: 1, reapedAtMs: 0, reapTookMs: 0, reaped: 0 },
    },
    refresh: () => this.#job('refresh'),
    reap: () => this.#job('reap'),
  };
  /** No-ops that were written for write concerns to wait for. */
  readonly noops: string[] = [];
  readonly transactions: TransactionServices = {
    open: (identity) => {
      const data = this.engine.begin();
      // It has all methods that these writes call.
      const writes = new FakeWrites(data as unknown as StorageEngine, this.ids);
      return {
        identity,
        readTimestamp: undefined,
        data,
        writes,
        commit: () => data.commit(),
        abort: () => data.abort(),
        traceRead: () => {},
        touches: (choose) => data.touches(choose),
        hasCreated: (ns) => data.hasCreated(ns),
      };
    },
    writeNoop: (msg) => this.noops.push(msg),
  };
  readonly connections = new Connections({
    log: () => {},
    isQuiet: () => false,
    nowMicros: () => this.now.monotonicMicros,
  });
  /** Nobody is asked who they are. */
  access: MemberAccess = {
    isEnabled: false,
    userOf: (connection) =>
      connection?.user && { name: connection.user, userId: new Uint8Array(), roles: [], privileges: [] },
    privilegesOf: () => [],
    isExcepted: () => false,
    secret: new Uint8Array(32),
    keys: [],
    logIn(connection, name) {
      connection.user = name;
      return undefined;
    },
  };
  readonly defaults = new ConcernDefaults(
    () => this.engine,
    () => this.now.wallMs,
    VERSIONS['8.0'],
  );
  readonly parameters = new ParameterStore(parametersOf(VERSIONS['8.0']));
  readonly counters = new ServerCounters();
  readonly failPoints = new FailPoints(this.ids);
  readonly fsyncLock = new FsyncLock();
  memberState: MemberState | 'STANDALONE' = 'PRIMARY';
  writable = true;
  readonly isReadOnly = false;
  readonly host = 'n1:27017';
  readonly startedMicros = 0;
  readonly processId = new Uint8Array(12);
  readonly dispatcher = new Dispatcher(databaseCommands());
  /** What a write concern comes to. */
  writeConcernResult: Reply | CommandError | undefined;
  readonly writeConcerns: (WriteConcernRequest | undefined)[] = [];
  readonly readConcerns: ReadConcernRequest[] = [];
  linearized = 0;
  committed: ReadView | undefined;
  oplog: Uint8Array[] = [];
  oplogFirst = 0;
  hasOplog = false;
  running: RunningOperation[] = [];
  readonly logs = { global: new RamLog(), startupWarnings: new RamLog() };
  readonly parametersSet: string[] = [];

  get writes(): FakeWrites {
    return this.ownWrites;
  }

  *#job(name: string): Operation<void> {
    this.jobs.push(name);
  }

  acceptsWritesFor(db: string): boolean {
    return this.writable || db === 'local';
  }

  readView({ level }: ReadConcernRequest): ReadView | undefined {
    return level === 'majority' || level === 'snapshot' ? this.committed : this.engine;
  }

  *runOnPrimary(): Operation<Uint8Array> {
    throw new CommandError('NotWritablePrimary', 'not primary');
  }

  *awaitWriteConcern(request: WriteConcernRequest | undefined): Operation<Reply | undefined> {
    this.writeConcerns.push(request);
    yield { type: 'wait', what: 'writeConcern', ready: () => true };
    const result = this.writeConcernResult;
    if (!(result instanceof CommandError)) return result;
    return { code: result.code, codeName: result.codeName, errmsg: result.message };
  }

  *awaitMajorityAnd(): Operation<void> {
    yield { type: 'wait', what: 'writeConcern', ready: () => true };
  }

  *awaitReadConcern(request: ReadConcernRequest): Operation<ReadConcernRequest> {
    this.readConcerns.push(request);
    yield { type: 'wait', what: 'readConcern', ready: () => true };
    return request;
  }

  *confirmLinearizable(): Operation<void> {
    yield { type: 'wait', what: 'writeConcern', ready: () => true };
    this.linearized += 1;
  }

  traceRead(): undefined {}

  /** Cluster times that clients brought along. */
  readonly heard: Timestamp[] = [];

  heardClusterTime(clusterTime: Timestamp): void {
    this.heard.push(clusterTime);
  }

  replyMetadata(): Reply {
    return { $marker: 1 };
  }

  lastOpTime: OpTime | undefined;

  refusedUnacknowledged = 0;

  unacknowledgedWriteRefused(): void {
    this.refusedUnacknowledged += 1;
  }

  writeMetadata(): undefined {
    return undefined;
  }

  inQuiesceMode = false;

  topologyVersion(): Reply {
    return { counter: 7n };
  }

  committedOplog(): undefined {
    return undefined;
  }

  oplogDocuments(): OplogDocuments | undefined {
    if (!this.hasOplog) return undefined;
    const member = this;
    return {
      get firstIndex() {
        return member.oplogFirst;
      },
      get endIndex() {
        return member.oplog.length;
      },
      sizeBytes: 1000,
      maxSizeBytes: 50_000_000,
      at: (index) => (index < member.oplogFirst ? undefined : member.oplog[index]),
      lowerBound: (ts: Timestamp) => member.oplog.findIndex((entry) => decodePromoted(entry).ts.t >= ts.t),
    };
  }

  readonly debug = new OperationDebug();
  readonly profiler = { settings: new ProfilerSettings(), prepare: () => {} };

  threads(): readonly string[] {
    return ['TTLMonitor'];
  }

  operations(): Iterable<RunningOperation> {
    return this.running;
  }

  ramLog(name: 'global' | 'startupWarnings'): RamLog {
    return this.logs[name];
  }

  log(severity: LogLine['severity'], component: string, id: number, msg: string, attr: Reply = {}): void {
    this.logs.global.add(this.now.wallMs, { severity, component, id, ctx: 'conn', msg, attr });
  }

  parameterSet(name: string): void {
    this.parametersSet.push(name);
  }

  relaxedConstraints(): Reply {
    return {};
  }

  snapshotWindow() {
    return { oldest: { t: 1735689601, i: 2 }, stable: { t: 1735689900, i: 7 }, tooOldErrors: 3 };
  }

  ttlMetrics(): Reply {
    return { passes: 3n };
  }

  replMetrics(): Reply {
    return { apply: { ops: 4n } };
  }

  sections(): Reply {
    return { repl: { setName: 'rs0' } };
  }

  commandLine(): { argv: string[]; parsed: Reply } {
    return { argv: ['mongod'], parsed: { net: { port: 27017 } } };
  }

  // --- for tests ---

  advance(micros: number): void {
    const { monotonicMicros, wallMs } = this.now;
    this.now = { monotonicMicros: monotonicMicros + micros, wallMs: wallMs + micros / 1000 };
  }

  start(command: object | Uint8Array, db = 'app', origin: RequestOrigin = {}, connection?: OpenConnection): Running {
    const bytes = command instanceof Uint8Array ? command : encodeDocument({ ...withLongId(command), $db: db });
    this.connection = connection;
    return new Running(this, this.dispatcher.start(bytes, origin, connection).run(this, 1));
  }

  /** Runs a command to its end and gives its reply, decoded. */
  run(command: object | Uint8Array, db = 'app'): Doc {
    return this.start(command, db).finish();
  }

  /** Runs a command that must succeed. */
  ok(command: object, db = 'app'): Doc {
    const reply = this.run(command, db);
    if (reply.ok !== 1 || reply.writeErrors) throw new Error(JSON.stringify(reply));
    return reply;
  }

  insert(collection: string, ...documents: object[]): void {
    this.ok({ insert: collection, documents });
    this.writes.log.length = 0;
  }

  /** Documents as a client finds them. */
  find(collection: string, filter: object = {}, more: object = {}): Doc[] {
    return this.ok({ find: collection, filter, ...more, batchSize: 10_000 }).cursor.firstBatch;
  }

  /** All documents of a collection in natural order, read past the commands. */
  documents(ns: string): Doc[] {
    const documents: Doc[] = [];
    const records = this.engine.collection(ns)?.records();
    while (records?.next()) documents.push(decodePromoted(records.document.bytes));
    return documents;
  }
}

/** `{ code, codeName }` and the message of a failed command. */
export function failure({ ok, code, codeName, errmsg }: Doc): [number, number, string, string] {
  return [ok, code, codeName, errmsg];
}

export const raw = (document: object) => new RawBson(encodeDocument(document));

/** The id of a cursor, which a decoded reply shows as a number of JavaScript, as the int64 that it is. */
function withLongId(command: object): object {
  const { getMore } = command as { getMore?: unknown };
  return typeof getMore === 'number' ? { ...command, getMore: BigInt(getMore) } : command;
}
