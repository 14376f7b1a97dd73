import { NULL_OP_TIME } from '@replsim/protocol';
import { acknowledgedMajorityIsCommitted } from '../../src/index.ts';
import { acknowledged, at, checkerTest, committed, fetched, learned, started, wrote } from '../support.ts';

const history = [wrote('n1', at(1, 1), at(2, 1), at(3, 1)), fetched('n2', at(1, 1), at(2, 1)), wrote('n2', at(4, 2))];

checkerTest(acknowledgedMajorityIsCommitted, {
  holds: {
    'at and before the commit point': [
      ...history,
      committed('n1', at(2, 1)),
      acknowledged('n1', at(2, 1)),
      acknowledged('n1', at(1, 1)),
      committed('n2', at(4, 2)),
      acknowledged('n2', at(1, 1)),
    ],
    'less than a majority promises nothing': [...history, acknowledged('n1', at(3, 1), false)],
    'nothing was written': [acknowledged('n1', NULL_OP_TIME)],
    'where the trace does not tell about branches': [committed('n1', at(9, 5)), acknowledged('n1', at(8, 4))],
  },
  fires: {
    'ahead of the commit point': {
      events: [...history, committed('n1', at(2, 1)), acknowledged('n1', at(3, 1))],
      detail: 'n1 acknowledged (3,1 t1) as written by a majority, though its commit point was (2,1 t1)',
    },
    'only another member knows': {
      events: [...history, learned('n2', at(2, 1)), acknowledged('n1', at(2, 1))],
      detail: 'n1 acknowledged (2,1 t1) as written by a majority, though it knew no commit point',
    },
    'a restart forgot the commit point': {
      events: [
        ...history,
        committed('n1', at(2, 1)),
        started('n1', { lastApplied: at(3, 1) }),
        acknowledged('n1', at(2, 1)),
      ],
      detail: 'n1 acknowledged (2,1 t1) as written by a majority, though it knew no commit point',
    },
    'on another branch': {
      events: [...history, learned('n1', at(4, 2)), acknowledged('n1', at(3, 1))],
      detail:
        'n1 acknowledged (3,1 t1) as written by a majority, though its commit point was (4,1 t2), on a branch without that entry',
    },
  },
});
