import { blockedUsersWriteNothing } from '../../src/index.ts';
import { about, at, checkerTest, fetched, link, rolledBack, started, wrote } from '../support.ts';

const NS = 'config.user_writes_critical_sections';
const block = about(at(1, 1), 'i', NS);
const unblock = about(at(3, 1), 'd', NS);
const write = about(at(2, 1), 'd', 'app.sessions');

checkerTest(blockedUsersWriteNothing, {
  holds: {
    'writes before and after': [wrote('n1', about(at(0, 1), 'i', 'app.c'), block, unblock, write)],
    'internal databases': [wrote('n1', block, about(at(2, 1), 'd', 'config.t'), about(at(2, 1, 2), 'i', 'admin.t'))],
    'no-ops': [wrote('n1', block, about(at(2, 1), 'n', ''))],
    'what others wrote': [fetched('n2', block, write)],
    'rolled back': [wrote('n1', block), rolledBack('n1', at(0, 1), [at(1, 1)]), wrote('n1', write)],
    'a new process': [wrote('n1', block), started('n1'), wrote('n1', write)],
  },
  fires: {
    'a transaction, by its last entry': {
      events: [
        wrote('n1', block, link(at(2, 1), 1, 'partial')),
        wrote('n1', link(at(3, 1), 1, { count: 2 }, at(2, 1))),
      ],
      detail: 'n1 wrote i app.things, though user writes are blocked',
    },
    'a write under a block of its own': {
      events: [wrote('n1', block), wrote('n1', write)],
      detail: 'n1 wrote d app.sessions, though user writes are blocked',
    },
    'a write under a block that it fetched': {
      events: [fetched('n2', block), wrote('n2', about(at(2, 1), 'c', 'app.$cmd'))],
      detail: 'n2 wrote c app.$cmd, though user writes are blocked',
    },
  },
});
