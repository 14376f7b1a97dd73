import { onePrimaryPerTerm } from '../../src/index.ts';
import { checkerTest, config, configInstalled, won } from '../support.ts';

checkerTest(onePrimaryPerTerm, {
  holds: {
    'two primaries of different terms': [won('n1', 1), won('n2', 2)],
    'the same member, term after term': [won('n1', 1), won('n1', 2)],
    'an election that is won late': [won('n1', 1), won('n3', 3), won('n2', 2)],
    'after a forced reconfig nothing is promised': [
      won('n1', 1),
      configInstalled('n3', config({ version: 20_000, term: -1 }), true),
      won('n3', 1),
    ],
  },
  fires: {
    'two winners of one term': {
      events: [won('n1', 1), won('n2', 2), won('n3', 2)],
      detail: 'n3 won term 2, which n2 had won',
    },
    'one member wins a term twice': {
      events: [won('n1', 2), won('n1', 2)],
      detail: 'n1 won term 2 twice',
    },
    'after an ordinary reconfig as before': {
      events: [won('n1', 1), configInstalled('n1', config({ version: 2 })), won('n2', 1)],
      detail: 'n2 won term 1, which n1 had won',
    },
  },
});
