import {
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  type ReplSetConfig,
  type RequestVotesCommand,
} from '@replsim/protocol';
import { expect, test } from 'vitest';
import { reasonToRefuse, type Voter } from '../../src/election/voting.ts';

// Upstream: TopologyCoordinator::processReplSetRequestVotes; the rules in their order.

const at = (t: number, secs: number) => ({ t, ts: { t: secs, i: 1 } });
const config: ReplSetConfig = {
  _id: 'rs0',
  version: 3,
  term: 4,
  members: ['a', 'b', 'c'].map((host, _id) => ({ ...DEFAULT_MEMBER_CONFIG, tags: {}, _id, host, votes: 1 as const })),
  writeConcernMajorityJournalDefault: true,
  settings: { ...DEFAULT_SETTINGS, replicaSetId: '' },
};
const voter: Voter = {
  config,
  term: 4,
  lastWritten: at(4, 100),
  lastVote: { term: 4, candidateIndex: 0 },
  isArbiter: false,
  seenPrimaryPriority: undefined,
};
const request: RequestVotesCommand = {
  replSetRequestVotes: 1,
  setName: 'rs0',
  dryRun: false,
  term: 5,
  candidateIndex: 1,
  configVersion: 3,
  configTerm: 4,
  lastWrittenOpTime: at(4, 100),
  lastAppliedOpTime: at(4, 100),
};

type Case = [name: string, request: Partial<RequestVotesCommand>, voter: Partial<Voter>, refusal: RegExp | undefined];

const cases: Case[] = [
  ['a candidate that is level gets the vote', {}, {}, undefined],
  ['a dry run in the term already held too', { dryRun: true, term: 4 }, {}, undefined],
  ['an older config', { configVersion: 2 }, {}, /config/],
  ['a config of an older term, whatever its version', { configVersion: 9, configTerm: 3 }, {}, /config/],
  ['a newer config is fine', { configVersion: 4 }, {}, undefined],
  ['a lower term', { term: 3 }, {}, /term \(3\) is lower/],
  ['another set', { setName: 'rs1' }, {}, /set name/],
  ['staler data', { lastWrittenOpTime: at(4, 99) }, {}, /staler/],
  ['an older term of the last entry, however late its time', { lastWrittenOpTime: at(3, 999) }, {}, /staler/],
  ['fresher data', { lastWrittenOpTime: at(4, 101) }, {}, undefined],
  ['written counts, not applied', { lastAppliedOpTime: at(1, 1) }, {}, undefined],
  ['one vote a term', {}, { lastVote: { term: 5, candidateIndex: 2 } }, /already voted/],
  ['not even twice for the same', {}, { lastVote: { term: 5, candidateIndex: 1 } }, /already voted/],
  [
    'a dry run does not mind a vote that was given',
    { dryRun: true },
    { lastVote: { term: 5, candidateIndex: 2 } },
    undefined,
  ],
  ['an arbiter that sees an equal primary', {}, { isArbiter: true, seenPrimaryPriority: 1 }, /healthy primary/],
  ['an arbiter that sees a lesser primary', {}, { isArbiter: true, seenPrimaryPriority: 0.5 }, undefined],
  ['an arbiter whose config is another', { configVersion: 4 }, { isArbiter: true, seenPrimaryPriority: 1 }, undefined],
  [
    'an arbiter whose config is of another term',
    { configTerm: 5 },
    { isArbiter: true, seenPrimaryPriority: 1 },
    undefined,
  ],
  ['others do not look for a primary', {}, { seenPrimaryPriority: 5 }, undefined],
  ['the config comes before the term', { configVersion: 2, term: 1 }, {}, /config/],
];

test.for(cases)('%s', ([, changedRequest, changedVoter, refusal]) => {
  const reason = reasonToRefuse({ ...request, ...changedRequest }, { ...voter, ...changedVoter });
  if (refusal) expect(reason).toMatch(refusal);
  else expect(reason).toBeUndefined();
});
