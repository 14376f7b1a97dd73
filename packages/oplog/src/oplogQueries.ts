import type { OplogFindCommand, OplogGetMoreCommand, OpTime, Term, Timestamp } from '@replsim/protocol';

/** Upstream: oplog_fetcher.cpp, oplogInitialFindMaxSeconds. */
const FIND_MAX_TIME_MS = 60_000;
/** Upstream: oplogRetriedFindMaxSeconds. */
const RETRIED_FIND_MAX_TIME_MS = 2_000;
/** Upstream: oplogNetworkTimeoutBufferSeconds. */
const NETWORK_MARGIN_MS = 5_000;
/** Upstream: bgSyncOplogFetcherBatchSize; replies end at 16 MB long before. */
const BATCH_SIZE = 13_981_010;
/** Upstream: sync_source_resolver.h, kFetcherTimeout. */
export const PROBE_TIMEOUT_MS = 30_000;
/** What an entry must be newer than for the source to wait for it. Upstream: oplog_fetcher.cpp. */
const ANY_TIME: Timestamp = Object.freeze({ t: 0, i: 1 });

/** Opens a cursor on a source's oplog. @param again after an error, when an answer has to come soon */
export function findCommand(from: Timestamp, again: boolean, term: Term): OplogFindCommand {
  return {
    find: 'oplog.rs',
    filter: { ts: { $gte: from } },
    tailable: true,
    awaitData: true,
    batchSize: BATCH_SIZE,
    maxTimeMS: again ? RETRIED_FIND_MAX_TIME_MS : FIND_MAX_TIME_MS,
    term,
    readConcern: { level: 'local', afterClusterTime: ANY_TIME },
  };
}

/** How long to wait for the answer to `findCommand`. */
export function findTimeoutMs(again: boolean): number {
  return (again ? RETRIED_FIND_MAX_TIME_MS : FIND_MAX_TIME_MS) + NETWORK_MARGIN_MS;
}

interface QueryContext {
  readonly term: Term;
  readonly electionTimeoutMillis: number;
  /** The fail point `setSmallOplogGetMoreMaxTimeMS` is on. */
  readonly waitsShortly?: boolean;
}

/** Upstream: oplog_fetcher.cpp, calculateAwaitDataTimeout. */
const SHORT_AWAIT_MS = 50;

/** The next batch of a cursor. @param known the commit point; the source answers early when its own is newer */
export function getMoreCommand(cursorId: number, known: OpTime, context: QueryContext): OplogGetMoreCommand {
  return {
    getMore: cursorId,
    collection: 'oplog.rs',
    batchSize: BATCH_SIZE,
    maxTimeMS: awaitDataMs(context),
    term: context.term,
    lastKnownCommittedOpTime: known,
  };
}

/** How long to wait for the answer to `getMoreCommand`. */
export function getMoreTimeoutMs(context: QueryContext): number {
  return awaitDataMs(context) + NETWORK_MARGIN_MS;
}

/** Upstream: oplog_fetcher.cpp, calculateAwaitDataTimeout. */
function awaitDataMs({ electionTimeoutMillis, waitsShortly }: QueryContext): number {
  if (waitsShortly) return SHORT_AWAIT_MS;
  return Math.min(Math.floor(electionTimeoutMillis / 2), 30_000);
}
