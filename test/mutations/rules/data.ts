import type { MutatedRule } from './mutatedRule.ts';

const LONG_UPDATE = {
  test: 'packages/database/test/onSets/operations/turns.test.ts',
  title: 'of a document that is',
};
const APPLY = { file: 'packages/node/src/data/applyEntry.ts', test: 'packages/node/test/data/applyEntry.test.ts' };
const VIEW = {
  file: 'packages/node/src/topology/memberView.ts',
  test: 'packages/node/test/topology/memberView.test.ts',
};
const TOPOLOGY = {
  file: 'packages/node/src/topology/topology.ts',
  test: 'packages/node/test/topology/heartbeats.test.ts',
};
const VOTES = {
  file: 'packages/node/src/indexBuilds/votes.ts',
  test: 'packages/node/test/onSets/indexBuilds/survives.test.ts',
};
const LONE_VOTES = { ...VOTES, test: 'packages/node/test/indexBuilds/votes.test.ts' };
const TRANSACTIONS = {
  file: 'packages/node/src/transactions/transactionWrites.ts',
  test: 'packages/transactions/test/onSets/failPoints.test.ts',
};

export const dataRules: readonly MutatedRule[] = [
  {
    ...APPLY,
    from: 'if (!before && cappedLimits(collection)) return;',
    to: '',
    why: 'a capped collection does not get back at its end what it lost at its head',
  },
  {
    ...APPLY,
    from: "if (mode === 'steady') host.relaxed.found(violation, operation);",
    to: 'host.relaxed.found(violation, operation);',
    why: 'recovery meets data that are ahead of the entry, and that is no finding',
  },
  {
    ...APPLY,
    from: "if (!before && mode !== 'steady') return;",
    to: '',
    why: 'recovery leaves alone what a later entry deletes',
  },
  {
    ...APPLY,
    from: 'core.engine.update(collection.ns, present, document, { allowDuplicates: true });',
    to: '',
    why: 'an insert of what is there replaces it',
  },
  {
    ...APPLY,
    from: 'core.engine.insert(collection.ns, document, { allowDuplicates: true });',
    to: 'core.engine.insert(collection.ns, document, {});',
    why: 'a unique index does not stand against an entry',
  },
  {
    ...VIEW,
    from: 'this.applied = forward(applied, reply.opTime, reply.wallTimeMs);',
    to: 'this.applied = { opTime: reply.opTime, wallMs: reply.wallTimeMs };',
    why: 'what is tracked of a member only moves forward, in whatever order answers come',
  },
  {
    ...VIEW,
    from: 'this.heartbeat = NULL_HEARTBEAT;\n    this.syncingTo',
    to: 'this.syncingTo',
    test: 'packages/node/test/topology/heartbeats.test.ts',
    why: 'catch-up does not wait for what a member had that is down',
  },
  {
    ...TOPOLOGY,
    from: 'return visible >= this.#majority;',
    to: 'return visible >= 1;',
    why: 'who sees no majority is not electable',
  },
  {
    ...TOPOLOGY,
    from: "!view.up || view.state !== 'PRIMARY') continue;",
    to: "view.state !== 'PRIMARY') continue;",
    equal: 'a member that is not up is DOWN or UNKNOWN: #lost sets both at once',
    why: 'who is down is no primary',
  },
  {
    ...TOPOLOGY,
    from: 'this.#voters = this.views.filter((view) => view.config.votes === 1);',
    to: 'this.#voters = this.views;',
    why: 'only voters count for the majority that is seen',
  },
  {
    file: 'packages/database/src/crud/getMore.ts',
    from: '(member.cursors.close(id) ? cursorsKilled : cursorsNotFound).push(id);',
    to: 'cursorsKilled.push(id);',
    test: 'packages/database/test/crud/cursors.test.ts',
    title: 'tells which there were',
    why: 'a cursor that is closed is there no more, and one that was not is said not to have been',
  },
  {
    ...LONE_VOTES,
    from: 'return builds.isPrimary && known();',
    to: 'return true;',
    why: 'a vote that only a deposed primary has is sent to the next one, too',
  },
  {
    ...LONE_VOTES,
    from: ' || !builds.isPrimary;',
    to: ';',
    why: 'a primary that is deposed does not wait for what nobody will tell it any more',
  },
  {
    ...LONE_VOTES,
    from: 'if (set) yield* set.awaitMajority(set.lastWritten);',
    to: '',
    why: 'a vote is answered once a majority knows it',
  },
  {
    ...LONE_VOTES,
    from: 'requireBuild(builds, uuid, CANNOT_BE_ABORTED)',
    to: 'requireBuild(builds, uuid)',
    why: 'who asks for an abort that comes too late stops asking',
  },
  {
    ...VOTES,
    from: ' || answer.code === CANNOT_BE_ABORTED;',
    to: ';',
    test: 'packages/node/test/onSets/indexBuilds/aborted.test.ts',
    title: 'a member whose request for an abort comes too late',
    why: 'a member stops asking once the primary says that it is too late',
  },
  {
    ...VOTES,
    from: '!(yield* tell(builds, host, command))) {',
    to: '((yield* tell(builds, host, command)), false)) {',
    title: 'a step-down ends the wait of the client, and not the build',
    why: 'a vote that a deposed primary did not count is sent again, to the next one',
  },
  {
    ...VOTES,
    from: 'if (!build.isScanned || !isSatisfied(config, readiness.commitQuorum, ready)) return;',
    to: 'if (!build.isScanned) return;',
    title: 'a member that is killed begins its build anew',
    why: 'a build is committed when its quorum is ready',
  },
  {
    ...TRANSACTIONS,
    from: 'if (this.#bytes > limit) {',
    to: 'if (this.#bytes > limit && false) {',
    title: 'transactionSizeLimitBytes',
    why: 'a transaction is no larger than transactionSizeLimitBytes',
  },
  {
    ...LONG_UPDATE,
    file: 'packages/database/src/crud/update.ts',
    from: 'if (!before || (ahead && ahead.before !== before)) continue;',
    to: 'if (!before && !ahead) continue;',
    why: 'updateOne looks again at a document that became another one while its update was computed',
  },
  {
    ...LONG_UPDATE,
    file: 'packages/database/src/crud/update.ts',
    from: 'if (ahead && collection.get(each.recordId)?.bytes !== before) {',
    to: 'if (false as boolean) {',
    why: 'so does updateMany',
  },
  {
    ...LONG_UPDATE,
    file: 'packages/database/src/crud/findAndModify.ts',
    from: 'if (!before || (ahead && ahead.before !== before)) continue;',
    to: 'if (!before && !ahead) continue;',
    why: 'so does findAndModify',
  },
];
