import type { MutatedRule } from './mutatedRule.ts';

const COMMIT_POINT = { file: 'packages/oplog/src/commitPoint.ts', test: 'packages/oplog/test/commitPoint.test.ts' };
const ROLLBACK = { file: 'packages/oplog/src/rollback.ts', test: 'packages/oplog/test/rollback.test.ts' };
const CONCERN = { file: 'packages/oplog/src/writeConcern.ts', test: 'packages/oplog/test/writeConcern.test.ts' };
const SOURCE = { file: 'packages/oplog/src/syncSource.ts', test: 'packages/oplog/test/syncSource.test.ts' };
const CHANGE = { file: 'packages/oplog/src/changeSyncSource.ts', test: 'packages/oplog/test/changeSyncSource.test.ts' };
const FETCHER = { file: 'packages/oplog/src/fetcher.ts', test: 'packages/oplog/test/fetcher.test.ts' };
const APPLIER = { file: 'packages/oplog/src/applier.ts', test: 'packages/oplog/test/applier.test.ts' };
const OPLOG = { file: 'packages/oplog/src/oplog.ts', test: 'packages/oplog/test/oplog.test.ts' };
const POSITIONS = { file: 'packages/oplog/src/positions.ts', test: 'packages/node/test/data/positions.test.ts' };

export const oplogRules: readonly MutatedRule[] = [
  {
    ...COMMIT_POINT,
    from: 'if (compareOpTimes(candidate, firstOpTimeOfMyTerm) < 0) return commitPoint;',
    to: '',
    why: 'a primary commits no entry of an older term before one of its own',
  },
  {
    ...COMMIT_POINT,
    from: 'if (reached >= count) newest = candidate;',
    to: 'if (reached >= count - 1) newest = candidate;',
    why: 'a majority must have it, not one less',
  },
  {
    ...COMMIT_POINT,
    from: 'return maxOpTime(candidate, commitPoint);',
    to: 'return candidate;',
    why: 'a commit point never goes back',
  },
  {
    ...COMMIT_POINT,
    from: 'if (!fromSyncSource) return commitPoint;',
    to: '',
    why: 'a commit point of another term is only believed of the sync source',
  },
  {
    ...COMMIT_POINT,
    from: '<= 0 ? learned : lastWritten);',
    to: '<= 0 ? learned : learned);',
    why: 'of another term a member learns no commit point beyond its own log',
  },
  {
    ...COMMIT_POINT,
    from: 'if (isArbiter || learned.opTime.t === lastWritten.opTime.t)',
    to: 'if (learned.opTime.t === lastWritten.opTime.t)',
    why: 'an arbiter has no log that could be on another branch',
  },
  {
    ...ROLLBACK,
    from: 'return remoteNewestFirst.find((opTime) => local.has(opTime));',
    to: 'return remoteNewestFirst.findLast((opTime) => local.has(opTime));',
    why: 'the common point is the newest entry that both hold',
  },
  {
    ...ROLLBACK,
    from: 'if (compareOpTimes(facts.commonPoint, facts.commitPoint) < 0) {',
    to: 'if (compareOpTimes(facts.commonPoint, facts.commitPoint) < 0 && false) {',
    why: 'what is committed is never rolled back',
  },
  {
    ...ROLLBACK,
    from: 'if (compareOpTimes(facts.commonPoint, facts.stable) < 0) {',
    to: 'if (compareOpTimes(facts.commonPoint, facts.stable) < 0 && false) {',
    why: 'there are no data from before the stable optime to go back to',
  },
  {
    ...ROLLBACK,
    from: '> facts.rollbackTimeLimitSecs * 1000) {',
    to: '>= facts.rollbackTimeLimitSecs * 1000) {',
    why: 'exactly rollbackTimeLimitSecs may be rolled back',
  },
  {
    ...ROLLBACK,
    from: "if (ahead < 0 || (ahead === 0 && requireAhead)) return 'notAhead';",
    to: "if (ahead < 0) return 'notAhead';",
    why: 'a source that is level is none when a cursor is opened first',
  },
  {
    ...ROLLBACK,
    from: "if (sameOpTime(first, lastFetched)) return 'continue';",
    to: "if (first.ts.t === lastFetched.ts.t && first.ts.i === lastFetched.ts.i) return 'continue';",
    why: 'two branches may use one timestamp in different terms',
  },
  {
    ...ROLLBACK,
    from: "if (remoteFirst && compareTimestamps(remoteFirst.ts, lastFetched.ts) > 0) return 'tooStale';",
    to: '',
    why: 'a source whose oplog begins after mine cannot tell whether we diverged',
  },
  {
    ...CONCERN,
    from: 'if (isArbiter) return false;',
    to: '',
    why: 'an arbiter has nothing, so it acknowledges nothing',
  },
  {
    ...CONCERN,
    from: 'const at = durably ? minOpTime(durable, applied) : written;',
    to: 'const at = written;',
    why: 'j: true counts what is journalled',
  },
  {
    ...CONCERN,
    from: 'const at = durably ? minOpTime(durable, applied) : written;',
    to: 'const at = durably ? durable : written;',
    why: 'since 8.0 what is journalled may not be applied yet',
  },
  {
    ...CONCERN,
    from: 'return at.t === opTime.t && compareOpTimes(at, opTime) >= 0;',
    to: 'return compareOpTimes(at, opTime) >= 0;',
    why: 'a position of another term may lie on another branch',
  },
  {
    ...CONCERN,
    from: 'return reached.filter(({ isVoter }) => isVoter).length >= quorum.count;',
    to: 'return reached.length >= quorum.count;',
    why: 'only voters count for a majority',
  },
  {
    ...CONCERN,
    from: 'const bearing = config.members.filter(({ arbiterOnly }) => !arbiterOnly);',
    to: 'const bearing = config.members;',
    why: 'w: 3 cannot be had with two that bear data and an arbiter',
  },
  {
    ...CONCERN,
    from: 'return values.size >= count;',
    to: 'return values.size > 0;',
    why: 'a mode counts different values of a tag',
  },
  {
    ...SOURCE,
    from: 'if (forced !== undefined) return forced;',
    to: '',
    why: 'replSetSyncFrom is followed',
  },
  {
    ...SOURCE,
    from: 'if (roundTrips < ROUND_TRIPS_BEFORE_CHOICE * (members.length - 1)) return undefined;',
    to: '',
    why: 'no source is chosen before the others are known',
  },
  {
    ...SOURCE,
    from: 'compareOpTimes(member.lastApplied, lastFetched) <= 0) return false;',
    to: 'compareOpTimes(member.lastApplied, lastFetched) < 0) return false;',
    why: 'two that are level would wait for each other',
  },
  {
    ...SOURCE,
    from: 'if (self.isVoter && !member.isVoter) return false;',
    to: '',
    why: 'a voter prefers sources that vote',
  },
  {
    ...SOURCE,
    from: 'member.secondaryDelaySecs > self.secondaryDelaySecs) return false;',
    to: 'member.secondaryDelaySecs > self.secondaryDelaySecs + 3600) return false;',
    why: 'who is delayed is no source for who is not',
  },
  {
    ...SOURCE,
    from: 'return b.pingMs <= a.pingMs ? b : a;',
    to: 'return b.pingMs < a.pingMs ? b : a;',
    why: 'of equal pings the later member in the config is taken',
  },
  {
    ...SOURCE,
    from: 'return member.buildsIndexes || !question.self.buildsIndexes;',
    to: 'return true;',
    why: 'who builds no indexes is no source for who does',
  },
  {
    ...SOURCE,
    from: 'question.isDenylisted(member.host)) return false;',
    to: 'false) return false;',
    why: 'a source on the denylist is left alone',
  },
  {
    ...CHANGE,
    from: "if (syncSourceHost === undefined && !isPrimary) return 'noSourceAndNotAhead';",
    to: '',
    why: 'a source that follows nobody and is not ahead brings nothing more',
  },
  {
    ...CHANGE,
    from: "return syncSourceHost === self.host && primaryHost === self.host ? 'cycle' : undefined;",
    to: 'return undefined;',
    why: 'a primary in catch-up does not wait for one that waits for it',
  },
  {
    ...CHANGE,
    from: "if (mustFollowPrimary(question)) return 'chainingDisabled';",
    to: '',
    why: 'without chaining everybody follows the primary',
  },
  {
    ...CHANGE,
    from: 'const limit = position.ts.t + question.maxSyncSourceLagSecs;',
    to: 'const limit = position.ts.t;',
    why: 'a source may lag by maxSyncSourceLagSecs',
  },
  {
    ...FETCHER,
    from: 'if (state.startMissing) return diverged(state);',
    to: '',
    why: 'a source that still goes back far enough and lacks my newest entry has another history',
  },
  {
    ...FETCHER,
    from: 'return batch.length === 0 ? diverged(state) : probe({ ...state, startMissing: true }, []);',
    to: 'return diverged(state);',
    why: 'an oplog cut at its head looks like a divergence until it is asked',
  },
  {
    ...FETCHER,
    from: 'if (compareTimestamps(opTime.ts, previous.ts) <= 0 || opTime.t < previous.t) return false;',
    to: 'if (compareTimestamps(opTime.ts, previous.ts) <= 0) return false;',
    why: 'in an oplog terms never go down',
  },
  {
    ...FETCHER,
    from: 'if (context.requiredOpTime && !(first && sameOpTime(first, context.requiredOpTime))) {',
    to: 'if (context.requiredOpTime && !first) {',
    why: 'a source of another term at minValid cannot make this member consistent',
  },
  {
    ...FETCHER,
    from: 'if (state.restarts >= MAX_RESTARTS || context.shouldChangeOnError)',
    to: 'if (context.shouldChangeOnError)',
    why: 'a query that fails twice gives the source up',
  },
  {
    ...APPLIER,
    from: 'if (full && length > 0) return length;',
    to: 'if (full) return length;',
    why: 'an entry above a limit makes a batch by itself, or it would never be applied',
  },
  {
    ...APPLIER,
    from: 'if (mustStandAlone(entry)) return length === 0 ? 1 : length;',
    to: '',
    why: 'readers of a secondary see a command neither early nor late',
  },
  {
    ...APPLIER,
    from: "(entry.applyOps?.some(({ op }) => op === 'c') ?? true);",
    to: '(entry.applyOps === undefined);',
    why: 'an applyOps with a command in it stands alone, too',
  },
  {
    ...OPLOG,
    from: 'if (last && compareTimestamps(entry.opTime.ts, last.opTime.ts) <= 0) {',
    to: 'if (last && compareTimestamps(entry.opTime.ts, last.opTime.ts) < 0) {',
    why: 'two entries never have one timestamp',
  },
  {
    ...OPLOG,
    from: 'return entry && sameOpTime(entry.opTime, opTime) ? entry : undefined;',
    to: 'return entry;',
    why: 'an entry is held only if it is this very one',
  },
  {
    ...POSITIONS,
    from: 'if (compareOpTimes(opTime, this.initialData) < 0) return false;',
    to: '',
    why: 'what an initial sync copied may be ahead of what is committed',
  },
  {
    ...POSITIONS,
    from: 'if (this.#droppedAt !== undefined && compareOpTimes(opTime, this.#droppedAt) <= 0) return false;',
    to: '',
    why: 'a config that changes what committed means leaves no snapshot to read',
  },
  {
    ...POSITIONS,
    from: 'return compareOpTimes(this.applied.opTime, applied) > 0 || compareOpTimes(opTime, commitPoint) > 0;',
    to: 'return true;',
    why: 'a rollback leaves no committed snapshot until something moves',
  },
  {
    ...POSITIONS,
    from: 'compareOpTimes(commitPoint.opTime, applied.opTime) <= 0 ? commitPoint.opTime : applied.opTime;',
    to: 'commitPoint.opTime;',
    why: 'what is not applied here is not stable here',
  },
  {
    ...POSITIONS,
    from: 'if (this.initialSyncing) return NULL_OP_TIME;',
    to: '',
    why: 'while data are copied nothing in them is stable',
  },
];
