import type { MutatedRule } from './mutatedRule.ts';

const PASS = { file: 'packages/ttl/src/ttlPass.ts', test: 'packages/ttl/test/ttlPass.test.ts' };
const MONITOR = { file: 'packages/ttl/src/ttlMonitor.ts', test: 'packages/ttl/test/ttlMonitor.test.ts' };
const BATCH = { file: 'packages/ttl/src/batch.ts', test: 'packages/ttl/test/batch.test.ts' };
const EXPIRY = { file: 'packages/ttl/src/expiry.ts', test: 'packages/ttl/test/expiry.test.ts' };
const GATES = { file: 'packages/ttl/src/eligibility.ts', test: 'packages/ttl/test/eligibility.test.ts' };
const SLEEP = { file: 'packages/ttl/src/ttlSleep.ts', test: 'packages/ttl/test/ttlMonitor.test.ts' };
const INDEX = { file: 'packages/ttl/src/ttlIndex.ts', test: 'packages/ttl/test/ttlIndex.test.ts' };
const CACHE = { file: 'packages/ttl/src/ttlCache.ts', test: 'packages/ttl/test/ttlPass.test.ts' };
const COLL_MOD = { file: 'packages/ttl/src/collMod.ts', test: 'packages/ttl/test/collMod.test.ts' };

export const ttlRules: readonly MutatedRule[] = [
  {
    ...GATES,
    from: 'return acceptsWrites || index.local;',
    to: 'return true;',
    why: 'only a member that accepts writes deletes what expired',
  },
  {
    ...GATES,
    from: 'return acceptsWrites || index.local;',
    to: 'return acceptsWrites;',
    why: 'what is in local expires on every member',
  },
  {
    ...GATES,
    from: "return !readOnly && (mode === 'replSet' || !hasReplSetConfig);",
    to: 'return !readOnly;',
    why: 'a standalone on the data of a set deletes nothing',
  },
  {
    ...GATES,
    from: "if (!traits.ttlCountsPassesOnSecondaries) return 'skip';",
    to: '',
    why: 'since 8.2 a secondary begins no pass',
  },
  {
    ...GATES,
    from: "return traits.ttlBatched ? 'count' : 'skip';",
    to: "return 'count';",
    why: 'before 6.1 a member that cannot be read counts no pass',
  },
  {
    ...EXPIRY,
    from: 'return wallMs - (expireAfterSeconds + bucketMaxSpanSecs) * 1000;',
    to: 'return wallMs - expireAfterSeconds * 1000;',
    why: 'the newest measurement of a bucket is younger than its _id',
  },
  {
    ...EXPIRY,
    from: 'return dateMs >= minDateMs && dateMs <= limitMs;',
    to: 'return dateMs >= minDateMs && dateMs < limitMs;',
    why: 'a date that is exactly as old as the limit has expired',
  },
  {
    ...EXPIRY,
    from: 'return dateMs >= minDateMs && dateMs <= limitMs;',
    to: 'return dateMs <= limitMs;',
    why: 'dates before 1970 never expire in a clustered collection',
  },
  {
    ...EXPIRY,
    from: 'if (type !== BsonType.date) continue;',
    to: '',
    why: 'only dates expire',
  },
  {
    ...EXPIRY,
    from: '(earliest === undefined || dateMs < earliest)) earliest = dateMs;',
    to: 'earliest === undefined) earliest = dateMs;',
    why: 'of an array the earliest date counts',
  },
  {
    ...BATCH,
    from: 'batched: parameters.ttlMonitorBatchDeletes && traits.ttlBatched,',
    to: 'batched: parameters.ttlMonitorBatchDeletes,',
    why: 'before 6.1 each document is deleted by itself',
  },
  {
    ...BATCH,
    from: 'return batched && batchTimeMS !== 0 && elapsedMicros >= batchTimeMS * 1000;',
    to: 'return batched && elapsedMicros >= batchTimeMS * 1000;',
    why: 'a target of 0 is no target',
  },
  {
    ...BATCH,
    from: 'this.#passTargetMet = timeIsOver || (docs !== 0 && this.#staged >= docs);',
    to: 'this.#passTargetMet = timeIsOver;',
    why: 'a visit ends after ttlIndexDeleteTargetDocs',
  },
  {
    ...BATCH,
    from: 'const timeIsOver = timeMS !== 0 && elapsedMicros >= timeMS * 1000;',
    to: 'const timeIsOver = false;',
    why: 'a visit ends after ttlIndexDeleteTargetTimeMS',
  },
  {
    ...BATCH,
    from: 'return first || this.#entryBytes <= MAX_ENTRY_BYTES;',
    to: 'return true;',
    why: 'a batch fits into one oplog entry',
  },
  {
    ...PASS,
    from: 'while (entry !== undefined && !mayDelete(member, entry)) entry = work[++position];',
    to: '',
    why: 'a member that does not accept writes visits no index',
  },
  {
    ...PASS,
    from: 'wallMs: traits.ttlLimitPerPass ? phase.startedWallMs : now.wallMs,',
    to: 'wallMs: now.wallMs,',
    why: 'line B takes the limit from the beginning of the pass',
  },
  {
    ...PASS,
    from: 'wallMs: traits.ttlLimitPerPass ? phase.startedWallMs : now.wallMs,',
    to: 'wallMs: phase.startedWallMs,',
    why: 'line A takes the limit from the visit',
  },
  {
    ...PASS,
    from: 'const next = passTargetMet ? [...subPass.next, entry] : subPass.next;',
    to: 'const next = subPass.next;',
    why: 'an index that may have more is visited again in the same pass',
  },
  {
    ...PASS,
    from: 'if (next.length > 0 && wholeSecs < parameters.ttlMonitorSubPassTargetSecs)',
    to: 'if (next.length > 0)',
    why: 'a sub-pass ends, so that all indexes have their turn again',
  },
  {
    ...PASS,
    from: 'gone: { entry: visit.entry, before: state.phase.gone }',
    to: 'gone: state.phase.gone',
    why: 'what a visit found gone is forgotten',
  },
  {
    ...PASS,
    file: 'packages/ttl/src/ttlMonitor.ts',
    from: 'isInPass(state) ? forgetGone(state) : state',
    to: 'state',
    why: 'what is made again while a pass goes on is kept, though the pass has found it gone before',
  },
  {
    ...PASS,
    from: 'if (result.interrupted && state.traits.ttlInterruptionEndsPass) return',
    to: 'if (result.interrupted) return',
    why: 'an interruption ends the pass only where the release says so',
  },
  {
    ...PASS,
    from: 'if (result.code !== ErrorCodes.QueryPlanKilled) logFailure',
    to: 'logFailure',
    why: 'a drop under a visit is no failure to log',
  },
  {
    ...MONITOR,
    from: 'return isOver(state, now) ? wake(state, now, effects) : armTimer(state, now, effects);',
    to: 'return wake(state, now, effects);',
    why: 'a timer that went off early is set again',
  },
  {
    ...MONITOR,
    from: 'if (state.member.fsyncLocked) {',
    to: 'if (state.member.fsyncLocked && false) {',
    why: 'no pass while fsync holds the lock',
  },
  {
    ...MONITOR,
    from: 'if (!state.parameters.ttlMonitorEnabled) {',
    to: 'if (!state.parameters.ttlMonitorEnabled && false) {',
    why: 'ttlMonitorEnabled: false stops passes',
  },
  {
    ...MONITOR,
    from: 'if (!isInPass(state) || state.phase.visit?.id !== event.visit) return state;',
    to: 'if (!isInPass(state)) return state;',
    why: 'the answer to a visit of a pass that was cut short says nothing',
  },
  {
    ...SLEEP,
    from: "if (traits.ttlSleep !== 'plain') return now.wallMs >= wakesAtMs(state);",
    to: '',
    why: 'the monitor sleeps by the wall clock',
  },
  {
    ...SLEEP,
    from: "(traits.ttlSleep === 'movingDeadline' ? 1 : 0)",
    to: '0',
    why: 'a deadline that can move is passed, not reached',
  },
  {
    ...SLEEP,
    from: 'const phase: Sleeping = { ...state.phase, sleepSecs: state.parameters.ttlMonitorSleepSecs };',
    to: 'const phase: Sleeping = state.phase;',
    why: 'a new sleep counts for the one under way',
  },
  {
    ...INDEX,
    from: "if (compound && !traits.ttlInvalidSkipsMetric) return { type: 'skipped', logId: 22540, reason: COMPOUND };",
    to: '',
    why: 'line A passes over compound indexes with a line of its own',
  },
  {
    ...INDEX,
    from: "if (spec.special) return { type: 'skipped', logId: 22541, reason: SPECIAL };",
    to: '',
    why: 'an index of a special type is passed over',
  },
  {
    ...INDEX,
    from: 'return seconds < 0n ? NEGATIVE : undefined;\n}\n\n/** The same before 6.2',
    to: 'return undefined;\n}\n\n/** The same before 6.2',
    why: 'a negative number of seconds would expire what is yet to come',
  },
  {
    ...INDEX,
    from: 'if (!collection.capped) return;',
    to: 'return;',
    why: 'a capped collection had no TTL index before 7.1',
  },
  {
    ...CACHE,
    from: 'at < 0 ? [...entries, entry] : entries.with(at, entry)',
    to: '[...entries, entry]',
    why: 'an index that changes is not visited twice',
  },
  {
    ...COLL_MOD,
    from: 'if (seconds < 0) throw invalid',
    to: 'if (seconds < -1) throw invalid',
    why: 'collMod refuses a negative number of seconds',
  },
];
