import { clusterTimeAdvances } from '../../src/index.ts';
import { at, checkerTest, fetched, rolledBack, started, wrote } from '../support.ts';

const afterSeeing = (secs: number, ...entries: Parameters<typeof wrote> extends [string, ...infer E] ? E : never) =>
  ({ ...wrote('n1', ...entries), clusterTime: at(secs, 1).ts }) as ReturnType<typeof wrote>;

checkerTest(clusterTimeAdvances, {
  holds: {
    'later than all that was seen': [fetched('n1', at(3, 1)), afterSeeing(5, at(6, 2))],
    "others' entries may be older than what was seen": [afterSeeing(5, at(6, 1)), fetched('n1', at(2, 1))],
    'a process forgets what it only heard of': [
      wrote('n1', at(6, 1)),
      started('n1', { lastApplied: at(3, 1) }),
      wrote('n1', at(4, 2)),
    ],
  },
  fires: {
    'the same timestamp again': {
      events: [wrote('n1', at(6, 1)), wrote('n1', at(6, 1))],
      detail: 'n1 wrote (6,1 t1), though it had seen the timestamp (6,1)',
    },
    'a cluster time that was heard of': {
      events: [afterSeeing(7, at(6, 1))],
      detail: 'n1 wrote (6,1 t1), though it had seen the timestamp (7,1)',
    },
    'an entry that was rolled back': {
      events: [wrote('n1', at(6, 1)), rolledBack('n1', at(1, 1), [at(6, 1)]), wrote('n1', at(5, 2))],
      detail: 'n1 wrote (5,1 t2), though it had seen the timestamp (6,1)',
    },
  },
});
