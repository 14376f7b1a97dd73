// One command to a member, by what Node has alone.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectByTls } from 'node:tls';

const OP_MSG = 2013;

export const text = (value) => Buffer.concat([Buffer.from(value), Buffer.from([0])]);
const int32 = (value) => Buffer.from(Int32Array.of(value).buffer);
const sized = (bytes) => Buffer.concat([int32(bytes.length + 4), bytes]);

/** BSON of whole numbers, texts, lists and documents. */
function encode(fields) {
  const parts = Object.entries(fields).map(([name, value]) => {
    if (typeof value === 'number') return [Buffer.from([0x10]), text(name), int32(value)];
    if (typeof value === 'string') {
      const bytes = text(value);
      return [Buffer.from([0x02]), text(name), int32(bytes.length), bytes];
    }
    return [Buffer.from([Array.isArray(value) ? 0x04 : 0x03]), text(name), encode(value)];
  });
  return sized(Buffer.concat([...parts.flat(), Buffer.from([0])]));
}

const left = (name) => join(tmpdir(), name);
/** The entrypoint has the file of the members' certificate in it, and a second line for its password. */
const CERTIFICATE = left('replsim-certificate');
/** Says that members take TLS alone, so that they are not bothered with anything else again. */
const BY_TLS = left('replsim-by-tls');

/**
 * Sends a command to `admin` of the member at this port of the loopback, by TLS where the member takes nothing else.
 * @returns the reply's bytes; rejects if none comes
 */
export async function ask(port, command) {
  if (existsSync(BY_TLS)) return askBy(tls, port, command);
  try {
    return await askBy(createConnection, port, command);
  } catch (error) {
    if (error.code !== HUNG_UP && error.code !== 'ECONNRESET') throw error;
    const reply = await askBy(tls, port, command);
    writeFileSync(BY_TLS, '');
    return reply;
  }
}

/** Whoever answers at this port of the loopback is the container's own set, so its certificate is not judged. It may want one. */
function tls(port, host, connected) {
  const [file, passphrase] = existsSync(CERTIFICATE) ? readFileSync(CERTIFICATE, 'utf8').split('\n') : [];
  const pem = file ? readFileSync(file) : undefined;
  const own = pem && { key: pem, cert: pem, ...(passphrase && { passphrase }) };
  return connectByTls({ port, host, rejectUnauthorized: false, ...own }, connected);
}

const HUNG_UP = 'HUNG_UP';

function askBy(connect, port, command) {
  const body = Buffer.concat([int32(0), Buffer.from([0]), encode({ ...command, $db: 'admin' })]);
  const request = Buffer.concat([int32(16 + body.length), int32(1), int32(0), int32(OP_MSG), body]);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const fail = (error) => {
      socket.destroy();
      reject(error);
    };
    const hungUp = `the member at port ${port} has closed the connection`;
    socket.setTimeout(5000, () => fail(new Error(`no answer at port ${port}`)));
    socket.on('error', fail);
    socket.on('close', () => reject(Object.assign(new Error(hungUp), { code: HUNG_UP })));
    let answer = Buffer.alloc(0);
    socket.on('data', (part) => {
      answer = Buffer.concat([answer, part]);
      if (answer.length < 4 || answer.length < answer.readInt32LE(0)) return;
      resolve(answer);
      socket.destroy();
    });
  });
}

/** Where a field of the reply has its value, whatever document it is in; undefined where there is none. */
function valueAt(reply, type, name) {
  const field = Buffer.concat([Buffer.from([type]), text(name)]);
  const at = reply.indexOf(field);
  return at < 0 ? undefined : at + field.length;
}

export function textIn(reply, name) {
  const at = valueAt(reply, 0x02, name);
  return at === undefined ? undefined : reply.toString('utf8', at + 4, at + 3 + reply.readInt32LE(at));
}

export function numberIn(reply, name) {
  const at = valueAt(reply, 0x10, name);
  return at === undefined ? undefined : reply.readInt32LE(at);
}
