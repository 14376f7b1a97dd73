import { snapshotReadsSeeOneState } from '../../src/index.ts';
import { applied, at, checkerTest, initialSync, snapshotRead, started } from '../support.ts';

const told = [applied('n1', at(1, 1), 10), applied('n1', at(3, 1), 30), applied('n1', at(5, 1), 50)];

checkerTest(snapshotReadsSeeOneState, {
  holds: {
    'reads of now and of a time gone by, on whichever member': [
      ...told,
      snapshotRead('n1', at(5, 1), 50),
      snapshotRead('n2', at(1, 1), 10),
      snapshotRead('n1', at(3, 1), 30, 7),
    ],
    'an entry of which nobody has told': [...told, snapshotRead('n2', at(4, 1), 40)],
    'the same timestamp in another term': [...told, applied('n2', at(5, 2), 52), snapshotRead('n2', at(5, 2), 52)],
    'a member that was changed as a standalone, until it is synced anew': [
      ...told,
      started('n2', { mode: 'standalone' }),
      started('n2'),
      applied('n2', at(6, 1), 99),
      snapshotRead('n2', at(5, 1), 98),
      initialSync('n2', 'done'),
      snapshotRead('n2', at(5, 1), 50),
    ],
  },
  fires: {
    'a read that sees what came later': {
      events: [...told, snapshotRead('n2', at(3, 1), 50)],
      detail:
        'a snapshot read on n2 was to see the data as of (3,1 t1), which are 0000001e00000000 on n1, and saw 0000003200000000',
    },
    'a statement that sees what is not there yet': {
      events: [...told, snapshotRead('n1', at(3, 1), 30, 7), snapshotRead('n1', at(3, 1), 50, 7)],
      detail:
        'a statement of transaction 7 on n1 was to see the data as of (3,1 t1), which are 0000001e00000000 on n1, and saw 0000003200000000',
    },
    'a member that was synced anew': {
      events: [
        ...told,
        started('n2', { mode: 'standalone' }),
        initialSync('n2', 'done'),
        snapshotRead('n2', at(5, 1), 98),
      ],
      detail:
        'a snapshot read on n2 was to see the data as of (5,1 t1), which are 0000003200000000 on n1, and saw 0000006200000000',
    },
  },
});
