import type { LogLine } from '@replsim/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { STORIES } from './logStories.ts';

/**
 * Every log line that these members write: id, severity, component, attributes in their order and the threads (`ctx`), as
 * mongod's sources have them. `?` is behind an attribute that is not always there. A duration's unit is part of its name, as
 * mongod's log writes it. Tools match lines by id and read attributes by name, so that nothing here may drift.
 */
const LINES: readonly [id: number, severity: LogLine['severity'], component: string, attr: string, ctx: string][] = [
  [
    21358,
    'I',
    'REPL',
    'newState oldState',
    'BackgroundSync OplogApplier-0 ReplCoord-0 ReplCoordExtern-0 SignalHandler conn',
  ],
  [21392, 'I', 'REPL', 'config', 'OplogApplier-0 ReplCoord-0 conn'],
  [21393, 'I', 'REPL', 'hostAndPort', 'OplogApplier-0 ReplCoord-0 conn'],
  [21394, 'I', 'REPL', '', 'ReplCoord-0'],
  [21356, 'I', 'REPL', '', 'conn'],
  [21357, 'I', 'REPL', 'numMembers', 'conn'],
  [21352, 'I', 'REPL', 'newConfig', 'conn'],
  [21353, 'I', 'REPL', 'numMembers', 'OplogApplier-0 ReplCoord-0 conn'],
  [4509600, 'I', 'REPL', '', 'ReplCoord-0 conn'],
  [51814, 'I', 'REPL', '', 'OplogApplier-0 ReplCoord-0 conn'],
  [4508702, 'I', 'REPL', '', 'conn'],
  [
    4508701,
    'I',
    'REPL',
    'configVersion configTerm configWaitDurationMillis oplogWaitDurationMillis configOplogCommitmentOpTime',
    'conn',
  ],
  [4689401, 'I', 'REPL', 'configVersion configTerm configWaitDurationMillis', 'conn'],
  [51815, 'I', 'REPL', 'configOplogCommitmentOpTime', 'conn'],
  [51816, 'I', 'REPL', 'configOplogCommitmentOpTime', 'conn'],
  [4634400, 'I', 'REPL', 'newConfigObj userProvidedConfig oldConfig', 'conn'],
  [4634504, 'I', 'REPL', 'memberId', 'ReplCoord-0'],
  [21400, 'I', 'REPL', 'senderHost', 'conn'],
  [21401, 'I', 'REPL', 'configTerm configVersion senderHost', 'conn'],
  [2903000, 'I', 'REPL', 'myPrimaryId senderAndPrimaryId senderTerm', 'conn'],
  [4615622, 'D1', 'REPL_HB', 'newConfigVersionAndTerm', 'ReplCoord-0'],
  [4615627, 'D2', 'REPL_HB', 'newConfigVersionAndTerm', 'ReplCoord-0'],
  [21215, 'I', 'REPL', 'hostAndPort newState', 'ReplCoord-0'],
  [21216, 'I', 'REPL', 'hostAndPort heartbeatMessage', 'ReplCoord-0'],
  [23974, 'I', 'REPL_HB', 'target maxHeartbeatRetries error', 'ReplCoord-0'],
  [
    4615670,
    'D2',
    'REPL_HB',
    'requestId target heartbeatObj',
    'BackgroundSync OplogApplier-0 ReplCoord-0 ReplCoordExtern-0 conn',
  ],
  [4615620, 'D2', 'REPL_HB', 'requestId target response', 'ReplCoord-0'],
  [4615621, 'D2', 'REPL_HB', 'requestId target error', 'ReplCoord-0'],
  [24095, 'D2', 'REPL_HB', 'from cmdObj', 'conn'],
  [24096, 'D2', 'REPL_HB', 'from response', 'conn'],
  [24097, 'D2', 'REPL_HB', 'from response', 'conn'],
  [4615652, 'I', 'ELECTION', 'electionTimeoutPeriodMillis', 'OplogApplier-0 ReplCoord-0'],
  [4615660, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [4615661, 'I', 'ELECTION', '', 'conn'],
  [4615662, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [4615663, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [4615655, 'I', 'ELECTION', 'reason', 'ReplCoord-0 conn'],
  [4615656, 'I', 'ELECTION', 'reason', 'ReplCoord-0'],
  [4615657, 'I', 'ELECTION', 'reason', 'conn'],
  [4615658, 'I', 'ELECTION', 'reason', 'ReplCoord-0'],
  [4615601, 'I', 'ELECTION', 'when', 'ReplCoord-0'],
  [4615648, 'I', 'ELECTION', 'when', 'ReplCoord-0'],
  [21484, 'I', 'REPL', '', 'BackgroundSync ReplCoord-0 conn'],
  [21485, 'I', 'REPL', '', 'ReplCoord-0'],
  [4615649, 'D4', 'ELECTION', 'when', 'BackgroundSync ReplCoord-0 SignalHandler'],
  [4615650, 'D4', 'ELECTION', 'when requestedWhen error', 'OplogApplier-0 ReplCoord-0 ReplCoordExtern-0 conn'],
  [4615651, 'D4', 'ELECTION', 'when requestedWhen error', 'BackgroundSync OplogApplier-0 ReplCoord-0 conn'],
  [4615659, 'D4', 'ELECTION', '', 'ReplCoord-0'],
  [21437, 'I', 'ELECTION', 'newTerm', 'conn'],
  [21438, 'I', 'ELECTION', 'currentTerm', 'OplogApplier-0 ReplCoord-0 conn'],
  [21440, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [21441, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [21442, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [21444, 'I', 'ELECTION', 'newTerm', 'ReplCoord-0'],
  [51799, 'I', 'ELECTION', 'term dryRun failReason? error? vote? from reason? message?', 'ReplCoord-0'],
  [21448, 'I', 'ELECTION', '', 'ReplCoord-0'],
  [21450, 'I', 'ELECTION', 'term', 'ReplCoord-0'],
  [21434, 'I', 'ELECTION', 'isDryRun', 'ReplCoord-0'],
  [23980, 'I', 'ELECTION', 'request response replicaSetStatus', 'conn'],
  [21359, 'I', 'REPL', '', 'ReplCoord-0'],
  [21360, 'I', 'REPL', '', 'ReplCoord-0'],
  [21361, 'I', 'REPL', '', 'ReplCoord-0'],
  [21363, 'I', 'REPL', '', 'OplogApplier-0 ReplCoord-0 conn'],
  [21364, 'I', 'REPL', 'targetOpTime myLastApplied', 'ReplCoord-0'],
  [21365, 'I', 'REPL', 'targetOpTime', 'ReplCoord-0'],
  [21368, 'I', 'REPL', 'targetOpTime myLastApplied', 'OplogApplier-0'],
  [21239, 'I', 'REPL', 'term', 'ReplBatcher'],
  [8938402, 'I', 'REPL', 'term', 'OplogWriter-0'],
  [4508103, 'I', 'REPL', '', 'OplogApplier-0'],
  [21331, 'I', 'REPL', 'term', 'OplogApplier-0'],
  [21579, 'I', 'COMMAND', '', 'conn'],
  [21580, 'I', 'COMMAND', '', 'conn'],
  [21581, 'I', 'COMMAND', '', 'conn'],
  [21346, 'I', 'REPL', '', 'conn'],
  [21347, 'I', 'REPL', 'target', 'SignalHandler conn'],
  [21402, 'I', 'REPL', 'term', 'ReplCoord-0 conn'],
  [21355, 'I', 'REPL', '', 'conn'],
  [21481, 'I', 'REPL', '', 'ReplCoord-0'],
  [21482, 'I', 'REPL', 'error', 'ReplCoord-0'],
  [21809, 'I', 'REPL', '', 'ReplCoord-0'],
  [21827, 'D1', 'REPL', 'oldTerm newTerm', 'ReplCoord-0 ReplCoordExtern-0 conn'],
  [21343, 'I', 'REPL', '', 'RstlKillOpThread'],
  [21344, 'I', 'REPL', '', 'RstlKillOpThread'],
  [21340, 'I', 'REPL', 'metrics', 'BackgroundSync ReplCoord-0 RstlKillOpThread'],
  [21817, 'I', 'REPL', 'state', 'conn'],
  [21818, 'I', 'REPL', '', 'conn'],
  [21819, 'I', 'REPL', 'freezeSecs', 'conn'],
  [21088, 'I', 'REPL', 'oldSyncSource newSyncSource', 'BackgroundSync'],
  [21080, 'I', 'REPL', 'syncSource', 'BackgroundSync'],
  [21087, 'I', 'REPL', 'syncSource sleepDurationMillis', 'BackgroundSync'],
  [21090, 'D1', 'REPL', 'sleepDurationMillis', 'BackgroundSync'],
  [21106, 'I', 'REPL', 'previousSyncSource', 'BackgroundSync OplogApplier-0 ReplCoord-0'],
  [21799, 'I', 'REPL', 'syncSource', 'BackgroundSync ReplCoordExtern-0'],
  [21798, 'I', 'REPL', '', 'BackgroundSync'],
  [21782, 'I', 'REPL', 'syncSource', 'BackgroundSync'],
  [21829, 'I', 'REPL', 'syncSource', 'ReplCoordExtern-0'],
  [21831, 'I', 'REPL', 'currentSyncSource', 'ReplCoordExtern-0'],
  [21832, 'I', 'REPL', 'syncSource lastOpTimeFetched syncSourceLatestOplogOpTime isPrimary', 'ReplCoordExtern-0'],
  [
    21834,
    'I',
    'REPL',
    'syncSource syncSourceOpTime maxSyncSourceLagSecsSeconds otherMember otherMemberHearbeatAppliedOpTime',
    'ReplCoordExtern-0',
  ],
  [3962100, 'I', 'REPL', 'syncSource newPrimary', 'ReplCoordExtern-0'],
  [
    4744901,
    'I',
    'REPL',
    'syncSourcePingTime changeSyncSourceThreshold candidateNode candidatePingTime',
    'ReplCoordExtern-0',
  ],
  [21126, 'E', 'REPL', 'lastOpTimeFetched earliestOpTimeSeen', 'BackgroundSync'],
  [21091, 'I', 'REPL', 'syncSource', 'BackgroundSync'],
  [21128, 'F', 'REPL', 'error', 'BackgroundSync'],
  [21098, 'I', 'REPL', 'error lastCommittedOpTime', 'BackgroundSync'],
  [21104, 'I', 'REPL', 'syncSource', 'BackgroundSync'],
  [21102, 'I', 'REPL', '', 'BackgroundSync'],
  [21105, 'I', 'REPL', '', 'BackgroundSync'],
  [21593, 'I', 'ROLLBACK', '', 'BackgroundSync'],
  [21606, 'I', 'ROLLBACK', '', 'BackgroundSync'],
  [21607, 'I', 'ROLLBACK', 'commonPointOpTime', 'BackgroundSync'],
  [21609, 'I', 'ROLLBACK', 'namespace uuid file', 'BackgroundSync'],
  [21600, 'I', 'ROLLBACK', 'commonPoint', 'BackgroundSync'],
  [21599, 'I', 'ROLLBACK', 'insert update delete', 'BackgroundSync'],
  [21592, 'I', 'ROLLBACK', '', 'BackgroundSync'],
  [21611, 'I', 'ROLLBACK', '', 'BackgroundSync'],
  [
    21612,
    'I',
    'ROLLBACK',
    'startTime endTime syncSource rollbackDataFileDirectory? rbid lastOptimeRolledBack commonPoint lastWallClockTimeRolledBack firstOpWallClockTimeAfterCommonPoint wallClockTimeDiff truncateTimestamp stableTimestamp shardIdentityRolledBack configServerConfigVersionRolledBack affectedSessions affectedNamespaces rollbackCommandCounts totalEntriesRolledBackIncludingNoops',
    'BackgroundSync',
  ],
  [21164, 'I', 'INITSYNC', 'initialSyncAttempt initialSyncMaxAttempts', 'ReplCoordExtern-0'],
  [21163, 'I', 'INITSYNC', 'durationSeconds', 'ReplCoordExtern-0'],
  [21183, 'I', 'INITSYNC', 'databaseClonerFinishStatus', 'ReplCoordExtern-0'],
  [21181, 'I', 'INITSYNC', 'oplogFetcherFinishStatus lastFetched', 'ReplCoordExtern-0'],
  [21192, 'I', 'INITSYNC', 'status statistics', 'ReplCoordExtern-0'],
  [21200, 'E', 'INITSYNC', 'attemptsLeft error', 'ReplCoordExtern-0'],
  [21202, 'F', 'INITSYNC', '', 'ReplCoordExtern-0'],
  [21416, 'E', 'REPL', '', 'ReplCoordExtern-0'],
  [21222, 'D1', 'REPL', 'writeIntervalSeconds', 'NoopWriter'],
  [4794602, 'I', 'REPL', '', 'SignalHandler'],
  [4695102, 'I', 'REPL', 'quiesceTimeMillis', 'SignalHandler'],
  [4695103, 'I', 'REPL', '', 'SignalHandler'],
  [4784900, 'I', 'REPL', 'waitTimeMillis', 'SignalHandler'],
  [4615611, 'I', 'CONTROL', 'pid port dbPath architecture host', 'initandlisten'],
  [23403, 'I', 'CONTROL', 'buildInfo', 'initandlisten'],
  [51765, 'I', 'CONTROL', 'os', 'initandlisten'],
  [21951, 'I', 'CONTROL', 'options', 'initandlisten'],
  [20714, 'I', 'CONTROL', 'error', 'LogicalSessionCacheRefresh'],
  [20712, 'I', 'CONTROL', 'error', 'LogicalSessionCacheReap'],
  [23016, 'I', 'NETWORK', 'port ssl', 'listener'],
  [23377, 'I', 'CONTROL', 'signal error', 'SignalHandler'],
  [23138, 'I', 'CONTROL', 'exitCode', 'SignalHandler'],
  [20565, 'I', 'CONTROL', '', 'SignalHandler'],
  [21107, 'I', 'REPL', '', 'BackgroundSync OplogApplier-0 ReplCoord-0'],
  [21108, 'I', 'REPL', '', 'BackgroundSync'],
  [21122, 'W', 'REPL', 'error', 'BackgroundSync'],
  [21306, 'I', 'REPL', '', 'ReplCoord-0 conn'],
  [21366, 'I', 'REPL', '', 'ReplCoord-0'],
  [21367, 'I', 'REPL', 'memberId latestKnownOpTime', 'ReplCoord-0'],
  [21610, 'I', 'ROLLBACK', '', 'BackgroundSync'],
  [22528, 'D3', 'INDEX', '', 'TTLMonitor'],
  [22529, 'D1', 'INDEX', '', 'TTLMonitor'],
  [22533, 'D1', 'INDEX', 'namespace key name', 'TTLMonitor'],
  [23095, 'F', 'ASSERT', 'msgid error', 'BackgroundSync'],
  [23381, 'I', 'CONTROL', '', 'SignalHandler'],
  [3684100, 'I', 'INDEX', '', 'SignalHandler'],
  [3684101, 'I', 'INDEX', '', 'SignalHandler'],
  [4615626, 'D2', 'REPL_HB', 'newConfigVersionAndTerm', 'ReplCoord-0'],
  [4634505, 'I', 'REPL', 'memberId', 'ReplCoord-0'],
  [
    4714201,
    'W',
    'REPL',
    'configVersion configTerm configWaitDurationMillis oplogWaitDurationMillis configOplogCommitmentOpTime',
    'conn',
  ],
  [5400702, 'I', 'INDEX', 'namespace numDeleted durationMillis', 'TTLMonitor'],
  [5400704, 'D1', 'INDEX', 'namespace', 'TTLMonitor'],
  [5479200, 'I', 'INDEX', 'namespace index numDeleted durationMillis', 'TTLMonitor'],
  [5872100, 'I', 'REPL', '_lastCommittedOpTimeAndWallTime', 'conn'],
  [5872101, 'I', 'REPL', '', 'conn'],
  [5929000, 'I', 'REPL', 'currentSyncSource eligibleCandidateSyncSource', 'BackgroundSync'],
  [5972100, 'I', 'REPL', '', 'conn'],
  [6015300, 'I', 'ELECTION', 'lastVote', 'ReplCoord-0'],
  [6015304, 'I', 'REPL', '', 'ReplCoord-0'],
  [6015309, 'I', 'REPL', '', 'OplogApplier-0'],
  [6015310, 'I', 'REPL', '', 'OplogApplier-0'],
  [6015313, 'I', 'REPL', '', 'OplogApplier-0 ReplCoord-0 conn'],
  [6015315, 'I', 'REPL', '', 'OplogApplier-0 ReplCoord-0 conn'],
  [6015317, 'I', 'REPL', 'newState oldState', 'OplogApplier-0 ReplCoord-0 conn initandlisten'],
  [6475000, 'I', 'REPL', 'index force', 'OplogApplier-0 ReplCoord-0 conn'],
  [6795400, 'I', 'REPL', 'newCommittedOpTime newCommittedWallime oldTerm', 'ReplCoord-0 ReplCoordExtern-0 conn'],
  [7005501, 'I', 'INDEX', 'oldDeadline newDeadline', 'TTLMonitor'],
];

/** The rows that no member of ours reaches, each with the reason. */
const OUT_OF_REACH: Readonly<Record<number, string>> = {
  21217: 'members authenticate to nobody, so no heartbeat is refused for that',
  4615653:
    'a set of one is told by its own reason why it may not stand, and that cannot happen after the freeze has ended',
  21445: 'a vote that cannot be stored means a disk that failed, and then the process is gone',
  21475: 'a primary that sees no majority is deposed by its liveness timer, which says 21809',
};

/** Reached only when messages cross in one certain way; runs of the random driver show them. */
const ONLY_BY_RACE: Readonly<Record<number, string>> = {
  21439: 'the term must grow while a dry run is under way',
  21446: 'the term must grow while the own vote goes to disk',
  21447: 'the term must grow while the real votes are asked for',
  21449: 'a voter must be in a later term of which no heartbeat has told yet',
  4794901: 'a newer config must be heard of while a new primary drains',
};

describe('log lines of replication', () => {
  const lines = new Map<number, LogLine[]>();
  beforeAll(async () => {
    for (const story of Object.values(STORIES)) {
      for (const line of await story()) {
        const those = lines.get(line.id);
        if (those) those.push(line);
        else lines.set(line.id, [line]);
      }
    }
  }, 120_000);

  test.for(LINES)('%i: %s %s { %s } [%s]', ([id, severity, component, attributes, threads]) => {
    const those = lines.get(id) ?? [];
    expect(those).not.toEqual([]);
    expect([...new Set(those.map((line) => `${line.severity} ${line.component}`))]).toEqual([
      `${severity} ${component}`,
    ]);
    const wanted = attributes.split(' ').filter((name) => name !== '');
    for (const { attr } of those) {
      const names = Object.keys(attr).filter((name) => attr[name] !== undefined);
      expect(names).toEqual(wanted.map((name) => name.replace('?', '')).filter((name) => names.includes(name)));
      expect(names).toEqual(expect.arrayContaining(wanted.filter((name) => !name.endsWith('?'))));
    }
    expect([...new Set(those.map(({ ctx }) => ctx))].sort()).toEqual(threads.split(' '));
  });

  test('no line is written that is in no row', () => {
    // Of a build of an index, which is another matter.
    const known = new Set([...LINES.map(([id]) => id), 20384, 20345]);
    expect([...lines.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  test('no row is in two lists', () => {
    const ids = [...LINES.map(([id]) => id), ...Object.keys(OUT_OF_REACH), ...Object.keys(ONLY_BY_RACE)].map(Number);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('what is said to be out of reach is', () => {
    expect(Object.keys(OUT_OF_REACH).filter((id) => lines.has(Number(id)))).toEqual([]);
  });

  test('every line has a component of mongod, the service of 8.0 and a thread', () => {
    const all = [...lines.values()].flat();
    expect([...new Set(all.map(({ svc }) => svc))]).toEqual(['S']);
    expect(all.filter(({ ctx }) => ctx === '')).toEqual([]);
    const known = 'ASSERT COMMAND CONTROL ELECTION INDEX INITSYNC NETWORK REPL REPL_HB ROLLBACK STORAGE WT'.split(' ');
    expect([...new Set(all.map(({ component }) => component))].filter((name) => !known.includes(name))).toEqual([]);
  });
});

test('without verbosity there are no debug lines', async () => {
  const lines = await STORIES['a quiet day']!();
  expect(lines.length).toBeGreaterThan(30);
  expect(lines.filter(({ severity }) => severity.startsWith('D'))).toEqual([]);
});

test('a failover, told by the new primary, in order', async () => {
  const told = [
    21216, 4615652, 21438, 21444, 6015300, 21450, 21358, 21106, 21359, 21364, 21363, 21107, 8938402, 21239, 21343,
    21344, 21340, 4508103, 6015313, 6015317, 6475000, 21353, 51814, 6015315, 6015317, 21392, 21393, 6015310, 6015309,
    21331, 6795400,
  ];
  const lines = await STORIES['n2 takes over from n1, told by n2']!();
  const after = lines.findIndex(({ id }) => id === 21216);
  expect(
    lines
      .slice(after)
      .map(({ id }) => id)
      .filter((id) => told.includes(id)),
  ).toEqual(told);
});

test('positions and errors are written as mongod writes them', async () => {
  const lines = await STORIES['a primary dies']!();
  const attrOf = (wanted: number) => lines.find(({ id }) => id === wanted)?.attr;
  expect(attrOf(5872100)?._lastCommittedOpTimeAndWallTime).toMatch(
    /^\{ ts: Timestamp\(\d+, \d+\), t: -1 \}, 2025-01-01T00:00:00\.\d{3}\+00:00$/,
  );
  expect(attrOf(23974)?.error).toEqual({ code: 6, codeName: 'HostUnreachable', errmsg: expect.any(String) });
  expect(attrOf(23980)?.request).toMatch(/^\{ replSetRequestVotes: 1, setName: "rs0", dryRun: (true|false), term: /);
  expect(attrOf(21192)).toMatchObject({ status: 'successful', statistics: { failedInitialSyncAttempts: 0 } });
  expect(attrOf(6015300)?.lastVote).toEqual({ term: 1, candidateIndex: 0 });
});
