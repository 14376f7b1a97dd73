import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServedSet } from '../../src/index.ts';
import { MAX_MESSAGE_BYTES, OpCode } from '../../src/wire/messageHeader.ts';
import {
  body,
  bytes,
  checksummed,
  concat,
  EXHAUST_ALLOWED,
  frame,
  int32,
  MORE_TO_COME,
  opMsg,
  opQuery,
  REQUEST_ID,
  sequence,
} from '../wire/frames.ts';
import { documentOf, RawClient } from './rawClient.ts';

// Real sockets on loopback. Whatever one client does, it gets an answer or loses its connection, and the others go on.

let served: ServedSet;
let host: string;
let clients: RawClient[];

beforeEach(async () => {
  served = await ServedSet.start({ members: 1 });
  host = served.set.hostOf('n1');
  clients = [];
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await served.stop();
});

async function client(): Promise<RawClient> {
  const one = await RawClient.connect(host);
  clients.push(one);
  return one;
}

const PING = { ping: 1, $db: 'admin' };
const ping = (requestId = REQUEST_ID) => opMsg([body(PING)], 0, requestId);
const OK = expect.objectContaining({ ok: 1 });

/** How many connections the member counts, the asker's own left out. */
async function openConnections(asker: RawClient): Promise<number> {
  return (await asker.ask({ serverStatus: 1 })).connections.current - 1;
}

/** Asks until the member counts so many connections besides the asker's. */
async function untilOpen(asker: RawClient, count: number): Promise<void> {
  while ((await openConnections(asker)) !== count);
}

describe('malformed messages', () => {
  test.for([
    ['a length of 0', int32(0)],
    ['a length below the header', concat([int32(15), new Uint8Array(11)])],
    ['a length above the limit, and nothing more', int32(MAX_MESSAGE_BYTES + 1)],
    ['a negative length', int32(-1)],
    ['another protocol', new TextEncoder().encode('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['an unknown opcode', frame(9999, [new Uint8Array(30)])],
    ['OP_COMPRESSED', frame(OpCode.compressed, [new Uint8Array(30)])],
    ['an unknown flag', opMsg([body(PING)], 4)],
    ['a wrong checksum', checksummed([body(PING)], 1)],
    ['a sequence that claims too much', opMsg([body(PING), sequence('a', [{}], 999)])],
    ['an OP_QUERY that is cut off', frame(OpCode.query, [int32(0), bytes(97)])],
  ] as const)('%s: that connection closes, and another goes on', async ([, message]) => {
    const [good, bad] = [await client(), await client()];
    expect(await good.ask(PING)).toEqual(OK);
    await bad.write(message);
    expect(await bad.reply()).toBeUndefined();
    await bad.closed;
    expect(await good.ask(PING)).toEqual(OK);
    await untilOpen(good, 0);
  });

  test.for([
    ['two bodies', opMsg([body(PING), body(PING)]), 40430],
    ['no body', opMsg([sequence('a', [])]), 40587],
    ['a document that claims too much', opMsg([concat([bytes(0), int32(99), bytes(0)])]), 22],
    ['an unknown type inside', opMsg([body(bytes(8, 0, 0, 0, 0x33, 97, 0, 0))]), 22],
    ['an empty command', opMsg([body({})]), 9],
  ] as const)('%s: answered, and the connection goes on', async ([, message, code]) => {
    const one = await client();
    await one.write(message);
    expect(await one.reply()).toMatchObject({ responseTo: REQUEST_ID, opCode: OpCode.msg, document: { ok: 0, code } });
    expect(await one.ask(PING)).toEqual(OK);
  });

  test('an OP_QUERY is answered in its own words, whether it is good or not', async () => {
    const one = await client();
    await one.write(opQuery({ find: 'c' }));
    expect(await one.reply()).toMatchObject({
      responseTo: REQUEST_ID,
      opCode: OpCode.reply,
      document: { ok: 0, code: 352 },
    });
    await one.write(opQuery({ hello: 1 }));
    expect(await one.reply()).toMatchObject({ opCode: OpCode.reply, document: { ok: 1, isWritablePrimary: true } });
  });

  test('what was asked before a message that closes the connection is answered still', async () => {
    const one = await client();
    await one.write(concat([ping(1), ping(2), opMsg([body(PING)], 4)]));
    expect([(await one.reply())?.responseTo, (await one.reply())?.responseTo, await one.reply()]).toEqual([
      1,
      2,
      undefined,
    ]);
    await one.closed;
  });
});

describe('slow, half-closed and broken connections', () => {
  test('a message byte by byte', async () => {
    const one = await client();
    for (const byte of ping()) await one.write(bytes(byte));
    expect(await one.reply()).toMatchObject({ responseTo: REQUEST_ID, document: OK });
  });

  test('a client that sends nothing more gets its answers, and then the end', async () => {
    const one = await client();
    one.socket.end(concat([ping(1), ping(2), ping(3).subarray(0, 20)]));
    expect([(await one.reply())?.responseTo, (await one.reply())?.responseTo]).toEqual([1, 2]);
    expect(await one.reply()).toBeUndefined();
    await one.closed;
  });

  test('nobody waits for news on behalf of a client that sends nothing more', async () => {
    const one = await client();
    const { topologyVersion } = await one.ask({ hello: 1 });
    one.socket.end(
      opMsg([body({ hello: 1, topologyVersion: withCounter(topologyVersion), maxAwaitTimeMS: 1e9, $db: 'admin' })]),
    );
    await one.closed;
    await untilOpen(await client(), 0);
  });

  test('connections that break in the middle of a message, or of a reply, are forgotten', async () => {
    const good = await client();
    for (let count = 0; count < 20; count++) {
      const [midMessage, midReply] = [await client(), await client()];
      await midMessage.write(ping().subarray(0, 10 + count));
      await midReply.write(ping());
      midMessage.socket.resetAndDestroy();
      midReply.socket.resetAndDestroy();
    }
    await untilOpen(good, 0);
    expect(await good.ask(PING)).toEqual(OK);
  });

  test('a client that never reads: what it asked for waits, and the others do not', async () => {
    const [good, lazy] = [await client(), await client()];
    const documents = [1, 2, 3, 4, 5, 6, 7, 8].map((_id) => documentOf(_id, 1_000_000));
    await good.write(opMsg([body({ insert: 'c', $db: 'a' }), sequence('documents', documents)]));
    expect((await good.reply())?.document).toMatchObject({ ok: 1, n: 8 });
    lazy.socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    const finds = 40;
    const find = { find: 'c', sort: { _id: 1 }, $db: 'a' };
    await lazy.write(concat(Array.from({ length: finds }, (_, index) => opMsg([body(find)], 0, index))));
    for (let count = 0; count < 300; count++) expect(await good.ask(PING)).toEqual(OK);
    // A reply or two, not 320 MB.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
    lazy.socket.resume();
    for (let index = 0; index < finds; index++) {
      const reply = await lazy.reply();
      expect(reply?.responseTo).toBe(index);
      expect(reply?.document.cursor.firstBatch).toHaveLength(8);
    }
  });

  test('a client that never reads what it did wrong does not make the server remember all of it', async () => {
    const [good, lazy] = [await client(), await client()];
    lazy.socket.pause();
    const name = 'x'.repeat(1000);
    const wrong = opMsg([sequence(name, []), sequence(name, [])]);
    const flood = concat(Array.from({ length: 15_000 }, () => wrong));
    const before = process.memoryUsage().arrayBuffers;
    const sent = lazy.write(flood);
    for (let count = 0; count < 300; count++) expect(await good.ask(PING)).toEqual(OK);
    // The answers are some 16 MB; what the collector has not come to yet may be half of that.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(12_000_000);
    lazy.socket.resume();
    for (let count = 0; count < 15_000; count++) expect((await lazy.reply())?.document.code).toBe(40431);
    await sent;
  });
});

describe('many', () => {
  test('requests sent ahead are answered in order, wrong ones and silent ones among them', async () => {
    const one = await client();
    const messages = Array.from({ length: 300 }, (_, index) => {
      if (index % 10 === 3) return opMsg([sequence('a', [])], 0, index);
      if (index % 10 === 5)
        return opMsg(
          [body({ insert: 'c', documents: [{ _id: index }], writeConcern: { w: 0 }, $db: 'a' })],
          MORE_TO_COME,
          index,
        );
      if (index % 10 === 7) return opMsg([body({ find: 'c', filter: {}, batchSize: 1000, $db: 'a' })], 0, index);
      return ping(index);
    });
    await one.write(concat(messages));
    for (let index = 0; index < messages.length; index++) {
      if (index % 10 === 5) continue;
      const reply = await one.reply();
      expect(reply?.responseTo).toBe(index);
      if (index % 10 === 3) expect(reply?.document.code).toBe(40587);
      if (index % 10 === 7) expect(reply?.document.cursor.firstBatch).toHaveLength(Math.floor(index / 10) + 1);
    }
  });

  test('a thousand and a half that do nothing', async () => {
    const good = await client();
    const idle: RawClient[] = [];
    while (idle.length < 1500) idle.push(...(await Promise.all(Array.from({ length: 100 }, client))));
    await untilOpen(good, 1500);
    expect(await good.ask({ insert: 'c', documents: [{ _id: 1 }], $db: 'a' })).toMatchObject({ ok: 1, n: 1 });
    expect(await idle[749]!.ask(PING)).toEqual(OK);
    for (const { socket } of idle) socket.destroy();
    await untilOpen(good, 0);
  });
});

describe('patience', () => {
  /** So many answers come after each other on another connection. */
  async function others(): Promise<void> {
    const other = await client();
    for (let i = 0; i < 100; i++) await other.ask(PING);
  }

  test.for([2 ** 31 - 1, 2 ** 31, 1e12, Number.MAX_SAFE_INTEGER])('of %i ms is long', async (maxAwaitTimeMS) => {
    const watcher = await client();
    const { topologyVersion } = await watcher.ask({ hello: 1 });
    const hello = { hello: 1, topologyVersion: withCounter(topologyVersion), maxAwaitTimeMS, $db: 'admin' };
    await watcher.write(opMsg([body(hello)], EXHAUST_ALLOWED));
    await others();
    await served.act({ type: 'kill', member: 'n1' });
    expect(await watcher.reply()).toBeUndefined();
  });

  test('a blocked command is blocked for its client, however time flies here', async () => {
    const one = await client();
    const data = { failCommands: ['find'], blockConnection: true, blockTimeMS: 1e8 };
    await one.ask({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data });
    await one.write(opMsg([body({ find: 'c', $db: 'a' })]));
    await others();
    await served.advance(3e11);
    await served.act({ type: 'kill', member: 'n1' });
    expect(await one.reply()).toBeUndefined();
  });
});

describe('a killed member', () => {
  test('hangs up, those that watch it last, and lets nobody in until it is started again', async () => {
    const [watcher, idle, waiting] = [await client(), await client(), await client()];
    const closed: string[] = [];
    const { topologyVersion } = await idle.ask({ hello: 1 });
    // An older version is answered at once; then the stream waits.
    const older = withCounter(topologyVersion, -1n);
    const hello = { hello: 1, topologyVersion: older, maxAwaitTimeMS: 1e9, $db: 'admin' };
    await watcher.write(opMsg([body(hello)], EXHAUST_ALLOWED));
    expect(await watcher.reply()).toMatchObject({ moreToCome: true, document: OK });
    for (const [name, { socket }] of Object.entries({ watcher, idle, waiting }))
      socket.on('close', () => closed.push(name));
    await served.act({ type: 'kill', member: 'n1' });
    await Promise.all([watcher.closed, idle.closed, waiting.closed]);
    expect(closed.at(-1)).toBe('watcher');
    await expect(RawClient.connect(host)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await served.start('n1');
    expect(await (await client()).ask(PING)).toEqual(OK);
  });

  test('hangs up also in the middle of a command', async () => {
    const one = await client();
    await one.ask({
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['find'], blockConnection: true, blockTimeMS: 1e8 },
    });
    await one.write(opMsg([body({ find: 'c', $db: 'a' })]));
    await served.act({ type: 'kill', member: 'n1' });
    expect(await one.reply()).toBeUndefined();
  });

  test('a stopped set leaves no port and no connection', async () => {
    const one = await client();
    expect(await one.ask(PING)).toEqual(OK);
    const closed = once(one.socket, 'close');
    await served.stop();
    await closed;
    await expect(RawClient.connect(host)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

/** A `topologyVersion` as clients send it: its counter an int64. */
function withCounter({ processId, counter }: { processId: unknown; counter: number }, more = 0n) {
  return { processId, counter: BigInt(counter) + more };
}
