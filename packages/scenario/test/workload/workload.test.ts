import type { ClientTrace, TraceEvent } from '@replsim/protocol';
import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import type { Command, FakeSet } from '../fakeSet.ts';
import { complaint, play } from '../playing.ts';

const INSERT = 'insert: { into: app.c, document: { _id: $i } }';
const start = (more: string, name = 'w') => `workload: { name: ${name}, ${more} }`;
/** A real member answers hellos with all that a driver wants to know. */
const sessions = (set: FakeSet) => {
  set.sessions = true;
};
/** Members take so long for an insert. */
const slow = (afterMicros: number) => (set: FakeSet) => {
  sessions(set);
  set.talk = () => ({ reply: { ok: 1, n: 1 }, afterMicros });
};
const run = async (steps: string[], prepare: (set: FakeSet) => void = sessions, options = {}) => {
  const played = await play(steps, prepare, options);
  expect(played.result.failure, played.result.failure?.detail).toBeUndefined();
  return played;
};
const told = (events: readonly TraceEvent[]) =>
  events.filter((event) => event.type === 'clientTold') as (Extract<ClientTrace, { type: 'clientTold' }> & {
    atMicros: number;
  })[];
const turns = (events: readonly TraceEvent[]) =>
  told(events).map(({ turn, sinceMicros }) => `${turn} ${sinceMicros / 1000}`);

test('one operation a turn: the first at once, the others at whole intervals from it', async () => {
  const { events, set } = await run([
    'advance: 5s',
    start(`every: 250ms, ${INSERT}`),
    'advance: 1s',
    'stop: w',
    'advance: 5s',
  ]);
  expect(turns(events)).toEqual(['1 5000', '2 5250', '3 5500', '4 5750', '5 6000']);
  expect(set.sent.map(({ member, command }) => `${member} ${JSON.stringify(command.documents)}`)).toEqual(
    [1, 2, 3, 4, 5].map((i) => `n1 [{"_id":${i}}]`),
  );
});

test('a turn that comes while an operation is under way is left out', async () => {
  const { events } = await run([start(`every: 250ms, ${INSERT}`), 'advance: 1500ms', 'stop: w'], slow(600_000));
  expect(turns(events)).toEqual(['1 0', '2 750', '3 1500']);
});

test('stop waits for the operation that is under way, and no other begins', async () => {
  const { result, events } = await run(
    [start(`every: 1s, ${INSERT}`), 'stop: w', 'expect: { workload: w, acknowledged: 1 }', 'advance: 10s'],
    slow(3_000_000),
  );
  expect(turns(events)).toEqual(['1 0']);
  expect(result.workloads[0]).toMatchObject({ workload: 'w', counts: { sent: 1, acknowledged: 1 } });
});

test('what is sent: the session, a number for each write, concerns and limits as they are written', async () => {
  const { set } = await run([
    start(`every: 1s, ${INSERT}, writeConcern: { w: 2, wtimeout: 500 }, maxTimeMS: 900`),
    start(
      'every: 1s, find: { in: app.c, filter: { _id: $i }, sort: { _id: 1 } }, readConcern: { level: majority }, readPreference: secondaryPreferred',
      'r',
    ),
    'advance: 1s',
  ]);
  const by = (name: string) => set.sent.filter(({ command }) => name in command).map(({ command }) => command);
  const [first, second] = by('insert');
  expect(first).toMatchObject({ writeConcern: { w: 2, wtimeout: 500 }, maxTimeMS: 900, txnNumber: 1, $db: 'app' });
  expect(second).toMatchObject({ lsid: first!.lsid, txnNumber: 2 });
  expect(by('find')[0]).toMatchObject({
    filter: { _id: 1 },
    readConcern: { level: 'majority' },
    $readPreference: { mode: 'secondaryPreferred' },
  });
  expect(by('find')[0]!.txnNumber).toBeUndefined();
  // Each client has a session of its own.
  expect(by('find')[0]!.lsid).not.toEqual(first!.lsid);
});

test('updates count turns too, and what touches many is not numbered', async () => {
  const { set } = await run([
    start('every: 1s, update: { in: app.c, filter: { _id: $i }, update: { $set: { at: $now } }, upsert: true }', 'one'),
    start('every: 1s, update: { in: app.c, update: { $inc: { n: 1 } }, multi: true }', 'many'),
    'advance: 1ms',
  ]);
  expect(set.sent.map(({ command }) => [command.updates, command.txnNumber])).toEqual([
    [[{ q: { _id: 1 }, u: { $set: { at: new Date(Date.UTC(2025, 0, 1)) } }, upsert: true }], 1],
    [[{ q: {}, u: { $inc: { n: 1 } }, multi: true }], undefined],
  ]);
});

test('a document without _id gets one from the client, from the seed', async () => {
  const ids = async (seed: number) => {
    const { set } = await run(
      [start('every: 1s, insert: { into: app.c, document: { turn: $i } }'), 'advance: 1s'],
      sessions,
      { seed },
    );
    return set.sent.map(({ command }) => {
      const [document] = command.documents as [Command];
      expect(Object.keys(document)).toEqual(['_id', 'turn']);
      expect(document._id).toBeInstanceOf(ObjectId);
      return String(document._id);
    });
  };
  const first = await ids(1);
  expect(new Set(first).size).toBe(2);
  expect(await ids(1)).toEqual(first);
  expect(await ids(2)).not.toEqual(first);
});

test('a value that cannot be sent fails the step in whose time it was to be sent', async () => {
  const cannot = 'insert: { into: app.c, document: { _id: { $plus: [$name, 1] } } }';
  const name = 'let: { name: { on: n1, command: { ping: 1 }, path: name } }';
  const played = await play([name, start(`every: 1s, ${cannot}`), 'advance: 1s'], (set) => {
    sessions(set);
    set.talk = () => ({ ok: 1, name: 'text' });
  });
  expect(complaint(played)).toEqual(['values to send', '$plus adds numbers, or a number to a date or timestamp']);
  expect(played.result.failure?.index).toBe(2);
});

test('another workload beside it shifts nothing', async () => {
  const other = start('every: 100ms, insert: { into: app.c, document: { r: $rand } }', 'other');
  const mine = start('every: 1s, insert: { into: app.c, document: { mine: $rand } }');
  const sent = async (steps: string[]) => {
    const { set } = await run([...steps, 'advance: 5s']);
    return set.sent.map(({ command }) => (command.documents as [Command])[0]).filter((each) => 'mine' in each);
  };
  expect(await sent([mine])).toEqual(await sent([other, mine]));
});

test('near: the client gets that member’s place on the network', async () => {
  const { set } = await run([start(`every: 1s, near: n2, ${INSERT}`), start(`every: 1s, ${INSERT}`, 'outside')]);
  expect(set.did).toEqual(['client near n2', 'client near undefined']);
});

// --- what it was told -------------------------------------------------------------------------------------------------

test.for([
  ['acknowledged', { ok: 1, n: 1 }, 'acknowledged', undefined],
  ['a command error', { ok: 0, code: 10107, errmsg: 'not primary' }, 'error', ['MongoServerError', 10107]],
  [
    'a write error',
    { ok: 1, writeErrors: [{ index: 0, code: 11000, errmsg: 'E11000' }] },
    'error',
    ['MongoBulkWriteError', 11000],
  ],
  [
    'a write concern error',
    { ok: 1, writeConcernError: { code: 64, errmsg: 'timed out' } },
    'error',
    ['MongoWriteConcernError', 64],
  ],
] as const)('%s', async ([, reply, outcome, error]) => {
  const { events } = await run([start(`every: 10s, ${INSERT}`), 'advance: 1s'], (set) => {
    sessions(set);
    set.talk = () => reply;
  });
  const [first] = told(events);
  expect(first).toMatchObject({ outcome, server: 'n1' });
  expect(first!.error && [first!.error.name, first!.error.code]).toEqual(error);
});

test('with w 0 the client is told nothing, and the write goes in no session', async () => {
  const { events, set, result } = await run(
    [start(`every: 10s, ${INSERT}, writeConcern: { w: 0 }`), 'advance: 1s'],
    (fake) => {
      sessions(fake);
      fake.talk = () => ({ ok: 0, code: 11000, errmsg: 'E11000' });
    },
  );
  expect(told(events)[0]).toMatchObject({ outcome: 'unknown', server: 'n1' });
  expect(told(events)[0]!.error).toBeUndefined();
  expect(result.workloads[0]!.counts).toMatchObject({ unknown: 1, acknowledged: 0, errors: 0 });
  expect(set.sent[0]!.command.lsid).toBeUndefined();
});

test('no server, and a connection that ends without an answer', async () => {
  const options = 'options: { serverSelectionTimeoutMS: 2000, socketTimeoutMS: 1000, retryWrites: false }';
  const noServer = await run([start(`every: 10s, ${INSERT}, ${options}`), 'advance: 5s'], (set) => {
    sessions(set);
    set.primaries.clear();
  });
  expect(told(noServer.events)).toMatchObject([
    { atMicros: 2_000_000, outcome: 'error', error: { name: 'MongoServerSelectionError' } },
  ]);
  const silent = await run([start(`every: 10s, ${INSERT}, ${options}`), 'advance: 5s'], (set) => {
    sessions(set);
    set.talk = () => undefined;
  });
  expect(told(silent.events)).toMatchObject([
    { atMicros: 1_000_000, outcome: 'unknown', server: 'n1', error: { name: 'MongoNetworkError' } },
  ]);
});

test('a read tells which documents it saw', async () => {
  const { events, result } = await run([start('every: 10s, find: { in: app.c }'), 'advance: 1s'], (set) => {
    sessions(set);
    set.talk = () => ({ ok: 1, cursor: { id: 0, firstBatch: [{ _id: 1 }, { _id: 'b' }] } });
  });
  expect(told(events)[0]).toMatchObject({ outcome: 'read', ids: ['1', '"b"'] });
  expect(result.workloads[0]!.counts).toMatchObject({ reads: 1, dirtyReads: 0, acknowledged: 0 });
});

// --- checks and the end -----------------------------------------------------------------------------------------------

test('a check of a ledger shows all its numbers when one is wrong', async () => {
  const played = await play(
    [
      start(`every: 1s, ${INSERT}`),
      'advance: 2s',
      'expect: { workload: w, sent: 3, acknowledged: { $gt: 5 }, errors: 1 }',
    ],
    sessions,
  );
  expect(complaint(played)).toEqual([
    'w: acknowledged {$gt:5}, errors 1',
    'sent 3, acknowledged 3, lost 0, errors 0, unknown 0, reads 0, dirtyReads 0, staleReads 0, aborted 0, sums 0, tornSums 0, unservedMs 0, longestUnservedMs 0, withoutPrimaryMs 2000, longestWithoutPrimaryMs 2000',
  ]);
});

test('eventually and always follow a ledger while time passes', async () => {
  const { result } = await run([
    start(`every: 1s, ${INSERT}`),
    'eventually: { within: 10s, after: 3s, workload: w, acknowledged: 5 }',
    'always: { for: 3s, workload: w, lost: 0, acknowledged: { $lt: 9 } }',
  ]);
  expect(result.virtualMicros).toBe(7_000_000);
});

test('every workload’s account stands at the end of the trace, after a failure too', async () => {
  const steps = [
    start(`every: 1s, ${INSERT}`),
    start('every: 1s, find: { in: app.c }', 'r'),
    'advance: 2s',
    'expect: { primary: n3 }',
  ];
  const { events, result } = await play(steps, sessions);
  expect(result.ok).toBe(false);
  const ended = events.filter((event) => event.type === 'workloadEnded');
  expect(ended.map((event) => [event.workload, event.counts.sent])).toEqual([
    ['w', 3],
    ['r', 3],
  ]);
  expect(events.slice(-2)).toEqual([ended[1], expect.objectContaining({ type: 'runEnded', held: false })]);
});
