import { positionsInOrder } from '../../src/index.ts';
import {
  applied,
  at,
  checkerTest,
  fetched,
  flushed,
  initialSync,
  rolledBack,
  stabilized,
  started,
  wrote,
} from '../support.ts';

const three = [fetched('n1', at(1, 1), at(2, 1), at(3, 1)), applied('n1', at(1, 1))];

checkerTest(positionsInOrder, {
  holds: {
    'durable and applied in any order': [...three, flushed('n1', at(3, 1)), applied('n1', at(2, 1))],
    'stable is the lower of applied and committed': [
      ...three,
      stabilized('n1', at(3, 1), at(1, 1)),
      applied('n1', at(2, 1), 0, at(2, 1)),
    ],
    'where the data began is a floor ahead of the commit point': [
      started('n1', { lastApplied: at(3, 1) }),
      fetched('n1', at(4, 1)),
      applied('n1', at(4, 1), 0, at(3, 1)),
      stabilized('n1', at(2, 1), at(3, 1)),
    ],
    'an initial sync begins anew': [
      ...three,
      flushed('n1', at(3, 1)),
      initialSync('n1', 'started'),
      fetched('n1', at(9, 2)),
      applied('n1', at(9, 2)),
      initialSync('n1', 'done'),
    ],
    'a rollback to the stable optime': [
      ...three,
      stabilized('n1', at(1, 1), at(1, 1)),
      applied('n1', at(3, 1), 0, at(1, 1)),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
      flushed('n1', at(1, 1)),
    ],
  },
  fires: {
    'durable, but not written': {
      events: [...three, flushed('n1', at(4, 1))],
      detail: "n1's durable optime (4,1 t1) is ahead of the end of its oplog (3,1 t1)",
    },
    'applied, but not written': {
      events: [wrote('n1', at(1, 1)), applied('n1', at(2, 1))],
      detail: "n1's applied optime (2,1 t1) is ahead of the end of its oplog (1,1 t1)",
    },
    'stable, but not committed': {
      events: [...three, stabilized('n1', at(1, 1), at(1, 1)), applied('n1', at(3, 1), 0, at(3, 1))],
      detail: "n1's stable optime (3,1 t1) is ahead of its commit point (1,1 t1)",
    },
    'stable, but not applied': {
      events: [...three, stabilized('n1', at(1, 1), at(1, 1)), stabilized('n1', at(3, 1), at(3, 1))],
      detail: "n1's stable optime (3,1 t1) is ahead of what it has applied, (1,1 t1)",
    },
    'a rollback behind the stable optime': {
      events: [
        ...three,
        applied('n1', at(2, 1), 0, at(1, 1)),
        stabilized('n1', at(2, 1), at(2, 1)),
        rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
      ],
      detail: "n1's stable optime (2,1 t1) is ahead of what its rollback went back to, (1,1 t1)",
    },
  },
});
