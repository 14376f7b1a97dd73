import { appliedMonotone } from '../../src/index.ts';
import {
  applied,
  at,
  checkerTest,
  initialSync,
  rollbackStarted,
  rolledBack,
  started,
  stateChanged,
  stopped,
} from '../support.ts';

checkerTest(appliedMonotone, {
  holds: {
    'it grows, or is repeated': [
      applied('n1', at(1, 1)),
      applied('n1', at(1, 1)),
      applied('n1', at(2, 2)),
      applied('n2', at(1, 1)),
    ],
    'a rollback replays the oplog from the stable timestamp on': [
      applied('n1', at(5, 1)),
      rollbackStarted('n1'),
      applied('n1', at(2, 1)),
      rolledBack('n1', at(3, 1), [at(5, 1)]),
      applied('n1', at(4, 2)),
    ],
    'a restart recovers': [
      applied('n1', at(5, 1)),
      stopped('n1'),
      applied('n1', at(2, 1)),
      started('n1', { lastApplied: at(3, 1) }),
      applied('n1', at(4, 1)),
    ],
    'an initial sync begins anew': [applied('n1', at(5, 1)), initialSync('n1', 'started'), applied('n1', at(3, 1))],
  },
  fires: {
    'an earlier opTime': {
      events: [applied('n1', at(5, 1)), applied('n1', at(4, 1))],
      detail: 'n1 had applied (5,1 t1), and then only (4,1 t1)',
    },
    'an earlier opTime than was recovered': {
      events: [started('n1', { lastApplied: at(5, 1) }), applied('n1', at(4, 1))],
      detail: 'n1 had applied (5,1 t1), and then only (4,1 t1)',
    },
    'behind the common point': {
      events: [rollbackStarted('n1'), rolledBack('n1', at(3, 1), [at(5, 1)]), applied('n1', at(2, 1))],
      detail: 'n1 had applied (3,1 t1), and then only (2,1 t1)',
    },
    'after a rollback that was given up': {
      events: [
        applied('n1', at(5, 1)),
        rollbackStarted('n1'),
        stateChanged('n1', 'ROLLBACK', 'SECONDARY', 1),
        applied('n1', at(4, 1)),
      ],
      detail: 'n1 had applied (5,1 t1), and then only (4,1 t1)',
    },
  },
});
