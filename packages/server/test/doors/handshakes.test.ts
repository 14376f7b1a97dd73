import { afterEach, beforeEach, expect, test } from 'vitest';
import { ServedSet } from '../../src/index.ts';
import { RawClient } from './rawClient.ts';

let served: ServedSet;
let told: string[];
let clients: RawClient[];

beforeEach(async () => {
  served = await ServedSet.start({ members: 1 });
  told = [];
  clients = [];
  served.handshakes.onRefused((text) => told.push(text));
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await served.stop();
});

/** What a new client hears on its first `hello`. */
async function greet(hello: Record<string, unknown>) {
  const client = await RawClient.connect(served.set.hostOf('n1'));
  clients.push(client);
  return client.ask(hello);
}

const os = { type: 'Linux' };
const driver = { name: 'nodejs', version: '7.6.0' };

test('the first that is refused is told of, with what helps under jest, and no other', async () => {
  expect(await greet({ hello: 1, client: {} })).toMatchObject({ ok: 0, code: 183 });
  expect(await greet({ hello: 1, client: { os } })).toMatchObject({ ok: 0, code: 183 });
  expect(told).toEqual([
    expect.stringMatching(/lacks the sub-document 'driver'\. Under jest .*--experimental-vm-modules .*runtimeAdapters/),
  ]);
});

test('one that says too much has nothing to do with jest', async () => {
  const application = { name: 'x'.repeat(129) };
  expect(await greet({ hello: 1, client: { application, driver, os } })).toMatchObject({ ok: 0, code: 184 });
  expect(told).toEqual([expect.stringMatching(/client\.application\.name may have 128 bytes at most$/)]);
});

test('who is let in, or refused by a fail point, or later, is none', async () => {
  expect(await greet({ hello: 1, client: { driver, os } })).toMatchObject({ ok: 1 });
  expect(await greet({ ping: 1 })).toMatchObject({ ok: 1 });
  const data = { failCommands: ['hello'], errorCode: 91 };
  await served.command('n1', { configureFailPoint: 'failCommand', mode: { times: 1 }, data });
  expect(await greet({ hello: 1, client: { driver, os } })).toMatchObject({ ok: 0, code: 91 });
  expect(await clients[0]?.ask({ hello: 1, client: {} })).toMatchObject({ ok: 0, code: 186 });
  expect(told).toEqual([]);
});
