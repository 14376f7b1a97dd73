import fc from 'fast-check';
import { expect, test } from 'vitest';
import { History } from '../../src/core/history/history.ts';
import { momentsOf, type Stepping, stepped } from '../../src/tempo/moments.ts';
import { filmOf } from '../../src/tempo/tempo.ts';
import { traceOf } from '../core/lesson/traced.ts';

test('each moment is shown, whatever the film leaves behind in a frame, and nothing between', () => {
  const anyMoments = fc.uniqueArray(fc.integer({ min: 1, max: 1000 })).map((each) => each.sort((a, b) => a - b));
  const anyPace = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1 });
  fc.assert(
    fc.property(anyMoments, anyPace, (moments, pace) => {
      let at: Stepping = { shownMicros: 0, filmMicros: 0 };
      const shown: number[] = [];
      for (let frame = 0; at.shownMicros < 1000; frame++) {
        at = stepped(at.shownMicros, at.filmMicros + pace[frame % pace.length]!, moments, 1000);
        // Nothing is shown before the film is there.
        expect(at.shownMicros).toBeLessThanOrEqual(at.filmMicros);
        if (at.shownMicros !== (shown.at(-1) ?? 0)) shown.push(at.shownMicros);
      }
      expect(shown).toEqual([...new Set([...moments, 1000])]);
    }),
  );
});

test('moments are what is to be seen and what is said, of both runs', async () => {
  const histories = ['election/failover-on-kill', 'lessons/02-how-an-election-goes'].map(async (file) => {
    const history = new History();
    history.add(await traceOf(file));
    return history;
  });
  const both = await Promise.all(histories);
  const moments = new Set(momentsOf(both));
  for (const history of both) {
    const { captions, spans } = filmOf(history);
    expect(captions.length).toBeGreaterThan(10);
    for (const { atMicros } of captions) expect(moments).toContain(atMicros);
    for (const { fromMicros } of spans) expect(moments).toContain(fromMicros);
  }
  expect([...moments]).toEqual([...moments].sort((a, b) => a - b));
});
