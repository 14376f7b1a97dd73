import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import type { Recorded } from '@replsim/replset';
import { afterEach, describe, expect, test } from 'vitest';
import { ServedSet, type TlsOptions } from '../../src/index.ts';
import { makeThrowAway, type ThrowAway } from '../../src/tls/throwAway.ts';
import { body, opMsg } from '../wire/frames.ts';
import { RawClient } from './rawClient.ts';

// One port for plain messages, TLS and lost browsers.

let served: ServedSet | undefined;
const sockets: Socket[] = [];
const made: ThrowAway[] = [];
afterEach(async () => {
  for (const each of sockets.splice(0)) each.destroy();
  await served?.stop();
  for (const each of made.splice(0)) each.remove();
});

async function certificates(): Promise<ThrowAway> {
  const one = await makeThrowAway(['localhost', '127.0.0.1'], Date.now());
  made.push(one);
  return one;
}

const start = async (tls: TlsOptions | boolean | undefined) => {
  served = await ServedSet.start({ members: 1, ...(tls !== undefined && { tls }) });
  return served;
};

function where(): { readonly host: string; readonly port: number } {
  const host = served!.set.hostOf('n1');
  return { host: '127.0.0.1', port: Number(host.slice(host.lastIndexOf(':') + 1)) };
}

function plain(): Socket {
  const socket = connect(where());
  sockets.push(socket);
  return socket.on('error', () => {});
}

async function secure(options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connectTls({ ...where(), servername: 'localhost', ...options });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return socket.on('error', () => {});
}

/** All that a client hears until the end. */
async function heard(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  if (!socket.closed) await once(socket, 'close');
  return text;
}

async function ping(socket: Socket): Promise<boolean> {
  socket.write(opMsg([body({ ping: 1, $db: 'admin' })]));
  const [reply] = (await once(socket, 'data')) as [Buffer];
  return reply.length > 16;
}

/** Lines of the member's log with these ids. */
async function logged(...ids: number[]): Promise<Record<string, unknown>[]> {
  const { log } = await served!.command('n1', { getLog: 'global' });
  return (log as string[]).map((line) => JSON.parse(line)).filter(({ id }) => ids.includes(id));
}

const REFUSED = 22988;

describe('a mode, and who comes in', () => {
  test.for([
    { mode: 'disabled', plainly: true, securely: false },
    { mode: 'allowTLS', plainly: true, securely: true },
    { mode: 'preferTLS', plainly: true, securely: true },
    { mode: 'requireTLS', plainly: false, securely: true },
  ] as const)('$mode: plain $plainly, TLS $securely', async ({ mode, plainly, securely }) => {
    const { certificateKeyFile, CAFile } = await certificates();
    await start(mode === 'disabled' ? undefined : { mode, certificateKeyFile });
    const ca = readFileSync(CAFile);
    if (plainly) expect(await ping(plain())).toBe(true);
    else {
      const socket = plain();
      socket.write(opMsg([body({ ping: 1, $db: 'admin' })]));
      expect(await heard(socket)).toBe('');
    }
    if (securely) expect(await ping(await secure({ ca }))).toBe(true);
    else await expect(secure({ ca })).rejects.toThrow();
    const told = mode === 'disabled' ? 'without SSL support' : 'only allow SSL connections';
    const refusals =
      plainly && securely ? [] : [{ attr: { error: { code: 141, errmsg: expect.stringContaining(told) } } }];
    expect(await logged(REFUSED)).toMatchObject(refusals);
    expect(await logged(23838)).toHaveLength(mode === 'preferTLS' ? 1 : 0);
    expect(await logged(6723801)).toHaveLength(securely ? 1 : 0);
  });
});

describe("a client's certificate", () => {
  test.for([
    { shows: 'none', allows: {}, subject: undefined },
    { shows: 'none', allows: { allowConnectionsWithoutCertificates: true }, subject: '' },
    { shows: 'good', allows: {}, subject: 'CN=client,OU=clients,O=replsim' },
    { shows: 'bad', allows: {}, subject: undefined },
    { shows: 'bad', allows: { allowInvalidCertificates: true }, subject: '' },
  ])('$shows, $allows', async ({ shows, allows, subject }) => {
    const [ours, others] = [await certificates(), await certificates()];
    const { certificateKeyFile, CAFile } = ours;
    await start({ certificateKeyFile, CAFile, ...allows });
    const pem = shows === 'none' ? undefined : readFileSync((shows === 'good' ? ours : others).clientKeyFile);
    const socket = await secure({ ca: readFileSync(CAFile), ...(pem && { cert: pem, key: pem }) });
    if (subject === undefined) {
      expect(await heard(socket)).toBe('');
      const [line] = await logged(REFUSED);
      expect(line).toMatchObject({ attr: { error: { codeName: 'SSLHandshakeFailed' } } });
    } else {
      expect(await ping(socket)).toBe(true);
      expect(await logged(6723801)).toMatchObject([{ attr: { peerSubject: subject } }]);
    }
  });

  test('without an authority nobody looks at it', async () => {
    const { certificateKeyFile, CAFile, clientKeyFile } = await certificates();
    await start({ certificateKeyFile });
    const pem = readFileSync(clientKeyFile);
    expect(await ping(await secure({ ca: readFileSync(CAFile), cert: pem, key: pem }))).toBe(true);
    expect(await logged(6723801)).toMatchObject([{ attr: { peerSubject: '' } }]);
  });
});

test.for([
  ['TLS1_3', 'TLSv1.2', 'TLSv1.3'],
  ['TLS1_2', 'TLSv1.3', 'TLSv1.2'],
] as const)('%s is disabled', async ([disabledProtocols, taken, refused]) => {
  const { certificateKeyFile, CAFile } = await certificates();
  await start({ certificateKeyFile, disabledProtocols });
  const ca = readFileSync(CAFile);
  expect((await secure({ ca, minVersion: taken, maxVersion: taken })).getProtocol()).toBe(taken);
  await expect(secure({ ca, minVersion: refused, maxVersion: refused })).rejects.toThrow(/protocol version/);
  expect(await logged(REFUSED)).toMatchObject([{ attr: { error: { code: 141 } } }]);
});

test('a browser hears what this port is for', async () => {
  await start(undefined);
  const socket = plain();
  socket.write('GET / HTTP/1.1\r\n\r\n');
  expect(await heard(socket)).toContain('connect with a MongoDB driver or mongosh');
  expect(await logged(REFUSED)).toMatchObject([{ attr: { error: { code: 17, codeName: 'ProtocolError' } } }]);
});

describe('handshakes that come to nothing', () => {
  test.for([
    [
      'garbage behind the first bytes',
      Buffer.from('160301001b01000000030303deadbeef00112233445566778899aabbccddeeff', 'hex'),
    ],
    ['an alert', Buffer.from('150301000202280000000000', 'hex')],
  ] as const)('%s', async ([, bytes]) => {
    await start(true);
    const other = await RawTls.open();
    const socket = plain();
    socket.write(bytes);
    await heard(socket);
    expect(await other.ping()).toBe(true);
    expect(await logged(REFUSED)).toMatchObject([{ attr: { error: { code: 141 } } }]);
  });

  test('a client that goes in the middle', async () => {
    await start(true);
    const other = await RawTls.open();
    const socket = plain();
    socket.write(Buffer.from('1603010200010001fc0303', 'hex'));
    socket.write(Buffer.alloc(100));
    await once(socket, 'connect');
    socket.destroy();
    const current = async () =>
      ((await served!.command('n1', { serverStatus: 1 })).connections as { current: number }).current;
    // Its own command counts as one, and the other client.
    while ((await current()) > 2);
    expect(await other.ping()).toBe(true);
  });
});

test('a client that sends nothing more after its command is answered, by TLS too', async () => {
  await start(true);
  const socket = await secure({ ca: readFileSync(served!.tls!.throwAway!.CAFile) });
  socket.allowHalfOpen = true;
  const write = { insert: 'c', documents: [{}], writeConcern: { w: 1, j: true }, $db: 'app' };
  // It waits for the journal, and the end of what is sent comes before that.
  socket.end(opMsg([body(write)]));
  expect(await heard(socket)).toContain('\u0001ok\0');
});

/** A client whose connection is secure. */
class RawTls {
  readonly #socket: TLSSocket;

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
  }

  static async open(): Promise<RawTls> {
    return new RawTls(await secure({ ca: readFileSync(served!.tls!.throwAway!.CAFile) }));
  }

  ping(): Promise<boolean> {
    return ping(this.#socket);
  }
}

test('serverStatus counts versions and shows the certificate', async () => {
  await start({ ...(await files()), mode: 'allowTLS' });
  const client = await RawClient.connect(served!.set.hostOf('n1'));
  sockets.push(client.socket);
  await secure({ ca: readFileSync(made[0]!.CAFile) });
  const status = await client.ask({ serverStatus: 1 });
  expect(status.transportSecurity).toEqual({ '1.0': 0, '1.1': 0, '1.2': 0, '1.3': 1, unknown: 0 });
  expect(status.security).toMatchObject({
    SSLServerSubjectName: 'CN=localhost,OU=members,O=replsim',
    SSLServerHasCertificateAuthority: false,
    SSLServerCertificateExpirationDate: expect.any(Date),
  });
  expect(Object.keys(status)).toEqual(expect.arrayContaining(['transportSecurity']));
  expect(await client.ask({ serverStatus: 1, transportSecurity: 0 })).not.toHaveProperty('transportSecurity');
});

async function files(): Promise<TlsOptions> {
  const { certificateKeyFile } = await certificates();
  return { certificateKeyFile };
}

test('a recording keeps how a connection was secured, and that one was refused', async () => {
  await start(true);
  const recorded: Recorded[] = [];
  served!.recorder.start((each) => recorded.push(each));
  await (await RawTls.open()).ping();
  const socket = plain();
  socket.write(opMsg([body({ ping: 1, $db: 'admin' })]));
  await heard(socket);
  expect(recorded.map(({ type }) => type)).toEqual(['connect', 'secured', 'send', 'connect', 'refused']);
  expect(recorded[1]).toMatchObject({ peer: { protocol: 'TLSv1.3', certificate: 'missing' } });
});

test('with certificates of its own a set says where they lie, and takes them away', async () => {
  await start(true);
  const { CAFile, folder } = served!.tls!.throwAway!;
  expect(served!.uri).toContain(`&tls=true&tlsCAFile=${encodeURIComponent(CAFile)}`);
  await served!.stop();
  expect(() => readFileSync(CAFile)).toThrow(folder);
});
