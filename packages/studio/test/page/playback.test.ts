import { expect, test } from 'vitest';
import { AUTOMATIC, later } from '../../src/page/time/usePlayback.ts';
import { tempoOf } from '../../src/tempo/tempo.ts';
import { traceOf } from '../core/lesson/traced.ts';

const FRAME_MS = 1000 / 60;

test('frames at automatic tempo take the time of the film, and each goes on', async () => {
  const events = await traceOf('election/failover-on-kill');
  const tempo = tempoOf({ events });
  const endMicros = events.at(-1)!.atMicros;
  let frames = 0;
  for (let at = 0; at < endMicros; frames++) {
    const next = later(at, FRAME_MS, AUTOMATIC, tempo);
    expect(next).toBeGreaterThan(at);
    at = next;
  }
  expect((frames * FRAME_MS) / tempo.endFilmMillis).toBeCloseTo(1, 1);
});

test('at a speed of one’s own a second is what one has said', async () => {
  const tempo = tempoOf({ events: await traceOf('election/failover-on-kill') });
  expect(later(1_000_000, 1000, 4, tempo)).toBe(5_000_000);
  expect(later(7, 0, AUTOMATIC, tempo)).toBe(7);
});
