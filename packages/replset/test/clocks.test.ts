import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { fakeSet } from './fakes.ts';

const EPOCH_MS = Date.UTC(2025, 0, 1);
const PING = encodeDocument({ ping: 1, $db: 'admin' });

test('wall clocks have an offset and a drift, and can be changed; timers do not mind', async () => {
  const { set, story } = await fakeSet(
    (event) => (event.type === 'started' ? [{ type: 'setTimer', key: 't', afterMicros: 5_000_000 }] : []),
    { members: [{ name: 'n1' }, { name: 'n2', clock: { offsetMs: -500, driftPpm: 1_000 } }] },
  );
  expect([set.wallMs('n1'), set.wallMs('n2')]).toEqual([EPOCH_MS, EPOCH_MS - 500]);
  await set.advanceTo(1_000_000);
  expect([set.wallMs('n1'), set.wallMs('n2')]).toEqual([EPOCH_MS + 1_000, EPOCH_MS + 501]);
  set.jumpClock('n1', 3_600_000);
  set.driftClock('n2', 0);
  await set.advanceTo(6_000_000);
  expect([set.wallMs('n1'), set.wallMs('n2')]).toEqual([EPOCH_MS + 3_606_000, EPOCH_MS + 5_501]);
  expect(decodePromoted(set.ask('n1', PING))).toMatchObject({ wallMs: EPOCH_MS + 3_606_000 });
  expect(story(true)).toEqual(['5000000 n1 timer t', '5000000 n2 timer t']);
});

test('a clock belongs to the member, not to its process', async () => {
  const { set } = await fakeSet(() => [], { epochMs: 0 });
  set.jumpClock('n1', 7);
  set.kill('n1');
  await set.start('n1');
  expect(set.wallMs('n1')).toBe(7);
});

test('an alarm goes off when the wall clock shows its time, however it gets there', async () => {
  const { set, story } = await fakeSet(
    (event) => (event.type === 'started' ? [{ type: 'setAlarm', key: 'a', wallMs: EPOCH_MS + 10_000 }] : []),
    { members: ['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => ({ name })) },
  );
  await set.advanceTo(4_000_000);
  set.jumpClock('n1', -3_000);
  set.jumpClock('n2', 7_000); // it is past already
  set.driftClock('n3', 500_000);
  set.driftClock('n4', -1_000_000);
  await set.advanceTo(20_000_000);
  set.driftClock('n4', 0);
  await set.advanceTo(60_000_000);
  expect(story(true)).toEqual([
    '4000000 n2 timer a',
    '8000000 n3 timer a',
    '10000000 n5 timer a',
    '13000000 n1 timer a',
    '26000000 n4 timer a',
  ]);
});

test('an alarm that was heard, replaced or taken back does not move with the clock any more', async () => {
  const { set, story } = await fakeSet(
    (event) => {
      if (event.type !== 'started') return [];
      const wallMs = EPOCH_MS + 1_000;
      return [
        { type: 'setAlarm', key: 'heard', wallMs },
        { type: 'setAlarm', key: 'replaced', wallMs },
        { type: 'setTimer', key: 'replaced', afterMicros: 5_000_000 },
        { type: 'setAlarm', key: 'taken back', wallMs },
        { type: 'cancelTimer', key: 'taken back' },
      ];
    },
    { members: [{ name: 'n1' }] },
  );
  await set.advanceTo(2_000_000);
  set.jumpClock('n1', -60_000);
  await set.advanceTo(90_000_000);
  expect(story(true)).toEqual(['1000000 n1 timer heard', '5000000 n1 timer replaced']);
});

test('an alarm that a paused process has missed is heard once, at its resumption, whatever the clock does', async () => {
  const { set, story } = await fakeSet(
    (event) => (event.type === 'started' ? [{ type: 'setAlarm', key: 'a', wallMs: EPOCH_MS + 1_000 }] : []),
    { members: [{ name: 'n1' }] },
  );
  await set.advanceTo(500_000);
  set.pause('n1');
  await set.advanceTo(2_000_000);
  set.jumpClock('n1', -60_000);
  set.resume('n1');
  await set.advanceTo(90_000_000);
  expect(story(true)).toEqual(['2000000 n1 timer a']);
});
