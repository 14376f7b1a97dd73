import { describe, expect, test, vi } from 'vitest';
import { leaveWorkerSet, workerSet } from '../src/workerSet.ts';

const options = { members: ['n1', 'n2', 'n3'], speed: 0, invariants: false } as const;
const databasesOf = async (set: Awaited<ReturnType<typeof workerSet>>) => {
  const { databases } = await set.command(await set.untilPrimary(), { listDatabases: 1 });
  return (databases as { name: string }[]).map(({ name }) => name);
};

describe('what a file leaves behind', () => {
  test('is cleared away, and the next one gets the same set', async () => {
    const set = await workerSet(options);
    await set.command('n1', { insert: 'items', documents: [{ _id: 1 }], $db: 'app' });
    expect(await databasesOf(set)).toContain('app');
    await set.partition([['n3'], ['n1', 'n2']]);
    set.speed = 5;
    await leaveWorkerSet(set, options);
    expect(await databasesOf(set)).toEqual(['admin', 'config', 'local']);
    expect(set.speed).toBe(0);
    await set.command('n1', { insert: 'items', documents: [{ _id: 1 }], $db: 'app', writeConcern: { w: 3 } });
    expect(await workerSet(options)).toBe(set);
    await set.stop();
    await leaveWorkerSet(set, options);
  });

  test('faked timers are real again', async () => {
    const set = await workerSet(options);
    const real = globalThis.setTimeout;
    set.speed = 1;
    set.useFakeTimers(vi);
    await leaveWorkerSet(set, options);
    expect(globalThis.setTimeout).toBe(real);
    expect([await workerSet(options), set.speed]).toEqual([set, 0]);
  });

  test.for<[left: string, leave: (set: Awaited<ReturnType<typeof workerSet>>) => Promise<unknown>]>([
    ['a member that is down', (set) => set.kill('n3')],
    ['a member that stands still', (set) => set.pause('n3')],
    ['no primary', (set) => set.command('n1', { replSetStepDown: 60 })],
    ['a set that is stopped', (set) => set.stop()],
  ])('%s: the next one gets another set', async ([, leave]) => {
    const set = await workerSet(options);
    await leave(set);
    await leaveWorkerSet(set, options);
    await expect(set.advance('1s')).rejects.toThrow('the set is stopped');
    const next = await workerSet(options);
    expect(next).not.toBe(set);
    await next.kill('n1');
    await leaveWorkerSet(next, options);
  });

  test('a set that cannot start is tried again', async () => {
    const wrong = { members: 1, parameters: { nonsense: 1 } };
    await expect(workerSet(wrong)).rejects.toThrow(/nonsense/);
    await expect(workerSet(wrong)).rejects.toThrow(/nonsense/);
  });
});

test('other options mean another set', async () => {
  const one = await workerSet({ ...options, name: 'one' });
  const two = await workerSet({ ...options, name: 'two' });
  expect([one.name, two.name]).toEqual(['one', 'two']);
  await Promise.all([one.stop(), two.stop()]);
});
