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
