import { DEFAULT_MEMBER_CONFIG } from '@replsim/protocol';
import { commitNeedsMajority } from '../../src/index.ts';
import {
  at,
  checkerTest,
  committed,
  config,
  configInstalled,
  configOf,
  fetched,
  flushed,
  initialSync,
  learned,
  rolledBack,
  started,
  won,
  wrote,
} from '../support.ts';

const leading = [
  configInstalled('n1', config()),
  won('n1', 1),
  wrote('n1', at(1, 1), at(2, 1)),
  flushed('n1', at(2, 1)),
];
const withArbiter = configOf(1, 1, 'n1', 'n2', 'n3');
const psa = { ...withArbiter, members: withArbiter.members.map((m, i) => (i === 2 ? { ...m, arbiterOnly: true } : m)) };
const unjournaled = { ...config(), writeConcernMajorityJournalDefault: false };
const newlyAdded = config({
  members: [
    ...config().members.slice(0, 2),
    {
      ...DEFAULT_MEMBER_CONFIG,
      _id: 2,
      host: 'n3:27017',
      votes: 0,
      priority: 0,
      newlyAdded: { priority: 1, votes: 1 },
    },
  ],
});

checkerTest(commitNeedsMajority, {
  holds: {
    'two of three have it on disk': [
      ...leading,
      fetched('n2', at(1, 1)),
      flushed('n2', at(1, 1)),
      committed('n1', at(1, 1)),
    ],
    'in the oplogs, where that is enough': [
      ...leading,
      configInstalled('n1', unjournaled),
      fetched('n2', at(2, 1)),
      committed('n1', at(2, 1)),
    ],
    'whoever lost it later had it': [
      ...leading,
      fetched('n2', at(1, 1), at(2, 1)),
      flushed('n2', at(2, 1)),
      rolledBack('n2', at(1, 1), [at(2, 1)]),
      committed('n1', at(2, 1)),
    ],
    'an initial sync ends on disk': [
      ...leading,
      initialSync('n2', 'started'),
      fetched('n2', at(2, 1)),
      initialSync('n2', 'done'),
      committed('n1', at(2, 1)),
    ],
    'what a process finds was on disk': [
      ...leading,
      started('n2', { lastApplied: at(2, 1) }),
      committed('n1', at(2, 1)),
    ],
    'what is learned is not judged': [...leading, learned('n2', at(2, 1))],
  },
  fires: {
    'nobody else has it': {
      events: [...leading, committed('n1', at(1, 1))],
      detail: 'n1 moved its commit point to (1,1 t1), which fewer than 2 voters ever had on their disks',
    },
    'written is not on disk': {
      events: [...leading, fetched('n2', at(2, 1)), committed('n1', at(2, 1))],
      detail: 'n1 moved its commit point to (2,1 t1), which fewer than 2 voters ever had on their disks',
    },
    'an arbiter holds nothing': {
      events: [...leading, configInstalled('n1', psa), flushed('n3', at(2, 1)), committed('n1', at(2, 1))],
      detail: 'n1 moved its commit point to (2,1 t1), which fewer than 2 voters ever had on their disks',
    },
    'who is newly added does not count': {
      events: [...leading, configInstalled('n1', newlyAdded), flushed('n3', at(2, 1)), committed('n1', at(2, 1))],
      detail: 'n1 moved its commit point to (2,1 t1), which fewer than 2 voters ever had on their disks',
    },
    'nobody has it in an oplog': {
      events: [...leading, configInstalled('n1', unjournaled), committed('n1', at(2, 1))],
      detail: 'n1 moved its commit point to (2,1 t1), which fewer than 2 voters ever had in their oplogs',
    },
    "an older term's entry": {
      events: [...leading, flushed('n2', at(2, 1)), { ...committed('n1', at(2, 1)), term: 2 } as never],
      detail: 'n1 moved its commit point to (2,1 t1), though its term was 2',
    },
  },
});
