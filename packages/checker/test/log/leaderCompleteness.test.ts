import { leaderCompleteness } from '../../src/index.ts';
import {
  accepts,
  at,
  checkerTest,
  committed,
  config,
  configInstalled,
  fetched,
  initialSync,
  learned,
  rolledBack,
  stopped,
  won,
  wrote,
} from '../support.ts';

/** n1 wrote in term 1, which n2 has all of and n3 has one entry less. */
const termOne = [
  won('n1', 1),
  wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
  fetched('n2', at(1, 1), at(2, 1), at(3, 1)),
  fetched('n3', at(1, 1), at(2, 1)),
];

const primaryAndArbiter = config({
  version: 2,
  members: config()
    .members.slice(0, 2)
    .map((member, i) => (i === 1 ? { ...member, arbiterOnly: true, priority: 0 } : member)),
});

checkerTest(leaderCompleteness, {
  holds: {
    'the winner holds what is committed': [
      ...termOne,
      committed('n1', at(2, 1)),
      won('n3', 2, at(2, 1)),
      accepts('n3', true, 2),
    ],
    'what no primary announced need not be held': [...termOne, learned('n2', at(3, 1)), won('n3', 2, at(2, 1))],
    'a longer branch holds it': [
      ...termOne,
      won('n2', 2, at(3, 1)),
      wrote('n2', at(4, 2)),
      committed('n1', at(2, 1)),
      fetched('n3', at(3, 1), at(4, 2)),
      won('n3', 3, at(4, 2)),
    ],
    'what is written counts before it is applied': [...termOne, committed('n1', at(3, 1)), won('n2', 2, at(1, 1))],
    'a newer term has committed before an older election is won': [
      ...termOne,
      committed('n1', at(2, 1)),
      won('n2', 3, at(3, 1)),
      wrote('n2', at(4, 3)),
      committed('n2', at(4, 3)),
      won('n3', 2, at(2, 1)),
    ],
    'the trace does not tell where a log begins': [
      ...termOne,
      committed('n1', at(3, 1)),
      initialSync('n3', 'started'),
      fetched('n3', at(9, 4)),
      won('n3', 5, at(9, 4)),
    ],
    'after a forced reconfig nothing is promised': [
      ...termOne,
      committed('n1', at(3, 1)),
      configInstalled('n3', config({ version: 20_000, term: -1 }), true),
      won('n3', 2, at(2, 1)),
    ],
    'a reconfig that lets one voter commit alone takes the promise away': [
      ...termOne,
      configInstalled('n1', primaryAndArbiter),
      committed('n1', at(3, 1)),
      won('n3', 2, at(2, 1)),
    ],
    'an unjournaled majority that dies promises nothing': [
      configInstalled('n1', config({ writeConcernMajorityJournalDefault: false })),
      ...termOne,
      committed('n1', at(3, 1)),
      stopped('n2'),
      won('n3', 2, at(2, 1)),
    ],
  },
  fires: {
    'the winner lacks a committed entry': {
      events: [...termOne, committed('n1', at(3, 1)), won('n3', 2, at(2, 1))],
      detail: 'n3 won in term 2 with a log up to (2,1 t1), which lacks (3,1 t1), committed by n1',
    },
    'the winner has a later term, but another branch': {
      events: [
        ...termOne,
        won('n3', 2, at(2, 1)),
        wrote('n3', at(4, 2)),
        won('n2', 3, at(3, 1)),
        wrote('n2', at(4, 3)),
        committed('n2', at(4, 3)),
        won('n3', 4, at(4, 2)),
      ],
      detail: 'n3 won in term 4 with a log up to (4,1 t2), which lacks (4,1 t3), committed by n2',
    },
    'an older primary commits what a newer one lacks': {
      events: [...termOne, won('n3', 2, at(2, 1)), committed('n1', at(2, 1)), committed('n1', at(3, 1))],
      detail: 'n3 had won in term 2 with a log up to (2,1 t1), which lacks (3,1 t1), committed by n1',
    },
    'it is lost between the election and the first write': {
      events: [
        ...termOne,
        committed('n1', at(3, 1)),
        won('n2', 2, at(3, 1)),
        rolledBack('n2', at(2, 1), [at(3, 1)]),
        accepts('n2', true, 2),
      ],
      detail: 'n2 began to accept writes in term 2 with a log up to (2,1 t1), which lacks (3,1 t1), committed by n1',
    },
    'a clean shutdown excuses nothing': {
      events: [
        configInstalled('n1', config({ writeConcernMajorityJournalDefault: false })),
        ...termOne,
        committed('n1', at(3, 1)),
        stopped('n2', 'shutdown'),
        won('n3', 2, at(2, 1)),
      ],
      detail: 'n3 won in term 2 with a log up to (2,1 t1), which lacks (3,1 t1), committed by n1',
    },
    "a set's first config takes nothing away": {
      events: [
        configInstalled('n1', { ...primaryAndArbiter, version: 1 }),
        ...termOne,
        committed('n1', at(3, 1)),
        won('n3', 2, at(2, 1)),
      ],
      detail: 'n3 won in term 2 with a log up to (2,1 t1), which lacks (3,1 t1), committed by n1',
    },
    'the winner has nothing at all': {
      events: [committed('n1', at(3, 1)), won('n3', 2)],
      detail: 'n3 won in term 2 with a log up to (none), which lacks (3,1 t1), committed by n1',
    },
  },
});
