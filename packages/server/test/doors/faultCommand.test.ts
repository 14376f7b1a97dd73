import { afterEach, expect, test } from 'vitest';
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
