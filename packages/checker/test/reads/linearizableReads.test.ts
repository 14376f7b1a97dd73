import { linearizableReads } from '../../src/index.ts';
import { acknowledged, at, checkerTest, fetched, later, read, won, wrote } from '../support.ts';

/** n1 is cut off after (1,1 t1); n2 leads in term 2, and its client knows of (4,1 t2) from the time 100 on. */
const isolated = [
  won('n1', 1),
  wrote('n1', at(1, 1)),
  fetched('n2', at(1, 1)),
  won('n2', 2),
  wrote('n2', at(4, 2)),
  later(100, acknowledged('n2', at(4, 2))),
];
const linearizable = (member: string, secs: number, term: number, startedMicros: number) =>
  later(startedMicros + 50, read(member, 'linearizable', at(secs, term), { startedMicros }));

checkerTest(linearizableReads, {
  holds: {
    'the new primary sees it': [...isolated, linearizable('n2', 4, 2, 101)],
    'it was not acknowledged when the read came in': [...isolated, linearizable('n1', 1, 1, 99)],
    'less than a majority promises nothing': [
      ...isolated.slice(0, -1),
      acknowledged('n2', at(4, 2), false),
      linearizable('n1', 1, 1, 200),
    ],
    'other reads promise nothing': [...isolated, later(200, read('n1', 'local', at(1, 1), { startedMicros: 150 }))],
  },
  fires: {
    'the old primary does not see it': {
      events: [...isolated, linearizable('n1', 1, 1, 101)],
      detail: 'n1 answered a linearizable read of its data at (1,1 t1), which lack (4,1 t2), acknowledged by n2 before',
    },
    'a newer branch lacks it': {
      events: [...isolated, won('n1', 3), wrote('n1', at(9, 3)), linearizable('n1', 9, 3, 101)],
      detail: 'n1 answered a linearizable read of its data at (9,1 t3), which lack (4,1 t2), acknowledged by n2 before',
    },
  },
});
