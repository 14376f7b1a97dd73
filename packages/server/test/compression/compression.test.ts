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
  const parameters = { anyUserPasswords: 'secret' };
  served = await ServedSet.start({ members: 1, networkMessageCompressors: 'snappy,zstd,zlib,noop', parameters });
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

// `npm run malformed` sends 100,000.
const MALFORMED = Number(process.env.MALFORMED ?? 500);
const SEED = Number(process.env.MALFORMED_SEED ?? 1);

test('malformed messages and logins, whatever they say, disturb nobody else', { timeout: 0 }, async () => {
  await loadZstd();
  const draw = drawing(SEED);
  const other = await client();
  const login = await client();
  let bomber = await client();
  let closed = 0;
  for (let i = 0; i < MALFORMED; i++) {
    if (draw(3) === 0) {
      const reply = await login.ask({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: malformedScram(draw) });
      // What is drawn may be right by chance; then a second step would follow.
      if (reply.ok === 1) expect(reply.done).toBe(false);
      else expect([2, 18], `login ${i} of seed ${SEED}`).toContain(reply.code);
    } else {
      if (!bomber.socket.writable) bomber = await client();
      await bomber.write(malformedCompressed(draw)).catch(() => {});
      // What is broken is never answered by anything but an error, and mostly by the end of the connection.
      const ended = await Promise.race([bomber.closed.then(() => true), afterPing(other)]);
      if (ended || !bomber.socket.writable || draw(8) === 0) {
        closed += 1;
        bomber.socket.destroy();
        bomber = await client();
      }
    }
    if (i % 50 === 0) expect(await other.ask({ ping: 1 }), `ping ${i} of seed ${SEED}`).toMatchObject({ ok: 1 });
  }
  expect(closed).toBeGreaterThan(MALFORMED / 8);
  expect(await other.ask({ ping: 1 })).toMatchObject({ ok: 1 });
});

/** The member has had its turn with what came before. */
async function afterPing(other: RawClient): Promise<boolean> {
  await other.ask({ ping: 1 });
  return false;
}

type Draw = (below: number) => number;

/** Numerical Recipes' generator. */
function drawing(seed: number): Draw {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const INT32S = [0, 1, -1, 16, 100, 47_999_984, 47_999_985, 2 ** 31 - 1, -(2 ** 31)];

/** A compressed message of which something is not as it should be: its header, its data, or both. */
function malformedCompressed(draw: Draw): Uint8Array {
  const compressor = COMPRESSORS[draw(COMPRESSORS.length)]!;
  const inside = message({ ping: 1, text: 'x'.repeat(draw(300)) }).subarray(16);
  const data = Uint8Array.from(compressor.compress(inside));
  let size = inside.length;
  let id = compressor.id;
  let opCode: number = OpCode.msg;
  for (let i = 0; i <= draw(3); i++) {
    if (draw(5) === 0) size = INT32S[draw(INT32S.length)]!;
    else if (draw(6) === 0) id = draw(256);
    else if (draw(8) === 0) opCode = [OpCode.compressed, OpCode.query, OpCode.reply, draw(5000)][draw(4)]!;
    else data[draw(data.length)] = draw(256);
  }
  const kept = draw(4) === 0 ? data.subarray(0, draw(data.length)) : data;
  return frame(OpCode.compressed, [int32(opCode), int32(size), bytes(id), kept]);
}

/** A first message of SCRAM with a field that is missing, doubled, empty, long or broken. */
function malformedScram(draw: Draw): Buffer {
  const fields = ['n', '', `n=${'u'.repeat(draw(20))}`, 'r=abcdefgh'];
  const at = draw(fields.length);
  const broken = ['', 'p=x', 'm=1', `n=${'x'.repeat(16_000)}`, 'n=a=b', 'r=\0', 'a=me', '\ufffd', fields[at]!];
  fields[at] = broken[draw(broken.length - 1)]!;
  const text = Buffer.from(fields.join(','));
  for (let i = 0; i < draw(4) && text.length > 0; i++) text[draw(text.length)] = draw(256);
  return text;
}
