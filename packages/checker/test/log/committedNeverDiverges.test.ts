import { committedNeverDiverges } from '../../src/index.ts';
import { at, checkerTest, committed, config, configInstalled, fetched, learned, won, wrote } from '../support.ts';

const branched = [
  won('n1', 1),
  wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
  fetched('n2', at(1, 1)),
  won('n2', 2),
  wrote('n2', at(4, 2)),
];

checkerTest(committedNeverDiverges, {
  holds: {
    'one branch, term by term': [...branched, committed('n1', at(1, 1)), committed('n2', at(4, 2))],
    'an older primary is late': [...branched, committed('n2', at(4, 2)), committed('n1', at(1, 1))],
    'what is learned is not announced': [...branched, committed('n2', at(4, 2)), learned('n1', at(3, 1))],
    'after a forced reconfig nothing is promised': [
      ...branched,
      configInstalled('n1', config({ term: -1 }), true),
      committed('n1', at(3, 1)),
      committed('n2', at(4, 2)),
    ],
  },
  fires: {
    'a later term committed another branch': {
      events: [...branched, committed('n1', at(3, 1)), committed('n2', at(4, 2))],
      detail: 'n2 committed (4,1 t2) on another branch than (3,1 t1), which n1 had committed',
    },
    'an older primary commits what a later one lacks': {
      events: [...branched, committed('n2', at(4, 2)), committed('n1', at(2, 1))],
      detail: 'n1 committed (2,1 t1) on another branch than (4,1 t2), which n2 had committed',
    },
  },
});
