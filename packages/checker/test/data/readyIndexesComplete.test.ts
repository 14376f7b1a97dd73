import { readyIndexesComplete } from '../../src/index.ts';
import { checkerTest, indexReady } from '../support.ts';

checkerTest(readyIndexesComplete, {
  holds: { 'all keys are in': [indexReady('n1', 3, 3), indexReady('n2', 0, 0)] },
  fires: {
    'a key is missing': {
      events: [indexReady('n1', 3, 3), indexReady('n2', 2, 3)],
      detail: 'n2 has index a_1 of app.things ready with 2 keys, and the documents draw 3',
    },
  },
});
