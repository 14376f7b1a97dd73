import { rollbackIdCounts } from '../src/index.ts';
import { at, checkerTest, rolledBack, started, stateChanged } from './support.ts';

const found = (rbid: number) => started('n1', { rbid });
const back = (rbid: number) => rolledBack('n1', at(1, 1), [at(2, 1)], { rbid });
const settled = stateChanged('n1', 'ROLLBACK', 'SECONDARY', 2);

checkerTest(rollbackIdCounts, {
  holds: {
    'one by one, over a restart too': [found(1), back(2), settled, back(3), settled, found(3)],
    'who dies before the rollback is on disk may find itself before it': [found(1), back(2), found(1), back(2)],
    'an emptied disk begins anew': [found(1), back(2), settled, started('n1', { rbid: 1, hasReplSetConfig: false })],
  },
  fires: {
    'it stays': { events: [found(1), back(1)], detail: 'n1 rolled back, and its rollback id went from 1 to 1' },
    'it leaps': { events: [found(1), back(3)], detail: 'n1 rolled back, and its rollback id went from 1 to 3' },
    'a restart forgets it': {
      events: [found(1), back(2), settled, found(1)],
      detail: 'n1 restarted with rollback id 1, though it was 2',
    },
    'a restart raises it': { events: [found(1), found(2)], detail: 'n1 restarted with rollback id 2, though it was 1' },
  },
});
