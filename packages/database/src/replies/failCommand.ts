import type { OpenConnection, Operation } from '@replsim/operations';
import type { FailPointData, FailPoints } from '@replsim/pipeline';
import { type CommandArguments, Fields, type Reply } from '@replsim/pipeline';
import { BsonType, CommandError, decodePromoted } from '@replsim/protocol';
import type { CommandDefinition } from '../definition.ts';
import type { MemberServices } from '../member.ts';

/** The client gets no answer: its connection is closed, which the host carries out. */
export class ConnectionClosed extends CommandError {
  constructor() {
    super('HostUnreachable', 'connection closed');
    this.name = 'ConnectionClosed';
  }
}

/** A command that came in, as the data of fail points speak of it. */
export interface Occasion {
  readonly command: Pick<CommandDefinition, 'name' | 'aliases' | 'kind' | 'ownWriteConcern'>;
  readonly args: CommandArguments;
  readonly connection?: OpenConnection | undefined;
}

/** What the fail point does with a command that it lets run. */
export interface Injected {
  /** Of the reply: `writeConcernError`, `errorLabels`. */
  readonly fields: Reply;
  /** For how long it was kept back, as its client counts it. */
  readonly blockedMs: number;
}

export const NOTHING_INJECTED: Injected = { fields: {}, blockedMs: 0 };

/** These stay usable, so that a test can always switch a fail point off. */
const NEVER_FAILED: ReadonlySet<string> = new Set(['configureFailPoint', 'waitForFailPoint']);

/**
 * The fail point `failCommand`, which befalls a command before it is looked at. Throws the error to answer with, or
 * ConnectionClosed. Upstream: commands.cpp, CommandHelpers::evaluateFailCommandFailPoint.
 */
export function* failBefore(
  occasion: Occasion,
  { failPoints, now }: Pick<MemberServices, 'failPoints' | 'now'>,
): Operation<Injected> {
  const data = failPoints.enter('failCommand', (each) => isAboutCommand(each, occasion) && hits(each, occasion));
  if (!data) return NOTHING_INJECTED;
  const blockedMs = data.blockConnection === true ? blockTimeMS(data) : 0;
  if (blockedMs > 0) yield* block(blockedMs, now.monotonicMicros);
  if (data.closeConnection === true) throw new ConnectionClosed();
  const { writeConcernError, errorLabels } = data;
  const labels = Array.isArray(errorLabels) ? { errorLabels } : {};
  // What has the wrong type is as good as absent.
  const code = codeOf(data.errorCode);
  if (code !== undefined) {
    const extra = isDocument(data.errorExtraInfo) ? data.errorExtraInfo : {};
    throw new CommandError(code, "Failing command via 'failCommand' failpoint", { ...extra, ...labels });
  }
  const isShown = isDocument(writeConcernError) && takesWriteConcern(occasion);
  return { fields: isShown ? { writeConcernError, ...labels } : {}, blockedMs };
}

/**
 * `failGetMoreAfterCursorCheckout`: the cursor has been found, and nothing is read from it. Throws as `failBefore` does.
 * Upstream: getmore_cmd.cpp.
 */
export function failGetMore(occasion: Omit<Occasion, 'command'>, failPoints: FailPoints): void {
  const getMore = { ...occasion, command: { name: 'getMore', kind: 'other' } } as const;
  const data = failPoints.enter('failGetMoreAfterCursorCheckout', (each) => isAboutClient(each, getMore));
  if (!data) return;
  if (data.closeConnection === true) throw new ConnectionClosed();
  const code = codeOf(data.errorCode);
  if (code !== undefined) {
    throw new CommandError(code, "Hit the 'failGetMoreAfterCursorCheckout' failpoint");
  }
}

/**
 * `onPrimaryTransactionalWrite`: a retryable write is about to reach the oplog. The connection goes first, unless the data say
 * `closeConnection: false`, so that the client hears neither of the write nor of what `failBeforeCommitExceptionCode` makes of
 * it. Upstream: transaction_participant.cpp, TransactionParticipant::Participant::_registerUpdateCacheOnCommit.
 * @param hangUp closes the connection of the operation that runs now
 * @returns what the write fails with, nothing of it being done
 */
export function transactionalFailure(failPoints: FailPoints, hangUp: () => void): CommandError | undefined {
  const data = failPoints.enter('onPrimaryTransactionalWrite');
  if (!data) return undefined;
  if (data.closeConnection !== false) hangUp();
  const code = codeOf(data.failBeforeCommitExceptionCode);
  if (code === undefined) return undefined;
  return new CommandError(
    code,
    "the fail point 'onPrimaryTransactionalWrite' makes this write fail: nothing of it is done",
  );
}

/** For as long as the client counts: it is the client's own patience that a test tries so. */
function* block(forMs: number, nowMicros: number): Operation<void> {
  yield { type: 'wait', what: 'failCommand', ready: () => false, deadlineMicros: nowMicros + forMs * 1000, forMs };
}

/** Throws InvalidOptions 72. */
function blockTimeMS({ blockTimeMS: time }: FailPointData): number {
  if (typeof time === 'number' || typeof time === 'bigint') return Number(time);
  throw new CommandError('InvalidOptions', 'blockConnection: true needs blockTimeMS');
}

function codeOf(value: unknown): number | undefined {
  const code = typeof value === 'bigint' ? Number(value) : value;
  return Number.isInteger(code) ? (code as number) : undefined;
}

/** Of BSON's types only documents are plain objects; what has a class is some other type. */
function isDocument(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isAboutCommand(data: FailPointData, occasion: Occasion): boolean {
  const { name, aliases = [] } = occasion.command;
  if (NEVER_FAILED.has(name)) return false;
  if (data.failAllCommands === true) return isAboutClient(data, occasion);
  if (!Array.isArray(data.failCommands)) return false;
  // Any spelling of a command means the command.
  const spellings = [name, ...aliases];
  return data.failCommands.some((each) => spellings.includes(String(each))) && isAboutClient(data, occasion);
}

/** Whether the data tell of anything that can befall such a command; it is not counted otherwise. */
function hits(
  { blockConnection, closeConnection, errorCode, writeConcernError }: FailPointData,
  occasion: Occasion,
): boolean {
  if (blockConnection === true || closeConnection === true || codeOf(errorCode) !== undefined) return true;
  return isDocument(writeConcernError) && takesWriteConcern(occasion);
}

function takesWriteConcern({ command: { kind, ownWriteConcern }, args }: Occasion): boolean {
  const own = typeof ownWriteConcern === 'function' ? ownWriteConcern(args) : ownWriteConcern;
  return kind === 'write' || own === true;
}

/** Whether the data's `threadName`, `appName` and `namespace` let it be this one. */
function isAboutClient({ threadName, appName, namespace }: FailPointData, { args, connection }: Occasion): boolean {
  if (threadName !== undefined && threadName !== (connection?.desc ?? 'conn')) return false;
  if (appName !== undefined && appName !== (connection ? connection.metadata?.appName : appNameOf(args))) return false;
  return namespace === undefined || namespacesOf(args).includes(namespace as string);
}

function namespacesOf(args: CommandArguments): readonly string[] {
  const listed = args.name === 'bulkWrite' ? args.rawValue('nsInfo') : undefined;
  if (listed?.type !== BsonType.array) return [args.label];
  return args.requiredDocuments('nsInfo').map((bytes) => new Fields(bytes, 'nsInfo').string('ns') ?? '');
}

/** `application.name` of the client's metadata, where a command that came on no connection carries them. */
function appNameOf(args: CommandArguments): string | undefined {
  const client = args.document('$client');
  const { application } = (client ? decodePromoted(client) : {}) as { application?: { name?: string } };
  return application?.name;
}
