import type { TimerCounter } from '@replsim/oplog';
import type { Reply } from '@replsim/pipeline';
import { Double } from 'bson';
import type { Replication } from '../replication/replication.ts';
import { defaultsReply } from './defaultRWConcern.ts';
import { setFields } from './hello.ts';
import type { ReplCommandHost } from './replCommandHost.ts';
import { opTimeReply, timestampReply } from './replyValues.ts';

/**
 * The sections of serverStatus that only a member of a set has. `oplog` is there only for those who ask for it.
 * Upstream: replication_info.cpp, replication_metrics.cpp.
 */
export function replSections(host: ReplCommandHost, levelOf: (section: string) => number): Reply {
  const { repl } = host;
  if (!repl) return {};
  return {
    ...(host.core.traits.maxWireVersion >= 9 && { defaultRWConcern: defaultsReply(host) }),
    electionMetrics: repl.elections.metrics.toReply(),
    ...(levelOf('oplog') > 0 && { oplog: oplogSection(repl) }),
    ...(!repl.topology.self?.arbiterOnly && { oplogTruncation: oplogTruncation(repl, host.oplogCap) }),
    repl: {
      ...setFields(host, repl),
      ...(levelOf('repl') > 0 && { replicationProgress: replicationProgress(host, repl) }),
      primaryOnlyServices: {},
      rbid: repl.rbid,
      ...(host.core.traits.userWriteBlocking && { userWriteBlockMode: writeBlockMode(host) }),
    },
  };
}

/** 1 or 2. Upstream: replication_info.cpp, UserWriteBlockState. */
function writeBlockMode({ userWriteBlock }: ReplCommandHost): number {
  return userWriteBlock.isBlocking ? 2 : 1;
}

function oplogSection({ positions, oplog }: Replication): Reply {
  return {
    latestOptime: timestampReply(positions.applied.opTime.ts),
    earliestOptime: timestampReply(oplog.first.ts),
  };
}

/**
 * How the oplog is cut, and for how long it has to reach back, where that was asked for. Simplification: truncation takes no time
 * here, and there is nothing to scan at startup. Upstream: replication_info.cpp and the storage engine's section of this name.
 */
function oplogTruncation({ localOplog }: Replication, { minRetentionHours }: ReplCommandHost['oplogCap']): Reply {
  return {
    totalTimeProcessingMicros: 0n,
    processingMethod: 'scanning',
    totalTimeTruncatingMicros: 0n,
    truncateCount: BigInt(localOplog.truncateCount),
    ...(minRetentionHours !== 0 && { oplogMinRetentionHours: new Double(minRetentionHours) }),
  };
}

/** Where every member stands, tracked and as it told by heartbeat. Upstream: TopologyCoordinator::fillMemberData. */
function replicationProgress({ core }: ReplCommandHost, { topology, positions }: Replication): Reply[] {
  const { showsWrittenOpTime } = core.traits;
  return topology.views.map((view) => {
    const isSelf = view.index === topology.selfIndex;
    const { durable, applied, written } = isSelf ? positions : view;
    const { heartbeat } = view;
    return {
      host: view.config.host,
      optime: opTimeReply(durable.opTime),
      lastAppliedOpTime: opTimeReply(applied.opTime),
      ...(showsWrittenOpTime && { lastWrittenOpTime: opTimeReply(written.opTime) }),
      heartbeatAppliedOpTime: opTimeReply(heartbeat.applied),
      ...(showsWrittenOpTime && { heartbeatWrittenOpTime: opTimeReply(heartbeat.written) }),
      heartbeatDurableOpTime: opTimeReply(heartbeat.durable),
      memberId: view.config._id,
    };
  });
}

/** `metrics.repl`: what replication has done here. Counts are int64s, except those of timers. */
export function replMetricsReply({ repl, core }: ReplCommandHost): Reply {
  if (!repl) return {};
  const { apply, write, initialSync, network, reconfig, stateTransition, syncSource } = repl.metrics;
  const { showsWrittenOpTime, stateTransitionCounts } = core.traits;
  return {
    apply: {
      attemptsToBecomeSecondary: BigInt(apply.attemptsToBecomeSecondary),
      batchSize: BigInt(apply.batchSize),
      batches: timer(apply.batches),
      ops: BigInt(apply.ops),
    },
    ...(showsWrittenOpTime && { write: { batchSize: BigInt(write.batchSize), batches: timer(write.batches) } }),
    buffer: buffers(repl, showsWrittenOpTime),
    initialSync: int64s(initialSync),
    network: {
      bytes: BigInt(network.bytes),
      getmores: { ...timer(network.getmores), numEmptyBatches: BigInt(network.getmores.numEmptyBatches) },
      notPrimaryLegacyUnacknowledgedWrites: BigInt(network.notPrimaryLegacyUnacknowledgedWrites),
      notPrimaryUnacknowledgedWrites: BigInt(network.notPrimaryUnacknowledgedWrites),
      oplogGetMoresProcessed: timer(network.oplogGetMoresProcessed),
      ops: BigInt(network.ops),
      readersCreated: BigInt(network.readersCreated),
      replSetUpdatePosition: int64s(network.replSetUpdatePosition),
    },
    reconfig: int64s(reconfig),
    stateTransition: {
      lastStateTransition: stateTransition.last,
      [`${stateTransitionCounts}Killed`]: BigInt(stateTransition.operationsKilled),
      [`${stateTransitionCounts}Running`]: BigInt(stateTransition.operationsRunning),
    },
    syncSource: int64s(syncSource),
  };
}

/** Two buffers since entries are written before they are applied; one before that. */
function buffers({ metrics }: Replication, two: boolean): Reply {
  const { write, apply } = metrics.buffer;
  const { count, sizeBytes, maxSizeBytes } = write;
  if (!two) return int64s({ count, maxSizeBytes, sizeBytes });
  return {
    write: int64s({ count, sizeBytes, maxSizeBytes }),
    apply: int64s({
      count: apply.count,
      sizeBytes: apply.sizeBytes,
      maxSizeBytes: apply.maxSizeBytes,
      maxCount: apply.maxCount,
    }),
  };
}

/** Upstream: TimerStats::getReport, which writes the smallest numeric type that fits. */
function timer({ num, totalMillis }: TimerCounter): Reply {
  return { num, totalMillis };
}

function int64s(counters: object): Reply {
  return Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, BigInt(count as number)]));
}
