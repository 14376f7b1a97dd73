import { nothingWrittenWhileLocked } from '../../src/index.ts';
import { applied, at, checkerTest, fetched, fsyncLocked, removed, started, ttlDeleted, wrote } from '../support.ts';

checkerTest(nothingWrittenWhileLocked, {
  holds: {
    'nothing happens': [started('n1'), fsyncLocked('n1')],
    'before and after': [wrote('n1', at(1, 1)), fsyncLocked('n1'), fsyncLocked('n1', false), ttlDeleted('n1')],
    'another member': [fsyncLocked('n1'), applied('n2', at(1, 1)), removed('n2')],
    'the lock dies with its process': [fsyncLocked('n1'), started('n1'), wrote('n1', at(1, 1))],
  },
  fires: {
    'an entry of its own': {
      events: [fsyncLocked('n1'), wrote('n1', at(1, 1))],
      detail: 'n1, locked by fsync, wrote 1 to its oplog',
    },
    'an entry of another': {
      events: [fsyncLocked('n1'), fetched('n1', at(1, 1))],
      detail: 'n1, locked by fsync, wrote 1 to its oplog',
    },
    'an entry is applied': {
      events: [fsyncLocked('n1'), applied('n1', at(1, 1))],
      detail: 'n1, locked by fsync, applied 1 of its oplog',
    },
    'the TTL monitor deletes': {
      events: [fsyncLocked('n1'), ttlDeleted('n1')],
      detail: 'n1, locked by fsync, lost documents of app.sessions',
    },
    'a client deletes': {
      events: [fsyncLocked('n1'), removed('n1')],
      detail: 'n1, locked by fsync, lost documents of app.sessions',
    },
  },
});
