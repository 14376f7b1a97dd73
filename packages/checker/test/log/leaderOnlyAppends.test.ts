import { leaderOnlyAppends } from '../../src/index.ts';
import {
  accepts,
  at,
  checkerTest,
  fetched,
  initialSync,
  rollbackStarted,
  rolledBack,
  started,
  steppedDown,
  won,
  wrote,
} from '../support.ts';

const leading = [won('n1', 1), accepts('n1', true, 1), wrote('n1', at(1, 1))];

checkerTest(leaderOnlyAppends, {
  holds: {
    'catching up takes entries': [won('n1', 1), fetched('n1', at(1, 0)), accepts('n1', true, 1), wrote('n1', at(2, 1))],
    'deposed, it may roll back': [
      ...leading,
      steppedDown('n1', 1),
      rollbackStarted('n1'),
      rolledBack('n1', at(0, 1), []),
    ],
    'restarted, it may sync anew': [...leading, started('n1'), initialSync('n1', 'started')],
    'others go on': [...leading, fetched('n2', at(1, 1)), rollbackStarted('n3')],
  },
  fires: {
    'it rolls back': {
      events: [...leading, rolledBack('n1', at(0, 1), [at(1, 1)])],
      detail: 'n1 rolled back while it led in term 1',
    },
    'it means to roll back while it catches up': {
      events: [won('n1', 1), rollbackStarted('n1')],
      detail: 'n1 began a rollback while it led in term 1',
    },
    'it syncs anew': {
      events: [...leading, initialSync('n1', 'started')],
      detail: 'n1 began an initial sync while it led in term 1',
    },
    "it takes another's entries": {
      events: [...leading, fetched('n1', at(2, 1))],
      detail: "n1 took another's entries while it led in term 1",
    },
  },
});
