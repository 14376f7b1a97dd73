import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { InvalidScenario, type PlayResult, parseScenario, playScenario, Transcript } from '../src/index.ts';

// Faults that happen at their instants, whichever step is under way.

const scenario = (meanwhile: string, steps: string) =>
  `name: meanwhile\nreplicaSet: { members: 3 }\nmeanwhile: ${meanwhile}\nsteps: ${steps}\n`;

async function play(text: string, pace?: () => Promise<void>): Promise<PlayResult & { events: TraceEvent[] }> {
  const events: TraceEvent[] = [];
  const onTrace = (event: TraceEvent) => void events.push(event);
  const options = { onTrace, ...(pace && { pace }) };
  const result = await playScenario(parseScenario(text, 'm.yaml'), (set) => ReplSet.create(set), options);
  return { ...result, events };
}

const WHEN_KILLED = 'processStopped';
const killedAt = (events: readonly TraceEvent[]) =>
  events.flatMap((event) => (event.type === WHEN_KILLED ? [[event.member, event.atMicros]] : []));

describe('a fault happens at its instant', () => {
  test.for([
    ['while time passes', '[{ advance: 60s }]'],
    ['while time passes to an instant', '[{ advance: { to: 60s } }]'],
    ['while a check waits', '[{ eventually: { within: 60s, state: { n2: DOWN } } }, { advance: { to: 41s } }]'],
    ['while steps are repeated', '[{ repeat: { times: 60, steps: [{ advance: 1s }] } }]'],
  ])('%s', async ([, steps]) => {
    const { ok, events } = await play(scenario('[{ at: 40.25s, kill: n2 }]', steps!));
    expect(ok).toBe(true);
    expect(killedAt(events)).toEqual([['n2', 40_250_000]]);
  });

  test('in the order of time, however they are written', async () => {
    const { events } = await play(scenario('[{ at: 50s, kill: n3 }, { at: 40s, kill: n2 }]', '[{ advance: 60s }]'));
    expect(killedAt(events)).toEqual([
      ['n2', 40_000_000],
      ['n3', 50_000_000],
    ]);
  });

  test('and a word means who it means then', async () => {
    const steps = '[{ eventually: { primary: any, within: 60s } }, { advance: { to: 60s } }]';
    const { events } = await play(scenario('[{ at: 40s, kill: primary }]', steps));
    const primaries = events.flatMap((event) =>
      event.type === 'stateChanged' && event.to === 'PRIMARY' && event.atMicros < 40_000_000 ? [event.member] : [],
    );
    expect(killedAt(events)).toEqual([[primaries.at(-1), 40_000_000]]);
  });

  test('and what takes longer than the step that is under way goes on after it', async () => {
    const { ok, events } = await play(
      scenario('[{ at: 39s, shutdown: n2 }, { at: 41s, kill: n3 }]', '[{ advance: 40s }, { advance: 2s }]'),
    );
    expect(ok).toBe(true);
    expect(killedAt(events).map(([member]) => member)).toEqual(['n3', 'n2']);
  });

  test('and what one of them waits for counts, although it is over before another has what it waits for', async () => {
    const shutdowns = '{ at: 40s, shutdown: n2 }, { at: 41s, shutdown: n3 }';
    const { ok, failure } = await play(
      scenario(`[${shutdowns}, { at: 55.5s, start: n2 }]`, '[{ advance: 60s }, { expect: { state: { n3: DOWN } } }]'),
    );
    expect(failure?.detail).toBe(undefined);
    expect(ok).toBe(true);
  });

  test('and a restart fails where somebody has started its member in between', async () => {
    const restarts = '{ at: 40s, restart: n2 }, { at: 41s, shutdown: n3 }, { at: 55.5s, start: n2 }';
    const { failure } = await play(scenario(`[${restarts}]`, '[{ advance: 60s }]'));
    expect([failure?.text, failure?.asked, failure?.got]).toEqual([
      'restart: n2',
      'n2 starts',
      'it is running already',
    ]);
  });

  test('however slowly it is played', async () => {
    const text = scenario('[{ at: 20s, kill: n2 }, { at: 30s, start: n2 }]', '[{ advance: 40s }]');
    expect((await play(text, async () => {})).events).toEqual((await play(text)).events);
  });
});

test('the transcript tells of it as of a step', async () => {
  const { events } = await play(scenario('[{ at: 20s, kill: n2 }]', '[{ advance: 40s }]'));
  const transcript = new Transcript();
  const lines = [...events.flatMap((event) => transcript.observe(event)), ...transcript.end()];
  expect(lines.filter((line) => / 20\.000s /.test(line))).toEqual(['   20.000s > kill: n2', '   20.000s n2 is killed']);
});

describe('what cannot be done fails, and says where', () => {
  test.for([
    ['[{ at: 20s, start: n2 }]', 'meanwhile, at 20.000s, line 3: start: n2', 'it is running already'],
    ['[{ at: 3s, kill: primary }]', 'meanwhile, at 3.000s, line 3: kill: primary', 'there is none now'],
    ['[{ at: 50s, kill: n2 }]', 'meanwhile, at 50.000s, line 3: kill: n2', 'they are over at 40.000s'],
  ])('%s', async ([meanwhile, title, got]) => {
    const { ok, failure } = await play(scenario(meanwhile!, '[{ advance: 40s }]'));
    expect(ok).toBe(false);
    expect(failure).toMatchObject({ title, got });
  });
});

describe('what is optional is passed over where it cannot be done', () => {
  test.for([
    '[{ at: 20s, start: n2, optional: true }]',
    '[{ at: 3s, kill: primary, optional: true }]',
    '[{ at: 50s, kill: n2, optional: true }]',
    '[{ at: 20s, kill: n2 }, { at: 21s, hold: { on: n2, part: ttl }, optional: true }]',
    '[{ at: 20s, addMember: { on: primary, as: added, name: n2 }, optional: true }]',
  ])('%s', async (meanwhile) => {
    const { ok, failure } = await play(scenario(meanwhile, '[{ advance: 40s }]'));
    expect(failure?.detail).toBeUndefined();
    expect(ok).toBe(true);
  });

  test('and done where it can be', async () => {
    const { events } = await play(scenario('[{ at: 20s, kill: n2, optional: true }]', '[{ advance: 40s }]'));
    expect(killedAt(events)).toEqual([['n2', 20_000_000]]);
  });

  test('but a broken invariant is not', async () => {
    const text = scenario('[{ at: 20s, start: n2, optional: true }]', '[{ advance: 40s }]');
    const breaks = (event: TraceEvent) =>
      event.type === 'step' && event.index < 0 ? { name: 'neverTried', detail: 'it was' } : undefined;
    const result = await playScenario(parseScenario(text, 'm.yaml'), (set) => ReplSet.create(set), {
      observers: [breaks],
    });
    expect(result.failure?.asked).toBe('invariant neverTried');
  });
});

test('an operator may change who is in the set, and ask whatever a client may', async () => {
  const steps =
    '[{ eventually: { within: 60s, primary: any } }, { advance: { to: 60s } }, { expect: { on: primary, command: { replSetGetConfig: 1 }, matches: { config.members: { $size: 2 } } } }]';
  const { failure } = await play(
    scenario(
      '[{ at: 30s, removeMember: { on: primary, name: n3 } }, { at: 40s, addMember: { on: primary, name: n3 } }, { at: 50s, removeMember: n3 }, { at: 51s, run: { on: n1, command: { ping: 1 }, as: asked } }]',
      steps,
    ),
  );
  expect(failure?.detail).toBeUndefined();
});

describe('mistakes are told where they stand', () => {
  test.for([
    ['[]', 'expected at least one fault'],
    ['{ at: 3s, kill: n1 }', 'expected a list of faults at instants'],
    ['[{ at: 3s }]', 'nothing happens at this instant'],
    ['[{ at: 3s, kill: n1, pause: n2 }]', 'one fault each, and this is "kill" already'],
    ['[{ kill: n1 }]', '"at"'],
    ['[{ at: soon, kill: n1 }]', 'soon'],
    ['[{ at: 3s, kill: n4 }]', 'no member is called "n4"'],
    ['[{ at: 3s, advance: 3s }]', 'unknown key "advance" in a fault at an instant'],
    ['[{ at: 3s, start: { member: n1, parameters: { nope: 1 } } }]', 'no parameter is called "nope"'],
    ['[{ at: 3s, optional: true }]', 'nothing happens at this instant'],
    ['[{ at: 3s, kill: n1, optional: 1 }]', 'expected true or false'],
    ['[3]', 'at an instant'],
  ])('%s', ([meanwhile, message]) => {
    const read = () => parseScenario(scenario(meanwhile!, '[{ advance: 40s }]'), 'm.yaml');
    expect(read).toThrow(InvalidScenario);
    expect(read).toThrow(message);
  });
});
