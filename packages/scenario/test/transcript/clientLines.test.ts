import type { ClientTrace } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { Transcript } from '../../src/index.ts';

const COUNTS = { sent: 31, acknowledged: 0, lost: 0, errors: 0, unknown: 0, reads: 0, dirtyReads: 0, staleReads: 0 };

/** What a transcript says of events that happen a second after each other. */
function linesOf(...events: ClientTrace[]): string[] {
  const transcript = new Transcript();
  const lines = events.flatMap((event, index) => transcript.observe({ atMicros: (index + 1) * 1e6, ...event }));
  return [...lines, ...transcript.end()].map((line) => line.trim());
}
type Told = Partial<Extract<ClientTrace, { type: 'clientTold' }>>;
const told = (turn: number, more: Told = {}): ClientTrace => ({
  type: 'clientTold',
  workload: 'w',
  turn,
  sinceMicros: 0,
  outcome: 'acknowledged',
  server: 'n1',
  ...more,
});
const error = (name: string, message: string, code?: number) => ({ error: { name, message, ...(code && { code }) } });

test('a client begins, goes on its way and stops', () => {
  expect(
    linesOf(
      {
        type: 'workloadStarted',
        workload: 'w',
        operation: 'insert',
        everyMicros: 1,
        ns: 'app.c',
        concern: '{ w: 1 }',
        near: 'n2',
      },
      { type: 'clientSent', workload: 'w', turn: 1, attempt: 1, server: 'n1', lsid: '' },
      { type: 'clientSent', workload: 'w', turn: 1, attempt: 2, server: 'n2', lsid: '' },
      { type: 'workloadStopped', workload: 'w' },
    ),
  ).toEqual([
    '1.000s client w begins: insert app.c with { w: 1 }, near n2',
    '3.000s client w sends it again, to n2',
    '4.000s client w stops',
  ]);
});

test('of many answers the first of each kind makes a line', () => {
  const selection = error('MongoServerSelectionError', 'Server selection timed out after 30000 ms');
  const network = error('MongoNetworkError', 'n1: connection closed');
  expect(
    linesOf(
      told(1),
      told(2, { server: 'n2' }),
      told(3, { outcome: 'unknown', ...network }),
      told(4, { outcome: 'error', ...selection }),
      told(5, { outcome: 'error', ...selection }),
      told(6, { server: 'n2' }),
      told(7),
    ),
  ).toEqual([
    '1.000s client w is answered, from n1',
    '3.000s client w gets MongoNetworkError: n1: connection closed, from n1, and cannot know whether it was done',
    '4.000s client w gets MongoServerSelectionError: Server selection timed out after 30000 ms, from n1',
    '6.000s client w is answered again, from n2',
  ]);
});

test('a ledger of writes: the numbers, then each way in which acknowledged ones were lost', () => {
  const loss = {
    server: 'n1',
    term: 2,
    primary: 'n3',
    electedMicros: 25_035_000,
    heldBy: [1, 3] as const,
    keptBy: '{ w: "majority" }',
  };
  const forced = { version: 40_000, member: 'n4', atMicros: 13_500_000, without: ['n1', 'n2', 'n3'] };
  expect(
    linesOf({
      type: 'workloadEnded',
      workload: 'w',
      operation: 'insert',
      counts: { ...COUNTS, acknowledged: 30, lost: 21, errors: 1, unservedMs: 30_490, longestUnservedMs: 20_000 },
      losses: [
        { ...loss, writes: 20, fromMicros: 15_432_000, toMicros: 24_932_000 },
        { ...loss, writes: 1, fromMicros: 26_000_000, toMicros: 26_000_000, term: 3 },
        { ...loss, writes: 2, fromMicros: 1e6, toMicros: 2e6, forced, keptBy: '{ w: 4 }' },
      ],
    }),
  ).toEqual([
    '1.000s ledger of w: 31 sent, 30 acknowledged, 21 of them lost, 1 error, 0 unknown',
    '1.000s outages of w: 30.49s without an acknowledgement, the longest 20s',
    '1.000s lost: 20 acknowledged by n1 from 15.432s to 24.932s; n3, elected in term 2 at 25.035s, did not hold them; { w: "majority" } would have kept them',
    '1.000s lost: 1 acknowledged by n1 at 26.000s; n3, elected in term 3 at 25.035s, did not hold it; { w: "majority" } would have kept it',
    '1.000s lost: 2 acknowledged by n1 from 1.000s to 2.000s, when 1 to 3 members had them; n3, elected in term 2 at 25.035s, did not hold them, under config version 40000, which n4 installed by force at 13.500s, without n1, n2, n3; { w: 4 } would have kept them',
  ]);
});

test('a ledger of reads', () => {
  const times = { unservedMs: 1500, longestUnservedMs: 1500, withoutPrimaryMs: 517, longestWithoutPrimaryMs: 517 };
  const counts = { ...COUNTS, reads: 30, dirtyReads: 2, staleReads: 3, ...times };
  expect(linesOf({ type: 'workloadEnded', workload: 'r', operation: 'find', counts, losses: [] })).toEqual([
    '1.000s ledger of r: 31 sent, 30 answered, 2 of them dirty, 3 stale, 0 errors',
    '1.000s outages of r: 1.5s without an answer; 517ms without a primary',
  ]);
});
