import { expect, test, vi } from 'vitest';
import { beforeNowMs } from '../src/beginning.ts';
import { REAL_TIME } from '../src/clock/realTime.ts';
import { ServedSet } from '../src/index.ts';
import type { ServeOptions } from '../src/serveOptions.ts';

test.for<{ name: string; options: ServeOptions; beforeMs: number }>([
  { name: 'three members', options: {}, beforeMs: 11_600 },
  { name: 'of another timeout', options: { settings: { electionTimeoutMillis: 2000 } }, beforeMs: 2400 },
  { name: 'a member alone', options: { members: 1, spares: 2 }, beforeMs: 0 },
  { name: 'who is not initiated', options: { initiate: false }, beforeMs: 0 },
  { name: 'who takes too long', options: { settings: { electionTimeoutMillis: 600_000 } }, beforeMs: 0 },
])('how long before now a set begins: $name', ({ options, beforeMs }) => {
  expect(beforeNowMs(options)).toBe(beforeMs);
});

test.for([1, 2, 3, 7])(
  'the first election of seed %d is over before that, and the clock at the beginning again',
  async (seed) => {
    const served = await ServedSet.start({ seed, speed: 0 });
    expect(served.primary).toBeDefined();
    // Whatever time it took: where time stands still, the same seed gives the same run.
    expect(served.wallMs - served.set.epochMs).toBe(11_600);
    await served.stop();
  },
);

test('where time stands still, a slow machine too has all behind it when the set has started', async () => {
  let nowMs = REAL_TIME.monotonicMs();
  // Between two looks at the clock so much time goes by that others have their turn.
  const clock = vi.spyOn(REAL_TIME, 'monotonicMs').mockImplementation(() => (nowMs += 50));
  try {
    const served = await ServedSet.start({ seed: 1, speed: 0 });
    expect(served.set.nowMicros).toBe(11_600_000);
    await served.stop();
  } finally {
    clock.mockRestore();
  }
});

test('an epoch that was asked for is what the clocks show at the start, and time flows on from the first election', async () => {
  const epochMs = Date.UTC(2030);
  const served = await ServedSet.start({ speed: 0, epochMs });
  expect(served.set.epochMs).toBe(epochMs);
  expect(served.wallMs - epochMs).toBeGreaterThan(10_000);
  expect(served.wallMs - epochMs).toBeLessThan(11_600);
  await served.stop();
});
