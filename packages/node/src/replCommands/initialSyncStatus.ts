import type { Reply } from '../commands/command.ts';
import type { Mongod } from '../mongod.ts';
import type { InitialSyncAttempt } from '../replication/initialSync/attempt.ts';
import type { CloneStats, CollectionStats, DatabaseStats } from '../replication/initialSync/cloneStats.ts';
import type { InitialSyncProgress } from '../replication/initialSync/progress.ts';
import { timestampReply } from './replyValues.ts';

/**
 * `initialSyncStatus` of `replSetGetStatus`: shown while an initial sync runs, and afterwards to those who ask for it.
 * Upstream: initial_syncer.cpp, InitialSyncer::_getInitialSyncProgress.
 * @returns undefined if there was no initial sync since this process started
 */
export function initialSyncStatusReply({ repl, core }: Mongod): Reply | undefined {
  const progress = repl?.initialSyncer.progress;
  const attempt = progress?.attempt;
  if (!progress || !attempt) return undefined;
  const { beginApplying, stop, stats } = attempt;
  const { end } = progress;
  const elapsedMicros = (end?.monotonicMicros ?? core.now.monotonicMicros) - progress.startMicros;
  const remaining = remainingMillis(attempt, core.now.monotonicMicros);
  return {
    failedInitialSyncAttempts: progress.failedAttempts,
    maxFailedInitialSyncAttempts: progress.maxAttempts,
    initialSyncStart: new Date(progress.startWallMs),
    ...(end && { initialSyncEnd: new Date(end.wallMs) }),
    totalInitialSyncElapsedMillis: millis(elapsedMicros),
    ...(remaining !== undefined && !end && { remainingInitialSyncEstimatedMillis: remaining }),
    ...(stats.totalBytes > 0 && {
      approxTotalDataSize: BigInt(stats.totalBytes),
      approxTotalBytesCopied: BigInt(stats.bytesCopied),
    }),
    initialSyncAttempts: attempts(progress),
    appliedOps: BigInt(attempt.appliedOps),
    ...(beginApplying.ts.t > 0 && { initialSyncOplogStart: timestampReply(beginApplying.ts) }),
    ...(stop.ts.t > 0 && { initialSyncOplogEnd: timestampReply(stop.ts) }),
    ...(attempt.retrying > 0 && {
      syncSourceUnreachableSince: new Date(
        core.now.wallMs - Math.floor((core.now.monotonicMicros - attempt.unreachableSinceMicros) / 1000),
      ),
      currentOutageDurationMillis: millis(core.now.monotonicMicros - attempt.unreachableSinceMicros),
    }),
    totalTimeUnreachableMillis: millis(attempt.totalUnreachableMicros),
    databases: databases(stats),
  };
}

function attempts(progress: InitialSyncProgress): Reply[] {
  return progress.attempts.map(({ durationMillis, totalTimeUnreachableMillis, ...rest }) => ({
    durationMillis,
    ...rest,
    totalTimeUnreachableMillis: BigInt(totalTimeUnreachableMillis),
  }));
}

/** By the speed so far. Upstream: InitialSyncer, remainingInitialSyncEstimatedMillis. */
function remainingMillis({ stats, startedMicros }: InitialSyncAttempt, nowMicros: number): bigint | undefined {
  const { totalBytes, bytesCopied } = stats;
  if (bytesCopied === 0 || totalBytes < bytesCopied) return undefined;
  return millis(((nowMicros - startedMicros) * (totalBytes - bytesCopied)) / bytesCopied);
}

function databases({ databasesToClone, databasesCloned, databases: all }: CloneStats): Reply {
  return {
    databasesToClone,
    databasesCloned,
    ...Object.fromEntries(all.map((stats) => [stats.name, databaseReply(stats)])),
  };
}

function databaseReply(stats: DatabaseStats): Reply {
  return {
    collections: stats.collections,
    clonedCollections: stats.clonedCollections,
    ...times(stats),
    ...Object.fromEntries(stats.byCollection.map((collection) => [collection.ns, collectionReply(collection)])),
  };
}

function collectionReply(stats: CollectionStats): Reply {
  return {
    documentsToCopy: stats.documentsToCopy,
    documentsCopied: stats.documentsCopied,
    indexes: stats.indexes,
    fetchedBatches: stats.fetchedBatches,
    bytesToCopy: BigInt(stats.bytesToCopy),
    approxBytesCopied: BigInt(stats.bytesCopied),
    ...times(stats),
    receivedBatches: stats.fetchedBatches,
  };
}

function times({ startWallMs, endWallMs }: DatabaseStats | CollectionStats): Reply {
  return {
    start: new Date(startWallMs),
    ...(endWallMs !== undefined && { end: new Date(endWallMs), elapsedMillis: endWallMs - startWallMs }),
  };
}

function millis(micros: number): bigint {
  return BigInt(Math.floor(micros / 1000));
}
