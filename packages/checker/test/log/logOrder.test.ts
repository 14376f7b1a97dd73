import { logOrder } from '../../src/index.ts';
import { at, checkerTest, fetched, initialSync, noop, rolledBack, started, wrote, wroteClosed } from '../support.ts';

checkerTest(logOrder, {
  holds: {
    'timestamps grow, terms do not fall': [
      wroteClosed('n1', noop(at(0, -1), 'initiating set')),
      wrote('n1', at(1, 1), at(1, 1, 2)),
      wrote('n1', at(2, 3)),
      fetched('n2', at(0, -1), at(1, 1)),
    ],
    'a rollback shortens': [
      wrote('n1', at(1, 1), at(3, 1)),
      rolledBack('n1', at(1, 1), [at(3, 1)]),
      fetched('n1', at(2, 2)),
    ],
    'a restart shortens': [
      wrote('n1', at(1, 1), at(3, 1)),
      started('n1', { lastApplied: at(1, 1) }),
      fetched('n1', at(2, 1)),
    ],
    'an initial sync begins anew': [fetched('n1', at(5, 1)), initialSync('n1', 'started'), fetched('n1', at(2, 1))],
  },
  fires: {
    'a timestamp is not later': {
      events: [wrote('n1', at(2, 1)), wrote('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) after (2,1 t1), whose timestamp is not later',
    },
    'within a batch': {
      events: [fetched('n2', at(1, 1), at(3, 1), at(2, 1), at(4, 1))],
      detail: 'n2 wrote (2,1 t1) after (3,1 t1), whose timestamp is not later',
    },
    'a new term with an old timestamp': {
      events: [wrote('n1', at(5, 1)), wrote('n1', at(4, 2))],
      detail: 'n1 wrote (4,1 t2) after (5,1 t1), whose timestamp is not later',
    },
    'a term that falls': {
      events: [fetched('n1', at(1, 2)), fetched('n1', at(2, 1))],
      detail: 'n1 wrote (2,1 t1) after (1,1 t2), whose term is lower',
    },
    'a log that is shortened without a rollback': {
      events: [started('n1', { lastApplied: at(9, 1) }), fetched('n1', at(8, 1))],
      detail: 'n1 wrote (8,1 t1) after (9,1 t1), whose timestamp is not later',
    },
  },
});
