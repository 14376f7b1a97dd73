import type { StartupOptions } from '@replsim/node';
import { CommandError, decodePromoted, encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import type { HostDisk } from '../src/parts.ts';
import { createHost } from '../src/replSet.ts';
import { answer, type Behaviour, FakeDisk, fakeSet, request, requestIn } from './fakes.ts';

const PING = encodeDocument({ ping: 1, $db: 'admin' });

/** A timer each 10 ms. */
const ticking: Behaviour = (event) =>
  event.type === 'started' || event.type === 'timer' ? [{ type: 'setTimer', key: 'tick', afterMicros: 10_000 }] : [];

test("a killed process's timers and commands end with it; the next process starts afresh", async () => {
  const { set, story } = await fakeSet(ticking, { members: [{ name: 'n1' }] });
  await set.advanceTo(5_000);
  const open = set.send('n1', PING);
  await set.advanceTo(6_000);
  const unseen = set.send('n1', PING);
  story();
  set.kill('n1');
  for (const pending of [open, unseen]) {
    expect(pending.endedMicros).toBe(6_000);
    expect(decodePromoted(pending.reply!)).toMatchObject({ ok: 0, code: 6, codeName: 'HostUnreachable' });
  }
  expect(set.status('n1')).toMatchObject({ running: false, paused: false, mode: 'replSet' });
  await set.start('n1');
  await set.advanceTo(25_000);
  expect(story(true)).toEqual(['16000 n1 timer tick']);
});

test('SIGTERM is an event, and the process ends when it says so', async () => {
  const { set, story } = await fakeSet((event) => {
    if (event.type === 'terminate') return [{ type: 'setTimer', key: 'tidy', afterMicros: 100 }];
    if (event.type !== 'timer') return [];
    return [
      { type: 'exit', how: 'shutdown' },
      { type: 'setTimer', key: 'too late', afterMicros: 1 },
    ];
  });
  await set.advanceTo(0);
  set.shutdown('n1');
  await set.advanceTo(99);
  expect(set.status('n1').running).toBe(true);
  await set.advanceTo(1_000);
  expect(set.status('n1').running).toBe(false);
  expect(story(true)).toEqual(['0 n1 terminate', '100 n1 timer tidy']);
});

/** Keeps what each process was started with. */
function keepingOptions(kept: StartupOptions[]): Behaviour {
  return (event, { options }) => {
    if (event.type === 'started') kept.push(options);
    return [];
  };
}

test('each process has ids of its own, which follow from the seed', async () => {
  const idsOf = async (seed: number) => {
    const kept: StartupOptions[] = [];
    const { set } = await fakeSet(keepingOptions(kept), { seed });
    await set.advanceTo(0);
    set.kill('n1');
    await set.start('n1');
    await set.advanceTo(1);
    return kept.map(({ idSeed, processId }) => `${idSeed} ${processId}`);
  };
  const ids = await idsOf(1);
  expect(new Set(ids).size).toBe(4);
  expect(await idsOf(1)).toEqual(ids);
  expect(await idsOf(2)).not.toEqual(ids);
});

test('a process is started with what the set says, and over it what its member says', async () => {
  const kept: StartupOptions[] = [];
  const { set } = await fakeSet(keepingOptions(kept), {
    parameters: { a: 1, b: 1, c: 1 },
    version: '7.0',
    costs: { commandMicros: 7 },
    members: [
      { name: 'n1', parameters: { b: 2, c: 2 }, oplogSizeMB: 0.5 },
      { name: 'n2', standalone: true, version: '8.2' },
    ],
  });
  await set.advanceTo(0);
  expect(kept[0]).toMatchObject({ host: 'n1:27017', mode: 'replSet', setName: 'rs0', version: '7.0', tracing: false });
  expect(kept[0]).toMatchObject({ parameters: { a: 1, b: 2, c: 2 }, oplogSizeBytes: 524_288 });
  expect(kept[0]?.costs).toMatchObject({ commandMicros: 7, insertMicros: 20 });
  expect(kept[1]).toMatchObject({ host: 'n2:27017', mode: 'standalone', setName: undefined, version: '8.2' });
});

test('a member that was started as a standalone stays one until it is put back', async () => {
  const kept: StartupOptions[] = [];
  const { set } = await fakeSet(keepingOptions(kept), { members: [{ name: 'n1' }] });
  for (const options of [{ as: 'standalone' }, {}, { as: { replSet: 'rs1' }, parameters: { a: 1 } }, {}] as const) {
    set.kill('n1');
    await set.start('n1', options);
    await set.advanceTo(set.nowMicros + 1);
  }
  expect(kept.map(({ setName, parameters }) => [setName, parameters])).toEqual([
    [undefined, {}],
    [undefined, {}],
    ['rs1', { a: 1 }],
    ['rs1', {}],
  ]);
  await expect(set.start('n1')).rejects.toThrow('n1 is already running');
});

test('a process that refuses to start is not there, and time goes on', async () => {
  let refuse = false;
  const host = createHost({
    startMongod: () => {
      if (refuse) throw new CommandError('BadValue', 'ttlMonitorSleepSecs must be greater than 0');
      return {
        changes: 0,
        saysPrimary: false,
        saysArbiter: false,
        oplogTruncations: 0,
        keepsOplog: undefined,
        recovered: { hasReplSetConfig: false },
        electable: false,
        barredUntilMicros: 0,
        durable: undefined,
        step: () => [],
        managesHost: () => true,
        ask: (command) => command,
      };
    },
    openDisk: async () => new FakeDisk() as unknown as HostDisk,
  });
  const set = await host.create({ members: [{ name: 'n1' }], initiate: false });
  set.kill('n1');
  refuse = true;
  await expect(set.start('n1')).rejects.toThrow('ttlMonitorSleepSecs');
  expect(set.status('n1').running).toBe(false);
  await set.advanceTo(10);
  await expect(host.create({ members: [{ name: 'n1' }] })).rejects.toThrow('ttlMonitorSleepSecs');
});

test('a paused process sees what happened meanwhile when it is resumed, in order', async () => {
  const { set, story } = await fakeSet((event, { name }) => {
    const incoming = requestIn(event);
    if (incoming) return [answer(incoming), { type: 'cancelTimer', key: 'second' }];
    if (event.type !== 'started') return [];
    if (name === 'n1') return [request('n1', 'n2', 1)];
    if (name !== 'n2') return [];
    return [
      { type: 'setTimer', key: 'first', afterMicros: 500 },
      { type: 'setTimer', key: 'second', afterMicros: 1_500 },
      { type: 'setTimer', key: 'third', afterMicros: 2_000 },
      { type: 'setTimer', key: 'later', afterMicros: 60_000 },
    ];
  });
  await set.advanceTo(0);
  set.pause('n2');
  await set.advanceTo(50_000);
  const command = set.send('n2', PING);
  await set.advanceTo(51_000);
  expect(story()).toEqual([]);
  expect(command.reply).toBeUndefined();
  expect(set.status('n2')).toMatchObject({ running: true, paused: true });
  expect(decodePromoted(set.ask('n2', PING))).toMatchObject({ ok: 0 });
  set.resume('n2');
  await set.advanceTo(70_000);
  expect(story(true)).toEqual([
    '51000 n2 timer first',
    '51000 n2 request 1', // which cancels the second
    '51000 n2 timer third',
    '51000 n2 command 1',
    '52000 n1 answer 1: ok',
    '60000 n2 timer later',
  ]);
});

test('a paused process can be killed, and the next one is not paused', async () => {
  const { set, story } = await fakeSet(ticking, { members: [{ name: 'n1' }] });
  await set.advanceTo(0);
  set.pause('n1');
  set.shutdown('n1');
  await set.advanceTo(15_000);
  set.kill('n1');
  await set.start('n1');
  expect(set.status('n1')).toMatchObject({ running: true, paused: false });
  await set.advanceTo(30_000);
  expect(story(true)).toEqual(['25000 n1 timer tick']);
});

test('what was held comes before what arrives at the instant of the resumption', async () => {
  const { set, story } = await fakeSet((event, self) => {
    if (self.name !== 'n1') return [];
    if (event.type === 'started')
      return [
        request('n1', 'n2', 1),
        { type: 'setTimer', key: 'shows', afterMicros: 1_500 },
        { type: 'setTimer', key: 'asks', afterMicros: 500 },
      ];
    if (event.type === 'timer' && event.key === 'asks') return [request('n1', 'n2', 2)];
    self.changes++;
    return [];
  });
  await set.advanceTo(0);
  set.pause('n2');
  await set.advanceTo(1_499);
  const before = set.changes;
  // Stops within the instant: after n1's timer, before the second request.
  await set.runUntil(() => set.changes > before, 1_500);
  expect(set.messagesDelivered).toBe(1);
  set.resume('n2');
  await set.advanceTo(1_500);
  expect(story().filter((line) => line.startsWith('n2'))).toEqual(['n2 request 1', 'n2 request 2']);
});
