import { termBound } from '../../src/index.ts';
import { at, checkerTest, fetched, started, termChanged, votePersisted, wrote } from '../support.ts';

checkerTest(termBound, {
  holds: {
    'the term goes first': [
      started('n1'),
      termChanged('n1', 0, 1),
      votePersisted('n1', 'n1', 1),
      wrote('n1', at(1, 1)),
      termChanged('n1', 1, 5),
      fetched('n1', at(2, 3)),
    ],
    'a restart remembers': [started('n1', { term: 3, lastApplied: at(1, 3) })],
    'a standalone has no term': [started('n1', { mode: 'standalone', term: -1, lastApplied: at(1, 3) })],
  },
  fires: {
    'an entry of a later term': {
      events: [started('n1'), termChanged('n1', 0, 1), fetched('n1', at(1, 1), at(2, 2))],
      detail: 'n1 wrote (2,1 t2), though its own term was 1',
    },
    'a vote in a later term': {
      events: [started('n1'), termChanged('n1', 0, 1), votePersisted('n1', 'n2', 2)],
      detail: 'n1 stored a vote in term 2, though its own term was 1',
    },
    'a restart that forgets the oplog': {
      events: [started('n1', { term: 1, lastApplied: at(1, 3) })],
      detail: 'n1 restarted with an oplog up to (1,1 t3), though its own term was 1',
    },
  },
});
