import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CommandError, decodePromoted, encodeDocument, type TraceEvent } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { describe, expect, test } from 'vitest';
import { parseScenario, playScenario, playTo, traceLine } from '../src/index.ts';

// A run played up to an instant is the run up to that instant.

const read = (name: string) =>
  parseScenario(
    readFileSync(fileURLToPath(new URL(`../../../scenarios/${name}.yaml`, import.meta.url)), 'utf8'),
    `${name}.yaml`,
  );

const create = (options: ReplSetOptions) => ReplSet.create({ ...options, causes: true });

describe.for([
  'election/failover-on-kill',
  'ttl/lagging-member-shows-documents-longer',
  'clients/a-workload-through-a-flapping-link',
  'lessons/01-what-a-term-is',
])('%s', async (name) => {
  const scenario = read(name);
  const events: TraceEvent[] = [];
  const { virtualMicros } = await playScenario(scenario, create, { onTrace: (event) => events.push(event) });
  const steps = events.flatMap(({ type, atMicros }) =>
    type === 'step' || type === 'checked' || type === 'asked' || type === 'answered' ? [atMicros] : [],
  );
  const instants = [0, 1, ...steps, ...steps.map((at) => at + 1), Math.floor(virtualMicros / 3), virtualMicros];

  test.for([...new Set(instants)])('at %d µs', async (atMicros) => {
    const seen: TraceEvent[] = [];
    const set = await playTo(scenario, create, atMicros, { onTrace: (event) => seen.push(event) });
    expect(set.nowMicros).toBe(Math.min(atMicros, virtualMicros));
    const expected = events.filter((event) => event.atMicros <= atMicros);
    expect(seen.map(traceLine)).toEqual(expected.map(traceLine));
    await set.close();
  });
});

test('beyond its end a run is as it ended', async () => {
  const scenario = read('election/failover-on-kill');
  const { virtualMicros } = await playScenario(scenario, create);
  const set = await playTo(scenario, create, 1e12);
  expect(set.nowMicros).toBe(virtualMicros);
  const count = encodeDocument({ count: 'orders', $db: 'app', $readPreference: { mode: 'secondaryPreferred' } });
  expect(decodePromoted(set.ask('n1', count)).n).toBe(2);
  await set.close();
});

test('a set that does not start cannot be looked at', async () => {
  const refuses = async () => {
    throw new CommandError('BadValue', 'it does not start');
  };
  await expect(playTo(read('election/failover-on-kill'), refuses, 1e6)).rejects.toThrow('it does not start');
});

test('a set whose run breaks down is closed', async () => {
  let set: ReplSet | undefined;
  const breaks = async (options: ReplSetOptions) => {
    set = await create(options);
    return set;
  };
  const onTrace = (event: TraceEvent) => {
    if (event.type === 'electionWon') throw new Error('a bug');
  };
  await expect(playTo(read('election/failover-on-kill'), breaks, 60e6, { onTrace })).rejects.toThrow('a bug');
  await expect(set!.advanceTo(70e6)).rejects.toThrow('the set is closed');
});
