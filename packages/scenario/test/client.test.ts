import { expect, test } from 'vitest';
import type { FakeSet } from './fakeSet.ts';
import { complaint, play } from './playing.ts';

const ok = { ok: 1 };
const notPrimary = { ok: 0, code: 10107, codeName: 'NotWritablePrimary', errmsg: 'not primary' };

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

test.for([10107, 13435, 13436, 189, 11602, 91, 11600, 6, 7, 89, 9001])(
  'a write that fails with %d is sent once more',
  async (code) => {
    const { set, result } = await play(
      ['insert: { into: a.b, documents: [{ _id: 1, at: { $now: 0s }, r: $rand }] }'],
      (fake) => {
        fake.talk = (_command, member) => {
          if (member !== 'n1') return ok;
          fake.primaries.clear();
          fake.at(7_000_000, () => fake.primaries.set('n2', 2));
          return { ...notPrimary, code };
        };
      },
    );
    expect(result.ok).toBe(true);
    expect(set.sent.map(({ member }) => member)).toEqual(['n1', 'n2']);
    expect(set.sent[1]!.command).toEqual(set.sent[0]!.command);
  },
);

test.for([
  ['another error', 'insert: { into: a.b, documents: [{ _id: 1 }] }', 11000],
  ['a second failure', 'insert: { into: a.b, documents: [{ _id: 1 }] }', 10107, 2],
  ['an update of many', 'update: { in: a.b, update: { $set: { a: 1 } }, multi: true }', 10107],
  ['a delete of many', 'delete: { from: a.b, multi: true }', 10107],
  ['a command that is no write', 'run: { command: { ping: 1 } }', 10107],
  ['many in a command', 'run: { db: a, command: { delete: b, deletes: [{ q: {}, limit: 0 }] } }', 10107],
  ['a member by its name', 'insert: { on: n1, into: a.b, documents: [{ _id: 1 }] }', 10107],
] as const)('not sent again: %s', async ([, step, code, times = 1]) => {
  const { set, result } = await play([step], (fake) => {
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

test('write errors fail a step; a write concern error is a success that matches can see', async () => {
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
  expect((await play([`${insert} }`], answer(unacknowledged))).result.ok).toBe(true);
  expect((await play([`${insert}, matches: { writeConcernError.code: 64 } }`], answer(unacknowledged))).result.ok).toBe(
    true,
  );
  expect((await play([`${insert}, error: WriteConcernTimeout }`], answer(unacknowledged))).result.ok).toBe(true);
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
