import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { fakeSet } from './fakes.ts';

const PING = encodeDocument({ ping: 1, $db: 'admin' });

test('members start in the order of the options, before anything else happens', async () => {
  const { set, seen } = await fakeSet(() => []);
  set.send('n2', PING);
  expect(seen).toEqual([]);
  await set.advanceTo(0);
  expect(seen.map(({ name, what }) => `${name} ${what}`)).toEqual([
    'n1 started',
    'n2 started',
    'n3 started',
    'n2 command 1',
  ]);
});

test('timers that are due at the same time fire in the order in which they were set', async () => {
  const { set, story } = await fakeSet((event, { name }) =>
    event.type === 'started'
      ? [
          { type: 'setTimer', key: 'a', afterMicros: name === 'n1' ? 50 : 20 },
          { type: 'setTimer', key: 'b', afterMicros: 20 },
        ]
      : [],
  );
  await set.advanceTo(100);
  expect(story(true)).toEqual([
    '20 n1 timer b',
    '20 n2 timer a',
    '20 n2 timer b',
    '20 n3 timer a',
    '20 n3 timer b',
    '50 n1 timer a',
  ]);
});

test('a timer that is set again moves, and a cancelled one does not fire', async () => {
  const { set, story } = await fakeSet((event, { name }) =>
    event.type === 'started' && name === 'n1'
      ? [
          { type: 'setTimer', key: 'moved', afterMicros: 10 },
          { type: 'setTimer', key: 'cancelled', afterMicros: 10 },
          { type: 'setTimer', key: 'moved', afterMicros: 30 },
          { type: 'cancelTimer', key: 'cancelled' },
          { type: 'cancelTimer', key: 'unknown' },
        ]
      : [],
  );
  await set.advanceTo(100);
  expect(story(true)).toEqual(['30 n1 timer moved']);
});

test('jitter stays below its bound, and each member draws its own', async () => {
  const { set, seen } = await fakeSet((event) =>
    event.type === 'started' ? [{ type: 'setTimer', key: 't', afterMicros: 100, jitterMicros: 1_000_000 }] : [],
  );
  await set.advanceTo(2_000_000);
  const times = seen.filter(({ what }) => what === 'timer t').map(({ atMicros }) => atMicros);
  expect(new Set(times).size).toBe(3);
  for (const time of times) expect(time).toBeLessThan(1_000_100);
});

test('a command is answered when its reply comes, a process that is not there answers at once', async () => {
  const { set } = await fakeSet((event) => {
    if (event.type === 'command') return [{ type: 'setTimer', key: 'work', afterMicros: 70 }];
    return event.type === 'timer' ? [{ type: 'reply', requestId: 1, reply: PING }] : [];
  });
  const pending = set.send('n1', PING);
  await set.advanceTo(69);
  expect(pending.reply).toBeUndefined();
  expect(await set.runUntil(() => pending.reply !== undefined, 1_000)).toBe(true);
  expect(pending).toMatchObject({ member: 'n1', startedMicros: 0, endedMicros: 70, reply: PING });
  set.kill('n1');
  expect(decodePromoted(set.send('n1', PING).reply!)).toMatchObject({ ok: 0, code: 6, codeName: 'HostUnreachable' });
  expect(decodePromoted(set.ask('n1', PING))).toMatchObject({ ok: 0, code: 6, codeName: 'HostUnreachable' });
});

test('a question before anything has happened still finds a process that has started', async () => {
  const { set, seen } = await fakeSet(() => []);
  expect(decodePromoted(set.ask('n2', PING))).toMatchObject({ host: 'n2:27017' });
  await set.advanceTo(0);
  expect(seen.map(({ name }) => name)).toEqual(['n2', 'n1', 'n3']);
});

test('runUntil looks at the start, at changes, each second and at the end', async () => {
  const { set } = await fakeSet((event, self) => {
    if (self.name !== 'n1') return [];
    if (event.type === 'started')
      return [
        { type: 'setTimer', key: 'quiet', afterMicros: 250_000 },
        { type: 'setTimer', key: 'loud', afterMicros: 500_000 },
      ];
    if (event.type === 'timer' && event.key === 'loud') self.changes++;
    return [];
  });
  await set.advanceTo(0);
  const looks: number[] = [];
  const held = await set.runUntil(() => {
    looks.push(set.nowMicros);
    return false;
  }, 2_500_000);
  expect(held).toBe(false);
  expect(looks).toEqual([0, 500_000, 1_000_000, 2_000_000, 2_500_000]);
  expect(await set.runUntil(() => true, 9_000_000)).toBe(true);
  expect(set.nowMicros).toBe(2_500_000);
});

test('time does not go back, and passes for one caller at a time', async () => {
  const { set } = await fakeSet(() => []);
  await set.advanceTo(10);
  await expect(set.advanceTo(9)).rejects.toThrow(RangeError);
  const first = set.advanceTo(20);
  await expect(set.advanceTo(30)).rejects.toThrow('time is passing already');
  await first;
  expect(() => set.status('n9')).toThrow('no member is called n9');
});

test('what is looked at at an instant comes after all that happens then, moves nothing, and has its time', async () => {
  const { set, seen } = await fakeSet((event, { name }) =>
    event.type === 'started' && name === 'n1'
      ? [
          { type: 'setTimer', key: 'a', afterMicros: 10 },
          { type: 'setTimer', key: 'b', afterMicros: 30 },
        ]
      : [],
  );
  const looks: string[] = [];
  const look = (name: string) => () => looks.push(`${name} at ${set.nowMicros} after ${seen.length}`);
  for (const [i, atMicros] of [30, 10, 20, 10, 99].entries()) set.lookAt(atMicros, look(`#${i}`));
  await set.advanceTo(10);
  expect(looks).toEqual(['#1 at 10 after 4', '#3 at 10 after 4']);
  const { changes } = set;
  await set.runUntil(() => false, 50);
  expect(looks.slice(2)).toEqual(['#2 at 20 after 4', '#0 at 30 after 5']);
  expect(await set.pump(98, () => false)).toBe(true);
  expect(looks).toHaveLength(4);
  expect(await set.pump(100, () => false)).toBe(true);
  expect(looks.slice(4)).toEqual(['#4 at 99 after 5']);
  expect(set.changes).toBe(changes);
  expect(() => set.lookAt(99, look('late'))).toThrow('now or later');
});
