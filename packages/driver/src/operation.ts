import type { Driver } from './driver.ts';
import { PRIMARY, type ReadPreference, readPreferenceDocument } from './readPreference.ts';
import { type Ended, saysNoWritesPerformed, shouldRetry } from './retry.ts';
import type { ServerDescription } from './serverDescription.ts';
import { type ClientSession, isAcknowledged, timesOf, withFields } from './session.ts';
import type { Waiting } from './waiting.ts';

/** One thing that an application asks of its driver. */
export interface Operation {
  readonly kind: 'read' | 'write';
  /** With `$db`, without what the driver adds. */
  readonly command: ReadonlyMap<string, unknown>;
  /** Of a read; writes go to the primary. */
  readonly readPreference?: ReadPreference;
  /** Of a write: every statement of it touches one document, so that it can be repeated without harm. */
  readonly retryable: boolean;
  /** An explicit session; otherwise the driver's own. */
  readonly session?: ClientSession;
}

/** One attempt, for whoever keeps a record. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  readonly server: string;
  readonly session: ClientSession;
  readonly txnNumber: bigint | undefined;
  /** What of a transaction is sent once more. */
  readonly again?: 'transaction' | 'commit' | undefined;
}

/** What the application is told. */
export type Outcome =
  | { readonly kind: 'reply'; readonly server: string; readonly reply: Uint8Array }
  | {
      /** `MongoServerSelectionError` and `MongoNetworkError`, as drivers name them. */
      readonly kind: 'noServer' | 'networkError';
      readonly server?: string;
      readonly errmsg: string;
      /** A server may have carried it out. */
      readonly reached: boolean;
    };

/**
 * Carries out an operation as drivers do: chooses a server, sends, and sends once more where that is safe and may help.
 * Upstream: the retryable writes and retryable reads specifications.
 * @param attempting told of each attempt before it is sent
 */
export function* performOperation(
  driver: Driver,
  operation: Operation,
  attempting: (attempt: Attempt) => void,
): Waiting<Outcome> {
  const preference = operation.kind === 'write' ? PRIMARY : (operation.readPreference ?? PRIMARY);
  const session = operation.session ?? driver.implicitSession;
  const mayRetry = isRepeatable(operation, driver);
  const server = yield* driver.selectServer(preference);
  if (!server) return noServer(driver);
  const numbered = mayRetry && operation.kind === 'write' && server.type !== 'Standalone' && server.logicalSessions;
  const txnNumber = numbered ? session.nextTxnNumber() : undefined;
  const send = function* (to: ServerDescription, attempt: number): Waiting<Ended> {
    attempting({ attempt, server: to.address, session, txnNumber });
    const ended = yield* driver.request(to, commandFor(operation, driver, session, txnNumber));
    if (ended.kind === 'reply') session.advance(timesOf(ended.reply).operationTime);
    return ended;
  };

  const first = yield* send(server, 1);
  if (!mayRetry || !shouldRetry(first, operation.kind)) return outcomeOf(first, server);
  const other = yield* driver.selectServer(preference);
  // Nobody to turn to: the application hears of the error that began it.
  if (!other) return outcomeOf(first, server);
  const second = yield* send(other, 2);
  const isNoNews = second.kind === 'reply' && saysNoWritesPerformed(second.reply);
  return isNoNews ? outcomeOf(first, server) : outcomeOf(second, other);
}

function isRepeatable({ kind, retryable, command }: Operation, { options }: Driver): boolean {
  if (kind === 'read') return options.retryReads;
  return options.retryWrites && retryable && isAcknowledged(command);
}

function commandFor(
  { kind, command, readPreference }: Operation,
  driver: Driver,
  session: ClientSession,
  txnNumber: bigint | undefined,
): Uint8Array {
  const { afterClusterTime } = session;
  const $readPreference = readPreference && readPreferenceDocument(readPreference);
  const readConcern = command.get('readConcern') as ReadonlyMap<string, unknown> | undefined;
  const $clusterTime = driver.clusterClock.newest;
  return withFields(command, {
    ...(isAcknowledged(command) && { lsid: session.lsid }),
    ...(txnNumber !== undefined && { txnNumber }),
    ...(kind === 'read' &&
      afterClusterTime && { readConcern: new Map([...(readConcern ?? []), ['afterClusterTime', afterClusterTime]]) }),
    ...(kind === 'read' && $readPreference && { $readPreference }),
    ...($clusterTime && { $clusterTime }),
  });
}

/** Nobody was found in time. */
export function noServer({ options, topology }: Driver): Outcome {
  const errors = [...topology.servers.values()].flatMap(({ address, error }) =>
    error === undefined ? [] : [`${address}: ${error}`],
  );
  const why = errors.length > 0 ? `; ${errors.join(', ')}` : '';
  const errmsg = `Server selection timed out after ${options.serverSelectionTimeoutMS} ms${why}`;
  return { kind: 'noServer', errmsg, reached: false };
}

/** What the application hears of how a request ended. */
export function outcomeOf(ended: Ended, { address: server }: ServerDescription): Outcome {
  if (ended.kind === 'reply') return { kind: 'reply', server, reply: ended.reply };
  return { kind: 'networkError', server, errmsg: ended.errmsg, reached: ended.kind !== 'refused' };
}
