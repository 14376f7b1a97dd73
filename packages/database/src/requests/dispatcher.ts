import { allows, CLUSTER } from '@replsim/access';
import {
  type ClientConnection,
  checkStandaloneWriteConcern,
  type Killable,
  type OpenConnection,
  type Operation,
  parseReadConcern,
  parseWriteConcern,
  pauseWhileSet,
  type ReadConcernLevel,
  type ReadConcernRequest,
  type RetryableWrite,
  type Session,
  spend,
  type WriteConcernRequest,
  withDeadline,
} from '@replsim/operations';
import type { FailPointData } from '@replsim/pipeline';
import {
  CommandArguments,
  checkBson,
  defaultReadMaxTimeMS,
  type Reply,
  type SessionId,
  shownApiParameters,
  truthOf,
} from '@replsim/pipeline';
import { CommandError, encodeReply, isReplicated, toBsonTimestamp } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { Timestamp } from 'bson';
import { type Arrival, checkAccess } from '../access/gate.ts';
import { redacted } from '../access/redacted.ts';
import { type CommandContext, type CommandDefinition, isOpen, type OneLevel } from '../definition.ts';
import type {
  AccessServices,
  ClientServices,
  CommandHost,
  ConcernServices,
  MemberFacts,
  MemberServices,
} from '../member.ts';
import { attemptOf, isNotPrimaryError, withErrorLabels } from '../replies/errorLabels.ts';
import { errorReply, withTopologyVersion } from '../replies/errorReply.ts';
import { ConnectionClosed, failBefore, type Injected, NOTHING_INJECTED } from '../replies/failCommand.ts';
import { withFailureAwaited } from '../replies/failedWrite.ts';
import { checkApiParameters } from './apiVersion.ts';
import { clusterTimeOf } from './clusterTime.ts';
import { concernsInTransaction, runInTransaction } from './inTransaction.ts';
import { namedByName } from './namedByUuid.ts';
import { NO_SESSION, type OperationSession, operationSession } from './operationSession.ts';
import { inLegacyWords, refusal } from './refusal.ts';
import type { CommandRegistry } from './registry.ts';
import { explained, type Request, refused } from './request.ts';

/** Whoever sent a command. */
export interface RequestOrigin extends ClientConnection {
  /** A member, which copies data: fail points do not mean it. */
  readonly fromMember?: boolean;
}

/** Answers what clients send. Upstream: service_entry_point. */
export class Dispatcher {
  readonly #commands: CommandRegistry;

  constructor(commands: CommandRegistry) {
    this.#commands = commands;
  }

  /** Looks at a command that came in; never throws for what a client sent. */
  start(bytes: Uint8Array, origin: RequestOrigin = {}, connection?: OpenConnection): Request {
    let args: CommandArguments | undefined;
    let checked: Uint8Array | undefined;
    try {
      checkBson(bytes);
      checked = bytes;
      args = new CommandArguments(bytes);
      if (connection) args.uid = connection.uid;
      const command = this.#commands.find(args.name);
      if (!command) throw this.#commands.unknown(args.name);
      const help = args.value('help');
      if (help && truthOf(help)) return explained(command, args);
      return new KnownRequest(command, args, origin, connection, (name) => this.#commands.find(name));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return refused(checked, args, error);
    }
  }
}

/** What is known of a command's surroundings when it is about to be run. */
interface Known extends Pick<CommandContext, 'opId' | 'readConcern' | 'deadlineMicros'> {
  readonly member: CommandHost;
}

interface NumberedSession extends OperationSession {
  readonly lsid: SessionId;
  readonly txnNumber: bigint;
}

class KnownRequest implements Request {
  readonly #command: CommandDefinition;
  #args: CommandArguments;
  readonly killable: Killable;

  readonly #origin: RequestOrigin;
  readonly #connection: OpenConnection | undefined;
  readonly #find: Arrival['find'];
  /** Once it is known. */
  #readConcernLevel: ReadConcernLevel | undefined;

  constructor(
    command: CommandDefinition,
    args: CommandArguments,
    origin: RequestOrigin,
    connection: OpenConnection | undefined,
    find: Arrival['find'],
  ) {
    this.#command = command;
    this.#args = args;
    this.#origin = origin;
    this.#connection = connection;
    this.#find = find;
    const needsPrimary = command.secondaries === 'never' || args.inTransaction;
    this.killable = command.killable ?? (needsPrimary ? 'whenNotPrimary' : 'onRollback');
  }

  get name(): string {
    return this.#command.name;
  }

  get command(): Uint8Array {
    return redacted(this.#command, this.#args);
  }

  get ns(): string {
    return this.#args.label;
  }

  /** Reads, and whoever waits for news; a write is carried out, whoever hears of it. */
  get endsWithClient(): boolean {
    const command = this.#command;
    if (command.kind !== 'read') return isHandshake(command) || command.name === 'getMore';
    try {
      return !writesItself(this.#command, this.#args);
    } catch (error) {
      // What is malformed is told when it runs, and writes nothing.
      if (error instanceof CommandError) return true;
      throw error;
    }
  }

  get session(): string | undefined {
    return this.#args.sessionKey;
  }

  get txnNumber(): bigint | undefined {
    return this.#args.transactionNumber;
  }

  *run(member: CommandHost, opId: number): Operation<Uint8Array> {
    const reply = yield* this.#reply(member, opId);
    return encodeReply(reply, member.replyMetadata(this.#readConcernLevel));
  }

  *#reply(member: CommandHost, opId: number): Operation<Reply> {
    const args = this.#args;
    const attempt = attemptOf(args, this.#command);
    const cameMicros = member.now.monotonicMicros;
    try {
      if (isHandshake(this.#command)) this.#connection?.hear(args);
      const { failPoints } = member;
      const injected = failPoints.areConfigured ? yield* this.#failBefore(member) : NOTHING_INJECTED;
      // Where the client counts the block, no time may have passed here.
      const beganMicros = Math.min(cameMicros, member.now.monotonicMicros - injected.blockedMs * 1000);
      this.#checkAccess(member);
      const reply = yield* this.#limited(member, opId, beganMicros);
      if (failPoints.areConfigured) yield* this.#waitAfter(member);
      const done = { ...reply, ...injected.fields, ok: 1 };
      return withErrorLabels(withTopologyVersion(done, member), attempt, true);
    } catch (error) {
      if (!(error instanceof CommandError) || error instanceof ConnectionClosed) throw error;
      member.counters.asserts.user += 1;
      const { moreToCome, helloOk = this.#connection?.helloOk } = this.#origin;
      if (moreToCome && isNotPrimaryError(error.code)) {
        // Nobody would hear of it otherwise.
        member.unacknowledgedWriteRefused();
        throw new ConnectionClosed();
      }
      const reply = errorReply(error, member);
      const said = helloOk === false ? { ...reply, errmsg: inLegacyWords(error.message) } : reply;
      const failed = attempt ?? (member.debug.usesChangeStream ? 'changeStream' : undefined);
      return withErrorLabels(said, failed, member.lastOpTime !== undefined);
    }
  }

  /** Before the arguments are read, so that a stranger learns nothing of them. */
  #checkAccess(member: CommandHost): void {
    const byName = () => {
      const newest = member.readView({ level: 'local' });
      return newest ? namedByName(this.#args, newest) : this.#args;
    };
    const arrival = {
      command: this.#command,
      args: this.#args,
      connection: this.#connection,
      find: this.#find,
      byName,
    };
    member.debug.needs = checkAccess(arrival, member);
  }

  *#failBefore(member: MemberServices): Operation<Injected> {
    if (this.#origin.fromMember) return NOTHING_INJECTED;
    return yield* failBefore({ command: this.#command, args: this.#args, connection: this.#connection }, member);
  }

  /**
   * Holds back the answer to what was done: `{ ns?, commands? }`; not that to the command which switches it, unless it is named.
   * Upstream: service_entry_point_shard_role.cpp, RunCommandImpl.
   */
  #waitAfter(member: MemberServices): Operation<void> {
    const { name } = this.#command;
    const concerns = ({ ns, commands }: FailPointData) =>
      (!ns || ns === this.#args.label) &&
      (Array.isArray(commands) && commands.length > 0 ? commands.includes(name) : name !== 'configureFailPoint');
    return pauseWhileSet(member, 'waitAfterCommandFinishesExecution', { concerns });
  }

  /** The command, under its `maxTimeMS`, which a fail point may have used up before it begins. */
  #limited(member: CommandHost, opId: number, beganMicros: number): Operation<Reply> {
    const command = this.#command;
    const writes = command.kind === 'write' || (command.kind === 'other' && command.writes);
    const deadlineMicros = this.#deadline(member, beganMicros);
    const executed = this.#execute(member, opId, deadlineMicros);
    const operation = writes ? member.fsyncLock.stop(executed) : executed;
    return withDeadline(operation, deadlineMicros, () => member.now.monotonicMicros);
  }

  /** Upstream: service_entry_point_shard_role.cpp, which counts from where it took the command up. */
  #deadline(member: CommandHost, beganMicros: number): number {
    const { failPoints, now } = member;
    const { maxTimeMS = this.#defaultMaxTimeMS(member) } = this.#args;
    const ownMaxTime = this.#command.kind === 'other' && this.#command.ownMaxTime;
    if (maxTimeMS === 0 || ownMaxTime || failPoints.enter('maxTimeNeverTimeOut')) return Infinity;
    return failPoints.enter('maxTimeAlwaysTimeOut') ? now.monotonicMicros : beganMicros + maxTimeMS * 1000;
  }

  /**
   * What a cluster parameter says of reads that say nothing themselves; nothing to whoever may do without.
   * Upstream: getRequestOrDefaultMaxTimeMS.
   */
  #defaultMaxTimeMS(member: CommandHost): number {
    const { kind, name } = this.#command;
    if (kind !== 'read' || name === 'explain' || writesItself(this.#command, this.#args)) return 0;
    const view = this.#bypassesDefault(member) ? undefined : member.readView({ level: 'local' });
    const maxTimeMS = view ? defaultReadMaxTimeMS(view) : 0;
    member.debug.usesDefaultMaxTimeMS = maxTimeMS > 0;
    return maxTimeMS;
  }

  /** As everybody does where there is no access control: what nobody judges, everybody may do. */
  #bypassesDefault({ access }: AccessServices): boolean {
    if (!access.isEnabled || !this.#connection) return true;
    return allows(access.privilegesOf(this.#connection), 'bypassDefaultMaxTimeMS', CLUSTER);
  }

  *#execute(member: CommandHost, opId: number, deadlineMicros: number): Operation<Reply> {
    const command = this.#command;
    const newest = command.byUuid && member.readView({ level: 'local' });
    if (newest) this.#args = this.#orRefusal(member, () => namedByName(this.#args, newest));
    const args = this.#args;
    checkApiParameters(args, command, member.parameters.bool('acceptApiVersion2'));
    if (args.value('maxTimeMSOpOnly') && !this.#origin.fromMember) {
      throw new CommandError('InvalidOptions', 'maxTimeMSOpOnly is for members of a cluster alone');
    }
    this.#countClient(member);
    const heard = clusterTimeOf(args);
    if (heard) member.heardClusterTime(heard.time, heard.given, this.#connection);
    const session = this.#session(member);
    if (session.lsid) member.sessions.cache.used(session.lsid);
    const takesSession = isNumbered(session) && !(command.kind === 'other' && command.leavesSession);
    if (takesSession && session.transaction !== 'none') {
      return yield* this.#runInTransaction(member, opId, deadlineMicros, session);
    }
    const { writeConcern, asked } = this.#concerns(member);
    const takesWriteConcern = command.kind === 'write' || command.ownWriteConcern;
    member.debug.concerns = { read: asked, ...(takesWriteConcern && { write: { request: writeConcern } }) };
    if (command.kind === 'read') this.#readConcernLevel = asked.level;
    const startedMicros = member.now.monotonicMicros;
    this.#count(member);
    yield* spend(member.costs.commandMicros);
    // Asked after the parsing was paid for, so that no time passes between the question and the work.
    this.#refuse(member);
    if (usesData(command)) yield* member.indexBuilds.awaitDatabase(args.db);
    if (command.kind === 'write' && command.excludes && member.sessions.openCount > 0) {
      yield* member.sessions.locks.exclusive(command.excludes(args));
      this.#refuse(member);
    }
    let readConcern = asked;
    // A time that a client names is waited for before any command, whatever it reads.
    if (command.kind === 'read' || asked.afterClusterTime || asked.afterOpTime) {
      readConcern = yield* member.awaitReadConcern(asked);
      this.#refuse(member);
    }
    member.counters.readConcerns.nonTransactionOps.count(command.name, asked);
    const answered = command.kind === 'read' ? member.traceRead(readConcern, startedMicros) : undefined;
    const context = { member, opId, readConcern, deadlineMicros };
    const isReplicated = command.kind === 'write' && this.#isReplicated();
    const waits = writeConcern?.w !== 0 && isReplicated;
    // What no other member gets is in the own journal at least.
    const journals = command.kind === 'write' && !isReplicated && writeConcern?.j === true;
    const running = takesSession ? this.#runRetryable(context, session) : command.run(this.#told(context));
    const result = yield* waits ? withFailureAwaited(running, writeConcern, member) : running;
    const written = command.kind === 'write' && command.tellsOpTime ? member.writeMetadata() : undefined;
    const reply = written ? { ...result, electionId: written.electionId, opTime: written.opTime } : result;
    if (command.kind === 'read' && readConcern.level === 'linearizable') yield* member.confirmLinearizable();
    answered?.();
    if (readConcern.level === 'snapshot') return withSnapshotTime(reply, readConcern, member);
    if (!waits && !journals) return reply;
    return yield* withWriteConcern(reply, waits ? writeConcern : { w: 1, j: true, wtimeoutMS: 0 }, member);
  }

  /** Nobody's session is none: whose would it be? Upstream: initialize_operation_session_info.cpp. */
  #session(member: CommandHost): OperationSession {
    const command = this.#command;
    const { access } = member;
    const isStranger = access.isEnabled && this.#connection && !access.userOf(this.#connection);
    // A stranger whom the localhost exception lets do more: what is said of a session is not even read.
    if (isStranger && !isOpen(command)) return NO_SESSION;
    const session = operationSession(this.#args, command, member.memberState !== 'STANDALONE');
    return isStranger ? NO_SESSION : session;
  }

  /** Nobody waits for what no other member gets. Upstream: service_entry_point_shard_role.cpp, waitForWriteConcern. */
  #isReplicated(): boolean {
    const { namespaces } = this.#command;
    return namespaces ? namespaces(this.#args).some(isReplicated) : isReplicated(this.#args.label);
  }

  /** A retryable write has its session to itself meanwhile. */
  *#runRetryable(context: Known, { lsid, txnNumber }: NumberedSession): Operation<Reply> {
    const { sessions } = context.member;
    const retryable = yield* sessions.checkOut(lsid, txnNumber);
    context.member.counters.writes.externalRetryableWriteCount += 1;
    try {
      return yield* this.#command.run(this.#told(context, retryable));
    } finally {
      if (retryable.retried.length > 0) {
        sessions.metrics.retriedCommands += 1;
        sessions.metrics.retriedStatements += retryable.retried.length;
      }
      sessions.checkIn(lsid);
    }
  }

  /** A statement of a transaction; see `runInTransaction`. */
  *#runInTransaction(
    member: CommandHost,
    opId: number,
    deadlineMicros: number,
    { lsid, txnNumber, transaction, namespaces }: NumberedSession,
  ): Operation<Reply> {
    const command = this.#command;
    const starts = transaction === 'starts';
    const concerns = this.#orRefusal(member, () => concernsInTransaction(this.#args, command, starts, member));
    const { readConcern } = concerns;
    member.debug.concerns = { read: readConcern };
    this.#count(member);
    yield* spend(member.costs.commandMicros);
    this.#refuse(member);
    const statement = {
      command: command.name,
      api: shownApiParameters(this.#args),
      lsid,
      txnNumber,
      starts,
      namespaces,
      connection: this.#connection,
      ...concerns,
    };
    return yield* runInTransaction(member, statement, (session) =>
      command.run(this.#told({ member, opId, readConcern, deadlineMicros }, undefined, session)),
    );
  }

  #told(
    { member, opId, readConcern, deadlineMicros }: Known,
    retryable?: RetryableWrite,
    transaction?: Session,
  ): CommandContext {
    const open = transaction?.open;
    return {
      args: this.#args,
      member,
      get data() {
        return open ? open.data : viewOf(member, readConcern);
      },
      writes: open?.writes ?? member.writes,
      opId,
      readConcern: open?.identity.readConcern ?? readConcern,
      retryable,
      transaction,
      deadlineMicros,
      isCommand: (name) => this.#find(name) !== undefined,
      exhaustAllowed: this.#origin.exhaustAllowed ?? false,
      connection: this.#connection,
    };
  }

  /** What the command says of its concerns. A member that would not answer it anyway says that first. */
  #concerns(member: MemberServices): {
    readonly writeConcern: WriteConcernRequest | undefined;
    readonly asked: ReadConcernRequest;
  } {
    return this.#orRefusal(member, () => ({
      writeConcern: writeConcernOf(this.#args, this.#command, member),
      asked: readConcernOf(this.#args, this.#command, member),
    }));
  }

  #orRefusal<T>(member: MemberServices, read: () => T): T {
    try {
      return read();
    } catch (error) {
      this.#refuse(member);
      throw error;
    }
  }

  #refuse(member: MemberFacts): void {
    const args = this.#args;
    const writableHere = member.acceptsWritesFor(args.db);
    // Whoever accepts writes answers everything, but for what `local` may hide.
    if (writableHere && args.db !== 'local' && !args.has('$readPreference')) return;
    const error = refusal({
      command: this.#command,
      writableHere,
      state: member.memberState,
      secondaryOk: args.secondaryOk,
      inTransaction: args.inTransaction,
      ns: args.label,
    });
    if (error) throw error;
  }

  #count(member: MemberServices): void {
    const counted = countedAs(this.#command, member);
    if (counted !== 'itself') member.counters.opcounters[counted] += 1;
    if (MIRRORABLE.has(this.#command.name)) member.counters.mirrorableReads += 1;
  }

  /** Which version of the API an application uses, and how long a connection took to get to work. */
  #countClient({ counters, now: { monotonicMicros } }: MemberServices): void {
    const connection = this.#connection;
    if (!connection) return;
    const { appName } = connection.metadata ?? {};
    const version = this.#args.string('apiVersion') ?? 'default';
    if (appName) counters.apiVersions.used(appName, version, monotonicMicros);
    if (!BEFORE_WORK.has(this.#command.name) && connection.beginsWork())
      counters.toFirstCommandMillis += Math.floor((monotonicMicros - connection.openedMicros) / 1000);
  }
}

/** What a primary could have others read as well. Upstream: commands that support mirroring, supportsReadMirroring. */
const MIRRORABLE: ReadonlySet<string> = new Set(['find', 'count', 'distinct', 'update', 'findAndModify']);
/** By which a connection is got ready. */
const BEFORE_WORK: ReadonlySet<string> = new Set(['hello', 'isMaster', 'saslStart', 'saslContinue', 'authenticate']);

/** Upstream: Command::shouldAffectCommandCounter, shouldAffectQueryCounter. */
function countedAs(
  command: CommandDefinition,
  { traits }: MemberFacts,
): 'command' | Exclude<CommandDefinition['countedAs'], 'aggregation' | undefined> {
  const { countedAs: counted } = command;
  if (counted !== 'aggregation') return counted ?? 'command';
  return traits.maxWireVersion >= 22 ? 'query' : 'command';
}

/** The data that a read concern shows. Throws ReadConcernMajorityNotAvailableYet 134 if there is none yet. */
function viewOf(member: CommandHost, readConcern: ReadConcernRequest): ReadView {
  const view = member.readView(readConcern);
  if (view) return view;
  if (readConcern.level === 'snapshot')
    throw new CommandError('SnapshotUnavailable', 'no majority-committed snapshot yet');
  throw new CommandError('ReadConcernMajorityNotAvailableYet', 'no majority-committed snapshot yet');
}

/** Whether a read writes what it has found. */
function writesItself({ ownWriteConcern }: CommandDefinition, args: CommandArguments): boolean {
  return typeof ownWriteConcern === 'function' && ownWriteConcern(args);
}

/** Whether its `client` tells who is at the other end. */
function isHandshake(command: CommandDefinition): boolean {
  return command.kind === 'other' && command.isHandshake === true;
}

/** Whether it takes a lock on its database. */
function usesData({ kind, secondaries }: CommandDefinition): boolean {
  return kind !== 'other' || secondaries !== 'always';
}

function isNumbered(session: OperationSession): session is NumberedSession {
  return session.lsid !== undefined && session.txnNumber !== undefined;
}

/** Waits for the write concern, also when nothing was written: the client may be told of what others wrote before. */
function* withWriteConcern(
  reply: Reply,
  request: WriteConcernRequest | undefined,
  member: ConcernServices,
): Operation<Reply> {
  const failure = yield* member.awaitWriteConcern(request);
  return failure ? { ...reply, writeConcernError: failure } : reply;
}

/** Throws InvalidOptions 72 for a command that takes none, be it empty. */
function writeConcernOf(
  args: CommandArguments,
  command: CommandDefinition,
  member: MemberFacts,
): WriteConcernRequest | undefined {
  if (command.kind !== 'write') {
    if (command.ownWriteConcern || !args.has('writeConcern')) return undefined;
    throw new CommandError('InvalidOptions', 'Command does not support writeConcern');
  }
  const request = parseWriteConcern(args);
  if (member.memberState === 'STANDALONE') checkStandaloneWriteConcern(request);
  return request;
}

/** Tells a client at which time it read, so that it may read at that time again, now and with each further batch. */
function withSnapshotTime(
  reply: Reply,
  { atClusterTime }: ReadConcernRequest,
  { cursors }: Pick<ClientServices, 'cursors'>,
): Reply {
  const time = { atClusterTime: toBsonTimestamp(atClusterTime!, Timestamp) };
  if (!reply.cursor) return { ...reply, ...time };
  const { id } = reply.cursor as { id?: bigint };
  const kept = id === undefined ? undefined : cursors.find(id);
  if (kept) kept.atClusterTime = atClusterTime;
  return { ...reply, cursor: { ...(reply.cursor as Reply), ...time } };
}

function readConcernOf(
  args: CommandArguments,
  command: CommandDefinition,
  member: ConcernServices,
): ReadConcernRequest {
  const isRead = command.kind === 'read';
  const only = isRead ? command.oneLevel?.(args) : undefined;
  if (only) return readConcernOfStage(args, only);
  const request = isRead ? parseReadConcern(args, member.defaults.readConcern) : parseReadConcern(args);
  if (request.afterClusterTime && command.kind === 'other' && command.refusesClusterTime)
    throw new CommandError('InvalidOptions', 'afterClusterTime is not allowed for this command');
  const refused = isRead
    ? request.level === 'snapshot' && command.readConcern !== 'withSnapshot'
    : request.level !== 'local';
  if (refused) {
    throw new CommandError(
      'InvalidOptions',
      `Command ${command.name} does not support readConcern { level: "${request.level}" }`,
    );
  }
  return request;
}

/** Without a level it is that of the stage, and a default of the set does not count. Errors: InvalidOptions 72 for another level. */
function readConcernOfStage(args: CommandArguments, { stage, level }: OneLevel): ReadConcernRequest {
  const request = parseReadConcern(args, { level });
  if (request.level === level) return request;
  if (!request.hasLevel) return { ...request, level };
  throw new CommandError(
    'InvalidOptions',
    `Aggregation stage ${stage} cannot run with a readConcern other than '${level}'. Current readConcern: ${request.level}`,
  );
}
