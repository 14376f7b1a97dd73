import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { encodeDocument } from '@replsim/protocol';
import type { ConnectionListener } from '@replsim/replset';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pacer } from '../../src/clock/pacer.ts';
import { Compression } from '../../src/compression/compression.ts';
import { compressorsOf } from '../../src/compression/compressors.ts';
import type { AdminDoor } from '../../src/doors/adminDoor.ts';
import { ClientSocket } from '../../src/doors/clientSocket.ts';
import { DatesBehind } from '../../src/doors/datesBehind.ts';
import type { Farewell } from '../../src/doors/farewell.ts';
import { Handshakes } from '../../src/doors/handshakes.ts';
import { Limits } from '../../src/doors/limits.ts';
import { Newcomers } from '../../src/doors/newcomers.ts';
import type { Recorder } from '../../src/doors/recorder.ts';
import { Watchers } from '../../src/doors/watchers.ts';
import { FrameReader } from '../../src/wire/frameReader.ts';
import { readHeader } from '../../src/wire/messageHeader.ts';
import { readRequest } from '../../src/wire/opMsg.ts';
import { useGlobalTime } from '../clock/globalTime.ts';
import { body, checksummed, EXHAUST_ALLOWED, opMsg, REQUEST_ID } from '../wire/frames.ts';
import { compressedBy } from './rawClient.ts';

// A client's socket whose member is played by the test: it says when what comes in is taken, and when it hangs up.

const HELLO = { hello: 1, maxAwaitTimeMS: 1e9, $db: 'admin' };
const TOPOLOGY_VERSION = { processId: 'a process', counter: 6n };

let server: Server;
let near: Socket;
let far: Socket;
/** What came in and waits. */
let inputs: (() => void)[];
/** Requests that the member has got. */
let requests: number;
/** Those that time does not wait for. */
let pulling: Set<number>;
let heard: ConnectionListener;
/** What the farewell was told of the socket, if it was told. */
let watches: boolean | undefined;
/** Whether clients have to log in. */
let isAccessControlled = false;
let limits: Limits;
/** Resolves when something waits to be taken. */
let arrived: () => void;

beforeEach(async () => {
  inputs = [];
  requests = 0;
  pulling = new Set();
  watches = undefined;
  arrived = () => {};
  limits = new Limits({ isAccessControlled, mostConnections: 10 });
  server = createServer({ allowHalfOpen: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  far = connect((server.address() as AddressInfo).port, '127.0.0.1');
  [near] = (await accepted) as [Socket];
  new ClientSocket(near, {
    member: 'n1',
    secure: undefined,
    limits,
    compression: new Compression(compressorsOf({ members: [] }, 'n1')),
    door: {} as AdminDoor,
    handshakes: new Handshakes(),
    dates: new DatesBehind({ setMs: () => 0, machineMs: () => 0 }),
    farewell: {
      close: (_: Socket, watching: boolean) => {
        watches = watching;
      },
    } as Farewell,
    newcomers: new Newcomers(),
    watchers: new Watchers(),
    introduce: () => Promise.resolve(),
    withoutPassword: (command: Uint8Array) => command,
    recorder: { isWriting: false, connected: () => 1, sent() {}, closed() {}, awaitEnded() {} } as unknown as Recorder,
    pacer: {
      input: (happen: () => void) => {
        inputs.push(happen);
        arrived();
      },
      pull: (requestId: number) => pulling.add(requestId),
      release: (requestId: number) => pulling.delete(requestId),
    } as unknown as Pacer,
    connect: (_, listener) => {
      heard = listener;
      return {
        appName: undefined,
        isFrozen: false,
        managesHost: true,
        connectionId: 1,
        send: () => ++requests,
        awaitEnded() {},
        secured() {},
        refused() {},
        close() {},
      };
    },
  });
  takeAll();
});
afterEach(async () => {
  const closed = near.closed ? undefined : once(near, 'close');
  near.destroy();
  far.destroy();
  server.close();
  await closed;
});

function takeAll(): void {
  for (const happen of inputs.splice(0)) happen();
}

/** Sends a message; it has come in, and waits, when the promise resolves. */
async function send(document: object, flags = 0): Promise<void> {
  const waits = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  far.write(opMsg([body(document as Record<string, unknown>)], flags));
  await waits;
}

/** Whatever the process had to do at once is done. */
async function turns(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

const helloReply = (counter: bigint, more = {}) =>
  encodeDocument({ ok: 1, topologyVersion: { ...TOPOLOGY_VERSION, counter }, ...more });

test('a client that streams watches: while its hello waits, and between two answers', async () => {
  await send({ ...HELLO, topologyVersion: TOPOLOGY_VERSION }, EXHAUST_ALLOWED);
  takeAll();
  heard.reply(requests, helloReply(7n));
  // The next hello, which nobody sent, has not been taken yet.
  expect(inputs).toHaveLength(1);
  heard.closed();
  expect(watches).toBe(true);
  takeAll();
  expect(requests).toBe(1);
});

test('who sends a checksum gets one, with a protocol error too', async () => {
  const replies = new FrameReader();
  const next = async () => {
    for (;;) {
      const message = replies.next();
      if (message) return readRequest(message);
      replies.push((await once(far, 'data'))[0]);
    }
  };
  const waits = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  far.write(checksummed([body({ ping: 1, $db: 'app' })]));
  await waits;
  takeAll();
  heard.reply(requests, encodeDocument({ ok: 1 }));
  expect(await next()).toMatchObject({ checksummed: true });
  far.write(checksummed([body({ ping: 1 }), body({ ping: 1 })]));
  expect(await next()).toMatchObject({ checksummed: true });
  await send({ ping: 1, $db: 'app' });
  takeAll();
  heard.reply(requests, encodeDocument({ ok: 1 }));
  expect(await next()).toMatchObject({ checksummed: false });
});

describe('a client that has no more to say', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    useGlobalTime();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const insert = (_id: number) => opMsg([body({ insert: 'c', documents: [{ _id }], $db: 'app' })]);

  /** So many inserts have come in, and then the end of what the client has to say. */
  async function endsAfter(inserts: number): Promise<void> {
    const ended = once(near, 'end');
    far.end(Buffer.concat(Array.from({ length: inserts }, (_, i) => insert(i))));
    await ended;
  }

  test('may have gone: its command is not waited for without end', async () => {
    await endsAfter(1);
    takeAll();
    const closed = once(near, 'close');
    vi.advanceTimersByTime(9_999);
    expect([near.destroyed, requests]).toEqual([false, 1]);
    vi.advanceTimersByTime(1);
    await closed;
    expect(inputs).toHaveLength(1);
  });

  test('nor is one that breaks the protocol, and never reads the little that was answered before', async () => {
    const flushed = new Promise<void>((resolve) => {
      // What would wait until the last byte is out.
      near.destroySoon = resolve;
    });
    far.write(Buffer.alloc(64, 0xff));
    await flushed;
    const closed = once(near, 'close');
    vi.advanceTimersByTime(9_999);
    expect(near.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    await closed;
  });

  test('gets the answers that come in time, each of which has its own', async () => {
    const received: Buffer[] = [];
    far.on('data', (chunk) => received.push(chunk));
    await endsAfter(2);
    const over = once(far, 'close');
    for (const request of [1, 2]) {
      takeAll();
      vi.advanceTimersByTime(9_999);
      expect([near.destroyed, requests]).toEqual([false, request]);
      heard.reply(request, encodeDocument({ ok: 1, request }));
      expect(vi.getTimerCount()).toBe(0);
    }
    await over;
    expect(Buffer.concat(received).toString('latin1').split('request')).toHaveLength(3);
  });

  test('but has one command that has begun already', async () => {
    await send({ insert: 'c', $db: 'app' });
    takeAll();
    await endsAfter(0);
    expect(vi.getTimerCount()).toBe(1);
    heard.reply(1, encodeDocument({ ok: 1 }));
    expect(vi.getTimerCount()).toBe(0);
  });

  test('and who has waited for news before waits no more', async () => {
    await send({ ...HELLO, topologyVersion: TOPOLOGY_VERSION });
    takeAll();
    heard.awaiting(1, 1000);
    heard.reply(1, helloReply(7n));
    await endsAfter(1);
    takeAll();
    expect([near.destroyed, requests]).toEqual([false, 2]);
  });

  test('and has gone when its command is taken: nobody counts for how long', async () => {
    await endsAfter(1);
    const closed = once(near, 'close');
    near.destroy();
    await closed;
    takeAll();
    expect([requests, vi.getTimerCount()]).toEqual([1, 0]);
  });
});

describe('a client that does not go on', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    useGlobalTime();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const ping = opMsg([body({ ping: 1, $db: 'app' })]);

  test.for([1, 4, 11, 12, ping.length - 1])('after %i bytes is given up, and each byte counts', async (count) => {
    const heard = once(near, 'data');
    far.write(ping.subarray(0, count));
    await heard;
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(29_999);
    expect(near.destroyed).toBe(false);
    const closed = once(near, 'close');
    vi.advanceTimersByTime(1);
    await closed;
    expect(requests).toBe(0);
  });

  test('and one that goes on has time again', async () => {
    for (const part of [ping.subarray(0, 5), ping.subarray(5, 20)]) {
      const heard = once(near, 'data');
      far.write(part);
      await heard;
      vi.advanceTimersByTime(29_999);
    }
    const waits = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    far.write(ping.subarray(20));
    await waits;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('under access control', () => {
  beforeAll(() => {
    isAccessControlled = true;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    useGlobalTime();
  });
  afterAll(() => {
    isAccessControlled = false;
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  async function asks(document: object, reply: object): Promise<void> {
    await send(document);
    takeAll();
    heard.reply(requests, encodeDocument({ ok: 1, ...reply }));
  }

  async function isGivenUp(): Promise<void> {
    vi.advanceTimersByTime(29_999);
    expect(near.destroyed).toBe(false);
    const closed = once(near, 'close');
    vi.advanceTimersByTime(1);
    await closed;
  }

  test('who says nothing is given up', isGivenUp);

  test('who says hello may stay: it is a monitor', async () => {
    await asks(HELLO, {});
    vi.advanceTimersByTime(100_000);
    expect(near.destroyed).toBe(false);
  });

  test.for<[string, object, object]>([
    ['a saslStart', { saslStart: 1, $db: 'admin' }, { done: false }],
    [
      'a hello that begins a login',
      { ...HELLO, speculativeAuthenticate: {} },
      { speculativeAuthenticate: { done: false } },
    ],
  ])('who goes no further than %s is given up', async ([, command, reply]) => {
    await asks(command, reply);
    await isGivenUp();
  });

  test.for<[string, object, object]>([
    ['saslContinue', { saslContinue: 1, $db: 'admin' }, { done: true }],
    ['authenticate', { authenticate: 1, $db: '$external' }, { user: 'CN=me' }],
    [
      'a hello with a certificate',
      { ...HELLO, speculativeAuthenticate: {} },
      { speculativeAuthenticate: { user: 'CN=me' } },
    ],
  ])('who has logged in by %s may stay, and send large messages', async ([, command, reply]) => {
    await asks(command, reply);
    vi.advanceTimersByTime(100_000);
    expect(near.destroyed).toBe(false);
    await send({ insert: 'c', text: 'x'.repeat(20_000), $db: 'app' });
    takeAll();
    expect(requests).toBe(2);
  });

  test.for<[string, (message: Uint8Array) => Uint8Array]>([
    ['as it is', (message) => message],
    ['compressed', (message) => compressedBy('zlib', message)],
  ])('before a login a large message costs the connection: %s', async ([, sent]) => {
    const closed = once(near, 'close');
    far.write(sent(opMsg([body({ insert: 'c', text: 'x'.repeat(20_000), $db: 'app' })])));
    far.resume();
    await closed;
    expect(requests).toBe(0);
    expect(limits.tooLargePreAuth).toBe(1);
  });
});

test('the command of a client that has gone before it was taken pulls time no longer', async () => {
  await send({ insert: 'c', $db: 'app' });
  const closed = new Promise((resolve) => near.once('close', resolve));
  far.resetAndDestroy();
  await closed;
  // What it asked, and its going.
  expect(inputs).toHaveLength(2);
  inputs.shift()!();
  expect([...pulling]).toEqual([requests]);
  takeAll();
  expect([...pulling]).toEqual([]);
});

test('nobody counts the patience of a client that has gone', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  useGlobalTime();
  try {
    // It is taken when the connection is closed already: the set was busy.
    await send({ ...HELLO, topologyVersion: TOPOLOGY_VERSION });
    const closed = new Promise((resolve) => near.once('close', resolve));
    far.resetAndDestroy();
    await closed;
    inputs.shift()!();
    heard.awaiting(requests, 1e9);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
  }
});

test('a client that streams and does not read is told nothing more until it does', async () => {
  await send({ ...HELLO, topologyVersion: TOPOLOGY_VERSION }, EXHAUST_ALLOWED);
  takeAll();
  far.pause();
  // More than the two ends of a connection hold.
  heard.reply(requests, helloReply(7n, { text: 'x'.repeat(40_000_000) }));
  await turns();
  expect(inputs).toEqual([]);
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  far.resume();
  await asked;
  takeAll();
  expect(requests).toBe(2);
});

test.for<[string, object, number, Uint8Array[], boolean]>([
  ['before the first answer of a stream', { ...HELLO, topologyVersion: TOPOLOGY_VERSION }, EXHAUST_ALLOWED, [], true],
  ['after some answers', { ...HELLO, topologyVersion: TOPOLOGY_VERSION }, EXHAUST_ALLOWED, [helloReply(7n), helloReply(8n)], true], // biome-ignore format: one line
  ['an error ended the stream', { ...HELLO, topologyVersion: TOPOLOGY_VERSION }, EXHAUST_ALLOWED, [helloReply(7n), encodeDocument({ ok: 0 })], false], // biome-ignore format: one line
  ['a hello that is not streamed', HELLO, 0, [], false],
  ['and its answer', HELLO, 0, [helloReply(7n)], false],
  ['a command under way', { insert: 'c', $db: 'app' }, 0, [], false],
  ['and its answer', { insert: 'c', $db: 'app' }, 0, [encodeDocument({ ok: 1 })], false],
])('who watches when the member hangs up: %s', async ([, document, flags, replies, expected]) => {
  await send(document, flags);
  takeAll();
  for (const reply of replies) {
    heard.reply(requests, reply);
    takeAll();
  }
  heard.closed();
  expect(watches).toBe(expected);
});

test('each answer of a stream has an id of its own, and answers to the one before it', async () => {
  const frames = new FrameReader();
  const headers: { requestId: number; responseTo: number }[] = [];
  far.on('data', (chunk) => {
    frames.push(chunk);
    for (let message = frames.next(); message; message = frames.next()) headers.push(readHeader(message));
  });
  await send({ ...HELLO, topologyVersion: TOPOLOGY_VERSION }, EXHAUST_ALLOWED);
  takeAll();
  for (const counter of [7n, 8n, 9n]) {
    heard.reply(requests, helloReply(counter));
    takeAll();
  }
  while (headers.length < 3) await once(far, 'data');
  expect(headers.map(({ responseTo }) => responseTo)).toEqual([
    REQUEST_ID,
    headers[0]!.requestId,
    headers[1]!.requestId,
  ]);
  expect(new Set(headers.map(({ requestId }) => requestId)).size).toBe(3);
});
