import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServedSet } from '../../src/index.ts';
import { OpCode } from '../../src/wire/messageHeader.ts';
import { body, EXHAUST_ALLOWED, opMsg, opQuery, REQUEST_ID } from '../wire/frames.ts';
import { RawClient, type Reply } from './rawClient.ts';

// Streaming as it goes over the wire: what a monitor asks once, and is told again and again.

let served: ServedSet;
let monitor: RawClient;
let other: RawClient;

beforeEach(async () => {
  served = await ServedSet.start({ members: 1 });
  monitor = await RawClient.connect(served.set.hostOf('n1'));
  other = await RawClient.connect(served.set.hostOf('n1'));
});
afterEach(async () => {
  monitor.socket.destroy();
  other.socket.destroy();
  await served.stop();
});

const LONG_MS = 1e8;

/** What the monitor sends when it has been told so much. @param ahead how much more than it really was */
async function awaitable(maxAwaitTimeMS: number, ahead = 0n, name = 'hello'): Promise<Record<string, unknown>> {
  const { topologyVersion } = await other.ask({ hello: 1 });
  const { processId, counter } = topologyVersion;
  return { [name]: 1, maxAwaitTimeMS, topologyVersion: { processId, counter: BigInt(counter) + ahead }, $db: 'admin' };
}

/** Something that `hello` shows changes. */
async function news(): Promise<void> {
  const { config } = await other.ask({ replSetGetConfig: 1 });
  const reconfig = { replSetReconfig: { ...config, version: config.version + 1 } };
  expect(await other.ask(reconfig)).toMatchObject({ ok: 1 });
}

async function told(): Promise<Reply> {
  const reply = await monitor.reply();
  if (reply === undefined) throw new Error('the connection was closed');
  return reply;
}

const versionOf = ({ document }: Reply): number => document.setVersion;
const counterOf = ({ document }: Reply): number => document.topologyVersion.counter;

test.for([
  ['hello', 'isWritablePrimary'],
  ['isMaster', 'ismaster'],
  ['ismaster', 'ismaster'],
] as const)('a stream of %s: each answer answers the one before it, and another one comes', async ([name, field]) => {
  // It knows less than there is, so the first answer comes at once.
  await monitor.write(opMsg([body(await awaitable(LONG_MS, -1n, name))], EXHAUST_ALLOWED));
  const replies = [await told()];
  for (let i = 0; i < 3; i++) {
    await news();
    replies.push(await told());
  }
  expect(replies.map(({ responseTo }) => responseTo)).toEqual([
    REQUEST_ID,
    ...replies.slice(0, -1).map(({ requestId }) => requestId),
  ]);
  expect(new Set(replies.map(({ requestId }) => requestId)).size).toBe(4);
  expect(replies.map(versionOf)).toEqual([1, 2, 3, 4]);
  expect(replies.map(counterOf)).toEqual([0, 1, 2, 3].map((more) => counterOf(replies[0]!) + more));
  for (const { moreToCome, opCode, document } of replies) {
    expect([moreToCome, opCode]).toEqual([true, OpCode.msg]);
    expect(document).toMatchObject({ ok: 1, [field]: true, connectionId: replies[0]!.document.connectionId });
  }
});

test('a stream without news says so when the client has waited for long enough, and goes on', async () => {
  await monitor.write(opMsg([body(await awaitable(1))], EXHAUST_ALLOWED));
  const replies = [await told(), await told(), await told()];
  expect(new Set(replies.map(counterOf)).size).toBe(1);
  expect(replies.map(({ moreToCome }) => moreToCome)).toEqual([true, true, true]);
});

test('who does not stream is answered once, when there is news, and goes on', async () => {
  await monitor.write(opMsg([body(await awaitable(LONG_MS))]));
  await news();
  expect(await told()).toMatchObject({ responseTo: REQUEST_ID, moreToCome: false, document: { ok: 1, setVersion: 2 } });
  await news();
  expect(await monitor.ask({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('nor is what comes as OP_QUERY streamed', async () => {
  const { $db, ...hello } = await awaitable(1);
  await monitor.write(opQuery(hello));
  expect(await told()).toMatchObject({ opCode: OpCode.reply, responseTo: REQUEST_ID, document: { ok: 1 } });
  expect(await monitor.ask({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('nor is a cursor: who would take more is given one batch, and asks for the next', async () => {
  await other.ask({ insert: 'c', documents: [1, 2, 3, 4].map((_id) => ({ _id })), $db: 'app' });
  const { cursor } = await monitor.ask({ find: 'c', sort: { _id: 1 }, batchSize: 1, $db: 'app' });
  const getMore = { getMore: BigInt(cursor.id), collection: 'c', batchSize: 1, $db: 'app' };
  for (const _id of [2, 3]) {
    await monitor.write(opMsg([body(getMore)], EXHAUST_ALLOWED));
    expect(await told()).toMatchObject({ moreToCome: false, document: { ok: 1, cursor: { nextBatch: [{ _id }] } } });
  }
});

describe('an error is the last of a stream, and the connection goes on', () => {
  test.for<[string, bigint, number]>([
    ['in the middle', 0n, 91],
    ['at once', 1n, 31382],
  ])('%s', async ([, ahead, code]) => {
    const hello = await awaitable(ahead === 0n ? 1 : LONG_MS, ahead);
    await monitor.write(opMsg([body(hello)], EXHAUST_ALLOWED));
    if (ahead === 0n) {
      expect(await told()).toMatchObject({ moreToCome: true });
      const data = { failCommands: ['hello'], errorCode: code };
      await other.ask({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    }
    let last = await told();
    while (last.moreToCome) last = await told();
    expect(last.document).toMatchObject({ ok: 0, code });
    expect(await monitor.ask({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  test('when the process ends, which it says in advance', async () => {
    const three = await ServedSet.start({ members: 3 });
    const watcher = await RawClient.connect(three.set.hostOf('n3'));
    const { topologyVersion } = await watcher.ask({ hello: 1 });
    const known = { ...topologyVersion, counter: BigInt(topologyVersion.counter) - 1n };
    const hello = { hello: 1, maxAwaitTimeMS: LONG_MS, topologyVersion: known, $db: 'admin' };
    await watcher.write(opMsg([body(hello)], EXHAUST_ALLOWED));
    // It has been read when the first answer is here, which comes at once.
    expect(await watcher.reply()).toMatchObject({ moreToCome: true });
    const ended = three.shutdown('n3');
    let last = await watcher.reply();
    // A set that is so young may have other news before.
    while (last?.moreToCome) last = await watcher.reply();
    expect(last).toMatchObject({ moreToCome: false, document: { ok: 0, code: 91 } });
    expect(counterOf(last!)).toBeGreaterThan(topologyVersion.counter);
    expect(await watcher.reply()).toBeUndefined();
    await ended;
    await three.stop();
  });
});
