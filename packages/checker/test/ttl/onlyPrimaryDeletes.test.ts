import { onlyPrimaryDeletes } from '../../src/index.ts';
import { accepts, checkerTest, started, ttlDeleted } from '../support.ts';

const detail = (member: string) =>
  `${member}'s TTL monitor deleted 1 from app.sessions by index ttl, though ${member} did not accept writes`;

checkerTest(onlyPrimaryDeletes, {
  holds: {
    'a primary that accepts writes': [started('n1'), accepts('n1', true, 1), ttlDeleted('n1')],
    'a standalone': [started('n1', { mode: 'standalone', hasReplSetConfig: false }), ttlDeleted('n1')],
    '`local` is its own': [started('n2'), ttlDeleted('n2', { ns: 'local.cache', acceptsWrites: false })],
    'a trace that does not tell': [ttlDeleted('n1')],
  },
  fires: {
    'a secondary': { events: [ttlDeleted('n2', { acceptsWrites: false })], detail: detail('n2') },
    'a primary in its drain, whatever it says': { events: [started('n1'), ttlDeleted('n1')], detail: detail('n1') },
    'a primary that stepped down meanwhile': {
      events: [started('n1'), accepts('n1', true, 1), ttlDeleted('n1'), accepts('n1', false, 1), ttlDeleted('n1')],
      detail: detail('n1'),
    },
    'a primary that was restarted': {
      events: [started('n1'), accepts('n1', true, 1), started('n1'), ttlDeleted('n1')],
      detail: detail('n1'),
    },
  },
});
