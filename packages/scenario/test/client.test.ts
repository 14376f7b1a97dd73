import { Timestamp, type UUID } from 'bson';
import { expect, test } from 'vitest';
import type { FakeSet } from './fakeSet.ts';
import { complaint, play } from './playing.ts';

const ok = { ok: 1 };
const notPrimary = { ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' };
const labelled = { errorLabels: ['RetryableWriteError'] };

test('a command goes to the primary as written, with its database', async () => {
  const { set, result } = await play(['run: { db: app, command: { ping: 1, comment: hi } }']);
  expect(result.failure).toBeUndefined();
  expect(set.sent).toEqual([{ member: 'n1', command: { ping: 1, comment: 'hi', $db: 'app' } }]);
});

test('of two who call themselves primary, the one of the later election is chosen', async () => {
  const { set } = await play(['run: { command: { ping: 1 } }'], (fake) => fake.primaries.set('n3', 2));
  expect(set.sent[0]!.member).toBe('n3');
});

test('while there is no primary a client waits for one, as long as serverSelectionTimeoutMS', async () => {
  const lateBy = (micros: number) => (set: FakeSet) => {
    set.primaries.clear();
    set.at(micros, () => set.primaries.set('n2', 2));
  };
  const { set, result } = await play(['run: { command: { ping: 1 } }'], lateBy(29_500_000));
  expect(result.ok).toBe(true);
  expect(set.sent[0]!.member).toBe('n2');
  expect(result.virtualMicros).toBe(29_500_000);
  const late = await play(['run: { command: { ping: 1 } }'], lateBy(30_500_000));
  expect(complaint(late)).toEqual([
    'a server for "primary"',
    'none within 30s (serverSelectionTimeoutMS); n1 says it is secondary, n2 says it is secondary, n3 says it is secondary',
  ]);
});

test('paused and dead members are not chosen', async () => {
  const played = await play(['pause: n1', 'run: { command: { ping: 1 } }'], (set) =>
    set.at(5_000_000, () => set.primaries.set('n2', 2)),
  );
  expect(played.result.ok).toBe(true);
  expect(played.set.sent[0]!.member).toBe('n2');
});

/** n1 fails with this and is primary no more; n2 is elected seven seconds later, and does what it is told. */
const failsOver = (failure: object) => (fake: FakeSet) => {
  fake.sessions = true;
  fake.talk = (_command, member) => {
    if (member !== 'n1') return ok;
    fake.primaries.clear();
    fake.at(7_000_000, () => fake.primaries.set('n2', 2));
    return failure;
  };
};

test.for([
  { ...notPrimary, ...labelled },
  // The label alone decides.
  { ok: 0, code: 112, codeName: 'WriteConflict', errmsg: 'conflict', ...labelled },
  { ok: 1, n: 1, writeConcernError: { code: 91, codeName: 'ShutdownInProgress', errmsg: 'bye' }, ...labelled },
  // The connection broke; drivers put the label there themselves.
  { ok: 0, code: 6, codeName: 'HostUnreachable', errmsg: 'connection closed by peer' },
])('a write that is answered %o is sent once more, as the same statement of the same session', async (failure) => {
  const step = 'insert: { into: a.b, documents: [{ _id: 1, at: { $now: 0s }, r: $rand }] }';
  const { set, result } = await play([step], failsOver(failure));
  expect(result.ok).toBe(true);
  expect(set.sent.map(({ member }) => member)).toEqual(['n1', 'n2']);
  expect(set.sent[0]!.command).toMatchObject({ lsid: { id: expect.anything() }, txnNumber: 1 });
  expect(set.sent[1]!.command).toEqual(set.sent[0]!.command);
});

test.for([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])(
  'a read that fails with %d is sent once more, without a label',
  async (code) => {
    const { set, result } = await play(['find: { in: a.b }'], failsOver({ ...notPrimary, code }));
    expect(result.ok).toBe(true);
    expect(set.sent.map(({ member }) => member)).toEqual(['n1', 'n2']);
    expect(set.sent[0]!.command.txnNumber).toBeUndefined();
  },
);

test('without sessions there is no number, and so no label and no retry', async () => {
  const { set, result } = await play(['insert: { into: a.b, documents: [{ _id: 1 }] }'], (fake) => {
    fake.talk = () => notPrimary;
  });
  expect(result.ok).toBe(false);
  expect(set.sent).toHaveLength(1);
  expect(set.sent[0]!.command).toEqual({ insert: 'b', documents: [{ _id: 1 }], $db: 'a' });
});

test.for([
  ['a write without the label', 'insert: { into: a.b, documents: [{ _id: 1 }] }', 10107],
  ['a second failure', 'find: { in: a.b }', 10107, 2],
  ['a read with another error', 'find: { in: a.b }', 43],
  ['an update of many', 'update: { in: a.b, update: { $set: { a: 1 } }, multi: true }', 10107],
  ['a delete of many', 'delete: { from: a.b, multi: true }', 10107],
  ['what is sent as written', 'run: { db: a, command: { delete: b, deletes: [{ q: {}, limit: 1 }] } }', 10107],
  ['a member by its name', 'insert: { on: n1, into: a.b, documents: [{ _id: 1 }] }', 10107],
] as const)('not sent again: %s', async ([, step, code, times = 1]) => {
  const { set, result } = await play([step], (fake) => {
    fake.sessions = true;
    fake.talk = () => ({ ...notPrimary, code });
  });
  expect(result.failure?.asked).toBe('success, from n1');
  expect(set.sent).toHaveLength(times);
});

test('an error that is wanted is not retried, and anything else fails', async () => {
  const fails = (set: FakeSet) => {
    set.talk = () => notPrimary;
  };
  const wanted = await play(['insert: { into: a.b, documents: [{ _id: 1 }], error: NotWritablePrimary }'], fails);
  expect(wanted.result.ok).toBe(true);
  expect(wanted.set.sent).toHaveLength(1);
  for (const error of ['any', '10107', 'Location10107'])
    expect((await play([`run: { command: { ping: 1 }, error: ${error} }`], fails)).result.ok).toBe(true);
  expect(complaint(await play(['run: { command: { ping: 1 }, error: DuplicateKey }'], fails))).toEqual([
    'error: DuplicateKey, from n1',
    '{ok: 0, code: 10107, codeName: "NotWritablePrimary", errmsg: "not primary"}',
  ]);
  expect(complaint(await play(['run: { command: { ping: 1 }, error: any }']))).toEqual([
    'error: any error, from n1',
    '{ok: 1}',
  ]);
});

test('write errors fail a step, and so does a write concern error that nobody has asked for', async () => {
  const answer = (reply: object) => (set: FakeSet) => {
    set.talk = () => reply;
  };
  const duplicate = { ok: 1, n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'E11000' }] };
  const insert = 'insert: { into: a.b, documents: [{ _id: 1 }]';
  expect(complaint(await play([`${insert} }`], answer(duplicate)))).toEqual([
    'success, from n1',
    'DuplicateKey (11000): E11000',
  ]);
  expect((await play([`${insert}, error: DuplicateKey }`], answer(duplicate))).result.ok).toBe(true);
  const unacknowledged = {
    ok: 1,
    n: 1,
    writeConcernError: { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting' },
  };
  for (const step of [`${insert} }`, `${insert}, matches: { n: 1 } }`, 'run: { command: { ping: 1 } }'])
    expect(complaint(await play([step], answer(unacknowledged)))).toEqual([
      'success, to the write concern, from n1',
      'WriteConcernTimeout (64): waiting',
    ]);
  for (const asked of [
    'matches: { writeConcernError.code: 64 }',
    'matches: { writeConcernError: { $exists: true }, n: 1 }',
    'matches: { $or: [{ n: 7 }, { writeConcernError.code: 64 }] }',
    'error: WriteConcernTimeout',
    'error: any',
  ])
    expect((await play([`${insert}, ${asked} }`], answer(unacknowledged))).result.failure).toBeUndefined();
  expect(
    complaint(await play([`${insert}, matches: { writeConcernError: { $exists: false } } }`], answer(unacknowledged))),
  ).toEqual(expect.arrayContaining([expect.stringContaining('matches')]));
});

test('matches shows the fields that it speaks of', async () => {
  const played = await play(['run: { command: { ping: 1 }, matches: { a.b: { $gt: 5 }, c: 1 } }'], (set) => {
    set.talk = () => ({ ok: 1, a: { b: 5 }, big: 'x'.repeat(1000) });
  });
  expect(complaint(played)).toEqual(['matches: {a.b: {$gt: 5}, c: 1}, from n1', '{a.b: 5, c: missing}']);
});

test('took measures virtual milliseconds', async () => {
  const slow = (set: FakeSet) => {
    set.talk = () => ({ reply: ok, afterMicros: 12_500 });
  };
  expect((await play(['run: { command: { ping: 1 }, took: { $gte: 12, $lt: 13 } }'], slow)).result.ok).toBe(true);
  expect(complaint(await play(['run: { command: { ping: 1 }, took: { $lt: 12 } }'], slow))).toEqual([
    'took: {$lt: 12}, from n1',
    'it took 12.5 ms',
  ]);
});

test('a command that is never answered fails after ten minutes', async () => {
  const played = await play(['run: { command: { ping: 1 } }'], (set) => {
    set.talk = () => undefined;
  });
  expect(complaint(played)).toEqual(['an answer from n1', 'none came within 10m of virtual time']);
  expect(played.result.virtualMicros).toBe(600_000_000);
});

test('as: sends and goes on; reply: looks at the answer', async () => {
  const steps = [
    'run: { command: { ping: 1 }, as: p }',
    'expect: { not: { reply: p } }',
    'eventually: { within: 5s, after: 1s, reply: p, matches: { n: 7 } }',
    'expect: { reply: p }',
    'expect: { reply: p, error: any }',
  ];
  const played = await play(steps, (set) => {
    set.talk = () => ({ reply: { ok: 1, n: 7 }, afterMicros: 2_000_000 });
  });
  expect(played.result.failure?.index).toBe(5);
  expect(complaint(played)).toEqual(['p: error: any error', '{ok: 1, n: 7}']);
  expect(played.result.virtualMicros).toBe(2_000_000);
});

test('a command to several is sent to all at once, and each must answer well', async () => {
  const played = await play(['run: { on: secondaries, command: { ping: 1 } }'], (set) => {
    set.talk = (_command, member) =>
      member === 'n3'
        ? { ok: 0, code: 59, codeName: 'CommandNotFound', errmsg: 'no' }
        : { reply: ok, afterMicros: 1000 };
  });
  expect(played.set.sent.map(({ member }) => member)).toEqual(['n2', 'n3']);
  expect(complaint(played)).toEqual(['success, from n3', 'CommandNotFound (59): no']);
});

test('a large insert is sent in batches, as drivers do', async () => {
  const { set } = await play(['insert: { into: a.b, count: 250000, document: { _id: $i } }']);
  const batches = set.sent.map(({ command }) => command.documents as { _id: number }[]);
  expect(batches.map((batch) => [batch.length, batch[0]!._id, batch.at(-1)!._id])).toEqual([
    [100_000, 1, 100_000],
    [100_000, 100_001, 200_000],
    [50_000, 200_001, 250_000],
  ]);
});

// --- sessions ---------------------------------------------------------------------------------------------------------

const at = (seconds: number) => new Timestamp({ t: seconds, i: 1 });
/** Members with sessions, whose clock moves on with each command. */
const timed = (fake: FakeSet) => {
  fake.sessions = true;
  let seconds = 100;
  fake.talk = () => {
    seconds += 1;
    return {
      ...ok,
      cursor: { id: 0, firstBatch: [] },
      operationTime: at(seconds),
      $clusterTime: { clusterTime: at(seconds) },
    };
  };
};
const sentBy = async (steps: string[], prepare = timed) => {
  const { set, result } = await play(steps, prepare);
  expect(result.failure).toBeUndefined();
  return set.sent.map(({ command }) => command);
};

test('operations that name no session share one, each write with the next number', async () => {
  const insert = 'insert: { into: a.b, documents: [{ _id: 1 }] }';
  const [first, second, read] = await sentBy([insert, insert, 'find: { in: a.b }']);
  expect(second!.lsid).toEqual(first!.lsid);
  expect([first!.txnNumber, second!.txnNumber, read!.txnNumber]).toEqual([1, 2, undefined]);
  expect(read!.lsid).toEqual(first!.lsid);
  // Not causally consistent: nothing is said of what came before.
  expect(read!.readConcern).toBeUndefined();
  expect(read!.$clusterTime).toEqual({ clusterTime: at(102) });
});

test('an operation that is still under way keeps its session', async () => {
  const insert = (more: string) => `insert: { into: a.b, documents: [{ _id: 1 }]${more} }`;
  const [first, second, third] = await sentBy([insert(', as: slow'), insert(''), insert('')]);
  expect(second!.lsid).not.toEqual(first!.lsid);
  expect(third!.lsid).toEqual(second!.lsid);
});

test('the same seed makes the same session ids', async () => {
  const step = 'insert: { into: a.b, documents: [{ _id: 1 }] }';
  const [[first], [again]] = [await sentBy([step]), await sentBy([step])];
  expect(first!.lsid).toEqual(again!.lsid);
  expect((first!.lsid as { id: UUID }).id.toHexString()).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/,
  );
});

test('a session by its name reads after what it wrote, wherever it reads, and keeps its numbers to itself', async () => {
  const commands = await sentBy([
    'insert: { into: a.b, documents: [{ _id: 1 }], session: s1 }',
    'find: { on: n2, in: a.b, session: s1, readConcern: { level: majority } }',
    'insert: { into: a.b, documents: [{ _id: 2 }], session: s2 }',
    'find: { in: a.b, session: s2 }',
    'insert: { into: a.b, documents: [{ _id: 3 }], session: s1 }',
    'run: { db: a, command: { count: b }, session: s1 }',
  ]);
  const [write, read, other, , again, raw] = commands;
  expect(write!.readConcern).toBeUndefined();
  expect(read).toMatchObject({ lsid: write!.lsid, readConcern: { level: 'majority', afterClusterTime: at(101) } });
  expect(other!.lsid).not.toEqual(write!.lsid);
  expect(commands[3]).toMatchObject({ readConcern: { afterClusterTime: at(103) } });
  expect([write!.txnNumber, other!.txnNumber, again!.txnNumber]).toEqual([1, 1, 2]);
  // A command that is sent as written only says in which session.
  expect(raw).toEqual({ count: 'b', $db: 'a', lsid: write!.lsid, $clusterTime: { clusterTime: at(105) } });
});

test.for([
  ['w 0', 'insert: { into: a.b, documents: [{ _id: 1 }], writeConcern: { w: 0 } }'],
  ['many', 'update: { in: a.b, update: { $set: { a: 1 } }, multi: true }'],
])('no number for a write that cannot be repeated: %s', async ([, step]) => {
  expect((await sentBy([step!]))[0]!.txnNumber).toBeUndefined();
});

test('a standalone knows sessions, but no numbers of writes', async () => {
  const [command] = await sentBy(['insert: { on: n1, into: a.b, documents: [{ _id: 1 }] }'], (fake) => {
    timed(fake);
    fake.hellos.set('n1', { setName: undefined });
  });
  expect(command).toMatchObject({ lsid: { id: expect.anything() } });
  expect(command!.txnNumber).toBeUndefined();
});

// --- read preference --------------------------------------------------------------------------------------------------

test('a read that says where but not on whom goes to a server that fits, with its preference beside it', async () => {
  const { set, result } = await play(
    [
      'find: { in: a.b, readPreference: secondary }',
      'find: { in: a.b, readPreference: { mode: nearest, tags: [{ dc: west }, { dc: east }] } }',
      'run: { db: a, command: { count: b }, readPreference: primaryPreferred }',
    ],
    (fake) => {
      timed(fake);
      fake.hellos.set('n3', { tags: { dc: 'east' } });
      fake.hellos.set('n2', { hidden: true });
    },
  );
  expect(result.failure).toBeUndefined();
  expect(set.sent.map(({ member }) => member)).toEqual(['n3', 'n3', 'n1']);
  expect(set.sent[1]!.command.$readPreference).toEqual({ mode: 'nearest', tags: [{ dc: 'west' }, { dc: 'east' }] });
});

test('of several that fit one is chosen by the seed', async () => {
  const readers = async (seed: number) => {
    const steps = Array.from({ length: 12 }, () => 'find: { in: a.b, readPreference: secondary }');
    const { set } = await play(steps, timed, { seed });
    return set.sent.map(({ member }) => member).join(' ');
  };
  const first = await readers(1);
  expect(new Set(first.split(' '))).toEqual(new Set(['n2', 'n3']));
  expect(await readers(1)).toBe(first);
  expect(await readers(2)).not.toBe(first);
});

test('where no member fits, the client waits and gives up as drivers do', async () => {
  const played = await play(['find: { in: a.b, readPreference: { mode: secondary, tags: [{ dc: east }] } }'], timed);
  expect(complaint(played)?.[0]).toBe('a server for { mode: secondary, tags: [{ dc: east }] }');
  expect(played.result.virtualMicros).toBe(30_000_000);
});
