import type { MongodEffect } from '@replsim/node';
import { expect, test } from 'vitest';
import { type Behaviour, type FakeMongod, fakeSet } from './fakes.ts';

function journal(ticket: number, costMicros: number): MongodEffect {
  return { type: 'writeJournal', ticket, records: [`record ${ticket}` as never], costMicros };
}

function checkpoint(ticket: number, costMicros: number): MongodEffect {
  const view = `view ${ticket}` as never;
  return { type: 'writeCheckpoint', ticket, view, metadata: new Uint8Array(), dropThroughSeq: 0, costMicros };
}

/** Writes three times at the start, the last time after the others have been asked for. */
const writesThrice: Behaviour = (event) =>
  event.type === 'started' ? [journal(1, 100), checkpoint(2, 300), journal(3, 50)] : [];

test.for([false, true])('a disk does one thing after another (slow: %s)', async (slowDisks) => {
  const { set, disks, story } = await fakeSet(
    writesThrice,
    { members: [{ name: 'n1' }, { name: 'n2' }] },
    { slowDisks },
  );
  await set.advanceTo(420);
  expect(disks[0]).toMatchObject({ records: ['record 1'], checkpoint: 'view 2' });
  await set.advanceTo(1_000);
  expect(disks[0]).toMatchObject({ records: ['record 1', 'record 3'] });
  expect(story(true)).toEqual([
    '100 n1 diskDone 1',
    '100 n2 diskDone 1',
    '400 n1 diskDone 2',
    '400 n2 diskDone 2',
    '450 n1 diskDone 3',
    '450 n2 diskDone 3',
  ]);
});

test('what was not yet durable when the process was killed is lost, and the disk is idle again', async () => {
  const starts: FakeMongod[] = [];
  const { set, disks, story } = await fakeSet(
    (event, self, now) => {
      if (event.type === 'started') starts.push(self);
      return writesThrice(event, self, now);
    },
    { members: [{ name: 'n1' }] },
    { slowDisks: true },
  );
  await set.advanceTo(399);
  set.kill('n1');
  await set.start('n1');
  await set.advanceTo(500);
  expect(starts[1]?.loaded).toMatchObject({ records: ['record 1'], checkpoint: undefined });
  expect(story(true)).toEqual(['100 n1 diskDone 1', '499 n1 diskDone 1']);
  expect(disks[0]?.records).toEqual(['record 1', 'record 1']);
});

test('a process that is paused hears later of a write that is durable all the same', async () => {
  const { set, disks, story } = await fakeSet(writesThrice, { members: [{ name: 'n1' }] });
  await set.advanceTo(0);
  set.pause('n1');
  await set.advanceTo(1_000);
  expect(disks[0]).toMatchObject({ records: ['record 1', 'record 3'], checkpoint: 'view 2' });
  set.resume('n1');
  await set.advanceTo(1_000);
  expect(story(true)).toEqual(['1000 n1 diskDone 1', '1000 n1 diskDone 2', '1000 n1 diskDone 3']);
});

test('wipe empties a disk before the start; close closes all of them', async () => {
  const { set, disks } = await fakeSet(writesThrice);
  await set.advanceTo(1_000);
  set.kill('n1');
  await set.start('n1', { wipe: true });
  expect(disks[0]?.records).toEqual([]);
  await set.close();
  expect(disks.map(({ closed }) => closed)).toEqual([true, true, true]);
  await expect(set.advanceTo(2_000)).rejects.toThrow('closed');
});

test('members that are started together start in that order, however slow their disks, before time goes on', async () => {
  const { set, story } = await fakeSet(() => [], {}, { slowDisks: true });
  await set.advanceTo(10);
  for (const name of ['n1', 'n2', 'n3']) set.kill(name);
  const starts = [set.start('n3'), set.start('n1')];
  await set.advanceTo(20);
  expect(['n1', 'n2', 'n3'].map((name) => set.status(name).running)).toEqual([true, false, true]);
  await Promise.all(starts);
  expect(story()).toEqual([]);
});

test('a slow disk takes longer for each write, until it is mended', async () => {
  const { set, story } = await fakeSet(writesThrice, { members: [{ name: 'n1' }] });
  await set.disk('n1', { latencyMs: 1 });
  await set.advanceTo(10_000);
  expect(story(true)).toEqual(['1100 n1 diskDone 1', '2400 n1 diskDone 2', '3450 n1 diskDone 3']);
  await set.disk('n1', { latencyMs: 0 });
  set.kill('n1');
  await set.start('n1');
  await set.advanceTo(20_000);
  expect(story(true)).toEqual(['10100 n1 diskDone 1', '10400 n1 diskDone 2', '10450 n1 diskDone 3']);
});

test('a full disk takes nothing, and nobody starts on it', async () => {
  const { set, disks, story } = await fakeSet(writesThrice, { members: [{ name: 'n1' }] });
  const log: number[] = [];
  set.onTrace((event) => event.type === 'log' && log.push(event.line.id));
  await set.advanceTo(100);
  await set.disk('n1', { full: true });
  await set.advanceTo(1000);
  expect(story(true)).toEqual(['100 n1 diskDone 1', '400 n1 diskFailed 2 full', '450 n1 diskFailed 3 full']);
  expect(disks[0]).toMatchObject({ records: ['record 1'], checkpoint: undefined });
  set.kill('n1');
  await expect(set.start('n1')).rejects.toMatchObject({
    code: 28595,
    message: expect.stringContaining('No space left'),
  });
  expect(log).toEqual([22435, 28595]);
  expect(set.status('n1').running).toBe(false);
  await set.disk('n1', { full: false });
  await set.start('n1');
});

test('damage is noticed by the checkpoint that builds on it and by the next start, until the disk is wiped', async () => {
  const { set, disks, story } = await fakeSet(writesThrice, { members: [{ name: 'n1' }] });
  await set.disk('n1', { corrupt: true });
  await set.advanceTo(1000);
  expect(story(true)).toEqual(['100 n1 diskDone 1', '400 n1 diskFailed 2 corrupt', '450 n1 diskDone 3']);
  set.kill('n1');
  await expect(set.start('n1')).rejects.toMatchObject({ code: 28595, message: expect.stringContaining('checksum') });
  await set.start('n1', { wipe: true });
  await set.advanceTo(2000);
  expect(disks[0]).toMatchObject({ checkpoint: 'view 2' });
});
