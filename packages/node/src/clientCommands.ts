import {
  abandonLogin,
  allCommands,
  CommandRegistry,
  ConnectionClosed,
  Dispatcher,
  errorReply,
  type Request,
} from '@replsim/database';
import {
  type ClientConnection,
  type CursorUser,
  type OpenConnection,
  OperationDebug,
  type RunningOperation,
} from '@replsim/operations';
import {
  type BsonValue,
  CommandError,
  ElementCursor,
  encodeName,
  encodeReply,
  findField,
  type MemberTrace,
  readInt32,
  readString,
} from '@replsim/protocol';
import { VouchedUsers } from './access/vouchedUsers.ts';
import { clientWroteTrace, type WrittenHost } from './clientWrites.ts';
import { fsyncCommands } from './fsync/fsyncCommands.ts';
import { clusterParameterCommands } from './replCommands/clusterParameters.ts';
import { configCommands } from './replCommands/configCommands.ts';
import { defaultsCommands } from './replCommands/defaultRWConcern.ts';
import { electionCommands } from './replCommands/electionCommands.ts';
import { helloCommands } from './replCommands/hello.ts';
import { memberCommands } from './replCommands/memberCommands.ts';
import { oplogCommands } from './replCommands/oplogCommands.ts';
import { statusCommands } from './replCommands/status.ts';
import { syncFromCommands } from './replCommands/syncFromCommand.ts';
import { Services } from './services.ts';
import type { ServicesHost } from './servicesHost.ts';
import type { Shutdown } from './shutdown/shutdown.ts';
import { shutdownCommand } from './shutdown/shutdownCommand.ts';
import { userWriteBlockCommands } from './writeBlock/setUserWriteBlockMode.ts';
import type { WriteBlockHost } from './writeBlock/writeBlockHost.ts';

const CODE = encodeName('code');
const ERRMSG = encodeName('errmsg');
const WRITE_CONCERN_ERROR = encodeName('writeConcernError');
const RETRIED_MANY = encodeName('retriedStmtIds');
const RETRIED_ONE = encodeName('retriedStmtId');

/** A client's request that has no answer yet. */
interface UnderWay {
  readonly opId: number;
  readonly connection: OpenConnection | undefined;
}

/** A command that is about to be run. */
interface Work {
  readonly request: Request;
  readonly traced: boolean;
  readonly connection?: OpenConnection | undefined;
  readonly awaiting?: ((forMs: number) => void) | undefined;
}

/** Gets the reply, undefined if the connection is to be closed instead, and the operation that has ended. */
type Answer = (reply: Uint8Array | undefined, operation: RunningOperation) => void;

/** Whose commands they are. */
interface ClientCommandsHost extends ServicesHost, Pick<WrittenHost, 'findEntry'> {
  readonly userWriteBlock: WriteBlockHost['userWriteBlock'];
  readonly shutdown: Shutdown;
}

/** Runs the commands of clients, and of members that copy data, as operations. */
export class ClientCommands {
  readonly #host: ClientCommandsHost;
  readonly #dispatcher: Dispatcher;
  readonly services: Services;
  readonly #vouched: VouchedUsers;
  /** The operations of clients' requests that have no answer yet, by request. */
  readonly #underWay = new Map<number, UnderWay>();
  /** What is being answered at once. */
  #asked: Request | undefined;

  constructor(host: ClientCommandsHost) {
    this.#host = host;
    this.services = new Services(host);
    this.#vouched = new VouchedUsers(host.core, this.services.access);
    const registry = new CommandRegistry(host.core.traits.maxWireVersion, host.parameters.bool('enableTestCommands'));
    registry.register(allCommands());
    registry.register([
      ...helloCommands(host),
      ...statusCommands(host),
      ...configCommands(host),
      ...oplogCommands(host),
      ...electionCommands(host),
      ...memberCommands(host),
      ...syncFromCommands(host),
      ...fsyncCommands(host),
      ...userWriteBlockCommands(host),
      shutdownCommand(host),
      ...defaultsCommands(host),
      ...clusterParameterCommands(host),
    ]);
    this.#dispatcher = new Dispatcher(registry);
  }

  /** A client's command; the answer goes out as a `reply` effect. */
  run(requestId: number, command: Uint8Array, origin: ClientConnection = {}): void {
    const { core, counters, connections, scheduler } = this.#host;
    const { connectionId, awaitsOutside, moreToCome } = origin;
    const connection = connectionId === undefined ? undefined : connections.find(connectionId);
    // This member has closed it, which the client could not know yet.
    if (connectionId !== undefined && !connection) return;
    if (connection && !origin.exhaustAllowed) connection.streams = undefined;
    const { network } = counters;
    network.numRequests += 1;
    network.bytesIn += command.length;
    if (!connection) connections.totalCreated += 1;
    this.#underWay.set(requestId, { opId: scheduler.nextOpId, connection });
    const asked = connection ?? (origin.user && this.#vouched.connectionOf(origin.user));
    const request = this.#dispatcher.start(command, origin, asked);
    const awaiting = awaitsOutside ? (forMs: number) => core.push({ type: 'awaiting', requestId, forMs }) : undefined;
    this.#run({ request, connection: asked, awaiting, traced: core.tracingTalk }, (reply, operation) => {
      // Its connection was closed meanwhile.
      if (!this.#underWay.delete(requestId)) return;
      if (!reply) return this.#hangUp(requestId, connection);
      const wrote =
        core.tracingFates && !moreToCome ? clientWroteTrace(this.#host, request, operation, reply) : undefined;
      if (wrote) core.trace(wrote);
      // Who wants no reply gets none; the host has to know all the same that the connection's next request may come.
      if (!moreToCome) network.bytesOut += reply.length;
      core.push({ type: 'reply', requestId, reply });
    });
  }

  /** A connection's client has gone: what it reads ends where it stands, what it writes goes on, and nobody hears of either. */
  connectionClosed(connectionId: number): void {
    const { connections, scheduler } = this.#host;
    const connection = connections.ended(connectionId);
    if (!connection) return;
    abandonLogin(this.services, connection);
    for (const [requestId, each] of this.#underWay)
      if (each.connection === connection) this.#underWay.delete(requestId);
    scheduler.killAll(
      (operation) => operation.connection === connection && operation.endsWithClient,
      () => new CommandError('ClientDisconnect', 'operation was interrupted: its client has gone'),
    );
  }

  /** The client of a request that waits for news is content with what there is. */
  awaitEnded(requestId: number): void {
    const request = this.#underWay.get(requestId);
    if (request) this.#host.scheduler.onAwaitEnded(request.opId);
  }

  /** Closes all connections of clients: clients that wait for an answer learn that there will be none. */
  closeConnections(): void {
    for (const [requestId, { connection }] of this.#underWay) if (!connection) this.#hangUp(requestId, undefined);
    for (const connection of [...this.#host.connections]) this.#close(connection);
    this.#underWay.clear();
  }

  /** Closes the connection of the command that runs now, which goes on: nobody hears of it. */
  hangUp(): void {
    const { connections, core, scheduler } = this.#host;
    for (const [requestId, { opId, connection }] of this.#underWay) {
      if (opId !== scheduler.running?.opId) continue;
      this.#underWay.delete(requestId);
      if (!connection) return core.push({ type: 'hangUp', requestId });
      connections.ended(connection.id);
      return core.push({ type: 'closeConnection', connectionId: connection.id });
    }
  }

  #hangUp(requestId: number, connection: OpenConnection | undefined): void {
    if (connection) this.#close(connection);
    else this.#host.core.push({ type: 'hangUp', requestId });
  }

  #close({ id: connectionId }: OpenConnection): void {
    this.connectionClosed(connectionId);
    this.#host.core.push({ type: 'closeConnection', connectionId });
  }

  /** A command of another member, which copies data; these are not worth a line each in the trace. */
  runForMember(command: Uint8Array, answer: (reply: Uint8Array) => void): void {
    this.#run({ request: this.#dispatcher.start(command, { fromMember: true }), traced: false }, (reply) =>
      answer(reply ?? this.#errorReply(new ConnectionClosed())),
    );
  }

  #run({ request, connection, awaiting, traced }: Work, answer: Answer): void {
    const { core, counters, profiler, scheduler } = this.#host;
    const { name, ns, command, killable, endsWithClient, session, txnNumber } = request;
    const opId = scheduler.nextOpId;
    const startedMicros = core.now.monotonicMicros;
    if (traced) core.trace({ type: 'commandStarted', opId, name, ns });
    const debug = new OperationDebug();
    const desc = connection?.desc ?? 'conn';
    const labels = {
      desc,
      ns,
      commandName: name,
      killable,
      endsWithClient,
      session,
      txnNumber,
      debug,
      command,
      connection,
      awaiting,
    };
    scheduler.run(labels, request.run(this.services, opId), (result, operation) => {
      const reply = 'error' in result ? this.#errorReply(result.error) : result.value;
      if (traced) this.#traceEnd(request, opId, startedMicros, reply);
      const tookMicros = core.now.monotonicMicros - startedMicros;
      const code = codeOf(reply);
      counters.commands.ended({ name, ns, micros: tookMicros, code, debug });
      counters.work.ended(name, ns, code, debug);
      if (command) profiler.ended({ name, ns, command, reply, tookMicros, debug, connection });
      answer('error' in result && result.error instanceof ConnectionClosed ? undefined : reply, operation);
    });
  }

  /** Answers at this instant, without cost; what would have to wait fails. */
  answerAtOnce(command: Uint8Array): Uint8Array {
    const request = this.#dispatcher.start(command);
    this.#asked = request;
    try {
      return this.#host.scheduler.runAtOnce(request.run(this.services, 0));
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return this.#errorReply(error);
    } finally {
      this.#asked = undefined;
    }
  }

  /** Whose command runs now. */
  get userNow(): CursorUser {
    return this.#asked ?? this.#host.scheduler.running ?? {};
  }

  /** For what ends a command from outside: a step-down, a rollback, `killOp`. */
  #errorReply(error: CommandError): Uint8Array {
    return encodeReply(errorReply(error, this.services), this.services.replyMetadata());
  }

  #traceEnd(request: Request, opId: number, startedMicros: number, reply: Uint8Array): void {
    const { core } = this.#host;
    const errmsg = findField(reply, ERRMSG);
    core.trace({
      type: 'commandEnded',
      opId,
      name: request.name,
      ns: request.ns,
      tookMicros: core.now.monotonicMicros - startedMicros,
      code: codeOf(reply),
      ...(errmsg && { errmsg: readString(errmsg) }),
      ...writeOutcome(reply),
    });
  }
}

/** 0 for success. */
function codeOf(reply: Uint8Array): number {
  const code = findField(reply, CODE);
  return code ? readInt32(code.bytes, code.offset) : 0;
}

/** What the reply to a write says beside its result. */
function writeOutcome(reply: Uint8Array): Partial<Extract<MemberTrace, { type: 'commandEnded' }>> {
  const failed = findField(reply, WRITE_CONCERN_ERROR);
  const code = failed && findField(reply, CODE, failed.offset);
  const errmsg = failed && findField(reply, ERRMSG, failed.offset);
  const retried = findField(reply, RETRIED_MANY);
  const retriedStatements = retried ? countOf(retried) : findField(reply, RETRIED_ONE) ? 1 : 0;
  return {
    ...(code &&
      errmsg && { writeConcernError: { code: readInt32(code.bytes, code.offset), errmsg: readString(errmsg) } }),
    ...(retriedStatements > 0 && { retriedStatements }),
  };
}

function countOf({ bytes, offset }: BsonValue): number {
  const cursor = new ElementCursor(bytes, offset);
  let count = 0;
  while (cursor.next()) count += 1;
  return count;
}
