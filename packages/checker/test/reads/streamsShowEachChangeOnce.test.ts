import { streamsShowEachChangeOnce } from '../../src/index.ts';
import {
  about,
  at,
  checkerTest,
  committed,
  fetched,
  link,
  noop,
  showed,
  shown,
  streamOpened,
  wrote,
} from '../support.ts';

const begun = [wrote('n1', at(1, 1)), streamOpened('w', 'app.things')];
const three = [...begun, wrote('n1', at(2, 1), at(3, 1), at(4, 1)), committed('n1', at(4, 1))];
/** A transaction in two entries, and what was written after it. */
const chain = [
  ...begun,
  wrote('n1', link(at(2, 1), 2, 'partial'), link(at(3, 1), 1, { count: 3 }, at(2, 1))),
  wrote('n1', at(4, 1)),
  committed('n1', at(4, 1)),
];
/** n1 wrote what nobody else has, and n2 was elected without it. */
const branched = [
  ...begun,
  fetched('n2', at(1, 1)),
  wrote('n1', at(2, 1)),
  wrote('n2', noop(at(5, 2), 'new primary'), at(6, 2)),
  committed('n2', at(6, 2)),
];
const mixed = [
  ...begun,
  wrote('n1', about(at(2, 1), 'i', 'app.others'), noop(at(3, 1), ''), about(at(4, 1), 'd', 'other.things')),
  wrote('n1', about(at(5, 1), 'u', 'app.things'), about(at(6, 1), 'd', 'app.things'), about(at(7, 1), 'c', 'app.$cmd')),
  committed('n1', at(7, 1)),
];
const [second, third, fourth] = [at(2, 1), at(3, 1), at(4, 1)].map((opTime) => shown('insert', opTime)) as [
  ReturnType<typeof shown>,
  ReturnType<typeof shown>,
  ReturnType<typeof shown>,
];

checkerTest(streamsShowEachChangeOnce, {
  holds: {
    'each change, in batches': [...three, showed('w', second, third), showed('w', fourth)],
    'not yet all': [...three, showed('w', second)],
    'resumed elsewhere': [
      ...three,
      showed('w', second),
      streamOpened('w', 'app.things', { resumed: true }),
      showed('w', third, fourth),
    ],
    'what it does not watch is left out': [
      ...mixed,
      showed('w', shown('update', at(5, 1)), shown('delete', at(6, 1))),
      showed('w', shown('drop', at(7, 1)), shown('invalidate', at(7, 1), 1)),
    ],
    'of a database, of the cluster': [
      wrote('n1', at(1, 1)),
      streamOpened('db', 'app'),
      streamOpened('all', 'the cluster'),
      wrote('n1', about(at(2, 1), 'i', 'config.transactions'), about(at(2, 1, 2), 'i', 'app.system.views')),
      wrote('n1', about(at(3, 1), 'i', 'other.things'), at(4, 1)),
      committed('n1', at(4, 1)),
      showed('db', fourth),
      showed('all', { ...third, ns: 'other.things' }, fourth),
    ],
    'a transaction, with its last entry': [
      ...chain,
      showed('w', third, shown('insert', at(3, 1), 1), shown('insert', at(3, 1), 2), fourth),
    ],
    'what was lost with its primary is not shown': [...branched, showed('w', shown('insert', at(6, 2)))],
    'what was written before it began': [...three, streamOpened('v', 'app.things'), showed('v', third)],
    'with a pipeline it leaves out what it likes': [
      wrote('n1', at(1, 1)),
      streamOpened('w', 'app.things', { selective: true }),
      ...three.slice(2),
      showed('w', third),
      showed('w', { operationType: 'unknown', token: 'FF' }),
    ],
  },
  fires: {
    'a change is left out': {
      events: [...three, showed('w', second), showed('w', fourth)],
      detail: 'w showed insert app.things of (4,1), and not the i in app.things of (3,1) before',
    },
    'a change is left out where it is resumed': {
      events: [...three, streamOpened('w', 'app.things', { resumed: true }), showed('w', third)],
      detail: 'w showed insert app.things of (3,1), and not the i in app.things of (2,1) before',
    },
    'a change of a transaction is left out': {
      events: [...chain, showed('w', third, fourth)],
      detail: 'w showed insert app.things of (4,1), and not the i in app.things of (3,1) before',
    },
    'shown twice': {
      events: [...three, showed('w', second, third), showed('w', third)],
      detail: 'w showed insert app.things of (3,1), and had come as far before',
    },
    'shown twice, with another token': {
      events: [...three, showed('w', second, third), showed('w', shown('insert', at(3, 1), 1))],
      detail: 'w showed insert app.things of (3,1), which no majority has, or not once more',
    },
    'out of order': {
      events: [...three, showed('w', third), showed('w', second)].toSpliced(4, 0, showed('w', second)),
      detail: 'w showed insert app.things of (2,1), and had come as far before',
    },
    'not committed': {
      events: [...begun, wrote('n1', at(2, 1)), showed('w', second)],
      detail: 'w showed insert app.things of (2,1), which no majority has, or not once more',
    },
    'lost with its primary': {
      events: [...branched, showed('w', second)],
      detail: 'w showed insert app.things of (2,1), which no majority has, or not once more',
    },
    'another change than was written': {
      events: [...three, showed('w', shown('delete', at(2, 1)))],
      detail: 'w showed delete app.things of (2,1), which no majority has, or not once more',
    },
    'nobody wrote anything then': {
      events: [...three, showed('w', second, shown('drop', at(2, 1, 5)))],
      detail: 'w showed drop app.things of (2,5), which no majority has, or not once more',
    },
  },
});
