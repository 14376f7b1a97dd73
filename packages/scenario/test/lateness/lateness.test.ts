import { nearestRank } from '@replsim/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EPOCH_MS, Told } from './tracing.ts';

/** n1 leads and sleeps until 60. */
function begun(): Told {
  const told = new Told();
  for (const member of ['n1', 'n2']) {
    told.index(1, member);
    told.sleeps(0, member, 60);
  }
  told.leads(1, 'n1');
  told.applied(1, 'n2', told.wrote(1, 'n1', told.opTime(1, 1)));
  return told;
}

/** The same, with documents deleted in its pass at 60. */
function one(due: readonly number[] = [30], clock = 0): Told {
  const told = begun();
  told.works(60, 'n1');
  told.follows(63, 'n2', told.deletes(61, 'n1', due, 1, clock));
  return told;
}

test('expiry to deletion, and to disappearance', () => {
  const told = one();
  expect(told.summary()).toMatchObject({ count: 1, undone: 0, waiting: 0, worstMs: 31_000, because: 'sleep' });
  expect(told.summary().worst).toEqual({ atMs: 61_000, arrivalMs: 0, clockMs: 0, sleepMs: 30_000, electionMs: 0, disabledMs: 0, backlogMs: 1000, lagMs: 0 }); // biome-ignore format: one line
  expect(told.summary('n1')).toMatchObject({ on: 'n1', count: 1, worstMs: 31_000 });
  expect(told.summary('n2')).toMatchObject({ on: 'n2', count: 1, worstMs: 33_000, worst: { lagMs: 2000 } });
  expect(told.lateness.members).toEqual(['n2', 'n1']);
});

test('percentiles are by nearest rank', () => {
  const told = one(Array.from({ length: 50 }, (_, i) => 60 - i));
  expect(told.summary()).toMatchObject({ leastMs: 1000, medianMs: 25_000, p99Ms: 50_000, worstMs: 50_000 });
  expect([1, 2, 3][nearestRank(3, 0.5)]).toBe(2);
  expect([1, 2][nearestRank(2, 0.5)]).toBe(1);
  expect([7][nearestRank(1, 0.99)]).toBe(7);
});

test('a clock that is ahead deletes early, one that is behind late', () => {
  expect(one([80], 30).summary()).toMatchObject({ worstMs: -19_000, because: 'clock', worst: { clockMs: -30_000, sleepMs: 10_000, backlogMs: 1000 } }); // biome-ignore format: one line
  expect(one([20], -30).summary()).toMatchObject({ worstMs: 41_000, worst: { clockMs: 30_000, sleepMs: 10_000 } });
});

test('a clock that was set back since: all of it is the clock', () => {
  expect(one([20], -50).summary()).toMatchObject({ worstMs: 41_000, worst: { clockMs: 41_000, sleepMs: 0 } });
});

test('what was deleted and is there still waits', () => {
  const told = begun();
  told.works(60, 'n1');
  told.deletes(61, 'n1', [30]);
  expect(told.summary('n2')).toMatchObject({ count: 0, waiting: 1 });
});

test('a member that joined later never had it', () => {
  const told = begun();
  told.works(60, 'n1');
  const opTime = told.deletes(61, 'n1', [30]);
  told.event(70, 'n3', { type: 'initialSync', phase: 'started' });
  told.follows(71, 'n3', opTime);
  expect(told.summary('n3')).toMatchObject({ count: 0, waiting: 0 });
});

test('a member that throws its data away has lost it then', () => {
  const told = begun();
  told.works(60, 'n1');
  const opTime = told.deletes(61, 'n1', [30]);
  told.event(70, 'n2', { type: 'initialSync', phase: 'started' });
  told.follows(80, 'n2', opTime);
  expect(told.summary('n2')).toMatchObject({ count: 1, worstMs: 40_000 });
});

test('a crash before the journal was flushed brings it back for a while', () => {
  const told = begun();
  told.works(60, 'n1');
  const before = told.wrote(60, 'n1', told.opTime(60, 1));
  told.follows(60, 'n2', before);
  const opTime = told.deletes(61, 'n1', [30]);
  told.follows(62, 'n2', opTime);
  const started = { mode: 'replSet', hasReplSetConfig: true, ttlMonitorStarted: true, term: 1, dataHash: [0, 0] } as const; // biome-ignore format: one line
  told.event(70, 'n2', { type: 'processStarted', ...started, lastApplied: before });
  expect(told.summary('n2')).toMatchObject({ count: 0, waiting: 1 });
  told.follows(75, 'n2', opTime);
  expect(told.summary('n2')).toMatchObject({ count: 1, worstMs: 45_000 });
});

test('a deletion that is rolled back is undone; the document counts when it is deleted for good', () => {
  const told = begun();
  const common = told.wrote(50, 'n1', told.opTime(50, 1));
  told.follows(50, 'n2', common);
  told.works(60, 'n1');
  told.deletes(61, 'n1', [30]);
  told.sleeps(61, 'n1', 121);
  // n2 is elected without it.
  told.leads(55, 'n2', 2);
  told.wrote(62, 'n2', told.opTime(62, 2));
  expect(told.summary()).toMatchObject({ count: 0, undone: 1 });
  told.leads(65, 'n1', 1, false);
  told.works(70, 'n2');
  const again = told.deletes(71, 'n2', [30], 2);
  expect(told.summary()).toMatchObject({ count: 1, undone: 1, worstMs: 41_000 });
  const rollback = { from: common, removedEntries: [], commitPoint: common, rbid: 2, dataHash: [0, 0] } as const;
  told.event(72, 'n1', { type: 'rolledBack', commonPoint: common, ...rollback });
  told.follows(74, 'n1', again);
  expect(told.summary('n1')).toMatchObject({ count: 1, undone: 1, worstMs: 44_000 });
});

test('a standalone, and a collection in local, leave no entries', () => {
  const told = new Told();
  const started = { hasReplSetConfig: false, ttlMonitorStarted: true, lastApplied: { ts: { t: 0, i: 0 }, t: -1 }, term: 0, dataHash: [0, 0] } as const; // biome-ignore format: one line
  told.event(0, 'n1', { type: 'processStarted', mode: 'standalone', ...started });
  told.index(0, 'n1');
  told.sleeps(0, 'n1', 60);
  told.works(60, 'n1');
  told.deletes(61, 'n1', [30]);
  expect(told.summary()).toMatchObject({ count: 1, worstMs: 31_000, worst: { sleepMs: 30_000, electionMs: 0 } });
});

test('whatever the clocks and dates, the parts add up, and only the clock is negative', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -1e9, max: 200 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: -1000, max: 1000 }),
      fc.integer({ min: 0, max: 90 }),
      (due, clock, lag) => {
        const told = begun();
        told.works(60, 'n1');
        told.follows(61 + lag, 'n2', told.deletes(61, 'n1', due, 1, clock));
        const { share, total, worst, worstMs } = told.summary('n2');
        const { atMs, ...parts } = worst!;
        expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(worstMs!, 6);
        expect(worstMs).toBe((61 + lag - Math.min(...due)) * 1000);
        expect(Object.values(total!).reduce((sum, part) => sum + part, 0) / 1000).toBeCloseTo(
          due.reduce((sum, second) => sum + (61 + lag - second), 0),
          6,
        );
        for (const [name, part] of Object.entries({ ...parts, ...total }))
          if (name !== 'clockMs') expect(part, name).toBeGreaterThanOrEqual(0);
        expect(Object.values(share!).reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 9);
      },
    ),
  );
});

test('what is due and still there has waited, too', () => {
  const told = begun();
  const waited = (at: number, expiry: number, inserted: number, clock = 0) => {
    const times = { expiryMicros: expiry * 1e6, insertedMicros: inserted * 1e6 };
    return told.lateness.waited({ ns: 'app.s', index: 'ttl' }, times, at * 1e6, () => EPOCH_MS + (at + clock) * 1000);
  };
  expect(waited(50, 30, 2)).toMatchObject({ sleepMs: 20_000, arrivalMs: 0, backlogMs: 0, lagMs: 0 });
  expect(waited(50, -30, 10)).toMatchObject({ sleepMs: 40_000, arrivalMs: 40_000 });
  expect(waited(50, 30, 2, -5)).toMatchObject({ sleepMs: 15_000, clockMs: 5000 });
  told.works(60, 'n1');
  expect(waited(62, 30, 2)).toMatchObject({ sleepMs: 30_000, backlogMs: 2000 });
  told.leads(63, 'n1', 1, false);
  expect(waited(70, 30, 2)).toMatchObject({ sleepMs: 30_000, backlogMs: 3000, electionMs: 7000 });
});

test('where nobody has led, nobody says what a document waits for', () => {
  const times = { expiryMicros: 0, insertedMicros: 0 };
  expect(new Told().lateness.waited({ ns: 'app.s', index: 'ttl' }, times, 1e6, () => EPOCH_MS)).toBeUndefined();
});
