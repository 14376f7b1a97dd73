import type { ReplSet } from '@replsim/replset';
import { median, timed } from './measure.ts';
import { passesOf, run } from './set.ts';

/** How long a pass takes that finds nothing to delete: the median of several, by the wall. Unit: ms. */
export async function idlePassMillis(set: ReplSet, member: string): Promise<number> {
  await run(set, member, { setParameter: 1, ttlMonitorSleepSecs: 1, $db: 'admin' });
  const millis: number[] = [];
  while (millis.length < 15) millis.push(await onePass(set, member));
  return median(millis);
}

/** Goes on by the millisecond, so that what is timed is the pass and hardly anything else. */
async function onePass(set: ReplSet, member: string): Promise<number> {
  const before = passesOf(set, member);
  for (;;) {
    const seconds = await timed(() => set.advanceTo(set.nowMicros + 1000));
    if (passesOf(set, member) > before) return seconds * 1000;
  }
}
