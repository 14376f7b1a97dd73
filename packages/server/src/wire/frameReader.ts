import { readInt32 } from '@replsim/protocol';
import { HEADER_BYTES, MAX_MESSAGE_BYTES, OP_CODE_AT, OpCode } from './messageHeader.ts';
import { ProtocolError } from './protocolError.ts';

/** Bytes of the length that begins every message. */
const LENGTH_BYTES = 4;

const OP_CODES: ReadonlySet<number> = new Set(Object.values(OpCode));

/** A buffer grows by this factor: few copies, and no more memory than so many times what the peer has really sent. */
const GROWTH = 4;

/**
 * Cuts a stream of bytes into messages. A chunk that is one message becomes that message, so whoever pushes a chunk gives it
 * away. A message that shares a chunk with others is copied once; one that arrives in pieces is gathered in a buffer that grows
 * with what has arrived, never with what is only declared.
 */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  /** How much of the first chunk is read. */
  #position = 0;

  /** A message that has begun in an earlier chunk; empty between messages. */
  #partial = new Uint8Array(0);
  #arrived = 0;
  /** The declared length of that message, 0 as long as its four bytes are not there. */
  #length = 0;
  #failure: ProtocolError | undefined;
  #waitingBytes = 0;
  /** How long a message may be, header included. */
  mostBytes = MAX_MESSAGE_BYTES;

  /** How many bytes were pushed and not looked at yet. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** A message has begun to arrive, and the rest is missing. */
  get isPartial(): boolean {
    return this.#arrived > 0;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.#failure) return;
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
  }

  /**
   * The next whole message, in bytes of its own; undefined until more is pushed.
   * @throws ProtocolError for a length or an opcode that no message has, at this call and at every later one. Nobody waits for
   *   the rest of what is no message: the first bytes of TLS are a length like any other.
   */
  next(): Uint8Array | undefined {
    if (this.#failure) throw this.#failure;
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const message = this.#arrived === 0 ? this.#fromChunk(chunk) : this.#gather(chunk);
      if (message) return message;
    }
    return undefined;
  }

  /** A message that lies in the first chunk as a whole; begins to gather it otherwise. */
  #fromChunk(chunk: Uint8Array): Uint8Array | undefined {
    const start = this.#position;
    const available = chunk.length - start;
    if (available < LENGTH_BYTES) return this.#gather(chunk);
    this.#length = this.#checkedLength(readInt32(chunk, start));
    if (available < this.#length) return this.#gather(chunk);
    this.#checkOpCode(chunk, start);
    const message = takeFrom(chunk, start, this.#length);
    this.#consume(chunk, this.#length);
    this.#length = 0;
    return message;
  }

  /** Takes from the first chunk what the message that has begun still needs. */
  #gather(chunk: Uint8Array): Uint8Array | undefined {
    const wanted = (this.#length || LENGTH_BYTES) - this.#arrived;
    const taken = Math.min(wanted, chunk.length - this.#position);
    this.#reserve(this.#arrived + taken);
    this.#partial.set(chunk.subarray(this.#position, this.#position + taken), this.#arrived);
    const hadHeader = this.#arrived >= HEADER_BYTES;
    this.#arrived += taken;
    this.#consume(chunk, taken);
    if (this.#length === 0) {
      if (this.#arrived === LENGTH_BYTES) this.#length = this.#checkedLength(readInt32(this.#partial, 0));
      return undefined;
    }
    if (!hadHeader && this.#arrived >= HEADER_BYTES) this.#checkOpCode(this.#partial, 0);
    return this.#arrived === this.#length ? this.#takePartial() : undefined;
  }

  #consume(chunk: Uint8Array, count: number): void {
    this.#waitingBytes -= count;
    this.#position += count;
    if (this.#position < chunk.length) return;
    this.#chunks.shift();
    this.#position = 0;
  }

  /** The buffer ends as long as the message, as that is its limit and its last byte has arrived. */
  #takePartial(): Uint8Array {
    const message = this.#partial;
    this.#partial = new Uint8Array(0);
    this.#arrived = 0;
    this.#length = 0;
    return message;
  }

  #reserve(needed: number): void {
    if (needed <= this.#partial.length) return;
    const grown = new Uint8Array(Math.min(this.#length || LENGTH_BYTES, needed * GROWTH));
    grown.set(this.#partial.subarray(0, this.#arrived));
    this.#partial = grown;
  }

  #checkedLength(length: number): number {
    if (length >= HEADER_BYTES && length <= this.mostBytes) return length;
    this.#fail(
      `a message declares ${length} bytes; it has to be between ${HEADER_BYTES} and ${this.mostBytes}`,
      length > this.mostBytes,
    );
  }

  #checkOpCode(bytes: Uint8Array, start: number): void {
    const opCode = readInt32(bytes, start + OP_CODE_AT);
    if (!OP_CODES.has(opCode)) this.#fail(`opcode ${opCode} does not exist any more, or never did`);
  }

  #fail(reason: string, isTooLarge = false): never {
    this.#chunks = [];
    this.#partial = new Uint8Array(0);
    this.#waitingBytes = 0;
    this.#failure = new ProtocolError(reason);
    this.#failure.isTooLarge = isTooLarge;
    throw this.#failure;
  }
}

/** Never a Buffer, whose `slice` would share the memory, nor a view that keeps more alive than itself. */
function takeFrom(chunk: Uint8Array, start: number, length: number): Uint8Array {
  if (length === chunk.buffer.byteLength) return new Uint8Array(chunk.buffer);
  const message = new Uint8Array(length);
  message.set(chunk.subarray(start, start + length));
  return message;
}
