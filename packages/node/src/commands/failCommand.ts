import { CommandError, decodePromoted } from '@replsim/protocol';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { FailPointData, FailPoints } from '../failPoints.ts';
import { type Operation, spend } from '../operations/operation.ts';
import type { CommandArguments } from './arguments.ts';
import type { CommandDefinition, Reply } from './command.ts';

/** The client gets no answer: its connection is closed, which the host carries out. */
export class ConnectionClosed extends CommandError {
  constructor() {
    super('HostUnreachable', 'connection closed');
    this.name = 'ConnectionClosed';
  }
}

/** These stay usable, so that a test can always switch a fail point off. */
const NEVER_FAILED: ReadonlySet<string> = new Set(['configureFailPoint', 'waitForFailPoint']);

/**
 * The fail points that befall a command before it is looked at: `failCommand`, and for a retryable write
 * `onPrimaryTransactionalWrite` with a code. Throws the error to answer with, or ConnectionClosed.
 * Upstream: commands.cpp, CommandHelpers::evaluateFailCommandFailPoint.
 * @returns fields that the reply gets when the command has run: `writeConcernError`, `errorLabels`
 */
export function* failBefore(
  command: CommandDefinition,
  args: CommandArguments,
  failPoints: FailPoints,
  connection?: OpenConnection,
): Operation<Reply> {
  const appName = () => (connection ? connection.metadata?.appName : appNameOf(args));
  const data = failPoints.enter('failCommand', (each) => concerns(each, command, args, appName));
  if (!data) return {};
  if (data.blockConnection === true) yield* spend(Number(data.blockTimeMS ?? 0) * 1000);
  if (data.closeConnection === true) throw new ConnectionClosed();
  const { errorCode, writeConcernError, errorLabels } = data;
  const labels = Array.isArray(errorLabels) ? { errorLabels } : {};
  // What has the wrong type is as good as absent.
  if (isCode(errorCode)) throw new CommandError(errorCode, "Failing command via 'failCommand' failpoint", labels);
  return isDocument(writeConcernError) ? { writeConcernError, ...labels } : {};
}

function isCode(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

/** Of BSON's types only documents are plain objects; what has a class is some other type. */
function isDocument(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function concerns(
  data: FailPointData,
  command: CommandDefinition,
  args: CommandArguments,
  appName: () => string | undefined,
): boolean {
  if (NEVER_FAILED.has(command.name)) return false;
  const names = data.failCommands;
  if (!Array.isArray(names)) return false;
  // Any spelling of a command means the command.
  const spellings = [command.name, ...(command.aliases ?? [])];
  if (!names.some((name) => spellings.includes(String(name)))) return false;
  if (data.appName !== undefined && data.appName !== appName()) return false;
  return data.namespace === undefined || data.namespace === args.label;
}

/** `application.name` of the client's metadata, where a command that came on no connection carries them. */
function appNameOf(args: CommandArguments): string | undefined {
  const client = args.document('$client');
  const { application } = (client ? decodePromoted(client) : {}) as { application?: { name?: string } };
  return application?.name;
}

/**
 * `onPrimaryTransactionalWrite`: a retryable write fails unexecuted with `failBeforeCommitExceptionCode`, or is executed and
 * its connection closed (unless `closeConnection: false`). Upstream: op_observer, onWriteOpCompleted.
 * @returns whether the connection is to be closed once the write is done
 */
export function onTransactionalWrite(failPoints: FailPoints): boolean {
  const data = failPoints.enter('onPrimaryTransactionalWrite');
  if (!data) return false;
  const { failBeforeCommitExceptionCode: code } = data;
  if (isCode(code)) {
    throw new CommandError(code, "Failing write for retryable write due to 'onPrimaryTransactionalWrite' fail point");
  }
  return data.closeConnection !== false;
}
