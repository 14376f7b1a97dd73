import {
  encodeDocument,
  type MemberTrace,
  NULL_OP_TIME,
  OplogEntry,
  type OplogOperation,
  TRACE_VERSION,
  type TraceEvent,
} from '@replsim/protocol';
import { expect, test } from 'vitest';
import { Transcript } from '../src/index.ts';

const EPOCH_SECS = 1735689600;
const started: TraceEvent = {
  atMicros: 0,
  type: 'runStarted',
  traceVersion: TRACE_VERSION,
  seed: 7,
  version: '8.0',
  setName: 'rs0',
  members: ['n1', 'n2'],
  epochMs: EPOCH_SECS * 1000,
};

function transcriptOf(...events: TraceEvent[]): string[] {
  const transcript = new Transcript();
  transcript.observe(started);
  return [...events.flatMap((event) => transcript.observe(event)), ...transcript.end()].map((line) => line.trim());
}

const at = (atMicros: number, member: string, trace: MemberTrace): TraceEvent => ({ atMicros, member, ...trace });
const opTime = (i: number) => ({ ts: { t: EPOCH_SECS + 60, i }, t: 1 });
const entry = (i: number, operation: Partial<OplogOperation> = {}) =>
  new OplogEntry({ op: 'd', ns: 'app.s', o: encodeDocument({ _id: i }), ...operation }, opTime(i), 0);
const wrote = (atMicros: number, ...entries: OplogEntry[]) =>
  at(atMicros, 'n1', { type: 'oplogWritten', entries, origin: 'self', acceptsWrites: true });
const applied = (atMicros: number, member: string, ...batch: OplogEntry[]) =>
  at(atMicros, member, {
    type: 'applied',
    opTime: batch.at(-1)!.opTime,
    entries: batch.length,
    dataHash: [0, 0],
    batch,
  });
const pass = (atMicros: number, member: string, deleted: number, acceptsWrites: boolean, error?: string) =>
  at(atMicros, member, {
    type: 'ttlPassEnded',
    deleted,
    byIndex: deleted > 0 ? [{ ns: 'app.s', index: 'ttl', deleted }] : [],
    subPasses: 1,
    memberState: acceptsWrites ? 'PRIMARY' : 'SECONDARY',
    acceptsWrites,
    ...(error && { error }),
  });
const ttlIndex = entry(1, {
  op: 'c',
  ns: 'app.$cmd',
  o: encodeDocument({ createIndexes: 's', v: 2, key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }),
});

test('it begins with the set', () => {
  expect(new Transcript().observe(started)).toEqual(['    0.000s rs0: n1, n2; mongod 8.0, seed 7']);
});

test('alike entries are told as one, at the time of the first', () => {
  expect(
    transcriptOf(
      wrote(1000, entry(1)),
      applied(2000, 'n2', entry(1)),
      wrote(3000, entry(2), entry(3)),
      applied(4000, 'n2', entry(2), entry(3)),
    ),
  ).toEqual([
    '0.001s n1 writes 3 × d app.s at (60,1 t1) to (60,3 t1)',
    '0.002s n2 applies 3 × d app.s at (60,1 t1) to (60,3 t1)',
  ]);
});

test('what else happens, or a second of time, ends what is told as one', () => {
  expect(
    transcriptOf(wrote(1000, entry(1)), { atMicros: 2000, type: 'note', text: 'now' }, wrote(3000, entry(2))),
  ).toEqual(['0.001s n1 writes d app.s at (60,1 t1)', '0.002s # now', '0.003s n1 writes d app.s at (60,2 t1)']);
  expect(transcriptOf(wrote(1000, entry(1)), wrote(1_002_000, entry(2)))).toHaveLength(2);
});

test('commands and no-ops are named; the periodic no-op is not told, nor who applies one', () => {
  const noop = (msg: string) => entry(2, { op: 'n', ns: '', o: encodeDocument({ msg }) });
  expect(
    transcriptOf(wrote(0, ttlIndex, noop('new primary'), noop('periodic noop')), applied(0, 'n2', noop('new primary'))),
  ).toEqual(['0.000s n1 writes createIndexes app.s at (60,1 t1)', '0.000s n1 writes "new primary" at (60,2 t1)']);
});

test('a pass that deletes is always told; the others once there is a TTL index, and once a spell', () => {
  const before = [pass(1e6, 'n1', 0, true), pass(1e6, 'n2', 0, false)];
  expect(transcriptOf(...before)).toEqual([]);
  const lines = transcriptOf(
    ...before,
    wrote(2e6, ttlIndex),
    pass(60e6, 'n1', 0, true),
    pass(60e6, 'n2', 0, false),
    pass(120e6, 'n1', 3, true),
    pass(120e6, 'n2', 0, false),
    pass(180e6, 'n1', 0, true),
    pass(180e6, 'n2', 0, true),
    pass(240e6, 'n1', 0, true),
  );
  expect(lines.slice(1)).toEqual([
    '60.000s n1 ttl pass: nothing was due',
    '60.000s n2 ttl pass: nothing, it does not accept writes',
    '120.000s n1 ttl pass: deleted 3 from app.s',
    '180.000s n1 ttl pass: nothing was due',
    '180.000s n2 ttl pass: nothing was due',
  ]);
});

test('an interrupted pass says why', () => {
  expect(transcriptOf(pass(1e6, 'n1', 0, false, 'InterruptedDueToReplStateChange'))).toEqual([
    '1.000s n1 ttl pass interrupted: InterruptedDueToReplStateChange',
  ]);
});

const CLAIM = { lastWritten: NULL_OP_TIME, lastApplied: NULL_OP_TIME, configVersion: 1, configTerm: 1 };
const CLAIMS = { claim: CLAIM, own: CLAIM, ownTerm: 2 };

test('an election can be followed', () => {
  const lines = transcriptOf(
    at(1e6, 'n1', { type: 'memberSeen', other: 'n2:27017', from: 'PRIMARY', to: 'DOWN', detail: 'no response' }),
    at(2e6, 'n1', { type: 'electionStarted', reason: 'electionTimeout', term: 1, dryRun: true }),
    at(3e6, 'n3', {
      type: 'voteAnswered',
      candidate: 'n1:27017',
      term: 1,
      dryRun: true,
      granted: true,
      reason: '',
      lastVoteTerm: 1,
      ...CLAIMS,
    }),
    at(4e6, 'n1', { type: 'termChanged', from: 1, to: 2 }),
    at(5e6, 'n3', {
      type: 'voteAnswered',
      candidate: 'n1:27017',
      term: 2,
      dryRun: false,
      granted: false,
      reason: 'stale',
      lastVoteTerm: 1,
      ...CLAIMS,
    }),
    at(6e6, 'n1', { type: 'electionWon', term: 2, votes: 2, lastApplied: opTime(1) }),
    at(7e6, 'n1', { type: 'acceptsWrites', value: true, term: 2 }),
    at(8e6, 'n2', {
      type: 'rolledBack',
      commonPoint: opTime(1),
      from: opTime(3),
      removedEntries: [entry(2), entry(3)],
      commitPoint: opTime(1),
      rbid: 2,
      dataHash: [0, 0],
    }),
  );
  expect(lines).toEqual([
    '1.000s n1 no longer hears n2 (no response)',
    '2.000s n1 asks for votes in a dry run, in term 1: it heard of no primary within the election timeout',
    '3.000s n3 would vote for n1',
    '5.000s n3 does not vote for n1: stale',
    '6.000s n1 wins term 2 with 2 votes',
    '7.000s n1 accepts writes, in term 2',
    '8.000s n2 is back at (60,1 t1), the newest entry that both have; undone: 2 × d app.s',
  ]);
});

test('a standalone on a replica set’s data says that its monitor does not start', () => {
  const process = (ttlMonitorStarted: boolean) =>
    at(0, 's', {
      type: 'processStarted',
      mode: 'standalone',
      hasReplSetConfig: !ttlMonitorStarted,
      ttlMonitorStarted,
      lastApplied: opTime(1),
      term: 0,
      dataHash: [0, 0],
    });
  expect(transcriptOf(process(true))).toEqual(['0.000s s starts as a standalone']);
  expect(transcriptOf(process(false))).toEqual([
    '0.000s s starts as a standalone on a replica set’s data: its TTL monitor does not start',
  ]);
});

test('steps, checks and broken invariants stand out; refused commands say why', () => {
  expect(
    transcriptOf(
      { atMicros: 0, type: 'step', index: 1, text: 'kill: n1' },
      { atMicros: 0, type: 'checked', text: 'expect: {primary: n1}', held: true },
      { atMicros: 0, type: 'checked', text: 'expect: {primary: n2}', held: false, detail: 'n1 says so' },
      { atMicros: 0, type: 'invariantBroken', name: 'onlyPrimaryDeletes', detail: 'n2 did' },
      at(0, 'n2', {
        type: 'commandEnded',
        opId: 1,
        name: 'insert',
        ns: 'a.b',
        tookMicros: 50,
        code: 10107,
        errmsg: 'not primary',
      }),
      at(0, 'n2', { type: 'commandEnded', opId: 2, name: 'find', ns: 'a.b', tookMicros: 50, code: 0 }),
    ),
  ).toEqual([
    '0.000s > kill: n1',
    '0.000s = expect: {primary: n1}',
    '0.000s ! expect: {primary: n2}: n1 says so',
    '0.000s ! invariant onlyPrimaryDeletes is broken: n2 did',
    '0.000s n2 refuses insert: NotWritablePrimary, not primary',
  ]);
});

test('heartbeats, flushes, commit points and log lines make no line', () => {
  expect(
    transcriptOf(
      at(0, 'n1', { type: 'sent', peer: 'n2', what: 'replSetHeartbeat' }),
      at(0, 'n1', { type: 'journalFlushed', opTime: opTime(1) }),
      at(0, 'n1', { type: 'checkpointed', stable: opTime(1) }),
      at(0, 'n1', { type: 'commitPoint', opTime: opTime(1), learned: false, term: 1 }),
      at(0, 'n1', {
        type: 'log',
        wallMs: 0,
        line: { severity: 'I', component: 'REPL', id: 1, ctx: 'a', msg: 'b', attr: {} },
      }),
    ),
  ).toEqual([]);
});

test('disks: what is wrong with them, what a rollback leaves on them', () => {
  expect(
    transcriptOf(
      at(0, 'n1', { type: 'diskChanged', latencyMs: 50 }),
      at(0, 'n1', { type: 'diskChanged', latencyMs: 0, full: true }),
      at(0, 'n1', { type: 'diskChanged', full: false, corrupt: true }),
      at(0, 'n1', { type: 'rollbackFile', ns: 'a.b', path: 'rollback/u/removed.1.bson', documents: 1 }),
      at(0, 'n1', { type: 'rollbackFile', ns: 'a.b', path: 'rollback/u/removed.2.bson', documents: 3 }),
    ),
  ).toEqual([
    '0.000s n1 disk takes 50 ms longer for each write',
    '0.000s n1 disk is as fast as before, is full',
    '0.000s n1 disk has room again, has lost a bit of what was written to it',
    '0.000s n1 keeps a document of a.b in rollback/u/removed.1.bson',
    '0.000s n1 keeps 3 documents of a.b in rollback/u/removed.2.bson',
  ]);
});
