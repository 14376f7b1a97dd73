import { readsKeepTheirPromise } from '../../src/index.ts';
import { at, checkerTest, committed, fetched, learned, read, started, won, wrote } from '../support.ts';

const led = [
  won('n1', 1),
  wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
  fetched('n2', at(1, 1)),
  committed('n1', at(2, 1)),
];
const afterClusterTime = at(3, 1).ts;

checkerTest(readsKeepTheirPromise, {
  holds: {
    'at or before the commit point': [...led, read('n1', 'majority', at(2, 1)), read('n1', 'majority', at(1, 1))],
    'local reads may see more': [...led, read('n1', 'local', at(3, 1), { afterClusterTime })],
    'as new as asked for': [...led, committed('n1', at(3, 1)), read('n1', 'majority', at(3, 1), { afterClusterTime })],
  },
  fires: {
    'beyond the commit point': {
      events: [...led, read('n1', 'majority', at(3, 1))],
      detail: 'n1 answered a majority read of its data at (3,1 t1), though its commit point was (2,1 t1)',
    },
    'no commit point is known': {
      events: [...led, learned('n2', at(1, 1)), started('n2'), read('n2', 'majority', at(1, 1))],
      detail: 'n2 answered a majority read of its data at (1,1 t1), though it knew no commit point',
    },
    'on another branch': {
      events: [
        ...led,
        won('n2', 2),
        wrote('n2', at(4, 2)),
        fetched('n3', at(1, 1), at(4, 2)),
        learned('n1', at(4, 2)),
        read('n1', 'majority', at(3, 1)),
      ],
      detail: 'n1 answered a majority read of its data at (3,1 t1), though its commit point was (4,1 t2)',
    },
    'older than asked for': {
      events: [...led, read('n1', 'local', at(2, 1), { afterClusterTime })],
      detail: 'n1 answered a local read of its data at (2,1 t1), though it was to see (3,1)',
    },
  },
});
