import { rollbackIdCounts } from '../../src/index.ts';
import { at, checkerTest, rollbackIdRaised, rolledBack, started, stateChanged } from '../support.ts';

const found = (rbid: number) => started('n1', { rbid });
const back = (rbid: number) => rolledBack('n1', at(1, 1), [at(2, 1)], { rbid });
const raised = (rbid: number) => rollbackIdRaised('n1', rbid);
const settled = stateChanged('n1', 'ROLLBACK', 'SECONDARY', 2);

checkerTest(rollbackIdCounts, {
  holds: {
    'one by one, over a restart too': [found(1), back(2), settled, back(3), settled, found(3)],
    'who dies before the rollback is on disk may find itself before it': [found(1), back(2), found(1), back(2)],
    'raised, then rolled back': [found(1), raised(2), back(2), settled, raised(3), back(3)],
    'an attempt that failed, and one that did not': [found(1), raised(2), settled, raised(3), back(3)],
    'who dies between the two may find either': [
      found(1),
      raised(2),
      found(2),
      raised(3),
      found(2),
      raised(3),
      back(3),
    ],
    'an emptied disk begins anew': [found(1), back(2), settled, started('n1', { rbid: 1, hasReplSetConfig: false })],
  },
  fires: {
    'it stays': { events: [found(1), back(1)], detail: 'n1 rolled back, and its rollback id went from 1 to 1' },
    'it leaps': { events: [found(1), back(3)], detail: 'n1 rolled back, and its rollback id went from 1 to 3' },
    'it leaps before': {
      events: [found(1), raised(3)],
      detail: 'n1 is to roll back, and its rollback id went from 1 to 3',
    },
    'it moves after it was raised': {
      events: [found(1), raised(2), back(3)],
      detail: 'n1 rolled back, and its rollback id went from 2 to 3',
    },
    'a restart forgets it': {
      events: [found(1), back(2), settled, found(1)],
      detail: 'n1 restarted with rollback id 1, though it was 2',
    },
    'a restart raises it': { events: [found(1), found(2)], detail: 'n1 restarted with rollback id 2, though it was 1' },
  },
});
