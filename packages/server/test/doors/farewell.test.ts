import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Farewell } from '../../src/doors/farewell.ts';
import { useGlobalTime } from '../clock/globalTime.ts';

// Real sockets; how long a client may take is counted by a clock that the test turns.

const PATIENCE_MS = 100;

/** Both ends of a connection. */
interface Pair {
  readonly near: Socket;
  /** The client's; what it does not end itself stays open on its side. */
  readonly far: Socket;
}

let server: Server;
let pairs: Pair[];
let farewell: Farewell;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  useGlobalTime();
  pairs = [];
  farewell = new Farewell();
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const { near, far } of pairs) {
    near.destroy();
    far.destroy();
  }
  server.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function pair(): Promise<Pair> {
  const accepted = once(server, 'connection');
  const { port } = server.address() as AddressInfo;
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [near] = (await accepted) as [Socket];
  for (const socket of [near, far]) socket.on('error', () => {});
  far.resume();
  pairs.push({ near, far });
  return { near, far };
}

/** Whatever is on its way has arrived: a connection that is younger has carried something there and back. */
async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const { near, far } = await pair();
    near.resume();
    near.pipe(near);
    far.write('.');
    await once(far, 'data');
    far.destroy();
    await once(near, 'close');
  }
}

const closed = ({ near }: Pair) => once(near, 'close');

test.for([
  ['the watcher first', true],
  ['the watcher last', false],
])('whoever watches hears nothing until the others have noticed: %s', async ([, watcherFirst]) => {
  const [watcher, one, two] = [await pair(), await pair(), await pair()];
  const ended = Promise.all([once(one.far, 'end'), once(two.far, 'end')]);
  let told = false;
  watcher.far.on('end', () => {
    told = true;
  });
  if (watcherFirst) farewell.close(watcher.near, true);
  farewell.close(one.near, false);
  farewell.close(two.near, false);
  if (!watcherFirst) farewell.close(watcher.near, true);
  await ended;
  await settled();
  expect([told, watcher.near.destroyed]).toEqual([false, false]);
  one.far.end();
  await closed(one);
  await settled();
  expect([told, watcher.near.destroyed]).toEqual([false, false]);
  const end = once(watcher.far, 'end');
  two.far.end();
  await closed(two);
  await end;
});

test('a client that does not notice is waited for so long and no longer', async () => {
  const [watcher, talker] = [await pair(), await pair()];
  farewell.close(talker.near, false);
  farewell.close(watcher.near, true);
  await once(talker.far, 'end');
  vi.advanceTimersByTime(PATIENCE_MS - 1);
  await settled();
  expect([talker.near.destroyed, watcher.near.destroyed]).toEqual([false, false]);
  const end = Promise.all([closed(talker), closed(watcher)]);
  vi.advanceTimersByTime(1);
  await end;
});

test('watchers alone hear of it at once', async () => {
  const [one, two] = [await pair(), await pair()];
  const end = Promise.all([closed(one), closed(two)]);
  farewell.close(one.near, true);
  farewell.close(two.near, true);
  await end;
});

test('what was answered before still reaches the client, and what it has sent is of no consequence', async () => {
  const talker = await pair();
  const read: Buffer[] = [];
  talker.far.on('data', (chunk) => read.push(chunk));
  await new Promise((resolve) => talker.far.write(Buffer.alloc(100_000), resolve));
  talker.near.write(Buffer.alloc(2_000_000));
  farewell.close(talker.near, false);
  await once(talker.far, 'end');
  expect(Buffer.concat(read)).toHaveLength(2_000_000);
  talker.far.end();
  await closed(talker);
});

test.for([true, false])('a socket that is closed already holds up nobody, watching: %s', async (watches) => {
  const gone = await pair();
  const end = closed(gone);
  gone.near.destroy();
  await end;
  farewell.close(gone.near, watches);
  await farewell.over();
});

test('it is over when the last socket is closed, and not before', async () => {
  await farewell.over();
  const [watcher, talker] = [await pair(), await pair()];
  farewell.close(watcher.near, true);
  farewell.close(talker.near, false);
  const happened: string[] = [];
  talker.near.on('close', () => happened.push('talker'));
  watcher.near.on('close', () => happened.push('watcher'));
  const end = farewell.over().then(() => happened.push('over'));
  await once(talker.far, 'end');
  await settled();
  expect(happened).toEqual([]);
  talker.far.end();
  await end;
  expect(happened).toEqual(['talker', 'watcher', 'over']);
  // The next process of the member dies as well.
  const again = await pair();
  again.near.on('close', () => happened.push('again'));
  farewell.close(again.near, true);
  await farewell.over();
  expect(happened.at(-1)).toBe('again');
});
