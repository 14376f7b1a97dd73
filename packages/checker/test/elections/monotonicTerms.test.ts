import { monotonicTerms } from '../../src/index.ts';
import { checkerTest, started, termChanged, votePersisted } from '../support.ts';

checkerTest(monotonicTerms, {
  holds: {
    'terms grow, each on its own member': [termChanged('n1', 0, 1), termChanged('n1', 1, 4), termChanged('n2', 0, 1)],
    'a term that was only heard of is lost in a restart': [
      termChanged('n1', 0, 5),
      started('n1', { term: 2 }),
      termChanged('n1', 2, 3),
    ],
    'a vote survives': [votePersisted('n1', 'n2', 3), started('n1', { term: 3 })],
    'an emptied disk has no vote': [
      votePersisted('n1', 'n2', 3),
      started('n1', { term: 0, hasReplSetConfig: false }),
      started('n1', { term: 1 }),
    ],
    'a standalone has no term': [votePersisted('n1', 'n2', 3), started('n1', { term: 0, mode: 'standalone' })],
  },
  fires: {
    'a lower term': {
      events: [termChanged('n1', 0, 3), termChanged('n1', 3, 2)],
      detail: "n1's term fell from 3 to 2",
    },
    'a term that had fallen unseen': {
      events: [termChanged('n1', 0, 3), termChanged('n1', 1, 4)],
      detail: "n1's term fell from 3 to 1",
    },
    'a lower term after a restart': {
      events: [started('n1', { term: 3 }), termChanged('n1', 3, 2)],
      detail: "n1's term fell from 3 to 2",
    },
    'a vote that is forgotten': {
      events: [votePersisted('n1', 'n2', 3), started('n1', { term: 2 })],
      detail: 'n1 restarted in term 2, though its vote in term 3 was on disk',
    },
    'a vote that is forgotten after a life as a standalone': {
      events: [votePersisted('n1', 'n2', 3), started('n1', { mode: 'standalone' }), started('n1', { term: 2 })],
      detail: 'n1 restarted in term 2, though its vote in term 3 was on disk',
    },
  },
});
