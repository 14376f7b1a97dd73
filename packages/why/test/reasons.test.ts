import { encodeDocument, NULL_OP_TIME, OplogEntry, type TraceEvent } from '@replsim/protocol';
import { beforeEach, expect, test } from 'vitest';
import { Reasons } from '../src/index.ts';

// What a run of a scenario does not easily come to; the rest is in test/questions.

let reasons: Reasons;
let atMicros = 0;
const at = (i: number) => ({ ts: { t: 5, i }, t: 1 });
const dataHash = [0, 0] as const;

function observe(event: Record<string, unknown>): void {
  reasons.observe({ atMicros, ...event } as unknown as TraceEvent);
}

function start(member: string, i: number): void {
  const started = { mode: 'replSet', hasReplSetConfig: true, ttlMonitorStarted: true, term: 1, dataHash };
  observe({ type: 'processStarted', member, lastApplied: at(i), ...started });
}

function entry(i: number): OplogEntry {
  return new OplogEntry({ op: 'n', ns: '', o: new Uint8Array([5, 0, 0, 0, 0]) }, at(i), 0);
}

function write(i: number): void {
  observe({ type: 'oplogWritten', member: 'n1', origin: 'self', entries: [entry(i)], acceptsWrites: true });
}

beforeEach(() => {
  reasons = new Reasons();
  atMicros = 0;
  const run = { traceVersion: 2, seed: 1, version: '8.0', setName: 'rs0', epochMs: 0 };
  observe({ type: 'runStarted', ...run, members: ['n1', 'n2'] });
  for (const member of ['n1', 'n2']) start(member, 1);
  observe({ type: 'acceptsWrites', member: 'n1', value: true, term: 1 });
});

test('a hold ends with its process', () => {
  atMicros = 7_000_000;
  observe({ type: 'partHeld', member: 'n2', part: 'fetch' });
  write(2);
  expect(reasons.data(['n2'], 'a.b')).toEqual(['n2 lags by 1 entry: its part fetch has been held since 7.000s']);
  observe({ type: 'processStopped', member: 'n2', how: 'killed' });
  expect(reasons.data(['n2'], 'a.b')).toEqual(['n2 lags by 1 entry: n2 is down: killed at 7.000s']);
  atMicros = 8_000_000;
  start('n2', 1);
  expect(reasons.data(['n2'], 'a.b')).toEqual(['n2 lags by 1 entry: it has had no sync source since 8.000s']);
});

test('a write to a wrong place is named as what brought a process down, until the next one runs', () => {
  const atPlace = (over: 'checkpoint' | 'journal' | 'nothing') => {
    observe({ type: 'writeMisdirected', member: 'n2', over });
    observe({ type: 'processStopped', member: 'n2', how: 'killed' });
    return reasons.monitor('n2');
  };
  atMicros = 7_000_000;
  expect(atPlace('checkpoint')).toEqual([
    'n2 is down: killed at 7.000s; its disk wrote a record of the journal to a wrong place at 7.000s, over the data of its checkpoint',
  ]);
  expect(atPlace('journal')).toEqual([expect.stringContaining(', over an earlier record')]);
  expect(atPlace('nothing')).toEqual(['n2 is down: killed at 7.000s']);
  expect(atPlace('checkpoint')).toHaveLength(1);
  start('n2', 1);
  observe({ type: 'processStopped', member: 'n2', how: 'killed' });
  expect(reasons.monitor('n2')).toEqual(['n2 is down: killed at 7.000s']);
});

test('whoever copies everything has no source afterwards until it takes one', () => {
  write(2);
  observe({ type: 'initialSync', member: 'n2', phase: 'started' });
  observe({ type: 'syncSourceChanged', member: 'n2', from: undefined, to: 'n1:27017' });
  atMicros = 9_000_000;
  observe({ type: 'initialSync', member: 'n2', phase: 'done', source: 'n1:27017', opTime: at(1) });
  expect(reasons.data(['n2'], 'a.b')).toEqual(['n2 lags by 1 entry: it has had no sync source since 9.000s']);
});

test('what was fetched is not held back by a source that is gone', () => {
  write(2);
  observe({ type: 'diskChanged', member: 'n2', latencyMs: 9000 });
  observe({ type: 'oplogWritten', member: 'n2', origin: 'fetched', entries: [entry(2)], acceptsWrites: false });
  observe({ type: 'partitioned', groups: [['n1'], ['n2']] });
  const slow = 'its disk has taken 9000ms longer for each write since 0.000s';
  expect(reasons.data(['n2'], 'a.b')).toEqual([`n2 lags by 1 entry: it has fetched that; ${slow}`]);
  write(3);
  observe({ type: 'rolledBack', member: 'n2', commonPoint: at(1) });
  expect(reasons.data(['n2'], 'a.b')).toEqual(['n2 lags by 2 entries: it has had no sync source since 0.000s']);
});

test('time that passes without an event counts', () => {
  write(2);
  reasons.passed(60_000_000);
  expect(reasons.state('n2')).toEqual([
    'n2 has been STARTUP since 0.000s: it has no config, and nobody has told it of the set yet',
  ]);
  expect(reasons.vote('n2')).toEqual(['nobody has asked n2 for its vote yet']);
  expect(reasons.operation('w1', 1)).toEqual(['there is no workload w1 yet']);
  expect(reasons.document('a.b', [1], 'n2')).toEqual(['no oplog entry is about a.b']);
});

test('a transaction of several entries is told of with the last of them', () => {
  const lsid = encodeDocument({ id: 1 });
  const command = { op: 'c', ns: 'admin.$cmd', o: encodeDocument({}) } as const;
  const inserts = [1, 2].map((_id) => [{ op: 'i', ns: 'a.b', o: encodeDocument({ _id }) }] as const);
  const [first, last] = [{ partialTxn: true }, { count: 2 }].map((link) => ({ lsid, txnNumber: 1n, ...link }));
  const entries = [
    new OplogEntry({ ...command, transaction: first }, at(2), 0, inserts[0], NULL_OP_TIME),
    new OplogEntry({ ...command, transaction: last }, at(3), 0, inserts[1], at(2)),
  ];
  observe({ type: 'oplogWritten', member: 'n1', origin: 'self', entries, acceptsWrites: true });
  for (const _id of [1, 2]) expect(reasons.document('a.b', [_id], 'n1').join(' ')).toContain('(5,3 t1)');
});

test('what a TTL monitor does, and what keeps it from deleting', () => {
  const wakeMicros = 60_000_000;
  for (const member of ['n1', 'n2'])
    observe({ type: 'ttlMonitor', member, phase: 'sleeping', sinceMicros: 0, wakeMicros });
  expect(reasons.monitor('n1')).toEqual(['the TTL monitor of n1 sleeps until 60.000s, and has made no pass yet']);
  expect(reasons.monitor('n2')).toEqual(['n2 accepts no writes, so its TTL monitor deletes nothing']);
  observe({ type: 'processStopped', member: 'n1', how: 'killed' });
  expect(reasons.monitor('n1')).toEqual(['n1 is down: killed at 0.000s']);
  expect(reasons.monitor('n9')).toEqual([]);
});
