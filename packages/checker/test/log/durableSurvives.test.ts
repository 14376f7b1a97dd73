import { durableSurvives } from '../../src/index.ts';
import { at, checkerTest, flushed, initialSync, rolledBack, started, stopped } from '../support.ts';

const restarted = (secs: number) => [stopped('n1'), started('n1', { lastApplied: at(secs, 1) })];

checkerTest(durableSurvives, {
  holds: {
    'all of it, and more': [flushed('n1', at(2, 1)), ...restarted(3)],
    'a rollback took it away': [flushed('n1', at(3, 1)), rolledBack('n1', at(1, 1), [at(3, 1)]), ...restarted(1)],
    'an initial sync took it away': [flushed('n1', at(3, 1)), initialSync('n1', 'started'), ...restarted(0)],
    'the disk was emptied': [flushed('n1', at(3, 1)), stopped('n1'), started('n1', { hasReplSetConfig: false })],
  },
  fires: {
    'it is gone': {
      events: [flushed('n1', at(3, 1)), ...restarted(2)],
      detail: 'n1 had (3,1 t1) on its disk, and restarted with an oplog up to (2,1 t1)',
    },
  },
});
