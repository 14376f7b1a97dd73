import type { TransactionMetrics } from '@replsim/transactions';
import { Double } from 'bson';
import type { MemberServices } from '../member.ts';
import type { Reply } from '../reply.ts';

/** What a process is said to take. Unit: MB. */
const RESIDENT_MB = 128;

/**
 * The sections of serverStatus that a mongod shows whatever its release and engine. Simplifications: nobody queues for a
 * ticket; the memory is that of a plausible server.
 * Upstream: server_status_servers.cpp, operation_latency_histogram.cpp, transactions_stats.idl, logical_session_cache_stats.idl.
 */
export function serverSections(member: MemberServices): Reply {
  return {
    extra_info: { note: 'fields vary by platform', page_faults: 0n },
    flowControl: flowControl(),
    globalLock: globalLock(member),
    indexBuilds: { total: BigInt(member.counters.commands.byName.get('createIndexes')?.total ?? 0) },
    locks: {},
    logicalSessionRecordCache: sessionCache(member),
    mem: { bits: 64, resident: RESIDENT_MB, virtual: 2 * RESIDENT_MB, supported: true },
    opLatencies: opLatencies(member),
    readConcernCounters: readConcernCounters(member),
    transactions: transactions(member),
  };
}

/** Who works, and who waits for a lock: `fsync` alone holds one that others have to wait for. */
function globalLock(member: MemberServices): Reply {
  const { now, startedMicros } = member;
  const clients = [...member.operations()].filter(({ desc }) => desc.startsWith('conn'));
  const queued = clients.filter(({ waitingFor }) => waitingFor === 'lock').length;
  const active = clients.filter(({ waitingFor }) => waitingFor === undefined).length;
  return {
    totalTime: BigInt(Math.round(now.monotonicMicros - startedMicros)),
    currentQueue: { total: queued, readers: 0, writers: queued },
    activeClients: { total: active, readers: 0, writers: 0 },
  };
}

function opLatencies({ counters: { commands }, sessions: { metrics } }: MemberServices): Reply {
  const kinds = Object.entries(commands.latencies).map(([kind, { count, micros }]) => [
    kind,
    { latency: BigInt(Math.round(micros)), ops: BigInt(count) },
  ]);
  return { ...Object.fromEntries(kinds), transactions: endedTransactions(metrics) };
}

function readConcernCounters({ counters: { readConcerns } }: MemberServices): Reply {
  return {
    nonTransactionOps: readConcerns.nonTransactionOps.report(false),
    transactionOps: readConcerns.transactionOps.report(true),
  };
}

function flowControl(): Reply {
  return {
    enabled: false,
    targetRateLimit: 1_000_000_000,
    timeAcquiringMicros: 0n,
    locksPerKiloOp: new Double(0),
    sustainerRate: 0,
    isLagged: false,
    isLaggedCount: 0,
    isLaggedTimeMicros: 0n,
  };
}

function sessionCache({ sessions, logicalSessions: { stats } }: MemberServices): Reply {
  return {
    activeSessionsCount: sessions.cache.unrecordedCount,
    sessionsCollectionJobCount: stats.refreshes,
    lastSessionsCollectionJobDurationMillis: stats.refreshTookMs,
    lastSessionsCollectionJobTimestamp: new Date(stats.refreshedAtMs),
    lastSessionsCollectionJobEntriesRefreshed: stats.recorded,
    lastSessionsCollectionJobEntriesEnded: stats.ended,
    lastSessionsCollectionJobCursorsClosed: 0,
    transactionReaperJobCount: stats.reaps,
    lastTransactionReaperJobDurationMillis: stats.reapTookMs,
    lastTransactionReaperJobTimestamp: new Date(stats.reapedAtMs),
    lastTransactionReaperJobEntriesCleanedUp: stats.reaped,
    sessionCatalogSize: sessions.size,
  };
}

function endedTransactions({ endedMicros, totalCommitted, totalAborted }: TransactionMetrics): Reply {
  return { latency: BigInt(Math.round(endedMicros)), ops: BigInt(totalCommitted + totalAborted) };
}

function transactions({ sessions: { metrics }, counters }: MemberServices): Reply {
  const { lastCommitted } = metrics;
  return {
    retriedCommandsCount: BigInt(metrics.retriedCommands),
    retriedStatementsCount: BigInt(metrics.retriedStatements),
    transactionsCollectionWriteCount: BigInt(counters.transactionsCollectionWrites),
    currentActive: BigInt(metrics.currentActive),
    currentInactive: BigInt(metrics.currentInactive),
    currentOpen: BigInt(metrics.currentOpen),
    totalAborted: BigInt(metrics.totalAborted),
    totalCommitted: BigInt(metrics.totalCommitted),
    totalStarted: BigInt(metrics.totalStarted),
    totalPrepared: 0n,
    totalPreparedThenCommitted: 0n,
    totalPreparedThenAborted: 0n,
    currentPrepared: 0n,
    ...(lastCommitted && {
      lastCommittedTransaction: {
        operationCount: BigInt(lastCommitted.operationCount),
        oplogOperationBytes: BigInt(lastCommitted.oplogOperationBytes),
        writeConcern: lastCommitted.writeConcern,
      },
    }),
  };
}

/** `metrics` but for those of replication and TTL. */
export function commandMetrics({ counters, cursors, traits }: MemberServices): Reply {
  const { byName, unknown, keysExamined, docsExamined } = counters.commands;
  const names = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  const commands = names.map(([name, { failed, total }]) => [name, { failed: BigInt(failed), total: BigInt(total) }]);
  return {
    ...(traits.changeStreams && { changeStreams: streamMetrics(counters) }),
    commands: { '<UNKNOWN>': BigInt(unknown), ...Object.fromEntries(commands) },
    cursor: cursorMetrics(cursors),
    operation: { transactionTooLargeForCacheErrors: 0n, writeConflicts: BigInt(counters.writeConflicts) },
    queryExecutor: { scanned: BigInt(keysExamined), scannedObjects: BigInt(docsExamined) },
  };
}

function streamMetrics({ changeStreams }: MemberServices['counters']): Reply {
  const { largeEventsFailed, largeEventsSplit, showExpandedEvents } = changeStreams;
  return {
    largeEventsFailed: BigInt(largeEventsFailed),
    largeEventsSplit: BigInt(largeEventsSplit),
    showExpandedEvents: BigInt(showExpandedEvents),
  };
}

/** Upstream: cursor_manager / clientcursor.cpp, CursorStats. */
function cursorMetrics({ open, counts }: MemberServices['cursors']): Reply {
  return {
    totalOpened: BigInt(counts.totalOpened),
    moreThanOneBatch: BigInt(counts.moreThanOneBatch),
    timedOut: BigInt(counts.timedOut),
    open: {
      noTimeout: BigInt(open.filter(({ noTimeout }) => noTimeout).length),
      pinned: BigInt(open.filter(({ pinned }) => pinned).length),
      total: BigInt(open.length),
    },
  };
}
