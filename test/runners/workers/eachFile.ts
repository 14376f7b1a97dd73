import { replicaSetPerWorker } from 'replsim/vitest';
import { expect, test, vi } from 'vitest';

export function eachFile(): void {
  const set = replicaSetPerWorker({ members: 1, speed: 0 });

  test('a file finds no databases, and the set of its worker', async () => {
    const count = { count: 'items', $db: 'app' };
    expect(await set.command('n1', count)).toMatchObject({ n: 0 });
    await set.command('n1', { insert: 'items', documents: [{ _id: 1 }], $db: 'app' });
    expect(set.speed).toBe(0);
    set.speed = 1;
    // Left as they are: the next file finds real timers.
    set.useFakeTimers(vi);
    console.log(`uri ${set.uri}`);
  });
}
