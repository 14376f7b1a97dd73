import { createServer, type Server, type Socket } from 'node:net';
import { serialize } from 'bson';

const OP_MSG = 2013;
const OP_QUERY = 2004;
/** Where the name of an `OP_MSG`'s command stands: behind the header, the flags, the kind, a length and a type. */
const COMMAND_AT = 26;

/**
 * What a driver gets at best on this machine: a server on the loopback that reads a message's length and its id, and answers with
 * bytes it has ready. It keeps nothing; everything but a `hello` has worked, on one document.
 */
export class CannedServer {
  readonly uri: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    this.uri = `mongodb://127.0.0.1:${address.port}/?directConnection=true`;
  }

  static start(): Promise<CannedServer> {
    const server = createServer({ noDelay: true }, answerAll);
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(new CannedServer(server))));
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const HELLO = serialize({
  isWritablePrimary: true,
  helloOk: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
  ok: 1,
});
const DONE = serialize({ n: 1, ok: 1 });

function answerAll(socket: Socket): void {
  let held: Buffer = Buffer.alloc(0);
  // A client that leaves is no failure of a benchmark.
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
      const message = held.subarray(0, held.readInt32LE(0));
      held = held.subarray(message.length);
      socket.write(answerTo(message));
    }
  });
}

function answerTo(message: Buffer): Buffer {
  const requestId = message.readInt32LE(4);
  if (message.readInt32LE(12) === OP_QUERY) return framed(requestId, 1, [Buffer.alloc(16), int32(1), HELLO]);
  const isHello = message.indexOf('hello') === COMMAND_AT;
  // No flags, and one section of kind 0.
  return framed(requestId, OP_MSG, [Buffer.alloc(5), isHello ? HELLO : DONE]);
}

function framed(responseTo: number, opCode: number, parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 16);
  return Buffer.concat([int32(length), int32(1), int32(responseTo), int32(opCode), ...parts]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
