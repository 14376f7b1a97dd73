import { decodeDocument } from '@replsim/protocol';
import { EJSON, Long } from 'bson';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServedSet } from '../../src/index.ts';
import { RawClient } from '../doors/rawClient.ts';
import { body, EXHAUST_ALLOWED, opMsg, opQuery, sequence } from './frames.ts';

// `ok` is a double in whatever is answered, by whomever: drivers in languages with types may insist on it. Upstream:
// appendCommandStatusNoThrow. Counters are int32s.

let served: ServedSet;
let client: RawClient;

beforeAll(async () => {
  served = await ServedSet.start({ members: 1 });
  client = await RawClient.connect(served.set.hostOf('n1'));
  await client.ask({ insert: 'c', documents: [1, 2, 3].map((_id) => ({ _id })), $db: 'app' });
});
afterAll(async () => {
  client.socket.destroy();
  await served.stop();
});

const on = (db: string, command: object) => opMsg([body({ ...command, $db: db })]);
const UPDATE = { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] };
const DUPLICATE = { insert: 'c', documents: [{ _id: 1 }] };

/** A reply whose numbers say of which type they are. */
async function typed(from: RawClient) {
  const reply = await from.reply();
  if (reply === undefined) throw new Error('the connection was closed');
  return EJSON.serialize(decodeDocument(reply.bytes), { relaxed: false });
}

async function answerTo(message: Uint8Array) {
  await client.write(message);
  return await typed(client);
}

const double = (value: number) => ({ $numberDouble: value.toFixed(1) });
const int = (value: number) => ({ $numberInt: String(value) });

test.for<[what: string, message: Uint8Array, ok: 0 | 1]>([
  ['a command', on('admin', { ping: 1 }), 1],
  ['a command that fails', on('app', { find: 'c', filter: { $no: 1 } }), 0],
  ['an unknown command', on('app', { noSuchThing: 1 }), 0],
  ['help', on('app', { find: 'c', help: true }), 1],
  ['hello', on('admin', { hello: 1 }), 1],
  ['hello in old words', opQuery({ isMaster: 1 }), 1],
  ['a command in old words', opQuery({ find: 'c' }), 0],
  ['what is no command', opMsg([body({})]), 0],
  ['what is no request', opMsg([sequence('a', [])]), 0],
  ['a find', on('app', { find: 'c' }), 1],
  ['a getMore', on('app', { getMore: Long.fromNumber(7), collection: 'c' }), 0],
  ['a write', on('app', UPDATE), 1],
  ['a write that fails', on('app', DUPLICATE), 1],
  ['a command of ours', on('admin', { replsimStatus: 1 }), 1],
  ['one that fails', on('admin', { replsimSpeed: -1 }), 0],
])('%s', async ([, message, ok]) => {
  expect((await answerTo(message)).ok).toEqual(double(ok));
});

test('each of a stream', async () => {
  const { topologyVersion } = await client.ask({ hello: 1 });
  const { processId, counter } = topologyVersion;
  // It knows less than there is, so that the first answer comes at once, and the second when it has waited for long enough.
  const hello = { hello: 1, maxAwaitTimeMS: 1, topologyVersion: { processId, counter: BigInt(counter) - 1n } };
  const monitor = await RawClient.connect(served.set.hostOf('n1'));
  await monitor.write(opMsg([body({ ...hello, $db: 'admin' })], EXHAUST_ALLOWED));
  for (let i = 0; i < 2; i++) expect((await typed(monitor)).ok).toEqual(double(1));
  monitor.socket.destroy();
});

test('the batches of a cursor', async () => {
  const { cursor } = await answerTo(on('app', { find: 'c', batchSize: 1 }));
  expect((await answerTo(on('app', { getMore: Long.fromString(cursor.id.$numberLong), collection: 'c' }))).ok).toEqual(
    double(1),
  );
});

test('the entries of a bulkWrite; its counters are int32s', async () => {
  const ops = [
    { update: 0, filter: { _id: 1 }, updateMods: { $set: { a: 2 } } },
    { insert: 0, document: { _id: 1 } },
  ];
  const reply = await answerTo(on('admin', { bulkWrite: 1, ops, nsInfo: [{ ns: 'app.c' }] }));
  expect(reply).toMatchObject({ ok: double(1), nErrors: int(1), nMatched: int(1) });
  expect(reply.cursor.firstBatch).toMatchObject([
    { ok: double(1), idx: int(0), n: int(1), nModified: int(1) },
    { ok: double(0), idx: int(1), n: int(0), code: int(11_000) },
  ]);
});

test('the counters of a write, and its errors, are int32s', async () => {
  expect(await answerTo(on('app', UPDATE))).toMatchObject({ n: int(1), nModified: { $numberInt: expect.any(String) } });
  const { n, writeErrors } = await answerTo(on('app', DUPLICATE));
  expect([n, ...writeErrors]).toMatchObject([int(0), { index: int(0), code: int(11_000) }]);
});
