import { sameIndexesAtSameOpTime } from '../../src/index.ts';
import { applied, appliedWithIndexes, at, checkerTest, initialSync, started } from '../support.ts';

checkerTest(sameIndexesAtSameOpTime, {
  holds: {
    'at another opTime': [appliedWithIndexes('n1', at(1, 1), 1), appliedWithIndexes('n2', at(2, 1), 2)],
    'on another branch': [appliedWithIndexes('n1', at(1, 1), 1), appliedWithIndexes('n2', at(1, 2), 2)],
    'a member that says nothing of indexes': [appliedWithIndexes('n1', at(1, 1), 1), applied('n2', at(1, 1))],
    'while data are copied': [
      appliedWithIndexes('n1', at(1, 1), 1),
      initialSync('n2', 'started'),
      appliedWithIndexes('n2', at(1, 1), 2),
    ],
    'after a life as a standalone': [
      appliedWithIndexes('n1', at(1, 1), 1),
      started('n2', { mode: 'standalone' }),
      started('n2'),
      appliedWithIndexes('n2', at(1, 1), 2),
    ],
  },
  fires: {
    'one member has an index more': {
      events: [appliedWithIndexes('n1', at(1, 1), 1), appliedWithIndexes('n2', at(1, 1), 2)],
      detail: 'ready indexes differ at (1,1 t1) between n1 and n2',
    },
    'after an initial sync': {
      events: [
        appliedWithIndexes('n1', at(1, 1), 1),
        initialSync('n2', 'started'),
        initialSync('n2', 'done'),
        appliedWithIndexes('n2', at(1, 1), 2),
      ],
      detail: 'ready indexes differ at (1,1 t1) between n1 and n2',
    },
  },
});
