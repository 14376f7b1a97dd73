import { fieldSet, legible, type Reply, subsetOf } from '@replsim/pipeline';
import { CommandError, encodeDocument, RawBson } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import { describeDocument } from '@replsim/storage';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import type { ClientServices, MemberFacts, MemberServices } from '../member.ts';
import type { RunningOperation } from '../operations/operation.ts';
import { operationName } from '../profiler/operationName.ts';
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
  auth: { action: 'inprog', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    const all = args.truth('$all');
    const matches = compileFilter(subsetOf(args.bytes, (name) => !options.has(name)));
    const truncated = !args.has('$truncateOps') || args.truth('$truncateOps');
    const shown = [...operationDocuments(member, all, truncated), ...idleTransactions(member)];
    const inprog = shown.filter((operation) => matches(encodeDocument(operation)));
    return { inprog, ...(member.fsyncLock.isLocked && FSYNC_LOCKED) };
  }),
};

/**
 * `{ killOp: 1, op: opid }`: the operation ends with Interrupted 11601 where it waits next.
 * Errors: NoSuchKey 4 without `op`. An operation that does not exist is no error. Upstream: kill_op.cpp.
 */
const killOp: CommandDefinition = {
  name: 'killOp',
  help: 'ends an operation',
  auth: 'user',
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce((context) => {
    const opId = context.args.number('op');
    if (opId === undefined) throw new CommandError('NoSuchKey', 'Did not provide "op" field');
    kill(context, opId);
    return { info: 'attempting to kill op' };
  }),
};

export const operationCommands: readonly CommandDefinition[] = [currentOp, killOp];

function kill({ member, opId: own }: CommandContext<ClientServices>, opId: number): void {
  const interrupted = new CommandError('Interrupted', 'operation was interrupted');
  if (opId === own) throw interrupted;
  for (const operation of [...member.operations()]) if (operation.opId === opId) operation.kill(interrupted);
}

/**
 * Operations under way as `currentOp` and `$currentOp` show them.
 * @param all also connections on which there is none
 * @param truncated long commands are shown as the beginning of their text
 */
export function operationDocuments(member: MemberServices, all: boolean, truncated = false): Reply[] {
  const active = [...member.operations()].map((each) => describe(each, member, truncated));
  return all ? [...active, ...idleConnections(member), ...idleThreads(member)] : active;
}

/** Connections on which nothing is under way. */
function idleConnections(member: MemberServices): Reply[] {
  const busy = new Set([...member.operations()].map(({ connection }) => connection));
  const idle = [...member.connections].filter((each) => !busy.has(each));
  return idle.map((each) => ({ ...placeOf(each.desc, each, member), active: false, currentOpTime: timeOf(member) }));
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

/** Not what a client sent in the place of a session's id. */
function lsidOf({ session }: RunningOperation): Reply {
  return session?.length === 32 ? { lsid: sessionDocument(session) } : {};
}

function transactionOf({ session: key, txnNumber }: RunningOperation, member: MemberServices): Reply {
  if (txnNumber === undefined) return {};
  const session = member.sessions.open().find(({ lsid, txnNumber: own }) => lsid.key === key && own === txnNumber);
  // A retryable write has its number alone.
  return { transaction: session ? transactionDocument(session, member) : { parameters: { txnNumber } } };
}

/** Unit: bytes of the command, and characters of its text. Upstream: curop.cpp, reportCurrentOpForClient. */
const TRUNCATE_AT = 1000;

function commandOf({ command, commandName }: RunningOperation, truncated: boolean): unknown {
  if (!command) return commandName === '' ? {} : { [commandName]: 1 };
  if (!truncated || command.length <= TRUNCATE_AT) return new RawBson(legible(command));
  return { $truncated: describeDocument(command).slice(0, TRUNCATE_AT) };
}

function planSummaryOf({ debug }: RunningOperation, { traits }: MemberFacts): Reply {
  const planSummary = debug.planSummary(traits);
  return planSummary === undefined ? {} : { planSummary };
}
