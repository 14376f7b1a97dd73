import { MemberStates } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { secondaryShrinksOnlyThroughOplog } from '../../src/index.ts';
import { accepts, checkerTest, removed, started, verdict } from '../support.ts';

const secondary = { memberState: 'SECONDARY', acceptsWrites: false } as const;

checkerTest(secondaryShrinksOnlyThroughOplog, {
  holds: {
    'a primary and a standalone': [
      removed('n1', { by: 'client' }),
      removed('n1', { by: 'ttl' }),
      started('n4', { mode: 'standalone' }),
      removed('n4', { by: 'ttl', memberState: 'STANDALONE' }),
    ],
    'a primary whose course is known': [started('n1'), accepts('n1', true, 1), removed('n1')],
    'what comes by the oplog, a rollback or an initial sync': [
      removed('n2', { ...secondary, by: 'oplog' }),
      removed('n2', { ...secondary, by: 'drop' }),
      removed('n2', { by: 'rollback', memberState: 'ROLLBACK', acceptsWrites: false }),
      removed('n2', { by: 'initialSync', memberState: 'STARTUP2', acceptsWrites: false }),
    ],
    '`local` is its own': [removed('n2', { ...secondary, by: 'ttl', ns: 'local.cache' })],
  },
  fires: {
    'the TTL monitor of a secondary': {
      events: [removed('n2', { ...secondary, by: 'ttl' })],
      detail: 'n2, SECONDARY and not accepting writes, lost 2 documents of app.sessions to its TTL monitor',
    },
    'a client of a secondary': {
      events: [removed('n2', { ...secondary, count: 1 })],
      detail: 'n2, SECONDARY and not accepting writes, lost 1 document of app.sessions to a client',
    },
    'a primary in its drain': {
      events: [removed('n1', { by: 'ttl', acceptsWrites: false })],
      detail: 'n1, PRIMARY and not accepting writes, lost 2 documents of app.sessions to its TTL monitor',
    },
    'a primary that says that it accepts writes, but did not begin to': {
      events: [started('n1'), removed('n1')],
      detail: 'n1, PRIMARY and not accepting writes, lost 2 documents of app.sessions to a client',
    },
    'a primary that has ended it': {
      events: [started('n1'), accepts('n1', true, 1), accepts('n1', false, 1), removed('n1')],
      detail: 'n1, PRIMARY and not accepting writes, lost 2 documents of app.sessions to a client',
    },
    'a database whose name only begins like local': {
      events: [removed('n2', { ...secondary, ns: 'locals.x' })],
      detail: 'n2, SECONDARY and not accepting writes, lost 2 documents of locals.x to a client',
    },
  },
});

test.for(Object.keys(MemberStates).filter((state) => state !== 'PRIMARY'))('no state but PRIMARY may: %s', (state) => {
  for (const by of ['client', 'ttl'] as const) {
    const event = removed('n2', { by, memberState: state as keyof typeof MemberStates });
    expect(verdict(secondaryShrinksOnlyThroughOplog(), [event]).violations).toHaveLength(1);
  }
});
