import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';
import { brief, insert, Watch } from './watchedSet.ts';

// A stream shows what is committed, and nothing else, on whichever member it is read.

/** Three members, n1 primary. */
async function started(): Promise<AskedSet> {
  const asked = await AskedSet.start([{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }]);
  await insert(asked, [{ _id: 0 }]);
  await asked.pass(3000);
  return asked;
}

const write = (_id: number): Doc => ({ insert: 'c', documents: [{ _id }], writeConcern: { w: 1 } });

test('a write that no majority has is not shown, and the stream wakes when one has it', async () => {
  const asked = await started();
  const stream = await Watch.open(asked);
  for (const name of ['n2', 'n3']) asked.set.hold(name, 'fetch');
  await asked.ok('n1', write(1));
  expect(await stream.more({ maxTimeMS: 2000 })).toEqual([]);
  const waiting = stream.ask({ maxTimeMS: 60_000 });
  asked.set.release('n2', 'fetch');
  await asked.until(() => waiting.reply() !== undefined, 5000);
  expect(brief(waiting.reply()!.cursor.nextBatch)).toEqual([['insert', 1]]);
});

test('an idle stream does nothing: it is woken by what is for it', async () => {
  const asked = await started();
  const stream = await Watch.open(asked);
  const waiting = stream.ask({ maxTimeMS: 60_000 });
  for (let _id = 1; _id <= 5; _id++) await insert(asked, [{ _id }], 'other');
  expect(waiting.reply()).toBeUndefined();
  const op = asked.now('n1', { currentOp: 1 }).inprog.find(({ command }: Doc) => command?.getMore !== undefined);
  expect(op.cursor ?? op.command).toBeDefined();
  await insert(asked, [{ _id: 9 }]);
  await asked.until(() => waiting.reply() !== undefined, 1000);
  expect(brief(waiting.reply()!.cursor.nextBatch)).toEqual([['insert', 9]]);
});

test('a secondary shows the same, with the same tokens', async () => {
  const asked = await started();
  const primary = await Watch.open(asked, { member: 'n1' });
  const secondary = await Watch.open(asked, { member: 'n2' });
  await insert(asked, [{ _id: 1 }, { _id: 2 }]);
  const [here, there] = [await primary.next(2), await secondary.next(2)];
  expect(there).toEqual(here);
  expect(brief(here)).toEqual([
    ['insert', 1],
    ['insert', 2],
  ]);
});

test('what is rolled back is never shown, and a stream goes on elsewhere without a gap', async () => {
  const asked = await started();
  const stream = await Watch.open(asked, { member: 'n1' });
  await insert(asked, [{ _id: 1 }]);
  const [first] = await stream.next(1);
  asked.set.partition([['n1'], ['n2', 'n3']]);
  await asked.ok('n1', write(2));
  expect(await stream.more()).toEqual([]);
  await asked.until(() => ['n2', 'n3'].some((name) => asked.now(name, { hello: 1 }).isWritablePrimary));
  const primary = ['n2', 'n3'].find((name) => asked.now(name, { hello: 1 }).isWritablePrimary)!;
  await asked.ok(primary, { ...write(3), writeConcern: { w: 'majority' } });
  asked.set.heal('all');
  await asked.until(() => asked.state('n1') === 9);
  await asked.untilState('n1', 2);
  // The rollback has closed it.
  expect(await stream.failure()).toMatchObject({ code: 43 });
  for (const member of ['n1', 'n2', 'n3']) {
    const resumed = await Watch.open(asked, { member, spec: { resumeAfter: first!._id } });
    const events = resumed.events.length > 0 ? resumed.events : await resumed.next(1);
    expect(brief(events)).toEqual([['insert', 3]]);
  }
});

test('a step-down ends neither the cursor nor who waits on it', async () => {
  const asked = await started();
  const stream = await Watch.open(asked, { member: 'n1' });
  const waiting = stream.ask({ maxTimeMS: 60_000 });
  await asked.ok('n1', { replSetStepDown: 30 }, 'admin');
  const primary = await asked.untilPrimary();
  expect(primary).not.toBe('n1');
  await insert(asked, [{ _id: 1 }]);
  await asked.until(() => waiting.reply() !== undefined, 5000);
  expect(brief(waiting.reply()!.cursor.nextBatch)).toEqual([['insert', 1]]);
});

test('a restart leaves no cursor', async () => {
  const asked = await started();
  const stream = await Watch.open(asked, { member: 'n2' });
  asked.set.kill('n2');
  await asked.set.start('n2');
  await asked.untilState('n2', 2);
  const failed = await stream.failure();
  expect(failed).toMatchObject({ code: 43 });
  expect(failed.errorLabels).toBeUndefined();
});

test('a cursor that is closed ends who waits on it', async () => {
  const asked = await started();
  const stream = await Watch.open(asked);
  const waiting = stream.ask({ maxTimeMS: 60_000 });
  await asked.pass(100);
  await asked.ok('n1', { killCursors: 'c', cursors: [BigInt(stream.cursor.id)] });
  expect(waiting.reply()).toMatchObject({ code: 237 });
  expect(waiting.reply()!.errorLabels).toBeUndefined();
});

test('streams on databases and on the cluster wake for any of their entries, and for commands', async () => {
  const asked = await started();
  const opened = [
    await Watch.open(asked, { of: 1 }),
    await Watch.open(asked, { db: 'admin', of: 1, spec: { allChangesForCluster: true } }),
    await Watch.open(asked, { of: 'gone' }),
  ];
  await asked.ok('n1', { create: 'gone' });
  await asked.pass(2000);
  for (const stream of opened) await stream.more({ maxTimeMS: 1 });
  const waiting = opened.map((stream) => stream.ask({ maxTimeMS: 60_000 }));
  await asked.ok('n1', { drop: 'gone', writeConcern: { w: 'majority' } });
  await asked.until(() => waiting.every(({ reply }) => reply() !== undefined), 1000);
  expect(waiting.map(({ reply }) => brief(reply()!.cursor.nextBatch))).toEqual([
    ['drop'],
    ['drop'],
    ['drop', 'invalidate'],
  ]);
});
