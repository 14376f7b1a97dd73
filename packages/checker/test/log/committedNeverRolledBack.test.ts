import { committedNeverRolledBack } from '../../src/index.ts';
import {
  at,
  checkerTest,
  committed,
  config,
  configInstalled,
  fetched,
  learned,
  rolledBack,
  started,
  wrote,
} from '../support.ts';

const twoBranches = [
  wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
  fetched('n2', at(1, 1)),
  wrote('n2', at(4, 2), at(5, 2)),
];

checkerTest(committedNeverRolledBack, {
  holds: {
    'what is removed was not committed': [
      ...twoBranches,
      committed('n1', at(1, 1)),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)], { commitPoint: at(1, 1) }),
    ],
    'a later commit point on the other branch': [
      ...twoBranches,
      committed('n2', at(5, 2)),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
    ],
    'an entry that only a later term committed, on a member that lags (SERVER-39626)': [
      wrote('n1', at(1, 1)),
      wrote('n2', at(1, 2)),
      wrote('n1', at(2, 3)),
      fetched('n3', at(1, 1)),
      ...['n4', 'n5'].map((member) => fetched(member, at(1, 1), at(2, 3))),
      committed('n1', at(2, 3)),
      rolledBack('n3', at(0, -1), [at(1, 1)]),
    ],
    'a restart forgets the own commit point': [
      learned('n1', at(3, 1)),
      started('n1'),
      rolledBack('n1', at(1, 1), [at(2, 1)]),
    ],
    'after a forced reconfig nothing is promised': [
      ...twoBranches,
      committed('n1', at(3, 1)),
      configInstalled('n2', config({ version: 20_000, term: -1 }), true),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
    ],
  },
  fires: {
    'an entry that a primary announced': {
      events: [
        ...twoBranches,
        fetched('n3', at(1, 1), at(2, 1), at(3, 1)),
        committed('n1', at(2, 1)),
        rolledBack('n3', at(1, 1), [at(2, 1), at(3, 1)]),
      ],
      detail: 'n3 rolled back (2,1 t1), though n1 had announced (2,1 t1) as committed',
    },
    'any of those removed, in any order': {
      events: [
        ...twoBranches,
        fetched('n3', at(1, 1), at(4, 2), at(5, 2)),
        committed('n2', at(5, 2)),
        rolledBack('n3', at(1, 1), [at(6, 3), at(5, 2), at(4, 2)]),
      ],
      detail: 'n3 rolled back (5,1 t2), though n2 had announced (5,1 t2) as committed',
    },
    'behind the commit point that it knew': {
      events: [...twoBranches, learned('n1', at(2, 1)), rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)])],
      detail: 'n1 rolled back to (1,1 t1), behind its commit point (2,1 t1)',
    },
    'behind the commit point that it says it had': {
      events: [rolledBack('n1', at(1, 1), [at(2, 1)], { commitPoint: at(2, 1) })],
      detail: 'n1 rolled back to (1,1 t1), behind its commit point (2,1 t1)',
    },
  },
});
