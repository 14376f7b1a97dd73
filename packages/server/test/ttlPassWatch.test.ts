import { afterEach, expect, test, vi } from 'vitest';
import { NoTtlPassError, ServedSet, type ServeOptions } from '../src/index.ts';

let served: ServedSet;

afterEach(() => served.stop());

async function start(options: ServeOptions): Promise<void> {
  served = await ServedSet.start({ speed: 0, ...options });
}

// biome-ignore lint/suspicious/noExplicitAny: replies are documents
const replyOf = (member: string, command: object) => served.command(member, command) as Promise<any>;
const app = (command: object) => served.command(served.primary!, { ...command, $db: 'app' });
const passes = async (member: string) => Number((await replyOf(member, { serverStatus: 1 })).metrics.ttl.passes);
const monitorOf = async (member: string) => {
  const { inprog } = await replyOf(member, { currentOp: 1 });
  return inprog.find(({ desc }: { desc?: string }) => desc === 'TTLMonitor');
};
const inPass = async () => (await monitorOf(served.primary!)) !== undefined;

/** Documents that are due, in a collection whose index says so. */
async function insertDue(count: number): Promise<void> {
  const index = { key: { at: 1 }, name: 'at_1', expireAfterSeconds: 0 };
  await app({ createIndexes: 'items', indexes: [index] });
  await app({ insert: 'items', documents: Array.from({ length: count }, (_, _id) => ({ _id, at: new Date(0) })) });
}

test('what is due has been looked at', async () => {
  await start({ members: 3 });
  await insertDue(3);
  const before = await passes(served.primary!);
  await served.untilTtlPass();
  expect(await app({ count: 'items' })).toMatchObject({ n: 0 });
  expect(await passes(served.primary!)).toBe(before + 1);
});

test('a pass that has begun before does not count', async () => {
  await start({ members: 1, costs: { deleteMicros: 1_000_000 }, parameters: { ttlMonitorSleepSecs: 10 } });
  await insertDue(5);
  while (!(await inPass())) await served.advance(500_000);
  const before = await passes('n1');
  await served.untilTtlPass();
  expect(await passes('n1')).toBe(before + 2);
});

test('nor does one of a secondary', async () => {
  await start({ members: 3, parameters: { ttlMonitorEnabled: false } });
  const enable = (member: string) => served.command(member, { setParameter: 1, ttlMonitorEnabled: true });
  const old = served.primary!;
  await enable(old);
  await served.untilTtlPass();
  const primary = await served.stepDown();
  await expect(served.untilTtlPass(300_000_000)).rejects.toThrow(`ttlMonitorEnabled is off on ${primary}`);
  await enable(primary);
  await served.untilTtlPass(300_000_000);
});

test('an interrupted pass does not count', async () => {
  await start({ members: 1 });
  await insertDue(3);
  const hang = (mode: string) => served.command('n1', { configureFailPoint: 'hangTTLMonitorWithLock', mode });
  await hang('alwaysOn');
  const waiting = served.untilTtlPass(86_400_000_000_000);
  while (!(await inPass())) await served.advance(500_000);
  const { opid } = await monitorOf('n1');
  await served.command('n1', { killOp: 1, op: opid });
  expect(await app({ count: 'items' })).toMatchObject({ n: 3 });
  await hang('off');
  await waiting;
  expect(await app({ count: 'items' })).toMatchObject({ n: 0 });
});

test('a monitor that counts no passes ends them all the same', async () => {
  await start({ members: 1, version: '3.2' });
  await insertDue(3);
  await served.untilTtlPass();
  expect(await app({ count: 'items' })).toMatchObject({ n: 0 });
});

test('nobody listens any more, whether the pass came or not', async () => {
  await start({ members: 1 });
  let listening = 0;
  const { onTrace } = served.set;
  vi.spyOn(served.set, 'onTrace').mockImplementation((listener) => {
    const close = onTrace.call(served.set, listener);
    listening++;
    return () => {
      listening--;
      close();
    };
  });
  await served.untilTtlPass();
  expect(served.set.onTrace).toHaveBeenCalledOnce();
  expect(listening).toBe(0);
  await served.command('n1', { setParameter: 1, ttlMonitorEnabled: false });
  await expect(served.untilTtlPass(60_000_000)).rejects.toThrow(NoTtlPassError);
  expect(listening).toBe(0);
});
