import { compareOpTimes, compareTimestamps, type OpTime, sameOpTime } from '@replsim/protocol';

/** What the rolling-back member holds, as far as the search needs it. */
export interface LocalHistory {
  has(opTime: OpTime): boolean;
}

/**
 * The newest entry that both oplogs hold, among a stretch of the source's oplog, newest first.
 * Equal `ts` is not enough: two branches may use one timestamp in different terms.
 * Upstream: roll_back_local_operations.cpp, syncRollBackLocalOperations.
 * @returns undefined when the stretch does not reach back far enough
 */
export function findCommonPoint(local: LocalHistory, remoteNewestFirst: readonly OpTime[]): OpTime | undefined {
  return remoteNewestFirst.find((opTime) => local.has(opTime));
}

/** With these a process ends. Upstream: rollback_impl.cpp and bgsync.cpp. */
const COMMON_POINT_ASSERTION = 51121;
const UNRECOVERABLE_ASSERTION = 50666;

/** Why a process ends instead of rolling back. */
export interface RollbackRefusal {
  /** The number of the fatal assertion. */
  readonly fatalId: number;
  readonly code: 'UnrecoverableRollbackError' | 'NoMatchingDocument';
  readonly detail: string;
}

/**
 * Why a rollback to `commonPoint` must not happen; undefined if it may. The committed snapshot is the data at the stable
 * optime.
 * Upstream: rollback_impl.cpp, _checkAgainstTimeLimit and the fasserts beside it.
 */
export function rollbackForbidden(facts: {
  readonly commonPoint: OpTime;
  readonly commitPoint: OpTime;
  readonly stable: OpTime;
  readonly lastWallMs: number;
  readonly firstRemovedWallMs: number;
  readonly rollbackTimeLimitSecs: number;
}): RollbackRefusal | undefined {
  if (compareOpTimes(facts.commonPoint, facts.commitPoint) < 0) {
    return {
      fatalId: COMMON_POINT_ASSERTION,
      code: 'UnrecoverableRollbackError',
      detail: 'the common point lies before the commit point',
    };
  }
  if (compareOpTimes(facts.commonPoint, facts.stable) < 0) {
    return {
      fatalId: COMMON_POINT_ASSERTION,
      code: 'UnrecoverableRollbackError',
      detail: 'the common point lies before the stable optime',
    };
  }
  if (facts.lastWallMs - facts.firstRemovedWallMs > facts.rollbackTimeLimitSecs * 1000) {
    return {
      fatalId: UNRECOVERABLE_ASSERTION,
      code: 'UnrecoverableRollbackError',
      detail: `more than rollbackTimeLimitSecs (${facts.rollbackTimeLimitSecs}) would be rolled back`,
    };
  }
  return undefined;
}

/** What the first batch of a tailing cursor says of the two oplogs. */
export type FirstBatchVerdict = 'continue' | 'notAhead' | 'tooStale' | 'rollback';

/**
 * Upstream: oplog_fetcher.cpp, _checkRemoteOplogStart.
 * @param lastFetched the newest entry this member holds or has buffered
 * @param first the first entry of the batch, which was asked for from `lastFetched.ts` on
 * @param remoteLast the newest entry that the source is known to have
 * @param remoteFirst the oldest one, where it was asked for
 * @param requireAhead whether a source that is level will not do
 */
export function judgeFirstBatch(
  lastFetched: OpTime,
  first: OpTime | undefined,
  remoteLast: OpTime,
  remoteFirst: OpTime | undefined,
  requireAhead: boolean,
): FirstBatchVerdict {
  const ahead = compareOpTimes(remoteLast, lastFetched);
  if (ahead < 0 || (ahead === 0 && requireAhead)) return 'notAhead';
  if (!first) return 'rollback';
  if (sameOpTime(first, lastFetched)) return 'continue';
  if (remoteFirst && compareTimestamps(remoteFirst.ts, lastFetched.ts) > 0) return 'tooStale';
  return 'rollback';
}
