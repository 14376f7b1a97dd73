import { afterEach, describe, expect, test } from 'vitest';
import { playFault, ServedSet } from '../../src/index.ts';

let served: ServedSet;
afterEach(() => served.stop());

/** What a fault comes to in a recording. */
async function recordedOf(fault: object): Promise<unknown[]> {
  const members = ['small', 'n2', 'n3'].map((name) => ({ name }));
  served = await ServedSet.open({ members, speed: 0 });
  const recorded: unknown[] = [];
  served.recorder.start((record) => recorded.push(record));
  await playFault(served, fault);
  return recorded;
}

test.for<[heal: string | string[], members: 'all' | string[]]>([
  ['small', ['small']],
  [['small'], ['small']],
  ['all', 'all'],
  [['small', 'all'], 'all'],
])('healing %j', async ([heal, members]) => {
  expect(await recordedOf({ heal })).toEqual([expect.objectContaining({ type: 'heal', members })]);
});

test.for<[fault: object, paused: boolean]>([
  [{ pause: 'n2', resume: 'n2' }, false],
  [{ resume: 'n2', pause: 'n2' }, true],
])('several faults happen in the order in which they are written: %j', async ([fault, paused]) => {
  expect((await recordedOf(fault)).map((record) => (record as { type: string }).type)).toEqual(Object.keys(fault));
  expect(served.set.status('n2').paused).toBe(paused);
});

const NO_SUCH_PARAMETER =
  'it keeps the parameter "ttlCollLowPrioritySubpassLimit" of the head, and 8.2 has no parameter "ttlCollLowPrioritySubpassLimit"; it is one of 8.0, 7.0';

describe('a parameter of the head that another release lacks', () => {
  const ofSet = { parameters: { ttlCollLowPrioritySubpassLimit: 5 } };
  const ofMember = { members: [{ name: 'n1', ...ofSet }, { name: 'n2' }] };
  const version = '8.2';

  test.for<[place: string, fault: object]>([
    ['restart.version', { restart: { member: 'n1', version } }],
    ['rolling.restart.version', { rolling: { restart: { version } } }],
    ['start.version', { start: { member: 'n1', version } }],
    ['restart.version', { restart: { member: 'n1', version, parameters: { ttlMonitorSleepSecs: 5 } } }],
  ])('%s: nothing of it is done', async ([place, fault]) => {
    for (const head of [ofSet, ofMember]) {
      served = await ServedSet.open({ members: 2, ...head, speed: 0 });
      await expect(playFault(served, fault)).rejects.toThrow(`replsimFault.${place}: ${NO_SUCH_PARAMETER}`);
      expect(served.set.status('n1')).toMatchObject({ running: true });
      if (head === ofSet) await served.stop();
    }
  });

  test('who starts a process by hand is told the same', async () => {
    served = await ServedSet.open({ members: 2, ...ofSet, speed: 0 });
    await served.act({ type: 'kill', member: 'n1' });
    const start = served.act({ type: 'start', member: 'n1', options: { version } });
    await expect(start).rejects.toThrow(NO_SUCH_PARAMETER);
    await expect(served.start('n1', { version })).rejects.toThrow(NO_SUCH_PARAMETER);
    await served.act({ type: 'start', member: 'n1' });
    expect(await served.command('n1', { buildInfo: 1 })).toMatchObject({ version: expect.stringMatching(/^8\.0/) });
  });

  test('one that the release has is kept', async () => {
    served = await ServedSet.open({ members: 2, parameters: { ttlMonitorSleepSecs: 5 }, speed: 0 });
    await playFault(served, { restart: { member: 'n2', version } });
    expect(await served.command('n2', { getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({
      ttlMonitorSleepSecs: 5,
    });
  });
});
