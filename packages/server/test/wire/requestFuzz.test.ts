import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeInt32 } from '../../src/wire/messageHeader.ts';
import { readRequest } from '../../src/wire/opMsg.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';
import { body, checksummed, concat, MORE_TO_COME, opMsg, opQuery, sequence } from './frames.ts';

const documents = [{ _id: 1, text: 'abc', list: [1, { b: null }] }, {}, { _id: 3 }];
const VALID = [
  opMsg([body({ ping: 1, $db: 'admin' })]),
  opMsg([body({ insert: 'c', $db: 'a' }), sequence('documents', documents)]),
  opMsg(
    [sequence('ops', documents), body({ bulkWrite: 1, $db: 'admin' }), sequence('nsInfo', [{ ns: 'a.b' }])],
    MORE_TO_COME,
  ),
  checksummed([body({ insert: 'c', $db: 'a' }), sequence('documents', documents)]),
  opQuery({ hello: 1, client: { driver: { name: 'x' } } }, { flags: 4 }),
  opQuery({ $query: { hello: 1 }, $readPreference: { mode: 'nearest' } }),
];

/** One way to spoil bytes. */
type Mutation = (bytes: Uint8Array) => Uint8Array;

const anyPlace = fc.nat(400);
const anyInt32 = fc.oneof(
  fc.integer({ min: -20, max: 200 }),
  fc.constantFrom(0x7fffffff, -0x80000000, 48_000_001),
  fc.integer(),
);
const flip = fc.tuple(anyPlace, fc.nat(255)).map(
  ([at, byte]): Mutation =>
    (bytes) =>
      bytes.map((was, index) => (index === at % bytes.length ? byte : was)),
);
const truncate = anyPlace.map(
  (at): Mutation =>
    (bytes) =>
      bytes.slice(0, at % (bytes.length + 1)),
);
const splice = fc.tuple(anyPlace, fc.nat(12), fc.uint8Array({ maxLength: 12 })).map(
  ([at, gone, more]): Mutation =>
    (bytes) =>
      concat([bytes.subarray(0, at), more, bytes.subarray(at + gone)]),
);
const lie = fc.tuple(anyPlace, anyInt32).map(
  ([at, value]): Mutation =>
    (bytes) => {
      const lying = bytes.slice();
      if (bytes.length >= 4) writeInt32(lying, at % (bytes.length - 3), value);
      return lying;
    },
);
const mutations = fc.array(fc.oneof(flip, truncate, splice, lie), { minLength: 1, maxLength: 4 });

const spoil = (bytes: Uint8Array, ways: readonly Mutation[]) => ways.reduce((spoilt, mutate) => mutate(spoilt), bytes);

/** The header's length made true again, as most of what comes out of a FrameReader has it. */
function withTrueLength(message: Uint8Array): Uint8Array {
  const mended = message.slice();
  if (mended.length >= 4) writeInt32(mended, 0, mended.length);
  return mended;
}

test('a spoilt message is a command whose frame is sound, or a ProtocolError', () => {
  const seen = { commands: 0, answers: 0, ends: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...VALID), mutations, fc.integer({ min: 0, max: 9 }), (message, ways, mends) => {
      const spoilt = spoil(message, ways);
      try {
        const { command } = readRequest(mends > 0 ? withTrueLength(spoilt) : spoilt);
        expect(new DataView(command.buffer, command.byteOffset).getInt32(0, true)).toBe(command.length);
        expect(command.at(-1)).toBe(0);
        seen.commands++;
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        if (error.closes) expect(error.answer).toBeUndefined();
        if (error.answer) expect(error.requestId).toBeTypeOf('number');
        seen[error.closes ? 'ends' : 'answers']++;
      }
    }),
    { seed: 5, numRuns: 8000 },
  );
  // All three are really met.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(500);
});

test('a real member answers whatever bytes it gets as a command, and lives', async () => {
  const set = await ReplSet.create({ seed: 5, members: [{ name: 'n1' }] });
  const ask = async (command: Uint8Array) => {
    const pending = set.send('n1', command);
    await set.runUntil(() => pending.reply !== undefined, set.nowMicros + 10_000_000);
    return decodePromoted(pending.reply!);
  };
  const ping = encodeDocument({ ping: 1, $db: 'admin' });
  await set.runUntil(
    () => decodePromoted(set.ask('n1', encodeDocument({ hello: 1, $db: 'admin' }))).isWritablePrimary,
    60_000_000,
  );
  await ask(encodeDocument({ insert: 'c', documents, $db: 'a' }));

  const commands: Record<string, unknown>[] = [
    { find: 'c', filter: { _id: { $gt: 0 }, text: /a+/ }, sort: { _id: 1 }, $db: 'a' },
    { insert: 'd', documents, ordered: false, writeConcern: { w: 1 }, $db: 'a' },
    { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { 'list.1.b': 2 } }, upsert: true }], $db: 'a' },
    { delete: 'd', deletes: [{ q: {}, limit: 1 }], $db: 'a' },
    { aggregate: 'c', pipeline: [{ $match: { _id: 1 } }, { $limit: 5 }], cursor: {}, $db: 'a' },
    { createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 'text_1', expireAfterSeconds: 60 }], $db: 'a' },
    { findAndModify: 'c', query: { _id: 3 }, update: { $inc: { n: 1 } }, new: true, $db: 'a' },
    { hello: 1, maxTimeMS: 5, $readPreference: { mode: 'nearest' }, $db: 'admin' },
  ];
  const anyBytes = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(fc.constantFrom(...commands), mutations)
        .map(([command, ways]) => withTrueLength(spoil(encodeDocument(command), ways))),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }) },
    {
      weight: 1,
      arbitrary: fc
        .uint8Array({ maxLength: 60 })
        .map((content) => withTrueLength(concat([new Uint8Array(4), content, new Uint8Array(1)]))),
    },
  );
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(anyBytes, async (bytes) => {
      const reply = await ask(bytes);
      expect([0, 1]).toContain(reply.ok);
      if (reply.ok === 0) {
        refused++;
        expect(reply).toMatchObject({
          code: expect.any(Number),
          codeName: expect.any(String),
          errmsg: expect.any(String),
        });
      }
      expect(await ask(ping)).toMatchObject({ ok: 1 });
    }),
    { seed: 5, numRuns: 600 },
  );
  expect(refused).toBeGreaterThan(500);
  await set.close();
});
