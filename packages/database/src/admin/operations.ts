import { type Needed, NOTHING, onCluster, sameUser } from '@replsim/access';
import {
  type ClientCursor,
  type OpenConnection,
  operationName,
  type RunningOperation,
  shownCommand,
} from '@replsim/operations';
import { fieldSet, numberOf, type Reply, subsetOf } from '@replsim/pipeline';
import { CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { AccessServices, ClientServices, MemberFacts, MemberServices } from '../member.ts';
import type { Asking } from '../needs.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import { idleTransactions, sessionDocument, transactionDocument } from './transactionReports.ts';

/** Upstream: current_op.cpp. */
const FSYNC_LOCKED = { fsyncLock: true, info: 'locked by fsync; db.fsyncUnlock() ends it' };

const options = fieldSet('currentOp', '$all', '$ownOps', '$truncateOps');

/**
 * `{ currentOp: 1, $all?, $truncateOps?, …filter }` → `{ inprog }`: the member's own work too, such as a pass of the TTL monitor, and
 * transactions that wait for their next statement; with `$all` also connections and threads that have nothing to do.
 * Upstream: current_op_common.cpp, CurrentOpCommandBase, which runs `$currentOp` and leaves its `idleSessions` at true;
 * common_process_interface.cpp, getCurrentOps.
 */
const currentOp: CommandDefinition = {
  name: 'currentOp',
  refusesClusterTime: true,
  help: 'shows the operations under way',
  auth: ({ args }) => (args.truth('$ownOps') ? NOTHING : onCluster('inprog')),
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member, connection }) => {
    const all = args.truth('$all');
    const whose = args.truth('$ownOps') ? connection : undefined;
    const matches = compileFilter(subsetOf(args.bytes, (name) => !options.has(name)));
    const truncated = !args.has('$truncateOps') || args.truth('$truncateOps');
    const shown = [...operationDocuments(member, { all, truncated, whose }), ...idleTransactions(member, whose)];
    const inprog = shown.filter((operation) => matches(encodeDocument(operation)));
    return { inprog, ...(member.fsyncLock.isLocked && FSYNC_LOCKED) };
  }),
};

/**
 * `{ killOp: 1, op: opid }`: the operation ends with Interrupted 11601 where it waits next.
 * Errors: NoSuchKey 4 without `op`, BadValue 2 for a fraction, 26823 for what no operation can have. An operation that does not exist is no error. Upstream: kill_op.cpp.
 */
const killOp: CommandDefinition = {
  name: 'killOp',
  help: 'ends an operation',
  auth: killOpNeeds,
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce((context) => {
    const op = context.args.numeric('op');
    if (op === undefined) throw new CommandError('NoSuchKey', 'Did not provide "op" field');
    const opId = numberOf(op);
    if (!Number.isInteger(opId)) throw new CommandError('BadValue', `"op" has to be a whole number, found: ${opId}`);
    if (opId !== (opId | 0)) throw new CommandError(26823, `invalid op : ${opId}. It is no number of 32 bits`);
    kill(context, opId);
    return { info: 'attempting to kill op' };
  }),
};

/** One's own one may end; what is not there is nobody's. Upstream: kill_op_cmd_base.cpp, isAuthorizedToKill. */
function killOpNeeds({ args, member, connection }: Asking): readonly Needed[] {
  const opId = args.number('op');
  const meant = [...member.operations()].find((each) => each.opId === opId);
  return meant && isOwn(meant.connection, connection) ? NOTHING : onCluster('killop');
}

export const operationCommands: readonly CommandDefinition[] = [currentOp, killOp];

function kill({ member, opId: own }: CommandContext<ClientServices>, opId: number): void {
  const interrupted = new CommandError('Interrupted', 'operation was interrupted');
  if (opId === own) throw interrupted;
  for (const operation of [...member.operations()]) if (operation.opId === opId) operation.kill(interrupted);
}

/** Which operations are shown, and how. */
export interface ShownOperations {
  /** Connections on which there is none, and threads, are shown too. */
  readonly all: boolean;
  /** Long commands are shown as the beginning of their text. */
  readonly truncated?: boolean;
  /** On whose connection the question came that is about one's own operations; otherwise those of all are shown. */
  readonly whose?: OpenConnection | undefined;
}

/**
 * Whether a connection is of the same user as the one that asks; what has none, as the member's own work, is nobody's.
 * Upstream: authorization_session_impl.cpp, isCoauthorizedWithClient.
 */
function isOwn(connection: OpenConnection | undefined, asking: OpenConnection): boolean {
  return connection?.user !== undefined && sameUser(connection.user, asking.user);
}

/** Operations under way as `currentOp` and `$currentOp` show them. */
export function operationDocuments(
  member: MemberServices,
  { all, truncated = false, whose }: ShownOperations,
): Reply[] {
  const isMeant = ({ connection }: { readonly connection?: OpenConnection | undefined }) =>
    isShown(connection, whose, member);
  const active = [...member.operations()].filter(isMeant).map((each) => describe(each, member, truncated));
  if (!all) return active;
  const threads = isMeant({}) ? idleThreads(member) : [];
  return [
    ...active,
    ...idleConnections(member)
      .filter((connection) => isMeant({ connection }))
      .map(shownIdle(member)),
    ...threads,
  ];
}

/** Without access control everybody sees everything, whatever is asked for. */
function isShown(
  connection: OpenConnection | undefined,
  whose: OpenConnection | undefined,
  { access }: AccessServices,
): boolean {
  return whose === undefined || !access.isEnabled || isOwn(connection, whose);
}

/** Connections on which nothing is under way. */
function idleConnections(member: MemberServices): OpenConnection[] {
  const busy = new Set([...member.operations()].map(({ connection }) => connection));
  return [...member.connections].filter((each) => !busy.has(each));
}

function shownIdle(member: MemberServices): (connection: OpenConnection) => Reply {
  return (each) => ({
    ...placeOf(each.desc, each, member),
    active: false,
    currentOpTime: timeOf(member),
    ...effectiveUsers(each),
  });
}

/** Threads of the process that have nothing to do now. */
function idleThreads(member: MemberServices): Reply[] {
  const busy = new Set([...member.operations()].map(({ desc }) => desc));
  const idle = member.threads().filter((desc) => !busy.has(desc));
  return idle.map((desc) => ({ ...placeOf(desc, undefined, member), active: false, currentOpTime: timeOf(member) }));
}

/** Where something happens: the thread, and the client behind it. Upstream: curop.cpp, reportCurrentOpForClient. */
function placeOf(desc: string, connection: OpenConnection | undefined, { host }: MemberFacts): Reply {
  const place = { type: 'op', host, desc };
  if (!connection) return place;
  const { id: connectionId, remote: client, metadata } = connection;
  return {
    ...place,
    connectionId,
    client,
    ...(metadata?.appName !== undefined && { appName: metadata.appName }),
    ...(metadata && { clientMetadata: new RawBson(metadata.bytes) }),
  };
}

function effectiveUsers(connection: OpenConnection | undefined): Reply {
  return connection?.user ? { effectiveUsers: [{ ...connection.user }] } : {};
}

function timeOf({ now }: MemberFacts): string {
  return new Date(now.wallMs).toISOString().replace('Z', '+00:00');
}

function describe(operation: RunningOperation, member: MemberServices, truncated: boolean): Reply {
  const { monotonicMicros } = member.now;
  const micros = Math.floor(monotonicMicros - operation.startedMicros);
  return {
    ...placeOf(operation.desc, operation.connection, member),
    active: true,
    currentOpTime: timeOf(member),
    ...effectiveUsers(operation.connection),
    opid: operation.opId,
    ...lsidOf(operation),
    ...transactionOf(operation, member),
    secs_running: BigInt(Math.floor(micros / 1_000_000)),
    microsecs_running: BigInt(micros),
    // What a member does by itself is no command; the TTL monitor tells what it deletes from in its details.
    op: operation.commandName === '' ? 'none' : operationName(operation.commandName),
    ns: operation.ns,
    command: commandOf(operation, truncated),
    ...planSummaryOf(operation, member),
    ...cursorOf(operation, member, truncated),
    numYields: operation.debug.numYields,
    ...(operation.waitingFor !== undefined && { msg: `waiting for ${operation.waitingFor}` }),
    ...(operation.killPending && { killPending: true }),
    waitingForLock: operation.waitingFor === 'lock',
    // Simplification: what locks an operation holds is not told.
    locks: {},
    lockStats: {},
    ...operation.details?.(),
  };
}

/** That from which a getMore reads on. Upstream: curop.cpp, CurOp::reportState. */
function cursorOf({ debug }: RunningOperation, member: MemberServices, truncated: boolean): Reply {
  const cursor = debug.readsOn && member.cursors.find(debug.readsOn.cursorId);
  return cursor ? { cursor: cursorDocument(cursor, member, truncated) } : {};
}

/** What is shown of a cursor, used or idle. Upstream: generic_cursor.idl. */
export function cursorDocument(cursor: ClientCursor, { now }: MemberFacts, truncated = false): Reply {
  const dateOf = (micros: number) => new Date(now.wallMs - (now.monotonicMicros - micros) / 1000);
  return {
    cursorId: cursor.id,
    createdDate: dateOf(cursor.createdMicros),
    lastAccessDate: dateOf(cursor.lastUseMicros),
    nDocsReturned: BigInt(cursor.docsReturned),
    nBatchesReturned: BigInt(cursor.batchesReturned),
    noCursorTimeout: cursor.noTimeout,
    tailable: cursor.tailable,
    awaitData: cursor.awaitData,
    originatingCommand: shownCommand(cursor.originatingCommand, truncated ? TRUNCATE_AT : Infinity),
  };
}

/** Not what a client sent in the place of a session's id. */
function lsidOf({ session }: RunningOperation): Reply {
  return session?.length === 32 || session?.length === 96 ? { lsid: sessionDocument(session) } : {};
}

function transactionOf({ session: key, txnNumber }: RunningOperation, member: MemberServices): Reply {
  if (txnNumber === undefined) return {};
  const session = member.sessions.open().find(({ lsid, txnNumber: own }) => lsid.key === key && own === txnNumber);
  // A retryable write has its number alone.
  return { transaction: session ? transactionDocument(session, member) : { parameters: { txnNumber } } };
}

/** Unit: bytes of the command, and characters of its text. Upstream: curop.cpp, reportCurrentOpForClient. */
const TRUNCATE_AT = 1000;

function commandOf({ command, commandName, debug }: RunningOperation, truncated: boolean): unknown {
  if (!command) return commandName === '' ? {} : { [commandName]: 1 };
  return shownCommand(debug.commented(command), truncated ? TRUNCATE_AT : Infinity);
}

function planSummaryOf({ debug }: RunningOperation, { traits }: MemberFacts): Reply {
  const planSummary = debug.planSummary(traits);
  return planSummary === undefined ? {} : { planSummary };
}
