import { readFileSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario, traceLine } from '@replsim/scenario';
import { describe, expect, test } from 'vitest';

// What came of what: the trace of a set that is asked for causes, over whole runs with faults.

const FILES = [
  'election/failover-on-kill',
  'rollback/files-keep-what-is-taken-away',
  'ttl/two-primaries-one-deletes',
  'clients/a-workload-through-a-flapping-link',
  'startup/standalone-on-replica-set-data',
];
const CAUSES: ReadonlySet<string> = new Set([
  'input',
  'turn',
  'clientTurn',
  'sent',
  'delivered',
  'lost',
  'deadline',
  'votesCounted',
]);

async function traced(file: string, causes: boolean): Promise<TraceEvent[]> {
  const path = `scenarios/${file}.yaml`;
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const trace: TraceEvent[] = [];
  await playScenario(parseScenario(text, path), (setup) => ReplSet.create({ ...setup, causes }), {
    onTrace: (event) => trace.push(event),
  });
  return trace;
}

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;
const only = <T extends TraceEvent['type']>(trace: readonly TraceEvent[], ...types: T[]) =>
  trace.filter((event): event is Of<T> => (types as string[]).includes(event.type));

describe.for(FILES)('%s', async (file) => {
  const trace = await traced(file, true);

  test('is the same run as without causes', async () => {
    const without = await traced(file, false);
    expect(without.filter(({ type }) => CAUSES.has(type))).toEqual([]);
    expect(trace.filter(({ type }) => !CAUSES.has(type)).map(traceLine)).toEqual(without.map(traceLine));
  });

  test('turns and inputs are counted together, and each comes of an earlier one', () => {
    const numbered = only(trace, 'turn', 'clientTurn', 'input');
    const [first] = numbered;
    // The set was initiated before anybody could listen.
    expect(first?.turn).toBe(2);
    expect(numbered.map(({ turn }) => turn)).toEqual(numbered.map((_, i) => i + 2));
    for (const event of only(numbered, 'turn', 'clientTurn')) expect(event.cause).toBeLessThan(event.turn);
  });

  test('every chain ends at an input, or before time began', () => {
    const causeOf = new Map(only(trace, 'turn', 'clientTurn').map(({ turn, cause }) => [turn, cause]));
    const inputs = new Set(only(trace, 'input').map(({ turn }) => turn));
    for (const start of causeOf.keys()) {
      let at: number | undefined = start;
      while (at !== undefined && causeOf.has(at)) at = causeOf.get(at);
      expect(at !== undefined && (at <= 1 || inputs.has(at))).toBe(true);
    }
  });

  test('what is sent between two members is delivered or lost, but for what is still under way', () => {
    const balance = new Map<string, number>();
    for (const { type, member, peer, what } of only(trace, 'sent', 'delivered', 'lost')) {
      const other = peer.replace(':27017', '');
      const way = type === 'delivered' ? `${other} to ${member}: ${what}` : `${member} to ${other}: ${what}`;
      balance.set(way, (balance.get(way) ?? 0) + (type === 'sent' ? 1 : -1));
    }
    expect(Math.min(...balance.values())).toBeGreaterThanOrEqual(0);
    // A request that waits at the far end has been delivered: so little is on its way at any instant.
    expect(Math.max(...balance.values())).toBeLessThanOrEqual(3);
  });
});

test('a vote is caused by the request, and that by the timer of the candidate', async () => {
  const trace = await traced('election/failover-on-kill', true);
  const turns = new Map(only(trace, 'turn').map((event) => [event.turn, event]));
  const voted = trace.findIndex((event) => event.type === 'voteAnswered' && event.dryRun && event.term === 1);
  const vote = trace.slice(0, voted).findLast((event) => event.type === 'turn') as Of<'turn'>;
  expect(vote).toMatchObject({ kind: 'message', what: 'replSetRequestVotes' });
  const stood = turns.get(vote.cause);
  expect(stood).toMatchObject({ kind: 'timer', what: 'election', member: vote.peer?.replace(':27017', '') });
});

test('how a vote stands, from the candidate’s own to a majority', async () => {
  const trace = await traced('election/failover-on-kill', true);
  const counted = only(trace, 'votesCounted').filter(({ term, dryRun }) => term === 2 && !dryRun);
  expect(counted.map(({ votes, needed, waitingFor }) => [votes, needed, waitingFor])).toEqual([
    [1, 2, 2],
    [2, 2, 1],
  ]);
});

test('an election timeout is put off by each word of a primary, and is over when it is over', async () => {
  const trace = await traced('election/failover-on-kill', true);
  const stood = trace.find((event) => event.type === 'electionStarted' && event.dryRun && event.term === 1) as
    | Of<'electionStarted'>
    | undefined;
  const put = only(trace, 'deadline').filter(
    ({ atMicros, member, of }) => of === 'electionTimeout' && member === stood?.member && atMicros < stood.atMicros,
  );
  expect(put.length).toBeGreaterThan(2);
  const [timeout, drawn] = put.slice(-2);
  // The jitter, at most 15 % of the timeout, is drawn when that is over; from then on it is known when it stands.
  expect(timeout?.drawnMicros).toBeUndefined();
  expect(drawn?.atMicros).toBe(timeout?.dueMicros);
  expect(drawn?.drawnMicros).toBeLessThan(1_500_000);
  expect(drawn?.dueMicros).toBe((timeout?.dueMicros ?? 0) + (drawn?.drawnMicros ?? 0));
  expect(stood?.atMicros).toBe(drawn?.dueMicros);
});

test('a process that is started again comes of the fault, whatever the script has gone on to', async () => {
  const trace = await traced('election/failover-on-kill', true);
  const input = only(trace, 'input').find(({ kind, what }) => kind === 'fault' && what === 'start: n1');
  const begun = only(trace, 'turn').filter(
    ({ atMicros, member, kind }) => atMicros > 0 && member === 'n1' && kind === 'started',
  );
  expect(begun.length).toBeGreaterThan(0);
  for (const { cause } of begun) expect(cause).toBe(input?.turn);
});
