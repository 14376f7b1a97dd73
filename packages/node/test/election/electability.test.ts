import { DEFAULT_MEMBER_CONFIG, NULL_OP_TIME } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Candidate, unelectableReason } from '../../src/election/electability.ts';
import type { ElectionReason } from '../../src/election/electionReason.ts';

// Upstream: TopologyCoordinator::_getMyUnelectableReason.

const at = (t: number, secs: number, i = 1) => ({ t, ts: { t: secs, i } });
const fit: Candidate = {
  self: { ...DEFAULT_MEMBER_CONFIG, tags: {}, _id: 0, host: 'a', votes: 1 },
  state: 'SECONDARY',
  isLeader: false,
  term: 5,
  lastWritten: at(4, 100),
  lastApplied: at(4, 100),
  newestApplied: at(4, 100),
  primaryApplied: at(4, 90),
  seesMajority: true,
  isWaiting: false,
  priorityTakeoverFreshnessWindowSeconds: 2,
};

test.for<[name: string, change: Partial<Candidate>, reason: ElectionReason, why: RegExp | undefined]>([
  ['a caught-up secondary', {}, 'electionTimeout', undefined],
  ['nothing applied', { lastApplied: NULL_OP_TIME }, 'electionTimeout', /no data/],
  ['nothing written', { lastWritten: NULL_OP_TIME }, 'electionTimeout', /no data/],
  ['no majority in sight', { seesMajority: false }, 'electionTimeout', /majority/],
  ['not in the config', { self: undefined }, 'electionTimeout', /not a member/],
  ['an arbiter', { self: { ...fit.self!, arbiterOnly: true } }, 'electionTimeout', /arbiter/],
  ['priority 0', { self: { ...fit.self!, priority: 0 } }, 'electionTimeout', /priority/],
  ['frozen', { isWaiting: true }, 'electionTimeout', /frozen/],
  ['in maintenance', { state: 'RECOVERING' }, 'electionTimeout', /RECOVERING/],
  ['in initial sync', { state: 'STARTUP2' }, 'stepUpRequest', /STARTUP2/],
  ['a primary calls itself electable', { state: 'PRIMARY', isLeader: true }, 'electionTimeout', undefined],
  ['staleness does not matter to itself', { newestApplied: at(4, 900) }, 'electionTimeout', undefined],
  ['priority takeover, 2 s behind', { newestApplied: at(4, 102) }, 'priorityTakeover', undefined],
  ['priority takeover, 3 s behind', { newestApplied: at(4, 103) }, 'priorityTakeover', /fresh/],
  [
    'priority takeover, the window widened',
    { newestApplied: at(4, 103), priorityTakeoverFreshnessWindowSeconds: 3 },
    'priorityTakeover',
    undefined,
  ],
  [
    'priority takeover, 1000 entries behind in one second',
    { newestApplied: at(4, 100, 1001) },
    'priorityTakeover',
    undefined,
  ],
  [
    'priority takeover, 1001 entries behind in one second',
    { newestApplied: at(4, 100, 1002) },
    'priorityTakeover',
    /fresh/,
  ],
  ['priority takeover, the newest is of another term', { newestApplied: at(5, 100) }, 'priorityTakeover', /fresh/],
  ['catch-up takeover, the freshest and ahead of the primary', {}, 'catchupTakeover', undefined],
  ['catch-up takeover, another is fresher', { newestApplied: at(4, 101) }, 'catchupTakeover', /freshest/],
  ['catch-up takeover, level with the primary', { primaryApplied: at(4, 100) }, 'catchupTakeover', /ahead/],
  ['catch-up takeover, no primary known', { primaryApplied: undefined }, 'catchupTakeover', /ahead/],
  [
    'catch-up takeover, the term has entries',
    { lastApplied: at(5, 101), newestApplied: at(5, 101) },
    'catchupTakeover',
    /ahead/,
  ],
])('%s', ([, change, reason, why]) => {
  const refusal = unelectableReason({ ...fit, ...change }, reason);
  if (why) expect(refusal).toMatch(why);
  else expect(refusal).toBeUndefined();
});
