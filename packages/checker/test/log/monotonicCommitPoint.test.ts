import { monotonicCommitPoint } from '../../src/index.ts';
import { at, checkerTest, committed, learned, started } from '../support.ts';

checkerTest(monotonicCommitPoint, {
  holds: {
    'it grows, or is repeated': [committed('n1', at(1, 1)), committed('n1', at(1, 1)), learned('n1', at(1, 2))],
    'another member is behind': [committed('n1', at(5, 1)), learned('n2', at(3, 1))],
    'a restart forgets it': [learned('n1', at(5, 1)), started('n1'), learned('n1', at(3, 1))],
  },
  fires: {
    'an earlier timestamp is learned': {
      events: [learned('n1', at(5, 1)), learned('n1', at(4, 1))],
      detail: "n1's commit point fell from (5,1 t1) to (4,1 t1), which it learned",
    },
    'an earlier term is computed, though the timestamp is later': {
      events: [learned('n1', at(5, 2)), committed('n1', at(6, 1))],
      detail: "n1's commit point fell from (5,1 t2) to (6,1 t1), which it computed",
    },
  },
});
