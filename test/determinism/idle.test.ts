import { spawnSync } from 'node:child_process';
import { Checkers } from '@replsim/checker';
import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';
import { withChild } from './withChild.ts';

test('a set that nobody uses gives the checkers nothing to do', async () => {
  const set = await ReplSet.create({
    members: [{ name: 'n1' }, { name: 'n2' }, { name: 'n3' }],
    parameters: { writePeriodicNoops: false },
  });
  const { events } = new Checkers();
  const seen = new Map<string, number>();
  // By then the primary has made the collection of sessions, at its first refresh.
  await set.advanceTo(310_000_000);
  set.onTrace(({ type }) => {
    if (type !== 'runStarted' && events.has(type)) seen.set(type, (seen.get(type) ?? 0) + 1);
  });
  await set.advanceTo(3_600_000_000);
  // The TTL monitor's passes are news to `neverEarly`, once a minute.
  expect([...seen.keys()]).toEqual(['ttlPassEnded']);
  expect(seen.get('ttlPassEnded')).toBeLessThanOrEqual(3 * 60);
  await set.close();
});

test('a served set that nobody uses takes a step where something is due, also where a step is slow', async () => {
  await withChild('test/determinism/idleChild.ts', (child) => {
    for (const flag of ['--no-opt', '--jitless']) {
      const ran = spawnSync(process.execPath, [flag, child], { encoding: 'utf8' });
      expect(ran.status, ran.stderr).toBe(0);
      const { steps, events } = JSON.parse(ran.stdout);
      expect(events, flag).toBeGreaterThan(0);
      // One step for what is due, and one that finds nothing more.
      expect(steps, flag).toBeLessThanOrEqual(2 * events + 2);
    }
  });
}, 120_000);
