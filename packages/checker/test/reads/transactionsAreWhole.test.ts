import { transactionsAreWhole } from '../../src/index.ts';
import {
  appliedWithin,
  at,
  checkerTest,
  fetched,
  givesUp,
  initialSync,
  link,
  rolledBack,
  started,
  wrote,
  wroteChain,
} from '../support.ts';

const chain = wroteChain(
  'n1',
  7,
  link(at(2, 1), 2, 'partial'),
  link(at(3, 1), 2, 'partial'),
  link(at(4, 1), 1, { count: 5 }),
);
const alone = link(at(2, 1), 3, {});

checkerTest(transactionsAreWhole, {
  holds: {
    'one entry': [wrote('n1', at(1, 1)), wrote('n1', alone), wrote('n1', link(at(3, 1), 1, { txnNumber: 2n }))],
    'the documents of before it, at each entry but the last': [
      wrote('n1', at(1, 1)),
      chain,
      appliedWithin('n2', at(2, 1), 7),
      appliedWithin('n2', at(3, 1), 7),
    ],
    'given up by the next primary': [
      chain,
      fetched('n2', at(2, 1)),
      wrote('n2', givesUp(at(9, 2), at(2, 1))),
      appliedWithin('n2', at(9, 2), 7),
    ],
    'ended again by a branch that does not have it': [
      wrote('n1', at(1, 1), at(1, 1, 2)),
      wrote('n1', alone),
      fetched('n2', at(1, 1)),
      wrote('n2', at(8, 2)),
      wrote('n2', link(at(9, 2), 3, {})),
    ],
    'rolled back to before its last entry': [
      chain,
      rolledBack('n1', at(2, 1), [at(3, 1), at(4, 1)], { documentsHash: [7, 0] }),
    ],
    'a chain of which the trace does not have the beginning': [appliedWithin('n2', at(2, 1), 8)],
    'changed as a standalone': [chain, started('n2', { mode: 'standalone' }), appliedWithin('n2', at(2, 1), 8)],
  },
  fires: {
    'a part of it is in the data': {
      events: [chain, appliedWithin('n2', at(2, 1), 7), appliedWithin('n2', at(3, 1), 8)],
      detail:
        'n2 has part of a transaction at (3,1 t1): its documents are 0000000800000000, and were 0000000700000000 before',
    },
    'a part of it is left by a rollback': {
      events: [chain, rolledBack('n1', at(3, 1), [at(4, 1)], { documentsHash: [9, 0] })],
      detail:
        'n1 has part of a transaction at (3,1 t1): its documents are 0000000900000000, and were 0000000700000000 before',
    },
    'given up, and yet there': {
      events: [chain, wrote('n2', givesUp(at(9, 2), at(2, 1))), appliedWithin('n3', at(9, 2), 8)],
      detail:
        'n3 has part of a transaction at (9,1 t2): its documents are 0000000800000000, and were 0000000700000000 before',
    },
    'synced anew since it was a standalone': {
      events: [
        started('n2', { mode: 'standalone' }),
        initialSync('n2', 'done'),
        chain,
        appliedWithin('n2', at(2, 1), 8),
      ],
      detail:
        'n2 has part of a transaction at (2,1 t1): its documents are 0000000800000000, and were 0000000700000000 before',
    },
    'fewer operations than its last entry says': {
      events: [wroteChain('n1', 7, link(at(2, 1), 2, 'partial'), link(at(3, 1), 2, { count: 5 }))],
      detail: 'n1 ended a transaction at (3,1 t1) that has 5 operations, and wrote 4',
    },
    'no last entry': {
      events: [wroteChain('n1', 7, link(at(2, 1), 2, 'partial'))],
      detail: 'n1 wrote a transaction without its last entry, up to (2,1 t1)',
    },
    'ended twice on one branch': {
      events: [wrote('n1', alone), fetched('n2', at(2, 1)), wrote('n2', at(4, 2)), wrote('n2', link(at(5, 2), 3, {}))],
      detail: 'n2 ended a transaction at (5,1 t2) that n1 had ended at (2,1 t1)',
    },
  },
});
