import type { MemberTrace, TraceEvent } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Behaviour, fakeSet } from './fakes.ts';

const TRACED: MemberTrace = { type: 'termChanged', from: 0, to: 1 };

/** Changes each 10 ms, and traces it if anybody wants to know. */
const traces: Behaviour = (event, self) => {
  const { options } = self;
  if (event.type !== 'started' && event.type !== 'timer') return [];
  self.changes++;
  const timer = { type: 'setTimer', key: 't', afterMicros: 10_000 } as const;
  return options.tracing ? [timer, { type: 'trace', event: TRACED }] : [timer];
};

test('listeners hear the header first, then all that happens, with time and member', async () => {
  const { set } = await fakeSet(traces, { members: [{ name: 'n1' }], icu: '57.1' });
  const events: TraceEvent[] = [];
  set.onTrace((event) => events.push(event));
  await set.advanceTo(11_000);
  set.record({ type: 'note', text: 'now for the faults' });
  set.pause('n1');
  set.jumpClock('n1', 5);
  set.driftClock('n1', 20);
  set.resume('n1');
  set.partition([['n1']]);
  set.cut('n1', 'n1');
  set.link('n1', 'n1', { loss: 0.5 });
  set.heal('all');
  set.kill('n1');
  const [header, ...rest] = events;
  expect(header).toMatchObject({
    atMicros: 0,
    type: 'runStarted',
    seed: 1,
    setName: 'rs0',
    members: ['n1'],
    icu: '57.1',
  });
  const wallMs = Date.UTC(2025, 0, 1) + 16;
  expect(rest).toEqual([
    { atMicros: 0, member: 'n1', ...TRACED },
    { atMicros: 10_000, member: 'n1', ...TRACED },
    { atMicros: 11_000, type: 'note', text: 'now for the faults' },
    { atMicros: 11_000, member: 'n1', type: 'processPaused' },
    { atMicros: 11_000, member: 'n1', type: 'clockChanged', jumpMs: 5, wallMs },
    { atMicros: 11_000, member: 'n1', type: 'clockChanged', driftPpm: 20, wallMs },
    { atMicros: 11_000, member: 'n1', type: 'processResumed' },
    { atMicros: 11_000, type: 'partitioned', groups: [['n1']] },
    { atMicros: 11_000, type: 'cut', from: 'n1', to: 'n1' },
    { atMicros: 11_000, type: 'linkChanged', from: 'n1', to: 'n1', settings: { loss: 0.5 } },
    { atMicros: 11_000, type: 'healed', members: 'all' },
    { atMicros: 11_000, member: 'n1', type: 'processStopped', how: 'killed' },
  ]);
});

test('nobody traces while nobody listens, but runUntil looks at the same instants with listeners and without', async () => {
  const looksOf = async (listening: boolean) => {
    const { set } = await fakeSet(traces, { members: [{ name: 'n1' }] });
    if (listening) set.onTrace(() => {});
    const looks: number[] = [];
    await set.advanceTo(15_000);
    await set.advanceTo(35_000);
    await set.runUntil(() => looks.push(set.nowMicros) === 4, 1_000_000);
    return looks;
  };
  expect(await looksOf(false)).toEqual([35_000, 40_000, 50_000, 60_000]);
  expect(await looksOf(true)).toEqual(await looksOf(false));
});
