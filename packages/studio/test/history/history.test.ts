import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { History } from '../../src/history/history.ts';

async function traced(file: string): Promise<TraceEvent[]> {
  const path = `scenarios/${file}.yaml`;
  const text = readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
  const trace: TraceEvent[] = [];
  await playScenario(parseScenario(text, path), (setup) => ReplSet.create({ ...setup, causes: true }), {
    onTrace: (event) => trace.push(event),
  });
  return trace;
}

function historyOf(trace: readonly TraceEvent[]): History {
  const history = new History();
  history.add(trace);
  return history;
}

const failover = await traced('election/failover-on-kill');
const rollback = await traced('rollback/files-keep-what-is-taken-away');
const states = (history: History, seconds: number) =>
  Object.fromEntries(history.at(seconds * 1e6).members.map(({ name, state }) => [name, state]));

describe('a failover', () => {
  const history = historyOf(failover);

  test('states at instants, to and fro', () => {
    expect(states(history, 0)).toEqual({ n1: 'STARTUP', n2: 'STARTUP', n3: 'STARTUP' });
    expect(states(history, 10.5)).toEqual({ n1: 'PRIMARY', n2: 'SECONDARY', n3: 'SECONDARY' });
    expect(states(history, 15)).toEqual({ n1: 'DOWN', n2: 'SECONDARY', n3: 'SECONDARY' });
    expect(states(history, 21.2)).toEqual({ n1: 'DOWN', n2: 'PRIMARY', n3: 'SECONDARY' });
    expect(states(history, 15)).toEqual({ n1: 'DOWN', n2: 'SECONDARY', n3: 'SECONDARY' });
    expect(history.at(21.3e6).members.find(({ name }) => name === 'n2')).toMatchObject({
      acceptsWrites: true,
      term: 2,
    });
  });

  test('lanes: stretches follow each other without a gap', () => {
    const stretches = history.stretches('n1');
    expect(stretches.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['SECONDARY', 'PRIMARY', 'DOWN', 'SECONDARY']),
    );
    for (const [i, { toMicros }] of stretches.entries()) expect(toMicros).toBe(stretches[i + 1]?.fromMicros);
  });

  test('marks say what was done and what came of it', () => {
    const kinds = history.marks.map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds).toContain('fault kill: n1');
    expect(kinds).toContain('primary wins term 2');
  });

  test('stepping goes from event to event of a member, both ways', () => {
    const next = history.neighbour(11.2e6, 1, 'n2') ?? 0;
    expect(next).toBeGreaterThan(11.2e6);
    expect(history.neighbour(next, -1, 'n2')).toBeLessThan(11.2e6);
    expect(history.neighbour(history.endMicros, 1, undefined)).toBeUndefined();
  });

  test('messages are under way between being sent and arriving', () => {
    const sent = failover.find((event) => event.type === 'sent' && event.atMicros > 11e6);
    expect(history.traffic.at(sent?.atMicros ?? 0).length).toBeGreaterThan(0);
    for (const { sentMicros, endedMicros } of history.traffic.at(11.1e6)) {
      expect(sentMicros).toBeLessThanOrEqual(11.1e6);
      expect(endedMicros).toBeGreaterThan(11.1e6);
    }
  });
});

test('a rollback takes cells away, and what it took was there before', () => {
  const history = historyOf(rollback);
  const rolledBack = rollback.find((event) => event.type === 'rolledBack');
  if (rolledBack?.type !== 'rolledBack') throw new Error('the scenario has lost its rollback');
  const { member, atMicros, removedEntries } = rolledBack;
  const opTimes = (at: number) =>
    history.oplogs.at(member, at, 1000).map(({ entry: { opTime } }) => `${opTime.ts.t} ${opTime.ts.i} ${opTime.t}`);
  for (const { opTime } of removedEntries) {
    expect(opTimes(atMicros - 1)).toContain(`${opTime.ts.t} ${opTime.ts.i} ${opTime.t}`);
    expect(opTimes(atMicros)).not.toContain(`${opTime.ts.t} ${opTime.ts.i} ${opTime.t}`);
  }
});

test('walls stand from the partition to its healing', () => {
  const history = historyOf(rollback);
  const instantOf = (type: string) => rollback.find((event) => event.type === type)?.atMicros ?? 0;
  expect(history.at(instantOf('partitioned') - 1).cut).toEqual([]);
  expect(history.at(instantOf('partitioned')).cut).toEqual([
    ['n1', 'n2'],
    ['n1', 'n3'],
    ['n2', 'n1'],
    ['n3', 'n1'],
  ]);
  expect(history.at(instantOf('healed')).cut).toEqual([]);
});

test('from any keyframe it comes to the same as from the start', () => {
  const history = historyOf(rollback);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: history.endMicros }), (atMicros) => {
      const upTo = historyOf(rollback.filter((event) => event.atMicros <= atMicros));
      expect(history.at(atMicros)).toEqual(upTo.at(atMicros));
    }),
    { seed: 1, numRuns: 30 },
  );
});

test('a run that arrives in slices is the same run', () => {
  const history = new History();
  for (let i = 0; i < failover.length; i += 777) history.add(failover.slice(i, i + 777));
  expect(history.at(21.2e6)).toEqual(historyOf(failover).at(21.2e6));
});

test('a repeat is one step, from its first turn to its last', () => {
  const step = (index: number, atMicros: number): TraceEvent => ({ atMicros, type: 'step', index, text: '' });
  const ended = (index: number, atMicros: number): TraceEvent => ({
    atMicros,
    type: 'stepEnded',
    index,
    outcome: 'done',
    sinceMicros: 0,
  });
  const history = historyOf([step(1, 5), step(1, 5), ended(1, 7), step(1, 7), ended(1, 9), ended(1, 9), step(2, 9)]);
  expect(history.steps).toEqual([
    { index: 1, atMicros: 5, endedMicros: 9 },
    { index: 2, atMicros: 9, endedMicros: undefined },
  ]);
});
