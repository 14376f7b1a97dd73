import { oneVotePerTerm } from '../../src/index.ts';
import { checkerTest, started, voted, votePersisted } from '../support.ts';

checkerTest(oneVotePerTerm, {
  holds: {
    'a vote a term': [
      votePersisted('n3', 'n1', 1),
      voted('n3', 'n1', 1),
      votePersisted('n3', 'n2', 2),
      voted('n3', 'n2', 2),
    ],
    'different voters, different candidates': [voted('n2', 'n1', 1), voted('n3', 'n4', 1)],
    'the answer is sent twice': [voted('n3', 'n1', 1), voted('n3', 'n1', 1)],
    'a dry run is no vote': [
      voted('n3', 'n1', 1),
      voted('n3', 'n2', 1, { dryRun: true }),
      voted('n3', 'n1', 1, { dryRun: true }),
    ],
    'a no is no vote': [voted('n3', 'n1', 1), voted('n3', 'n2', 1, { granted: false })],
    'over a restart': [voted('n3', 'n1', 1), started('n3', { term: 1 }), voted('n3', 'n2', 2)],
    'an emptied disk begins anew': [
      voted('n3', 'n1', 5),
      started('n3', { hasReplSetConfig: false }),
      voted('n3', 'n2', 5),
    ],
  },
  fires: {
    'two candidates of one term': {
      events: [voted('n3', 'n1', 2), voted('n3', 'n2', 2)],
      detail: 'n3 voted for n2 in term 2, in which it had voted for n1',
    },
    'two candidates with a restart between': {
      events: [voted('n3', 'n1', 2), started('n3', { term: 2 }), voted('n3', 'n2', 2)],
      detail: 'n3 voted for n2 in term 2, in which it had voted for n1',
    },
    'a candidate, and itself before': {
      events: [votePersisted('n3', 'n3', 2), voted('n3', 'n1', 2)],
      detail: 'n3 voted for n1 in term 2, in which it had voted for n3',
    },
    'a vote in a term that is over': {
      events: [voted('n3', 'n1', 3), voted('n3', 'n2', 2, { lastVoteTerm: 3 })],
      detail: 'n3 voted for n2 in term 2, after it had voted for n1 in term 3',
    },
    'a stored vote is overwritten': {
      events: [votePersisted('n3', 'n1', 2), votePersisted('n3', 'n2', 2)],
      detail: 'n3 stored a vote for n2 in term 2, in which it had voted for n1',
    },
    'the answer leaves before the vote is on disk': {
      events: [voted('n3', 'n1', 2, { lastVoteTerm: 1 })],
      detail: 'n3 voted for n1 in term 2, but the vote on its disk is of term 1',
    },
    'the vote on disk is lost later': {
      events: [voted('n3', 'n1', 2), voted('n3', 'n2', 1, { granted: false, lastVoteTerm: 0 })],
      detail: 'n3 voted for n1 in term 2, but the vote on its disk is of term 0',
    },
  },
});
