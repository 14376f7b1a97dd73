import { standaloneNeverDeletes } from '../../src/index.ts';
import { checkerTest, removed, started, ttlDeleted } from '../support.ts';

const apart = { mode: 'standalone', hasReplSetConfig: true, ttlMonitorStarted: false } as const;

checkerTest(standaloneNeverDeletes, {
  holds: {
    'a standalone of its own': [started('n1', { mode: 'standalone', hasReplSetConfig: false }), ttlDeleted('n1')],
    'a member of the set': [started('n1'), ttlDeleted('n1')],
    'back in the set': [started('n1', apart), started('n1'), ttlDeleted('n1'), removed('n1', { by: 'ttl' })],
    'a client may delete': [started('n1', apart), removed('n1', { memberState: 'STANDALONE' })],
    'another member': [started('n1', apart), ttlDeleted('n2')],
  },
  fires: {
    'the monitor starts': {
      events: [started('n1', { ...apart, ttlMonitorStarted: true })],
      detail: "n1, a standalone on a replica set's data, started its TTL monitor",
    },
    'it deletes and says so': {
      events: [ttlDeleted('n1', { standaloneOnReplSetData: true })],
      detail: "n1, a standalone on a replica set's data, deleted 1 from app.sessions by index ttl",
    },
    'it deletes and does not say so, in `local` too': {
      events: [started('n1', apart), ttlDeleted('n1', { ns: 'local.cache' })],
      detail: "n1, a standalone on a replica set's data, deleted 1 from local.cache by index ttl",
    },
    'documents go': {
      events: [started('n1', apart), removed('n1', { by: 'ttl', memberState: 'STANDALONE' })],
      detail: "n1, a standalone on a replica set's data, lost 2 of app.sessions to its TTL monitor",
    },
  },
});
