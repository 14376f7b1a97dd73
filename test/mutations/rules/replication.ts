import type { MutatedRule } from './mutatedRule.ts';

const PROGRESS = {
  file: 'packages/node/src/replication/progress.ts',
  test: 'packages/node/test/replication/progress.test.ts',
};
const CONCERNS = {
  file: 'packages/node/src/replication/concerns/writeConcerns.ts',
  test: 'packages/node/test/onSets/replication/concerns/writeConcerns.test.ts',
};
const STEP_DOWN = {
  file: 'packages/node/src/replication/stepDown.ts',
  test: 'packages/node/test/election/electionCommands.test.ts',
};
const RECOVERY = {
  file: 'packages/node/src/replication/rollback/recoverToCommonPoint.ts',
  test: 'packages/node/test/onSets/replication/rollbacks.test.ts',
};

const ROLL_BACK = {
  file: 'packages/node/src/replication/rollback/rollBack.ts',
  test: 'packages/node/test/replication/rollBack.test.ts',
};

export const replicationRules: readonly MutatedRule[] = [
  {
    ...ROLL_BACK,
    from: 'if ((yield* rbidOf(repl, source)) !== sourceRbid) {',
    to: 'if ((yield* rbidOf(repl, source)) !== sourceRbid && false) {',
    why: 'a source that rolls back itself has not what was found in common with it',
  },
  {
    ...ROLL_BACK,
    from: 'repl.rbid += 1;',
    to: '',
    test: RECOVERY.test,
    title: 'a retry of a write that was rolled back writes',
    why: 'who fetches from a member hears that it has rolled back',
  },
  {
    ...ROLL_BACK,
    from: 'storeRollbackId(local, repl.rbid);',
    to: '',
    test: RECOVERY.test,
    title: 'a member that is killed after its rollback',
    why: 'who fetches from a member hears of a rollback that it made before it was killed',
  },
  {
    file: 'packages/node/src/replication/rollback/divergence.ts',
    from: 'if (!isWanted || elections.isLeader) return;',
    to: '',
    test: 'packages/node/test/onSets/replication/replicationFailPoints.test.ts',
    title: 'is elected while it stands before its rollback',
    why: 'a primary does not roll back',
  },
  {
    file: 'packages/node/src/replication/rollback/divergence.ts',
    from: "if (elections.isLeader) {\n      elections.catchUp.conclude('FailedWithError');\n      return;\n    }",
    to: '',
    test: 'packages/node/test/election/elections.test.ts',
    title: 'it would have to roll back',
    why: 'a primary that catches up gives that up where it would have to roll back',
  },
  {
    file: 'packages/node/src/replication/rollback/divergence.ts',
    from: 'this.#repl.server.killCursors();',
    to: '',
    equal:
      'the connections of its readers are closed, so that each asks for a new cursor, which ROLLBACK refuses: only memory differs',
    why: 'nobody goes on reading where the oplog is cut',
  },
  {
    ...PROGRESS,
    from: '// A report whose answer was lost must not silence this member forever.\n    this.#reportUnderWay = false;',
    to: '',
    why: 'a report whose answer is lost is followed by another',
  },
  {
    ...PROGRESS,
    from: 'sourceChanged(): void {\n    this.#reportUnderWay = false;',
    to: 'sourceChanged(): void {',
    why: 'a new source hears of positions at once, whatever the old one owes',
  },
  {
    ...PROGRESS,
    from: 'if (again) this.report();',
    to: '',
    why: 'what moved while a report was under way is reported after it',
  },
  {
    ...RECOVERY,
    from: 'host.ttl.rebuildCache();',
    to: '',
    title: 'expires by an index that a rollback brought back',
    why: 'the monitor knows an index whose drop is rolled back',
  },
  {
    ...RECOVERY,
    from: 'host.indexBuilds.restartAll();',
    to: '',
    test: 'packages/node/test/onSets/indexBuilds/survives.test.ts',
    title: 'a member that rolls back in the middle of a build',
    why: 'a build that was under way at a rollback begins anew',
  },
  {
    ...RECOVERY,
    from: 'host.indexBuilds.stopAll();',
    to: '',
    test: 'packages/node/test/onSets/indexBuilds/survives.test.ts',
    title: 'a start that is rolled back is forgotten',
    why: 'a build whose start is rolled back ends',
  },
  {
    ...RECOVERY,
    from: 'host.sessions.invalidate();',
    to: '',
    title: 'a retry of a write that was rolled back writes',
    why: 'a retryable write that is rolled back can be carried out again',
  },
  {
    ...RECOVERY,
    from: "applyEntry(core, entry, 'recovery', host);",
    to: '',
    title: 'what lies between the stable optime and the common point is applied again',
    why: 'a rollback keeps what both have, beyond the stable optime too',
  },
  {
    file: 'packages/node/src/data/localOplog.ts',
    from: 'journal.append(RecordKinds.truncateAfter, writer.finish());',
    to: '',
    test: RECOVERY.test,
    title: 'a member that is killed after its rollback',
    why: 'what a rollback cut off does not come back with a restart',
  },
  {
    file: 'packages/node/src/startup.ts',
    from: 'oplog.truncateAfter({ ts: { t: ts.t, i: ts.i }, t: Number(t) });',
    to: '',
    test: RECOVERY.test,
    title: 'a member that is killed after its rollback',
    why: 'recovery cuts the oplog where a rollback did',
  },
  {
    ...CONCERNS,
    from: 'if (j && compareOpTimes(repl.positions.durable.opTime, opTime) < 0) return false;',
    to: '',
    title: 'asks the own journal',
    why: 'with j: true the own journal has it, whoever else has',
  },
  {
    ...CONCERNS,
    from: 'if (compareOpTimes(repl.positions.stable, opTime) < 0) return false;',
    to: '',
    title: 'a majority write is not acknowledged by one',
    why: 'a majority write is committed when it is acknowledged',
  },
  {
    ...CONCERNS,
    from: "return w === 'majority' && (config?.writeConcernMajorityJournalDefault ?? true);",
    to: 'return false;',
    title: 'a majority is one that journals',
    why: 'a majority that is not said to be journalled is, where the config counts so',
  },
  {
    ...CONCERNS,
    from: 'if (j) yield* this.#awaitJournal(true);',
    to: '',
    title: 'j: true on the primary alone waits for its journal',
    why: 'w: 1, j: true waits for the own journal',
  },
  {
    ...CONCERNS,
    from: 'const opTime = scheduler.running?.lastOpTime ?? repl.positions.written.opTime;',
    to: 'const opTime = scheduler.running?.lastOpTime ?? repl.positions.commitPoint.opTime;',
    title: 'a write that changes nothing waits for what nobody',
    why: 'a write that changes nothing waits for what its client may have seen',
  },
  {
    ...PROGRESS,
    from: 'if (view.config.votes !== 1) continue;\n',
    to: '',
    why: 'only voters move the commit point',
  },
  {
    ...PROGRESS,
    from: 'view.config.arbiterOnly ? NULL_OP_TIME : this',
    to: 'this',
    why: 'an arbiter holds nothing that could be committed',
  },
  {
    ...PROGRESS,
    from: "[durably ? 'durable' : 'written'].opTime,",
    to: "['written'].opTime,",
    why: 'what is committed is journalled where the config says so',
  },
  {
    ...PROGRESS,
    from: '(!view.reportedProgress || liveness.isSilent(view))',
    to: '!view.reportedProgress',
    why: 'reports of a silent member would keep a primary that a majority cannot reach',
  },
  {
    ...STEP_DOWN,
    from: 'return reached >= writeMajority(topology.configInForce) && heirOf(repl) !== undefined;',
    to: 'return reached >= writeMajority(topology.configInForce);',
    why: 'a primary steps down when there is who can follow it',
  },
  {
    ...STEP_DOWN,
    from: 'if (isSafe(repl) || (force && now >= waitUntil)) return;',
    to: 'if (isSafe(repl) || force) return;',
    equal:
      'the wait before it ends when it is safe or at waitUntil, so that now >= waitUntil holds wherever isSafe does not',
    why: 'a forced step-down waits its time out',
  },
  {
    ...STEP_DOWN,
    from: "if (config.arbiterOnly || config.priority <= 0 || state !== 'SECONDARY' || !electable) return false;",
    to: 'if (config.arbiterOnly) return false;',
    why: 'who cannot be elected is no heir',
  },
  {
    ...STEP_DOWN,
    from: 'elections.abandonStepDownAttempt();',
    to: '',
    why: 'a step-down that failed leaves a primary that accepts writes',
  },
  {
    ...STEP_DOWN,
    from: "if (!request.force && repl.host.parameters.bool('enableElectionHandoff')) handOver(repl);",
    to: '',
    why: 'a step-down hands the election over',
  },
];
