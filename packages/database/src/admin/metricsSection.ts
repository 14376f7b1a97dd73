import { bytesOf, type CommandArguments, Fields, type Reply, stageRules, truthOf } from '@replsim/pipeline';
import { BsonType, CommandError } from '@replsim/protocol';
import type { MemberServices, StatusServices } from '../member.ts';

/** The releases that brought parts of `metrics`, by their `maxWireVersion`. Those before do not have them. */
const SINCE: Readonly<Record<string, number>> = {
  aggStageCounters: 9,
  apiVersions: 13,
  dotsAndDollarsFields: 13,
  network: 13,
  query: 13,
};

/**
 * `metrics` of serverStatus. A document in its place says of each part whether it is shown: `{ metrics: { document: false } }`.
 * Errors: InvalidBSON 22 where it says neither yes nor no. Upstream: server_status_metric.cpp, MetricTree.
 */
export function metricsSection(member: MemberServices, args: CommandArguments): Reply {
  const wanted = args.value('metrics');
  const all = { ...commandMetrics(member), repl: member.replMetrics(), ttl: member.ttlMetrics() };
  const shown = Object.entries(all).filter(([name]) => (SINCE[name] ?? 0) <= member.traits.maxWireVersion);
  const sorted = Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
  return wanted?.type === BsonType.object ? chosen(sorted, new Fields(bytesOf(wanted), 'metrics')) : sorted;
}

/** What is not named is shown. */
function chosen(tree: Reply, wanted: Fields): Reply {
  const shown: Reply = {};
  for (const [name, part] of Object.entries(tree)) {
    const value = wanted.value(name);
    if (value?.type === BsonType.object && isTree(part)) shown[name] = chosen(part, new Fields(bytesOf(value), name));
    else if (!value || (value.type === BsonType.bool && truthOf(value))) shown[name] = part;
    else if (value.type !== BsonType.bool) {
      throw new CommandError('InvalidBSON', `metrics.${name} must be true or false, or say so of its parts`);
    }
  }
  return shown;
}

function isTree(part: unknown): part is Reply {
  return typeof part === 'object' && part !== null && !Array.isArray(part);
}

function commandMetrics(member: MemberServices): Reply {
  const { counters, cursors, now, traits } = member;
  return {
    aggStageCounters: stageCounters(member),
    apiVersions: counters.apiVersions.report(now.monotonicMicros),
    ...(traits.changeStreams && { changeStreams: int64s(counters.changeStreams) }),
    commands: commandCounts(member),
    cursor: cursorMetrics(cursors),
    document: int64s(counters.work.documents),
    dotsAndDollarsFields: int64s(counters.dotsAndDollars),
    getLastError: counters.writeConcerns.report(),
    network: networkMetrics(member),
    operation: operationMetrics(member),
    query: queryMetrics(member),
    queryExecutor: {
      scanned: BigInt(counters.commands.keysExamined),
      scannedObjects: BigInt(counters.commands.docsExamined),
      collectionScans: int64s(counters.work.collectionScans),
    },
  };
}

function commandCounts({ counters }: StatusServices): Reply {
  const { byName, unknown } = counters.commands;
  const names = [...byName].sort(([a], [b]) => (a < b ? -1 : 1));
  const commands = names.map(([name, { failed, total }]) => [name, { failed: BigInt(failed), total: BigInt(total) }]);
  return { '<UNKNOWN>': BigInt(unknown), ...Object.fromEntries(commands) };
}

/** Every stage that can be run here, used or not. */
function stageCounters({ counters: { stages } }: StatusServices): Reply {
  return Object.fromEntries([...stageRules.keys()].sort().map((name) => [name, BigInt(stages.get(name) ?? 0)]));
}

/** Upstream: clientcursor.cpp, CursorStats. */
function cursorMetrics({ open, counts }: MemberServices['cursors']): Reply {
  return {
    lifespan: counts.lifespans.report(),
    moreThanOneBatch: BigInt(counts.moreThanOneBatch),
    timedOut: BigInt(counts.timedOut),
    totalOpened: BigInt(counts.totalOpened),
    open: {
      noTimeout: BigInt(open.filter(({ noTimeout }) => noTimeout).length),
      pinned: BigInt(open.filter(({ pinned }) => pinned).length),
      total: BigInt(open.length),
    },
  };
}

/** Members talk to each other without pools, so that no time passes in making connections. Upstream: network_counters and executor metrics. */
function networkMetrics({ counters }: StatusServices): Reply {
  return {
    totalEgressConnectionEstablishmentTimeMillis: 0n,
    totalTimeForEgressConnectionAcquiredToWireMicros: 0n,
    totalTimeToFirstNonAuthCommandMillis: BigInt(counters.toFirstCommandMillis),
  };
}

/** No cache can be too small here, so that this alone never happens. */
function operationMetrics({ counters: { work, writeConflicts }, traits }: MemberServices): Reply {
  const { clientDisconnect, defaultMaxTimeMSExpired, maxTimeMSExpired } = work.killed;
  return {
    ...(traits.maxWireVersion >= 17 && {
      killedDueToClientDisconnect: BigInt(clientDisconnect),
      ...(traits.maxWireVersion >= 25 && { killedDueToDefaultMaxTimeMSExpired: BigInt(defaultMaxTimeMSExpired) }),
      killedDueToMaxTimeMSExpired: BigInt(maxTimeMSExpired),
    }),
    scanAndOrder: BigInt(work.scanAndOrder),
    transactionTooLargeForCacheErrors: 0n,
    writeConflicts: BigInt(writeConflicts),
  };
}

/** Queries are carried out by one engine, which counts as the classic one. */
function queryMetrics({ counters: { commands, work, writes }, traits }: MemberServices): Reply {
  const total = (name: string) => BigInt(commands.byName.get(name)?.total ?? 0);
  const fastPath = traits.expressPlans
    ? { express: BigInt(work.fastPaths), idHack: 0n }
    : { express: 0n, idHack: BigInt(work.fastPaths) };
  return {
    ...int64s(writes),
    ...(traits.maxWireVersion >= 25 && { planning: { fastPath } }),
    queryFramework: {
      aggregate: { classicHybrid: total('aggregate'), classicOnly: 0n, sbeHybrid: 0n, sbeOnly: 0n },
      find: { classic: total('find'), sbe: 0n },
    },
  };
}

function int64s(counters: object): Reply {
  return Object.fromEntries(Object.entries(counters).map(([name, count]) => [name, BigInt(count as number)]));
}
