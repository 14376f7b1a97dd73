import {
  type HistogramView,
  type Latencies,
  LatencyHistogram,
  type LatencyKind,
  latencyKind,
} from '@replsim/operations';
import { bytesOf, type CommandArguments, Fields, type Reply } from '@replsim/pipeline';
import { BsonType } from '@replsim/protocol';
import { Double } from 'bson';
import type { ClientServices, MemberServices, StatusServices } from '../member.ts';

/** What a process is said to take. Unit: MB. */
const RESIDENT_MB = 128;

/**
 * The sections of serverStatus that a mongod shows whatever its release and engine. Simplifications: nobody queues for a
 * ticket; the memory is that of a plausible server.
 * Upstream: server_status_servers.cpp, operation_latency_histogram.cpp, transactions_stats.idl, logical_session_cache_stats.idl.
 */
export function serverSections(member: MemberServices, args: CommandArguments): Reply {
  return {
    extra_info: { note: 'fields vary by platform', page_faults: 0n },
    flowControl: flowControl(),
    globalLock: globalLock(member),
    indexBuilds: { total: BigInt(member.counters.commands.byName.get('createIndexes')?.total ?? 0) },
    locks: {},
    logicalSessionRecordCache: sessionCache(member),
    mem: { bits: 64, resident: RESIDENT_MB, virtual: 2 * RESIDENT_MB, supported: true },
    opLatencies: opLatencies(member, args),
    readConcernCounters: readConcernCounters(member),
    transactions: transactions(member),
  };
}

/** Who works, and who waits for a lock: `fsync` alone holds one that others have to wait for. */
function globalLock(member: MemberServices): Reply {
  const { now, startedMicros } = member;
  const clients = [...member.operations()].filter(({ desc }) => desc.startsWith('conn'));
  const queued = clients.filter(({ waitingFor }) => waitingFor === 'lock').length;
  const active = clients.filter(({ waitingFor }) => waitingFor === undefined);
  const count = (kind: LatencyKind) => active.filter(({ commandName }) => latencyKind(commandName) === kind).length;
  return {
    totalTime: BigInt(Math.round(now.monotonicMicros - startedMicros)),
    currentQueue: { total: queued, readers: 0, writers: queued },
    activeClients: { total: active.length, readers: count('reads'), writers: count('writes') },
  };
}

/** `{ opLatencies: { histograms: true, slowBuckets: true } }` asks for more. Upstream: global_operation_latency_section. */
function opLatencies(member: MemberServices, args: CommandArguments): Reply {
  const { counters, sessions } = member;
  const asked = args.value('opLatencies');
  const options = asked?.type === BsonType.object ? new Fields(bytesOf(asked), 'opLatencies') : undefined;
  const histograms = options?.bool('histograms') ?? false;
  const slowMs = options?.bool('slowBuckets') ? member.profiler.settings.slowMs : undefined;
  return latencyReply(counters.commands.latencies, { histograms, slowMs }, sessions.ended);
}

/** @param transactions that have ended; a collection alone has none */
export function latencyReply(latencies: Latencies, view: HistogramView, transactions = new LatencyHistogram()): Reply {
  const kinds = Object.entries({ ...latencies, transactions });
  return Object.fromEntries(kinds.map(([kind, histogram]) => [kind, histogram.report(view)]));
}

function readConcernCounters({ counters: { readConcerns } }: StatusServices): Reply {
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

function sessionCache({ sessions, logicalSessions: { stats } }: ClientServices): Reply {
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
