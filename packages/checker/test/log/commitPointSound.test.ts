import { commitPointSound } from '../../src/index.ts';
import { at, checkerTest, committed, config, configInstalled, fetched, learned, won, wrote } from '../support.ts';

/** n1 led in term 1 and wrote two entries more than n2 has; n2 leads in term 2. */
const twoTerms = [
  won('n1', 1),
  wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
  fetched('n2', at(1, 1)),
  fetched('n3', at(1, 1)),
  won('n2', 2),
  wrote('n2', at(4, 2)),
];

checkerTest(commitPointSound, {
  holds: {
    'ahead of the log within its term': [
      won('n1', 1),
      wrote('n1', at(1, 1), at(2, 1)),
      fetched('n2', at(1, 1)),
      committed('n1', at(2, 1)),
      learned('n2', at(2, 1)),
    ],
    'an entry before a later term': [
      ...twoTerms,
      fetched('n3', at(4, 2)),
      committed('n2', at(4, 2)),
      learned('n3', at(1, 1)),
    ],
    'an arbiter has no log': [...twoTerms, committed('n2', at(4, 2)), learned('n9', at(4, 2))],
    'after a forced reconfig nothing is promised': [
      ...twoTerms,
      configInstalled('n1', config({ term: -1 }), true),
      learned('n1', at(4, 2)),
    ],
  },
  fires: {
    'nobody announced it': {
      events: [...twoTerms, learned('n3', at(1, 1))],
      detail: 'n3 learned the commit point (1,1 t1), which no primary has announced',
    },
    'only an older one was announced': {
      events: [...twoTerms, committed('n2', at(4, 2)), learned('n1', at(3, 1))],
      detail: 'n1 learned the commit point (3,1 t1), which no primary has announced',
    },
    'ahead of the log, of another term': {
      events: [...twoTerms, fetched('n3', at(4, 2)), committed('n2', at(4, 2)), learned('n1', at(4, 2))],
      detail: 'n1 learned the commit point (4,1 t2), which is not in its log up to (3,1 t1) and of another term',
    },
  },
});
