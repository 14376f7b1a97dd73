import {
  DEFAULT_MEMBER_CONFIG,
  DEFAULT_SETTINGS,
  encodeDocument,
  type MemberTrace,
  NULL_OP_TIME,
  OplogEntry,
  type OplogOperation,
  type OpTime,
  type ReplSetConfig,
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
    '0.001s n1 writes 3 × delete from app.s at (60,1 t1) to (60,3 t1)',
    '0.002s n2 applies 3 × delete from app.s at (60,1 t1) to (60,3 t1)',
  ]);
});

test('what else happens, or a second of time, ends what is told as one', () => {
  expect(
    transcriptOf(wrote(1000, entry(1)), { atMicros: 2000, type: 'note', text: 'now' }, wrote(3000, entry(2))),
  ).toEqual([
    '0.001s n1 writes delete from app.s at (60,1 t1)',
    '0.002s # now',
    '0.003s n1 writes delete from app.s at (60,2 t1)',
  ]);
  expect(transcriptOf(wrote(1000, entry(1)), wrote(1_002_000, entry(2)))).toHaveLength(2);
});

test('commands and no-ops are named; the periodic no-op is not told, nor who applies one', () => {
  const noop = (msg: string) => entry(2, { op: 'n', ns: '', o: encodeDocument({ msg }) });
  expect(
    transcriptOf(wrote(0, ttlIndex, noop('new primary'), noop('periodic noop')), applied(0, 'n2', noop('new primary'))),
  ).toEqual(['0.000s n1 writes createIndexes app.s at (60,1 t1)', '0.000s n1 writes no-op "new primary" at (60,2 t1)']);
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
    '60.000s n2 ttl pass: deleted nothing, because it does not accept writes',
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
    '1.000s n1 no longer hears from n2 (no response)',
    '2.000s n1 asks for votes in a dry run, in term 1: it heard from no primary within the election timeout',
    '3.000s n3 would vote for n1',
    '5.000s n3 does not vote for n1: stale',
    '6.000s n1 wins term 2 with 2 votes',
    '7.000s n1 accepts writes, in term 2',
    '8.000s n2 is back at (60,1 t1), the newest entry that both have; undone: 2 × delete from app.s',
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

test('write concerns that are missed in the same way within a second are one line', () => {
  const missed = (atMicros: number, opId: number, errmsg = 'waiting for replication timed out'): TraceEvent =>
    at(atMicros, 'n2', {
      type: 'commandEnded',
      opId,
      name: 'insert',
      ns: 'a.b',
      tookMicros: 50,
      code: 0,
      writeConcernError: { code: 64, errmsg },
    });
  expect(
    transcriptOf(
      missed(0, 1),
      missed(400_000, 2),
      missed(900_000, 3),
      missed(900_000, 4, 'not enough'),
      missed(2_000_000, 5),
    ),
  ).toEqual([
    '0.000s n2 has done 3 × insert, but their write concern is not satisfied: waiting for replication timed out',
    '0.900s n2 has done insert, but its write concern is not satisfied: not enough',
    '2.000s n2 has done insert, but its write concern is not satisfied: waiting for replication timed out',
  ]);
});

test.for([
  [[['n1'], ['n2']], 'n1 | n2'],
  [[['n2']], 'n2 | n1 (the rest)'],
])('a partition names those who stand on no side: %o', ([groups, parts]) => {
  expect(transcriptOf({ atMicros: 0, type: 'partitioned', groups: groups as string[][] })).toEqual([
    `0.000s network splits into ${parts}`,
  ]);
});

test.for([
  ['link: {between: [east, west], latencyMs: 40}', 1],
  ['link: {from: primary, to: n2, loss: 1}', 2],
  ['link: {from: n1, to: n2, loss: …}', 1],
] as const)('links are told where their step does not name them: %s', ([text, lines]) => {
  const changed: TraceEvent = { atMicros: 0, type: 'linkChanged', from: 'n1', to: 'n2', settings: { loss: 1 } };
  expect(transcriptOf(step(0, text), changed)).toHaveLength(lines);
  expect(transcriptOf(changed)).toEqual(['0.000s network: from n1 to n2 now {"loss":1}']);
});

test('what a new set has for itself makes no TTL pass worth a line', () => {
  const own = entry(1, {
    op: 'c',
    ns: 'config.$cmd',
    o: encodeDocument({ createIndexes: 'sampledQueries', v: 2, key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }),
  });
  expect(transcriptOf(wrote(0, own), pass(60e6, 'n1', 0, true)).filter((line) => line.includes('ttl pass'))).toEqual(
    [],
  );
});

const step = (atMicros: number, text: string): TraceEvent => ({ atMicros, type: 'step', index: 1, text });
const ended = (atMicros: number, sinceMicros: number, returned?: string, outcome: 'done' | 'failed' = 'done') =>
  ({ atMicros, type: 'stepEnded', index: 1, outcome, sinceMicros, ...(returned && { returned }) }) as const;
const passes = (atMicros: number): TraceEvent => ({ atMicros, type: 'healed', members: 'all' });

test.for<[what: string, events: TraceEvent[], lines: string[]]>([
  [
    'what nothing else tells of stands on the step’s own line',
    [step(0, 'find: {}'), ended(0, 0, '2 documents')],
    ['0.000s > find: {} → 2 documents'],
  ],
  [
    'with the time if it took some',
    [step(0, 'find: {}'), ended(5000, 0, '2 documents')],
    ['0.000s > find: {} → 2 documents (after 5 ms)'],
  ],
  ['an end that says nothing makes no line', [step(0, 'kill: n1'), ended(0, 0)], ['0.000s > kill: n1']],
  [
    'what happened is told in between',
    [step(0, 'insert: {}'), wrote(1000, entry(1)), ended(677_000, 0, '1 inserted')],
    ['0.000s > insert: {}', '0.001s n1 writes delete from app.s at (60,1 t1)', '0.677s < 1 inserted (after 677 ms)'],
  ],
  [
    'over at once, it has been told',
    [step(0, 'insert: {}'), wrote(0, entry(1)), ended(0, 0, '1 inserted')],
    ['0.000s > insert: {}', '0.000s n1 writes delete from app.s at (60,1 t1)'],
  ],
  [
    'what takes long is done some time',
    [step(0, 'shutdown: n1'), { atMicros: 1, type: 'note', text: 'a' }, ended(15_020_000, 0)],
    ['0.000s > shutdown: n1', '0.000s # a', '15.020s < done (after 15.02 s)'],
  ],
  [
    'an advance says so itself',
    [step(0, 'advance: 8s'), { atMicros: 1, type: 'note', text: 'a' }, ended(8e6, 0)],
    ['0.000s > advance: 8s', '0.000s # a'],
  ],
  [
    'a failure is told in any case',
    [step(0, 'kill: n1'), passes(0), ended(0, 0, 'n1 is not running', 'failed')],
    ['0.000s > kill: n1', '0.000s network is whole again', '0.000s ! it fails: n1 is not running'],
  ],
  [
    'a step’s line does not wait for ever',
    [step(0, 'run: {}'), at(2e6, 'n1', { type: 'checkpointed', stable: opTime(1) }), ended(3e6, 0, '1 document')],
    ['0.000s > run: {}', '3.000s < 1 document (after 3 s)'],
  ],
])('the end of a step: %s', ([, events, lines]) => {
  expect(transcriptOf(...events)).toEqual(lines);
});

test('a step-down that was asked for is told once, and where it came to nothing', () => {
  const accepts = (atMicros: number, value: boolean, term: number) =>
    at(atMicros, 'n1', { type: 'acceptsWrites', value, term });
  expect(
    transcriptOf(
      accepts(0, true, 1),
      accepts(1e6, false, 1),
      accepts(2e6, true, 1),
      accepts(3e6, false, 1),
      at(3e6, 'n1', { type: 'steppedDown', term: 1, reason: 'it was asked to' }),
      accepts(3e6, false, 1),
      at(3_020_000, 'n2', { type: 'electionWon', term: 2, votes: 2, lastApplied: opTime(1) }),
      accepts(4e6, true, 3),
    ),
  ).toEqual([
    '0.000s n1 accepts writes, in term 1',
    '1.000s n1 accepts no more writes',
    '2.000s n1 accepts writes again, in term 1: its step-down failed',
    '3.000s n1 accepts no more writes',
    '3.000s n1 steps down: it was asked to',
    '3.020s n2 wins term 2 with 2 votes (20 ms after n1 stepped down)',
    '4.000s n1 accepts writes, in term 3 (1 s after n1 stepped down)',
  ]);
});

test('what comes of a fault is told with the time since, each thing once', () => {
  const wins = (atMicros: number, member: string) =>
    at(atMicros, member, { type: 'electionWon', term: 2, votes: 2, lastApplied: opTime(1) });
  const checked = (atMicros: number, sinceMicros?: number): TraceEvent => ({
    atMicros,
    type: 'checked',
    text: 'eventually',
    held: true,
    ...(sinceMicros !== undefined && { sinceMicros }),
  });
  const kill = (member: string) => at(1e6, member, { type: 'processStopped', how: 'killed' });
  const after = 'after n1, n2 were killed';
  expect(
    transcriptOf(
      wins(0, 'n1'),
      kill('n1'),
      kill('n2'),
      pass(2e6, 'n3', 1, true),
      pass(3e6, 'n3', 1, true),
      wins(11_060_000, 'n3'),
      checked(11_060_000, 10e6),
      checked(12_060_000, 11_060_000),
      checked(13e6, 1e6),
      checked(13e6),
      { ...checked(13e6, 12e6), text: 'always: {for: 1s}' } as TraceEvent,
      passes(14e6),
      wins(14_000_500, 'n3'),
      wins(15e6, 'n2'),
      wins(134_000_001, 'n1'),
    ).filter((line) => !line.includes('killed') || line.includes('after')),
  ).toEqual([
    '0.000s n1 wins term 2 with 2 votes',
    `2.000s n3 ttl pass: deleted 1 from app.s (1 s ${after})`,
    '3.000s n3 ttl pass: deleted 1 from app.s',
    `11.060s n3 wins term 2 with 2 votes (10.06 s ${after})`,
    '11.060s = eventually (after 1.06 s)',
    `12.060s = eventually (after 1 s, 11.06 s ${after})`,
    `13.000s = eventually (12 s ${after})`,
    '13.000s = eventually',
    '13.000s = always: {for: 1s}',
    '14.000s network is whole again',
    '14.000s n3 wins term 2 with 2 votes',
    '15.000s n2 wins term 2 with 2 votes (1 s after the network was healed)',
    '134.000s n1 wins term 2 with 2 votes',
  ]);
});

test('a primary’s commit point is told when it moves over what was told, the last of several', () => {
  const names = ['n1', 'n2', 'n3', 'n4'];
  const config: ReplSetConfig = {
    _id: 'rs0',
    version: 1,
    term: 1,
    members: names.map((name, _id) => ({ ...DEFAULT_MEMBER_CONFIG, _id, host: `${name}:27017` })),
    writeConcernMajorityJournalDefault: true,
    settings: { ...DEFAULT_SETTINGS, replicaSetId: '0123456789abcdef01234567' },
  };
  const reports = (atMicros: number, memberId: number, to: OpTime) =>
    at(atMicros, 'n1', {
      type: 'positionsReceived',
      from: `n${memberId + 1}:27017`,
      how: 'updatePosition',
      optimes: [
        {
          memberId,
          cfgver: 1,
          durableOpTime: to,
          durableWallTimeMs: 0,
          appliedOpTime: to,
          appliedWallTimeMs: 0,
          writtenOpTime: to,
          writtenWallTimeMs: 0,
        },
      ],
    });
  const moves = (atMicros: number, opTime: OpTime, learned = false) =>
    at(atMicros, 'n1', { type: 'commitPoint', opTime, learned, term: 1 });
  const noop = entry(4, { op: 'n', ns: '', o: encodeDocument({ msg: 'periodic noop' }) });
  expect(
    transcriptOf(
      at(0, 'n1', { type: 'configInstalled', config, forced: false }),
      wrote(1000, entry(1)),
      reports(2000, 1, opTime(1)),
      moves(2000, opTime(1)),
      wrote(3000, entry(2), entry(3)),
      reports(4000, 1, opTime(3)),
      reports(4000, 2, opTime(3)),
      reports(4000, 3, opTime(2)),
      moves(4000, opTime(3)),
      wrote(5000, noop),
      moves(6000, opTime(4)),
      { atMicros: 7000, type: 'note', text: 'then' },
      wrote(7000, entry(5)),
      moves(8000, opTime(5), true),
      moves(9000, opTime(5)),
    ).slice(1),
  ).toEqual([
    '0.001s n1 writes 3 × delete from app.s at (60,1 t1) to (60,3 t1)',
    '0.004s n1 commit point moves to (60,3 t1): n1, n2, n3 have it',
    '0.007s # then',
    '0.007s n1 writes delete from app.s at (60,5 t1)',
    // Whoever did not hear all reports does not guess.
    '0.009s n1 commit point moves to (60,5 t1): a majority has it',
  ]);
});

test('heartbeats, flushes, what is no news of commit points and log lines make no line', () => {
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
    '0.000s n1 disk has room again, has one damaged bit in what was written to it',
    '0.000s n1 saves a document of a.b in rollback/u/removed.1.bson, before it undoes the changes to it',
    '0.000s n1 saves 3 documents of a.b in rollback/u/removed.2.bson, before it undoes the changes to them',
  ]);
});
