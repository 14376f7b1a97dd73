import type { Reply } from '@replsim/pipeline';
import type { Now } from '@replsim/protocol';
import type { InitialSyncAttempt } from '../replication/initialSync/attempt.ts';
import type { CollectionStats, DatabaseStats } from '../replication/initialSync/cloneStats.ts';
import type { InitialSyncer } from '../replication/initialSync/initialSyncer.ts';
import type { EndedAttempt, InitialSyncProgress } from '../replication/initialSync/progress.ts';
import { timestampReply } from './replyValues.ts';

/**
 * `initialSyncStatus`: while a member copies its data, unless the request says 0, and afterwards if it says 1.
 * Counts are of the smallest numeric type that holds them. Upstream: initial_syncer.cpp, getInitialSyncProgress.
 */
export function initialSyncStatusReply(
  { progress, isRunning, keepsProgress }: InitialSyncer,
  now: Now,
  asked: number | undefined,
): Reply | undefined {
  const { attempt } = progress;
  if (!attempt || asked === 0 || (!isRunning && !keepsProgress && asked !== 1)) return undefined;
  const { stats } = attempt;
  const cloning = stats.databasesToClone + stats.databasesCloned > 0;
  const databases = Object.fromEntries(
    stats.databases.map((database) => [database.name, databaseReply(database, now)]),
  );
  return {
    method: 'logical',
    ...overall(progress, now),
    ...(cloning && sizes(progress, attempt, now)),
    ...positions(attempt),
    ...outages(attempt, now),
    ...(cloning && {
      databases: { databasesToClone: stats.databasesToClone, databasesCloned: stats.databasesCloned, ...databases },
    }),
  };
}

function overall(progress: InitialSyncProgress, now: Now): Reply {
  const { end } = progress;
  return {
    failedInitialSyncAttempts: progress.failedAttempts,
    maxFailedInitialSyncAttempts: progress.maxAttempts,
    initialSyncStart: new Date(progress.startWallMs),
    ...(end && { initialSyncEnd: new Date(end.wallMs) }),
    totalInitialSyncElapsedMillis: elapsedMillis(progress, now),
    initialSyncAttempts: progress.attempts.map(attemptReply),
  };
}

function attemptReply(attempt: EndedAttempt): Reply {
  const { durationMillis, status, syncSource, rollBackId, operationsRetried, totalTimeUnreachableMillis } = attempt;
  const rolledBack = rollBackId >= 0 ? { rollBackId } : {};
  return { durationMillis, status, syncSource, ...rolledBack, operationsRetried, totalTimeUnreachableMillis };
}

/** What is left is estimated from the speed so far. */
function sizes(progress: InitialSyncProgress, { stats }: InitialSyncAttempt, now: Now): Reply {
  const { totalBytes, bytesCopied } = stats;
  const left = bytesCopied > 0 && (elapsedMillis(progress, now) / bytesCopied) * Math.max(totalBytes - bytesCopied, 0);
  return {
    approxTotalDataSize: totalBytes,
    approxTotalBytesCopied: bytesCopied,
    ...(left !== false && { remainingInitialSyncEstimatedMillis: Math.floor(left) }),
  };
}

/** Which stretch of the source's oplog makes the copy consistent. */
function positions({ appliedOps, beginApplying, beginFetching, stop }: InitialSyncAttempt): Reply {
  const known = ({ ts }: typeof stop): boolean => ts.t > 0;
  const earlier = beginFetching.ts.t !== beginApplying.ts.t || beginFetching.ts.i !== beginApplying.ts.i;
  return {
    appliedOps,
    ...(known(beginApplying) && { initialSyncOplogStart: timestampReply(beginApplying.ts) }),
    ...(known(beginFetching) && earlier && { initialSyncOplogFetchingStart: timestampReply(beginFetching.ts) }),
    ...(known(stop) && { initialSyncOplogEnd: timestampReply(stop.ts) }),
  };
}

/** Since when, and for how long, the source has not answered. */
function outages(attempt: InitialSyncAttempt, now: Now): Reply {
  const currentMicros = now.monotonicMicros - attempt.unreachableSinceMicros;
  return {
    ...(attempt.retrying > 0 && {
      syncSourceUnreachableSince: new Date(now.wallMs - Math.floor(currentMicros / 1000)),
      currentOutageDurationMillis: BigInt(Math.floor(currentMicros / 1000)),
    }),
    totalTimeUnreachableMillis: BigInt(Math.floor(attempt.totalUnreachableMicros / 1000)),
  };
}

function databaseReply(database: DatabaseStats, now: Now): Reply {
  const { collections, clonedCollections, byCollection } = database;
  const copies = byCollection.map((collection) => [collection.ns, collectionReply(collection, now)]);
  return { collections, clonedCollections, ...times(database, now), ...Object.fromEntries(copies) };
}

function collectionReply(collection: CollectionStats, now: Now): Reply {
  const { documentsToCopy, documentsCopied, indexes, fetchedBatches, bytesToCopy, bytesCopied } = collection;
  return {
    documentsToCopy,
    documentsCopied,
    indexes,
    fetchedBatches,
    bytesToCopy,
    approxBytesCopied: bytesCopied,
    ...times(collection, now),
    receivedBatches: fetchedBatches,
  };
}

function times({ startWallMs, endWallMs }: DatabaseStats | CollectionStats, { wallMs }: Now): Reply {
  if (endWallMs === undefined) return { start: new Date(startWallMs), elapsedMillis: Math.floor(wallMs - startWallMs) };
  const elapsed = Math.floor(endWallMs - startWallMs);
  return { start: new Date(startWallMs), end: new Date(endWallMs), elapsedMillis: elapsed };
}

function elapsedMillis({ startMicros, end }: InitialSyncProgress, now: Now): number {
  return Math.floor(((end ?? now).monotonicMicros - startMicros) / 1000);
}
