import type { TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { Checkers, logMatching } from '../../src/index.ts';
import {
  at,
  checkerTest,
  entry,
  fetched,
  flushed,
  initialSync,
  noop,
  rolledBack,
  runStarted,
  started,
  wrote,
  wroteClosed,
} from '../support.ts';

const first = noop(at(0, -1), 'initiating set');
const shared = [1, 2, 3, 4, 5].map((secs) => entry(at(secs, 1)));

checkerTest(logMatching, {
  holds: {
    'members hold the same entries': [
      wroteClosed('n1', first),
      wrote('n1', ...shared),
      fetched('n2', first, ...shared.slice(0, 2)),
      fetched('n2', ...shared.slice(2)),
      fetched('n3', first, ...shared),
    ],
    'members that come with what the trace has not told, each to another place of a term': [
      started('n1', { lastApplied: at(11, 1), term: 1 }),
      started('n2', { lastApplied: at(20, 1), term: 1 }),
      fetched('n1', at(12, 1), at(13, 1)),
      fetched('n2', at(21, 1), at(22, 1)),
      fetched('n1', ...[14, 15, 16, 17, 18, 19, 20, 21, 22].map((t) => at(t, 1))),
    ],
    'equal entries that were read back from disks': [
      wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
      fetched('n2', at(1, 1), at(2, 1)),
      fetched('n2', at(3, 1)),
    ],
    'a branch is left by a rollback': [
      wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
      fetched('n2', at(1, 1)),
      wrote('n2', at(2, 2), at(3, 2)),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
      fetched('n1', at(2, 2), at(3, 2)),
      wrote('n1', at(4, 4)),
      fetched('n2', at(4, 4)),
    ],
    'a process dies before the disk knows of its rollback': [
      wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
      started('n1', { lastApplied: at(3, 1) }),
      rolledBack('n1', at(1, 1), [at(2, 1), at(3, 1)]),
      wrote('n1', at(2, 2)),
      rolledBack('n1', at(1, 1), [at(2, 2)]),
      started('n1', { lastApplied: at(2, 1) }),
    ],
    'a restart loses the tail': [
      wrote('n1', at(1, 1), at(2, 1), at(3, 1)),
      fetched('n2', at(1, 1), at(2, 1), at(3, 1)),
      started('n2', { lastApplied: at(1, 1) }),
      fetched('n2', at(2, 1), at(3, 1)),
      started('n2', { mode: 'standalone', lastApplied: at(9, 9) }),
      started('n2', { lastApplied: at(3, 1) }),
    ],
    'an initial sync begins anywhere': [
      wrote('n1', at(1, 1), at(2, 1), at(3, 1), at(4, 1)),
      initialSync('n3', 'started'),
      fetched('n3', at(3, 1)),
      fetched('n3', at(4, 1)),
    ],
    'a trace that begins with data on disk': [
      started('n1', { lastApplied: at(5, 1) }),
      started('n2', { lastApplied: at(3, 1) }),
      wrote('n1', at(6, 2)),
      fetched('n2', at(4, 1), at(5, 1), at(6, 2)),
    ],
  },
  fires: {
    'an entry is left out': {
      events: [wrote('n1', at(1, 1), at(2, 1), at(3, 1)), fetched('n2', at(1, 1), at(3, 1))],
      detail: 'n2 wrote (3,1 t1) after (1,1 t1), but as n1 wrote it, it follows (2,1 t1)',
    },
    'an entry is left out at the branch': {
      events: [wrote('n1', at(1, 1), at(2, 1), at(3, 2)), fetched('n2', at(1, 1), at(3, 2))],
      detail: 'n2 wrote (3,1 t2) after (1,1 t1), but as n1 wrote it, it follows (2,1 t1)',
    },
    'the first entry of a term is left out': {
      events: [wrote('n1', at(1, 1), at(2, 2), at(3, 2)), fetched('n2', at(1, 1), at(3, 2))],
      detail: 'n2 wrote (3,1 t2) after (1,1 t1), but as n1 wrote it, it follows (2,1 t2)',
    },
    'an entry is written twice': {
      events: [wrote('n1', at(1, 1), at(2, 1)), fetched('n2', at(1, 1), at(2, 1), at(2, 1))],
      detail: 'n2 wrote (2,1 t1) after (2,1 t1), but as n1 wrote it, it follows (1,1 t1)',
    },
    'an entry that its term does not have': {
      events: [wrote('n1', at(1, 1), at(3, 1)), fetched('n2', at(1, 1), at(2, 1))],
      detail: 'n2 wrote (2,1 t1) after (1,1 t1), which is not among the entries that n1 wrote in that term',
    },
    'two writers of one term': {
      events: [wrote('n1', at(1, 1), at(2, 1)), fetched('n2', at(1, 1)), wrote('n2', at(3, 1))],
      detail: 'n2 wrote (3,1 t1) after (1,1 t1), but n1 wrote (2,1 t1) before it in that term',
    },
    'a branch is not rolled back': {
      events: [
        wrote('n1', at(1, 1), at(2, 1)),
        fetched('n2', at(1, 1)),
        wrote('n2', at(3, 2)),
        fetched('n1', at(3, 2)),
      ],
      detail: 'n1 wrote (3,1 t2) after (2,1 t1), but as n2 wrote it, it follows (1,1 t1)',
    },
    'a rollback to an entry of the other branch': {
      events: [
        wrote('n1', at(1, 1), at(2, 1)),
        fetched('n2', at(1, 1)),
        wrote('n2', at(2, 2), at(3, 2)),
        rolledBack('n1', at(2, 2), [at(2, 1)]),
      ],
      detail: 'n1 rolled back to (2,1 t2), which its log up to (2,1 t1) did not hold',
    },
    'a restart brings an entry that was never written': {
      events: [wrote('n1', at(1, 1), at(3, 1)), started('n1', { lastApplied: at(2, 1) })],
      detail: 'n1 restarted with (2,1 t1), which its log up to (3,1 t1) did not hold',
    },
    'a restart brings what was rolled back, and gone from the disk': {
      events: [
        wrote('n1', at(1, 1), at(2, 1)),
        rolledBack('n1', at(1, 1), [at(2, 1)]),
        wrote('n1', at(2, 2)),
        flushed('n1', at(2, 2)),
        rolledBack('n1', at(1, 1), [at(2, 2)]),
        started('n1', { lastApplied: at(2, 1) }),
      ],
      detail: 'n1 restarted with (2,1 t1), which its log up to (1,1 t1) did not hold',
    },
    'a restart brings more than there was': {
      events: [wrote('n1', at(1, 1), at(2, 1)), fetched('n2', at(1, 1)), started('n2', { lastApplied: at(2, 1) })],
      detail: 'n2 restarted with (2,1 t1), which its log up to (1,1 t1) did not hold',
    },
  },
});

test('a member far behind is compared again once it is near', () => {
  const checkers = new Checkers([logMatching()]);
  checkers.observe(runStarted);
  const entries = Array.from({ length: 200_000 }, (_, i) => entry(at(1, 1, i + 1)));
  const show = (observed: (...batch: typeof entries) => TraceEvent, from: number, to: number) => {
    for (let i = from; i < to; i += 1000) checkers.observe(observed(...entries.slice(i, Math.min(i + 1000, to))));
  };
  const n2 = fetched.bind(undefined, 'n2');
  const n3 = fetched.bind(undefined, 'n3');
  show(wrote.bind(undefined, 'n1'), 0, 200_000);
  show(n2, 0, 200_000);
  // Behind what is remembered, a gap passes; near the end, it does not.
  show(n3, 0, 10);
  show(n3, 20, 190_000);
  expect(checkers.violations).toEqual([]);
  show(n3, 190_001, 200_000);
  expect(checkers.violations.map(({ detail }) => detail)).toEqual([
    'n3 wrote (1,190002 t1) after (1,190000 t1), but as n1 wrote it, it follows (1,190001 t1)',
  ]);
});
