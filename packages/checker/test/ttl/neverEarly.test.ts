import fc from 'fast-check';
import { expect, test } from 'vitest';
import { neverEarly } from '../../src/index.ts';
import { checkerTest, clockJumped, started, ttlDeleted, ttlPassEnded, verdict, WALL_MS } from '../support.ts';

const clock = "n1's clock stood at 2025-01-01T01:00:00.000Z, and index ttl of app.sessions keeps for";
const early = { dates: [WALL_MS - 60_000, WALL_MS - 59_000] };

checkerTest(neverEarly, {
  holds: {
    'to the millisecond': [ttlDeleted('n1')],
    'long since, and before 1970': [ttlDeleted('n1', { dates: [0, -1e12, -8.64e18] })],
    'a fraction of a second is cut off': [ttlDeleted('n1', { expireAfterSeconds: 60.9 })],
    'at the date itself': [ttlDeleted('n1', { expireAfterSeconds: 0, limitMs: WALL_MS, dates: [WALL_MS] })],
    'a limit of an hour ago, by which the visit went': [ttlDeleted('n1', { limitMs: WALL_MS - 3_600_000 })],
    'a clock that jumps back within the pass': [
      clockJumped('n1', -1000),
      ttlDeleted('n1', { ...early, limitMs: WALL_MS - 59_000 }),
    ],
  },
  fires: {
    'a millisecond early': {
      events: [ttlDeleted('n1', { dates: [WALL_MS - 60_000, WALL_MS - 59_999] })],
      detail: `2025-01-01T00:59:00.001Z was deleted 1 ms early: ${clock} 60 s`,
    },
    'a date in the future': {
      events: [ttlDeleted('n1', { expireAfterSeconds: 0, limitMs: WALL_MS, dates: [WALL_MS + 500] })],
      detail: `2025-01-01T01:00:00.500Z was deleted 500 ms early: ${clock} 0 s`,
    },
    'a limit that is too late, though nothing was deleted early': {
      events: [ttlDeleted('n1', { limitMs: WALL_MS - 59_000 })],
      detail: `a limit of 2025-01-01T00:59:01.000Z is 1000 ms late: ${clock} 60 s`,
    },
    'seconds that are rounded instead of cut off': {
      events: [ttlDeleted('n1', { expireAfterSeconds: 1.9, limitMs: WALL_MS - 1000, dates: [WALL_MS - 999] })],
      detail: `2025-01-01T00:59:59.001Z was deleted 1 ms early: ${clock} 1.9 s`,
    },
    'the pass after a jump': {
      events: [clockJumped('n1', -1000), ttlPassEnded('n1'), ttlDeleted('n1', early)],
      detail: `2025-01-01T00:59:01.000Z was deleted 1000 ms early: ${clock} 60 s`,
    },
    'after a restart': {
      events: [clockJumped('n1', -1000), started('n1'), ttlDeleted('n1', early)],
      detail: `2025-01-01T00:59:01.000Z was deleted 1000 ms early: ${clock} 60 s`,
    },
    "another member's jump": {
      events: [clockJumped('n2', -1000), ttlDeleted('n1', early)],
      detail: `2025-01-01T00:59:01.000Z was deleted 1000 ms early: ${clock} 60 s`,
    },
    'a jump ahead': {
      events: [clockJumped('n1', 1000), ttlDeleted('n1', early)],
      detail: `2025-01-01T00:59:01.000Z was deleted 1000 ms early: ${clock} 60 s`,
    },
    'a date before 1970 in a clustered collection': {
      events: [ttlDeleted('n1', { fromMs: 0, dates: [0, -1] })],
      detail: `1969-12-31T23:59:59.999Z was deleted, and is before all that can be due: ${clock} 60 s`,
    },
    'no date': {
      events: [ttlDeleted('n1', { dates: [Number.NaN] })],
      detail: `a document was deleted that no date makes due: ${clock} 60 s`,
    },
  },
});

test('it fires exactly when some date and its seconds have not passed', () => {
  const anyMs = fc.integer({ min: -100_000, max: 100_000 });
  fc.assert(
    fc.property(fc.array(anyMs), fc.integer({ min: 0, max: 60 }), (offsets, expireAfterSeconds) => {
      const dates = offsets.map((offset) => WALL_MS - expireAfterSeconds * 1000 + offset);
      const limitMs = WALL_MS - expireAfterSeconds * 1000;
      const { violations } = verdict(neverEarly(), [ttlDeleted('n1', { dates, limitMs, expireAfterSeconds })]);
      expect(violations.length > 0).toBe(offsets.some((offset) => offset > 0));
    }),
    { seed: 1 },
  );
});
