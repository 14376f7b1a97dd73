import type { MutatedRule } from './mutatedRule.ts';

const VOTING = { file: 'packages/node/src/election/voting.ts', test: 'packages/node/test/election/voting.test.ts' };
const ELECTABLE = {
  file: 'packages/node/src/election/electability.ts',
  test: 'packages/node/test/election/electability.test.ts',
};
const TAKEOVER = {
  file: 'packages/node/src/election/takeover.ts',
  test: 'packages/node/test/election/takeover.test.ts',
};
const TALLY = {
  file: 'packages/node/src/election/voteTally.ts',
  test: 'packages/node/test/election/voteTally.test.ts',
};
const CANDIDACY = {
  file: 'packages/node/src/election/candidacy.ts',
  test: 'packages/node/test/election/elections.test.ts',
};
const CATCH_UP = {
  file: 'packages/node/src/election/catchUp.ts',
  test: 'packages/node/test/election/elections.test.ts',
};
const DRAIN = { file: 'packages/node/src/election/drain.ts', test: 'packages/node/test/election/elections.test.ts' };

export const electionRules: readonly MutatedRule[] = [
  {
    ...VOTING,
    from: 'if (compareOpTimes(request.lastWrittenOpTime, voter.lastWritten) < 0) {',
    to: 'if (compareOpTimes(request.lastWrittenOpTime, voter.lastWritten) < 0 && false) {',
    why: 'nobody votes for a candidate that lacks what the voter has',
  },
  {
    ...VOTING,
    from: 'if (!request.dryRun && voter.lastVote.term === request.term) {',
    to: 'if (!request.dryRun && voter.lastVote.term === request.term && false) {',
    why: 'one vote a term',
  },
  {
    ...VOTING,
    from: 'if (!request.dryRun && voter.lastVote.term === request.term) {',
    to: 'if (voter.lastVote.term === request.term) {',
    why: 'a dry run takes no vote, whatever was voted in its term',
  },
  {
    ...VOTING,
    from: 'if (isNewerConfig(voter.config, theirs)) {',
    to: 'if (isNewerConfig(voter.config, theirs) || isNewerConfig(theirs, voter.config)) {',
    why: 'a candidate of a newer config is voted for',
  },
  {
    ...VOTING,
    from: '&& theirs.term === voter.config.term;',
    to: ';',
    why: 'an arbiter judges priorities by a config that both have, its term included',
  },
  {
    ...VOTING,
    from: 'if (isNewerConfig(voter.config, theirs)) {',
    to: 'if (isNewerConfig(voter.config, theirs) && false) {',
    why: 'a candidate of an older config is refused',
  },
  {
    ...VOTING,
    from: 'if (request.term < voter.term) return',
    to: 'if (request.term <= voter.term) return',
    why: 'a candidate of the own term may be voted for',
  },
  {
    ...VOTING,
    from: 'if (sameConfig && voter.seenPrimaryPriority >= candidate.priority) {',
    to: 'if (sameConfig && voter.seenPrimaryPriority > candidate.priority) {',
    why: 'an arbiter that sees a primary of equal priority elects no other',
  },
  {
    ...ELECTABLE,
    from: 'if (isNullOpTime(candidate.lastWritten) || isNullOpTime(candidate.lastApplied))',
    to: 'if (isNullOpTime(candidate.lastWritten))',
    why: 'who has applied nothing has no data to lead with',
  },
  {
    ...ELECTABLE,
    from: "if (self.priority <= 0) reasons.push('its priority is 0');",
    to: '',
    why: 'priority 0 never stands',
  },
  {
    ...ELECTABLE,
    from: "if (candidate.isWaiting) reasons.push('it stepped down or was frozen not long ago');",
    to: '',
    why: 'who stepped down or was frozen waits',
  },
  {
    ...ELECTABLE,
    from: 'newest.ts.i - mine.ts.i <= FRESHNESS_WINDOW_INCREMENTS',
    to: 'newest.ts.i - mine.ts.i < FRESHNESS_WINDOW_INCREMENTS',
    why: 'a priority takeover may lag by a thousand entries of the newest second',
  },
  {
    ...ELECTABLE,
    from: 'if (mine.t !== newest.t) return false;',
    to: '',
    why: 'who has nothing of the newest term is not fresh',
  },
  {
    ...ELECTABLE,
    from: 'compareOpTimes(lastApplied, primaryApplied) > 0 && lastApplied.t < term;',
    to: 'compareOpTimes(lastApplied, primaryApplied) > 0;',
    why: 'a primary that has written in its term is not taken over',
  },
  {
    ...ELECTABLE,
    from: 'if (!primaryApplied || compareOpTimes(newestApplied, lastApplied) > 0) return false;',
    to: 'if (!primaryApplied) return false;',
    why: 'only the freshest of all takes a primary over that catches up',
  },
  {
    ...TAKEOVER,
    from: 'return members.filter(({ priority }) => priority > ofPriority).length;',
    to: 'return members.filter(({ priority }) => priority >= ofPriority).length;',
    why: 'the best waits shortest',
  },
  {
    ...TAKEOVER,
    from: 'if (ownPriority <= 0) return undefined;',
    to: '',
    why: 'priority 0 takes over nobody',
  },
  {
    ...TAKEOVER,
    from: 'lastApplied.t !== term &&',
    to: '',
    why: 'an entry of this term shows that its primary has caught up',
  },
  {
    ...TAKEOVER,
    from: 'catchUpTakeoverDelayMillis !== -1 &&',
    to: '',
    why: 'a delay of -1 turns catch-up takeovers off',
  },
  {
    ...TAKEOVER,
    from: 'if (catchUp && !(higher && priorityRank(config, ownPriority) === 0))',
    to: 'if (catchUp)',
    why: 'the member of the highest priority takes over by priority',
  },
  {
    ...TALLY,
    from: 'granted && !fromLaterTerm ? 1 : 0',
    to: 'granted ? 1 : 0',
    why: 'who is in a later term gives no vote in this one',
  },
  {
    ...TALLY,
    from: "if (primaryVote === 'pending') return undefined;",
    to: '',
    why: 'a catch-up takeover waits for the word of the primary',
  },
  {
    ...TALLY,
    from: "if (staleTerm) return 'staleTerm';",
    to: '',
    why: 'a later term ends a round',
  },
  {
    ...TALLY,
    from: "if (votes >= needed) return 'success';",
    to: "if (votes > needed) return 'success';",
    why: 'a majority is enough',
  },
  {
    ...CANDIDACY,
    from: "if (this.#host.topology.term !== term) return this.#lose('superseded');",
    to: '',
    why: 'a round of a term that is over wins nothing',
  },
  {
    ...CANDIDACY,
    from: "const primaryDecides = dryRun && this.#snapshot().context.reason === 'catchupTakeover';",
    to: 'const primaryDecides = false;',
    why: 'a primary that has caught up is not taken over, whatever the others say',
  },
  {
    ...CANDIDACY,
    from: "if (shutdown.isLeaving) return 'it is shutting down';",
    to: '',
    test: 'packages/node/test/election/electionCommands.test.ts',
    title: 'a quiescing member does not stand',
    why: 'who shuts down does not stand',
  },
  {
    ...CANDIDACY,
    from: "return configuration.isSteady ? undefined : 'its config is about to change';",
    to: 'return undefined;',
    why: 'nobody stands while its config is about to change',
  },
  {
    ...CANDIDACY,
    from: "if (topology.term === term) return this.#send({ type: 'votePersisted' });",
    to: "return this.#send({ type: 'votePersisted' });",
    why: 'a later term ends the candidacy while its vote goes to disk',
  },
  {
    ...CATCH_UP,
    from: 'topology.others.some(({ heardSinceRestart }) => !heardSinceRestart)) return;',
    to: 'false) return;',
    why: 'a new primary hears everybody before it decides what to catch up to',
  },
  {
    ...CATCH_UP,
    from: 'if (compareOpTimes(positions.applied.opTime, this.#target) < 0) return;',
    to: '',
    why: 'catch-up goes on to its target',
  },
  {
    ...CATCH_UP,
    from: 'if (catchUpTimeoutMillis > 0) {',
    to: 'if (catchUpTimeoutMillis > 0 && false) {',
    why: 'catch-up ends after catchUpTimeoutMillis',
  },
  {
    ...CATCH_UP,
    from: 'if (catchUpTimeoutMillis === 0) {',
    to: 'if (catchUpTimeoutMillis === 0 && false) {',
    why: 'a time-out of 0 skips catch-up',
  },
  {
    ...DRAIN,
    from: 'if (replicator.isIdle) this.#finish();',
    to: 'this.#finish();',
    why: 'a new primary applies what it has fetched before it writes',
  },
  {
    ...DRAIN,
    from: "killer.killConflicting('stepUp');",
    to: '',
    why: 'what conflicts with becoming writable is interrupted',
  },
];
