import { expect, test } from 'vitest';
import { AskedSet } from '../../../../replset/test/askedSet.ts';
import { shapeOf } from '../../../../replset/test/shapeOf.ts';

const STATUS = { replSetGetStatus: 1 };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3', config: { priority: 0 } }];

/** `electionMetrics`, field by field; what a catch-up and a predecessor add stands where it belongs. */
const CANDIDATE = [
  ...['lastElectionReason string', 'lastElectionDate date', 'electionTerm long'],
  ...['lastCommittedOpTimeAtElection object', 'lastSeenWrittenOpTimeAtElection object'],
  ...['lastSeenOpTimeAtElection object', 'numVotesNeeded int', 'priorityAtElection double'],
  'electionTimeoutMillis long',
];
const AFTERWARDS = ['numCatchUpOps long', 'newTermStartDate date', 'wMajorityWriteAvailabilityDate date'];
const PARTICIPANT = [
  ...['votedForCandidate bool', 'electionTerm long', 'lastVoteDate date', 'electionCandidateMemberId int'],
  ...['voteReason string', 'lastWrittenOpTimeAtElection object', 'maxWrittenOpTimeInSet object'],
  ...['lastAppliedOpTimeAtElection object', 'maxAppliedOpTimeInSet object', 'priorityAtElection double'],
];
const NEW_TERM = ['newTermStartDate date', 'newTermAppliedDate date'];

test('the first election of a set, as candidate and voters tell it', async () => {
  const set = await AskedSet.create({ members: MEMBERS });
  await set.until(() => set.now('n1', STATUS).electionCandidateMetrics !== undefined);
  // While it stands, and before it has written: no more than what is known of the election itself.
  expect(shapeOf(set.typed('n1', STATUS).electionCandidateMetrics)).toEqual(CANDIDATE);
  expect(set.now('n1', STATUS).myState).toBe(2);
  await set.untilPrimary('n1');
  await set.pass(5000);
  expect(shapeOf(set.typed('n1', STATUS).electionCandidateMetrics)).toEqual([...CANDIDATE, ...AFTERWARDS]);
  const { electionCandidateMetrics: won } = set.now('n1', STATUS);
  expect(won).toMatchObject({ lastElectionReason: 'electionTimeout', electionTerm: 1, numCatchUpOps: 0 });
  expect(won.lastSeenOpTimeAtElection.t).toBe(-1);
  const dates = [won.lastElectionDate, won.newTermStartDate, won.wMajorityWriteAvailabilityDate];
  expect(dates).toEqual([...dates].sort((a, b) => a - b));
  const participant = set.typed('n2', STATUS).electionParticipantMetrics;
  expect(shapeOf(participant)).toEqual([...PARTICIPANT, ...NEW_TERM]);
  expect(set.now('n2', STATUS).electionParticipantMetrics).toMatchObject({
    votedForCandidate: true,
    electionCandidateMemberId: 0,
    voteReason: '',
  });
  expect(set.now('n1', STATUS)).not.toHaveProperty('electionParticipantMetrics');
  await set.set.close();
});

test('a winner that hands over: cleared there, the predecessor named here', async () => {
  const set = await AskedSet.create({ members: MEMBERS });
  await set.untilPrimary('n1');
  await set.pass(5000);
  await set.run('n1', { replSetStepDown: 600 }, 'admin');
  await set.untilPrimary('n2');
  await set.pass(5000);
  expect(set.now('n1', STATUS)).not.toHaveProperty('electionCandidateMetrics');
  const fields = shapeOf(set.typed('n2', STATUS).electionCandidateMetrics);
  expect(fields).toEqual([...CANDIDATE, 'priorPrimaryMemberId int', ...AFTERWARDS]);
  expect(set.now('n2', STATUS).electionCandidateMetrics).toMatchObject({
    lastElectionReason: 'stepUpRequestSkipDryRun',
    priorPrimaryMemberId: 0,
    electionTerm: 2,
  });
  // n2 voted in term 1; what it saw of that term's beginning is over, since it leads itself.
  expect(shapeOf(set.typed('n2', STATUS).electionParticipantMetrics)).toEqual(PARTICIPANT);
  await set.set.close();
});

test('a catch-up: its target, its operations, and their average', async () => {
  const set = await AskedSet.create({
    members: ['n1', 'n2', 'n3', 'n4', 'n5'].map((name, i) => ({ name, config: { priority: [5, 0, 1, 0, 0][i]! } })),
  });
  await set.untilPrimary('n1');
  await set.pass(5000);
  // Only n2 gets the last writes; the others' fetchers stand still until n3 is elected.
  for (const name of ['n3', 'n4', 'n5']) set.set.hold(name, 'fetch');
  for (const _id of [1, 2, 3])
    await set.run('n1', { insert: 'c', documents: [{ _id }], writeConcern: { w: 2 } }, 'app');
  set.set.kill('n1');
  await set.untilState('n3', 1);
  await set.until(() => set.now('n3', STATUS).electionCandidateMetrics.targetCatchupOpTime !== undefined);
  expect(shapeOf(set.typed('n3', STATUS).electionCandidateMetrics)).toEqual([
    ...CANDIDATE,
    'targetCatchupOpTime object',
  ]);
  for (const name of ['n3', 'n4', 'n5']) set.set.release(name, 'fetch');
  await set.untilPrimary('n3');
  const { electionCandidateMetrics: metrics } = set.now('n3', STATUS);
  expect(metrics.numCatchUpOps).toBeGreaterThanOrEqual(3);
  const { electionMetrics } = set.now('n3', { serverStatus: 1 });
  expect(electionMetrics).toMatchObject({ numCatchUps: 1, numCatchUpsSucceeded: 1, numCatchUpsAlreadyCaughtUp: 0 });
  expect(electionMetrics.averageCatchUpOps).toBe(metrics.numCatchUpOps);
  await set.set.close();
});

test('a lost election leaves nothing with the candidate, and its reason with the voter', async () => {
  const set = await AskedSet.create({ members: MEMBERS });
  await set.untilPrimary('n1');
  await set.pass(5000);
  // n3 gets what n2 does not, and so refuses it its vote.
  set.set.hold('n2', 'fetch');
  await set.run('n1', { insert: 'c', documents: [{ _id: 1 }], writeConcern: { w: 2 } }, 'app');
  set.set.kill('n1');
  await set.run('n2', { replSetStepUp: 1, skipDryRun: true }, 'admin');
  expect(set.now('n2', STATUS)).not.toHaveProperty('electionCandidateMetrics');
  const { electionParticipantMetrics: refused } = set.now('n3', STATUS);
  expect(refused).toMatchObject({ votedForCandidate: false, electionTerm: 2, electionCandidateMemberId: 1 });
  expect(refused.voteReason).not.toBe('');
  await set.set.close();
});

test('a set of one skips its catch-up', async () => {
  const set = await AskedSet.create({ members: [{ name: 'n1' }] });
  await set.untilPrimary('n1');
  await set.pass(2000);
  const fields = shapeOf(set.typed('n1', STATUS).electionCandidateMetrics);
  expect(fields).toEqual([...CANDIDATE, 'newTermStartDate date', 'wMajorityWriteAvailabilityDate date']);
  expect(set.now('n1', { serverStatus: 1 }).electionMetrics.numCatchUpsSkipped).toBe(1);
  await set.set.close();
});
