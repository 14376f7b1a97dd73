import { connect, type Socket } from 'node:net';
import { decodePromoted, encodeDocument, required } from '@replsim/protocol';
import { compressorsOf } from '../../src/compression/compressors.ts';
import { compressed, decompressed, readCompressed } from '../../src/compression/opCompressed.ts';
import type { Compressor } from '../../src/wire/compressor.ts';
import { FrameReader } from '../../src/wire/frameReader.ts';
import { OpCode, readHeader } from '../../src/wire/messageHeader.ts';
import { body, opMsg } from '../wire/frames.ts';

export interface Reply {
  readonly requestId: number;
  readonly responseTo: number;
  readonly opCode: number;
  readonly moreToCome: boolean;
  /** By which it was compressed. */
  readonly compressor: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies without telling each type
  readonly document: Record<string, any>;
  /** The document as it came. */
  readonly bytes: Uint8Array;
}

/** A client that sends whatever bytes it is told to. */
export class RawClient {
  readonly socket: Socket;
  /** Resolves when the connection is closed, however that comes. */
  readonly closed: Promise<void>;
  readonly #frames = new FrameReader();
  readonly #replies: Reply[] = [];
  #heard = () => {};
  #over = false;
  #requests = 1000;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('end', () => {
      this.#onOver();
      socket.end();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#onOver();
        resolve();
      });
    });
  }

  /** @param host `HOST:PORT`. Rejects if nobody listens there. */
  static connect(host: string): Promise<RawClient> {
    const at = host.lastIndexOf(':');
    const socket = connect({
      host: host.slice(0, at),
      port: Number(host.slice(at + 1)),
      noDelay: true,
      allowHalfOpen: true,
    });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => resolve(new RawClient(socket)));
    });
  }

  /** Resolves when the bytes are with the system. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** The next reply, or undefined if none comes any more. */
  async reply(): Promise<Reply | undefined> {
    while (this.#replies.length === 0 && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
    return this.#replies.shift();
  }

  /** Asks on `admin`, unless the command says where; throws if the connection ends instead. */
  async ask(command: Record<string, unknown>): Promise<Reply['document']> {
    this.socket.write(opMsg([body({ ...command, $db: command.$db ?? 'admin' })], 0, ++this.#requests));
    const reply = await this.reply();
    if (reply === undefined) throw new Error('the connection was closed');
    if (reply.responseTo !== this.#requests) throw new Error(`an answer to ${reply.responseTo}, not ${this.#requests}`);
    return reply.document;
  }

  #onData(chunk: Uint8Array): void {
    // What a browser gets is no message.
    if (Buffer.from(chunk).toString('latin1').startsWith('HTTP/')) return;
    this.#frames.push(chunk);
    for (let message = this.#frames.next(); message; message = this.#frames.next())
      this.#replies.push(readReply(message));
    this.#heard();
  }

  #onOver(): void {
    this.#over = true;
    this.#heard();
  }
}

/** Those that a client may have, whatever the member has. */
export const COMPRESSORS: readonly Compressor[] = compressorsOf(
  { members: [], parameters: { networkMessageCompressors: ['snappy', 'zstd', 'zlib', 'noop'] } },
  '',
);

/** A message as a client sends it that has agreed on a compressor. */
export function compressedBy(name: string, message: Uint8Array): Uint8Array {
  return compressed(
    message,
    required(
      COMPRESSORS.find((each) => each.name === name),
      name,
    ),
  );
}

function readReply(arrived: Uint8Array): Reply {
  const sealed = readHeader(arrived).opCode === OpCode.compressed ? readCompressed(arrived, COMPRESSORS) : undefined;
  const message = sealed ? decompressed(sealed) : arrived;
  const compressor = sealed?.compressor.name;
  const { requestId, responseTo, opCode } = readHeader(message);
  const start = opCode === OpCode.reply ? 36 : 21;
  const moreToCome = opCode === OpCode.msg && (message[16]! & 2) !== 0;
  const bytes = message.subarray(start);
  return { requestId, responseTo, opCode, moreToCome, compressor, document: decodePromoted(bytes), bytes };
}

/** A document of about so many bytes. */
export function documentOf(_id: number, bytes: number): Uint8Array {
  return encodeDocument({ _id, text: 'x'.repeat(bytes) });
}
