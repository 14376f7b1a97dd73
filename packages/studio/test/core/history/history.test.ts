import { readFileSync } from 'node:fs';
import { compareOpTimes, type OplogEntry, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { History } from '../../../src/core/history/history.ts';
import { after, clockAheadMs, unseen } from '../../../src/core/history/memberAt.ts';
import type { Stop } from '../../../src/core/history/stops.ts';

async function traced(file: string): Promise<TraceEvent[]> {
  const path = `scenarios/${file}.yaml`;
  const text = readFileSync(new URL(`../../../../../${path}`, import.meta.url), 'utf8');
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
const expiring = await traced('lessons/06-who-deletes-expired-documents');
const longExpired = await traced('ttl/cut-off-secondary-keeps-expired-documents');
const rollback = await traced('rollback/files-keep-what-is-taken-away');
const states = (history: History, seconds: number) =>
  Object.fromEntries(history.at(seconds * 1e6).members.map(({ name, state }) => [name, state]));

test('marks are in order, and those of documents that expire stand where they did, by the clock of who deletes them', () => {
  const { marks } = historyOf(expiring);
  expect(marks.map(({ atMicros }) => atMicros)).toEqual(marks.map(({ atMicros }) => atMicros).sort((a, b) => a - b));
  const due = marks.filter(({ kind }) => kind === 'due');
  expect(due.map(({ member, atMicros, knownMicros }) => [member, atMicros, knownMicros! > atMicros])).toEqual([
    ['n1', 91_012_000, true],
    ['n1', 135_004_000, true],
    ['n2', 271_000_000, true],
  ]);
  expect(due[0]!.text).toBe('documents of app.sessions expire, from here on; TTL deletes them at 120.002s');
  // Expired before the run, and in batches.
  const cutOff = historyOf(longExpired).marks.map(({ kind }) => kind);
  expect(cutOff.filter((kind) => kind === 'ttl')).toHaveLength(3);
  expect(cutOff).not.toContain('due');
});

describe('a failover', () => {
  const history = historyOf(failover);

  test('what the TTL monitor of a process does from its start', () => {
    const monitors = (seconds: number) => history.at(seconds * 1e6).members.map(({ ttl }) => ttl);
    const asleep = { phase: 'sleeping', sinceMicros: 0, wakeMicros: 60_001_000 };
    expect(monitors(0)).toEqual([asleep, asleep, asleep]);
    expect(monitors(15)).toEqual([undefined, asleep, asleep]);
    expect(monitors(22)[0]).toMatchObject({ phase: 'sleeping' });
  });

  test('the log of a member, newest last, filtered, and no more than is wanted', () => {
    const at = (seconds: number, filter = {}, most = 1000) => history.logs.at('n2', seconds * 1e6, filter, most);
    const all = at(15);
    expect(all.earlier).toBe(0);
    expect(all.lines.every(({ atMicros }) => atMicros <= 15e6)).toBe(true);
    expect(at(22).lines.length).toBeGreaterThan(all.lines.length);
    const newest = at(15, {}, 3);
    expect(newest.lines).toEqual(all.lines.slice(-3));
    expect(newest.earlier).toBe(all.lines.length - 3);
    const elections = at(22, { component: 'ELECTION' });
    expect(elections.lines.length).toBeGreaterThan(0);
    expect(new Set(elections.lines.map(({ line }) => line.component))).toEqual(new Set(['ELECTION']));
    expect(at(22, { severity: 'F' }).lines).toEqual([]);
    expect(history.logs.kinds('n2').components).toContain('ELECTION');
    expect(history.logs.kinds('n2').severities).toContain('I');
    expect(history.logs.at('n9', 22e6, {}, 3)).toEqual({ lines: [], earlier: 0 });
  });

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

test('a rollback strikes cells, and what it took was there before', () => {
  const history = historyOf(rollback);
  const rolledBack = rollback.find((event) => event.type === 'rolledBack');
  if (rolledBack?.type !== 'rolledBack') throw new Error('the scenario has lost its rollback');
  const { member, atMicros, removedEntries } = rolledBack;
  const cellOf = (at: number, entry: OplogEntry) =>
    history.oplogs.at(member, at, 1000).find((cell) => cell.entry === entry);
  expect(removedEntries.length).toBeGreaterThan(0);
  for (const entry of removedEntries) {
    expect(cellOf(atMicros - 1, entry)).toMatchObject({ removal: undefined });
    expect(cellOf(atMicros, entry)).toMatchObject({ removal: 'rolled back', removedMicros: atMicros });
    expect(cellOf(history.endMicros, entry)).toMatchObject({ removal: 'rolled back' });
  }
  const others = history.memberNames.filter((name) => name !== member);
  for (const other of others)
    expect(history.oplogs.at(other, history.endMicros, 1000).filter(({ removal }) => removal)).toEqual([]);
});

test('a cell says which turn wrote it, and cells are in the order of their optimes', () => {
  const history = historyOf(rollback);
  const turns = new Map(
    rollback.flatMap((event) => (event.type === 'turn' || event.type === 'input' ? [[event.turn, event]] : [])),
  );
  for (const member of history.memberNames) {
    const cells = history.oplogs.at(member, history.endMicros, 1000);
    for (const [i, { entry, turn, addedMicros }] of cells.entries()) {
      expect(turns.get(turn)?.atMicros).toBe(addedMicros);
      const before = cells[i - 1];
      if (before) expect(compareOpTimes(before.entry.opTime, entry.opTime)).toBeLessThan(0);
    }
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

test('what is older is found by the newest that is shown', () => {
  const history = historyOf(rollback);
  const all = history.oplogs.at('n2', history.endMicros, 1000);
  const [last] = all.slice(-4);
  expect(history.oplogs.at('n2', history.endMicros, 3, last?.entry.opTime)).toEqual(all.slice(-6, -3));
});

describe('stepping by kind', () => {
  const history = historyOf(failover);
  const walk = (kind: Stop, member?: string) => {
    const found: number[] = [];
    for (let at: number | undefined = -1; at !== undefined; ) {
      at = history.neighbour(at, 1, member, kind);
      if (at !== undefined) found.push(at);
    }
    return found;
  };
  const instants = (types: readonly string[], member?: string) => [
    ...new Set(
      failover
        .filter(
          (event) =>
            types.includes(event.type) && (member === undefined || ('member' in event && event.member === member)),
        )
        .map(({ atMicros }) => atMicros),
    ),
  ];

  test('messages are those that are sent, delivered or lost, of the member that is selected', () => {
    expect(walk('message')).toEqual(instants(['sent', 'delivered', 'lost']));
    expect(walk('message', 'n2')).toEqual(instants(['sent', 'delivered', 'lost'], 'n2'));
    expect(walk('message', 'n2').length).toBeLessThan(walk('message').length);
  });

  test('steps are the scenario’s, whoever is selected', () => {
    expect(walk('step', 'n2')).toEqual(instants(['step']));
    expect(walk('step').length).toBeGreaterThan(2);
  });

  test('back is the same way', () => {
    const steps = walk('step');
    expect(history.neighbour(steps[2]!, -1, undefined, 'step')).toBe(steps[1]);
  });
});

test('a monitor sleeps from the start on, and does no more when its process has ended', () => {
  const history = historyOf(failover);
  const ttlOf = (seconds: number) => history.at(seconds * 1e6).members.find(({ name }) => name === 'n1')?.ttl;
  expect(ttlOf(1)).toMatchObject({ phase: 'sleeping', wakeMicros: 60_001_000 });
  expect(ttlOf(15)).toBeUndefined();
});

test('links have the latency that somebody gave them, until all is healed', () => {
  const history = historyOf([
    {
      atMicros: 0,
      type: 'runStarted',
      traceVersion: 2,
      seed: 1,
      version: '8.0',
      setName: 'rs0',
      members: ['n1', 'n2'],
      epochMs: 0,
      options: { network: { latencyMs: 7 } },
    },
    { atMicros: 5, type: 'linkChanged', from: 'n1', to: 'n2', settings: { latencyMs: [50, 60] } },
    { atMicros: 6, type: 'linkChanged', from: 'n1', to: 'n2', settings: { loss: 0.5 } },
    { atMicros: 9, type: 'healed', members: 'all' },
  ]);
  expect(history.at(4)).toMatchObject({ links: [], latencyMs: [7, 7] });
  expect(history.at(6).links).toEqual([{ from: 'n1', to: 'n2', latencyMs: [50, 60], others: { loss: 0.5 } }]);
  expect(history.at(9).links).toEqual([]);
});

test('a clock is ahead by its jumps and by what it has drifted since', () => {
  const changed = (atMicros: number, change: { jumpMs?: number; driftPpm?: number }): TraceEvent => ({
    atMicros,
    type: 'clockChanged',
    member: 'n1',
    wallMs: 0,
    ...change,
  });
  const member = [
    changed(0, { jumpMs: 1000 }),
    changed(1e6, { driftPpm: 1000 }),
    changed(11e6, { driftPpm: 0 }),
  ].reduce(after, unseen('n1'));
  expect(clockAheadMs(member, 20e6)).toBe(1010);
  const drifting = [changed(0, { driftPpm: 500 })].reduce(after, unseen('n1'));
  expect(clockAheadMs(drifting, 4e6)).toBe(2);
});

test('clients’ operations and what a majority lacks are stretches that follow each other', async () => {
  const history = historyOf(await traced('clients/minority-client-finds-no-server'));
  const spans = [...history.lanes.workloads.values()].flat();
  expect(new Set(spans.map(({ kind }) => kind)).size).toBeGreaterThan(1);
  for (const lane of [history.lanes.commits, ...history.lanes.workloads.values()])
    for (const [i, { fromMicros, toMicros }] of lane.entries()) {
      const before = lane[i - 1];
      if (!before) continue;
      expect(fromMicros).toBeGreaterThanOrEqual(before.fromMicros);
      expect(toMicros ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(before.toMicros ?? Number.POSITIVE_INFINITY);
    }
  expect(history.lanes.commits.length).toBeGreaterThan(2);
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

test('the newest operation of a workload', async () => {
  const history = historyOf(await traced('clients/a-workload-through-a-flapping-link'));
  const [first] = history.operations.at(history.endMicros);
  expect(history.operations.at(0)).toEqual([]);
  const [early] = history.operations.at(14e6);
  expect(early!.workload).toBe(first!.workload);
  expect(early!.turn).toBeLessThan(first!.turn);
});
