import { firstEntryOfTerm } from '../../src/index.ts';
import {
  abort,
  about,
  at,
  checkerTest,
  entry,
  fetched,
  newPrimary,
  noop,
  rolledBack,
  wrote,
  wroteClosed,
} from '../support.ts';

checkerTest(firstEntryOfTerm, {
  holds: {
    'terms begin with the no-op': [
      wroteClosed('n1', noop(at(0, -1), 'initiating set')),
      wrote('n1', newPrimary(at(1, 1)), entry(at(2, 1))),
      wrote('n1', at(3, 1)),
      wrote('n1', newPrimary(at(4, 2))),
    ],
    'a transaction without its end is given up before it': [
      wrote('n1', newPrimary(at(1, 1)), entry(at(2, 1))),
      wroteClosed('n1', abort(at(3, 2))),
      wroteClosed('n1', newPrimary(at(4, 2))),
    ],
    'members fetch from the middle of a term': [fetched('n2', at(5, 3)), fetched('n2', at(6, 3))],
    'a rollback, then a term of its own': [
      wrote('n1', newPrimary(at(1, 1)), entry(at(2, 1))),
      rolledBack('n1', at(1, 1), [at(2, 1)]),
      wrote('n1', newPrimary(at(3, 3))),
    ],
  },
  fires: {
    "a client's write is first": {
      events: [wrote('n1', newPrimary(at(1, 1))), wrote('n1', at(2, 2))],
      detail: 'n1 began term 2 with (2,1 t2) (i app.things), not with its "new primary" no-op',
    },
    'another command is first': {
      events: [wrote('n1', about(at(1, 1), 'c', 'admin.$cmd'))],
      detail: 'n1 began term 1 with (1,1 t1) (c admin.$cmd), not with its "new primary" no-op',
    },
    "a client's write comes between": {
      events: [wroteClosed('n1', abort(at(1, 1))), wrote('n1', at(2, 1))],
      detail: 'n1 began term 1 with (2,1 t1) (i app.things), not with its "new primary" no-op',
    },
    'another no-op is first': {
      events: [wrote('n1', noop(at(1, 1), 'periodic noop'))],
      detail: 'n1 began term 1 with (1,1 t1) (n), not with its "new primary" no-op',
    },
    'a no-op that says nothing is first': {
      events: [wrote('n1', entry(at(1, 1), 'n'))],
      detail: 'n1 began term 1 with (1,1 t1) (n), not with its "new primary" no-op',
    },
    'within a batch': {
      events: [wrote('n1', newPrimary(at(1, 1)), entry(at(2, 2)), newPrimary(at(3, 2)))],
      detail: 'n1 began term 2 with (2,1 t2) (i app.things), not with its "new primary" no-op',
    },
  },
});
