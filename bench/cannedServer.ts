import { createServer, type Server, type Socket } from 'node:net';
import { Binary, ObjectId, serialize, Timestamp } from 'bson';

const OP_MSG = 2013;
const OP_QUERY = 2004;
/** Where the name of an `OP_MSG`'s command stands: behind the header, the flags, the kind, a length and a type. */
const COMMAND_AT = 26;

/**
 * What a driver gets at best on this machine: servers on the loopback that read a message's length and its id, and answer with
 * bytes they have ready, as the members of a set would of which the first is primary. They keep nothing; all but a `hello` has
 * worked, on one document.
 */
export class CannedServer {
  readonly uri: string;
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[], hosts: readonly string[]) {
    this.#servers = servers;
    this.uri = `mongodb://${hosts.join(',')}/?replicaSet=${SET_NAME}`;
  }

  static async start(members = 1): Promise<CannedServer> {
    const servers = await Promise.all(Array.from({ length: members }, listening));
    const hosts = servers.map(hostOf);
    for (const [i, server] of servers.entries()) {
      const answers = { hello: helloOf(hosts, i), done: DONE };
      server.on('connection', (socket) => answerAll(socket, answers));
    }
    return new CannedServer(servers, hosts);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function listening(): Promise<Server> {
  const server = createServer({ noDelay: true });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function hostOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `127.0.0.1:${address.port}`;
}

interface Answers {
  readonly hello: Uint8Array;
  readonly done: Uint8Array;
}

const SET_NAME = 'canned';
const TIME = new Timestamp({ t: 1_700_000_000, i: 1 });
/** What a driver has to do with the clock of a set it has to do here too. */
const TIMES = {
  operationTime: TIME,
  $clusterTime: { clusterTime: TIME, signature: { hash: new Binary(new Uint8Array(20)), keyId: 0n } },
};
const DONE = serialize({ n: 1, electionId: new ObjectId(), opTime: { ts: TIME, t: 1n }, ok: 1, ...TIMES });

function helloOf(hosts: readonly string[], member: number): Uint8Array {
  return serialize({
    setName: SET_NAME,
    setVersion: 1,
    hosts,
    primary: hosts[0],
    me: hosts[member],
    isWritablePrimary: member === 0,
    secondary: member !== 0,
    ...(member === 0 && { electionId: new ObjectId() }),
    lastWrite: { opTime: { ts: TIME, t: 1n }, lastWriteDate: new Date() },
    helloOk: true,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    localTime: new Date(),
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: 25,
    readOnly: false,
    ok: 1,
    ...TIMES,
  });
}

function answerAll(socket: Socket, answers: Answers): void {
  let held: Buffer = Buffer.alloc(0);
  // A client that leaves is no failure of a benchmark.
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
      const message = held.subarray(0, held.readInt32LE(0));
      held = held.subarray(message.length);
      socket.write(answerTo(message, answers));
    }
  });
}

function answerTo(message: Buffer, { hello, done }: Answers): Buffer {
  const requestId = message.readInt32LE(4);
  if (message.readInt32LE(12) === OP_QUERY) return framed(requestId, 1, [Buffer.alloc(16), int32(1), hello]);
  const isHello = message.indexOf('hello') === COMMAND_AT;
  // No flags, and one section of kind 0.
  return framed(requestId, OP_MSG, [Buffer.alloc(5), isHello ? hello : done]);
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
