import { Zstd } from '@hpcc-js/wasm-zstd';
import type { Recorded } from '@replsim/replset';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadZstd } from '../../src/compression/zstd.ts';
import { ServedSet } from '../../src/index.ts';
import { OpCode } from '../../src/wire/messageHeader.ts';
import { COMPRESSORS, compressedBy, RawClient } from '../doors/rawClient.ts';
import { body, bytes, concat, EXHAUST_ALLOWED, frame, int32, opMsg, opQuery } from '../wire/frames.ts';

let served: ServedSet;
let clients: RawClient[];

beforeEach(async () => {
  served = await ServedSet.start({ members: 1, networkMessageCompressors: 'snappy,zstd,zlib,noop' });
  clients = [];
});
afterEach(async () => {
  for (const { socket } of clients) socket.destroy();
  await served.stop();
});

async function client(): Promise<RawClient> {
  const one = await RawClient.connect(served.set.hostOf('n1'));
  clients.push(one);
  return one;
}

const message = (command: Record<string, unknown>, flags = 0) => opMsg([body({ ...command, $db: 'admin' })], flags);

// The first test of this file, as whatever uses zstd loads it for the others.
test('zstd is loaded for the first message that needs it, and what comes after that waits its turn', async () => {
  const zstd = await Zstd.load();
  const one = await client();
  const inside = message({ ping: 1 }).subarray(16);
  const first = frame(OpCode.compressed, [int32(OpCode.msg), int32(inside.length), bytes(3), zstd.compress(inside)], 1);
  await one.write(concat([first, opMsg([body({ hello: 1, $db: 'admin' })], 0, 2)]));
  expect(await one.reply()).toMatchObject({ compressor: 'zstd', responseTo: 1 });
  expect(await one.reply()).toMatchObject({ compressor: undefined, responseTo: 2 });
});

test.for(['snappy', 'zstd', 'zlib', 'noop'])(
  '%s: a reply is compressed as its request was, agreed or not',
  async (name) => {
    await loadZstd();
    const one = await client();
    await one.write(compressedBy(name, message({ ping: 1 })));
    expect(await one.reply()).toMatchObject({
      compressor: name,
      opCode: OpCode.msg,
      responseTo: 7,
      document: { ok: 1 },
    });
    await one.write(message({ ping: 1 }));
    expect(await one.reply()).toMatchObject({ compressor: undefined });
    await one.write(compressedBy(name, opQuery({ isMaster: 1 })));
    expect(await one.reply()).toMatchObject({ compressor: name, opCode: OpCode.reply, document: { ismaster: true } });
    // What cannot be read is answered in the same way.
    await one.write(compressedBy(name, opMsg([body({ ping: 1 }), body({ ping: 1 })])));
    expect(await one.reply()).toMatchObject({ compressor: name, document: { ok: 0, code: 40430 } });
  },
);

test('a stream goes on in the way of its first request', async () => {
  const one = await client();
  const { topologyVersion } = await one.ask({ hello: 1 });
  const stream = message({ hello: 1, topologyVersion, maxAwaitTimeMS: 600_000 }, EXHAUST_ALLOWED);
  await one.write(compressedBy('zlib', stream));
  await served.command('n1', { replSetStepDown: 1, force: true });
  expect(await one.reply()).toMatchObject({ compressor: 'zlib', moreToCome: true });
  expect(await one.reply()).toMatchObject({ compressor: 'zlib', moreToCome: true });
});

test('hello agrees on what both have, and serverStatus shows what became of it', async () => {
  const one = await client();
  expect(await one.ask({ hello: 1, compression: ['none', 'zlib', 'snappy'] })).toMatchObject({
    compression: ['zlib', 'snappy'],
  });
  const before = await one.ask({ serverStatus: 1 });
  expect(before.network.physicalBytesIn).toBe(before.network.bytesIn);
  expect(Object.keys(before.network.compression)).toEqual(['snappy', 'zstd', 'zlib', 'noop']);
  expect(before.network.compression.zlib).toEqual({
    compressor: { bytesIn: 0, bytesOut: 0 },
    decompressor: { bytesIn: 0, bytesOut: 0 },
  });
  const sent = message({ ping: 1, comment: 'x'.repeat(10_000) });
  const small = compressedBy('zlib', sent);
  await one.write(small);
  await one.reply();
  const { network } = await one.ask({ serverStatus: 1 });
  expect(network.compression.zlib.decompressor).toEqual({ bytesIn: small.length - 25, bytesOut: sent.length - 16 });
  const { bytesIn, bytesOut } = network.compression.zlib.compressor;
  expect(network.bytesIn - network.physicalBytesIn).toBe(sent.length - small.length);
  // A reply of a few bytes grows; the header says so in nine more.
  expect(network.physicalBytesOut - network.bytesOut).toBe(bytesOut - bytesIn + 9);
  expect(await one.ask({ serverStatus: 1, network: 0 })).not.toHaveProperty('network');
  await served.act({ type: 'kill', member: 'n1' });
  await served.start('n1');
  expect((await (await client()).ask({ serverStatus: 1 })).network.compression.zlib.compressor.bytesIn).toBe(0);
});

test('a bomb costs its connection, and nobody else notices', async () => {
  await loadZstd();
  const [one, other] = [await client(), await client()];
  const zeros = new Uint8Array(10_000_000);
  for (const { id, compress } of COMPRESSORS) {
    const bomber = await client();
    await bomber.write(frame(OpCode.compressed, [int32(OpCode.msg), int32(100), bytes(id), compress(zeros)]));
    expect(await other.ask({ ping: 1 })).toMatchObject({ ok: 1 });
    expect(await bomber.reply()).toBeUndefined();
    await bomber.closed;
  }
  expect(await one.ask({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('a recording keeps what was inside', async () => {
  await loadZstd();
  const recorded: Recorded[] = [];
  served.recorder.start((each) => recorded.push(each));
  const one = await client();
  await one.write(message({ ping: 1 }));
  await one.reply();
  await one.write(compressedBy('zstd', message({ ping: 1 })));
  await one.reply();
  const [plain, inside] = recorded.flatMap((each) => (each.type === 'send' ? [each.command] : []));
  expect(inside).toEqual(plain);
});
