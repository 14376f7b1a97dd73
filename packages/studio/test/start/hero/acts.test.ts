import { expect, test } from 'vitest';
import { FAILOVER, LOSS } from '../../../src/start/hero/acts.ts';
import { plotOf } from '../../../src/start/hero/plot.ts';
import { livelyTempoOf } from '../../../src/tempo/lively.ts';
import { filmOf, tempoOf } from '../../../src/tempo/tempo.ts';
import { traceOfText } from '../../core/lesson/traced.ts';

test('the primary is killed, another is elected, and some 25 s of film show it', async () => {
  const history = { events: await traceOfText(FAILOVER.text) };
  const plot = plotOf(history.events)!;
  expect(plot.faultMicros).toBeGreaterThan(plot.restMicros);
  expect(plot.successor?.writableMicros).toBeGreaterThan(plot.faultMicros);
  const tempo = tempoOf(history);
  const tookMs = tempo.endFilmMillis - tempo.filmMillisAt(plot.faultMicros);
  expect(tookMs).toBeGreaterThan(18_000);
  expect(tookMs).toBeLessThan(30_000);
});

test('at rest each heartbeat is seen to fly, and so there is always something to see', async () => {
  const events = await traceOfText(FAILOVER.text);
  const { restMicros, faultMicros } = plotOf(events)!;
  const tempo = livelyTempoOf({ events }, restMicros, faultMicros);
  const tookMs = tempo.filmMillisAt(faultMicros) - tempo.filmMillisAt(restMicros);
  expect(tookMs).toBeGreaterThan(5000);
  const sent = events.filter(
    (event) => event.type === 'sent' && event.what === 'replSetHeartbeat' && event.atMicros > restMicros,
  );
  for (const { atMicros } of sent.filter(({ atMicros }) => atMicros < faultMicros - 5000))
    expect(tempo.filmMillisAt(atMicros + 1000) - tempo.filmMillisAt(atMicros)).toBeGreaterThan(100);
});

test('with w: 1 the write is acknowledged by the old primary, and rolled back', async () => {
  const history = { events: await traceOfText(LOSS.text) };
  expect(plotOf(history.events)?.successor?.member).not.toBe('n1');
  const texts = filmOf(history)
    .captions.map(({ text }) => text)
    .join('\n');
  expect(texts).toMatch(/^n1 removes \d+ entr(y|ies) from its oplog$/m);
  expect(history.events.at(-1)).toMatchObject({ type: 'runEnded', held: true });
});
