import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { FrameReader } from '../../src/wire/frameReader.ts';
import { MAX_MESSAGE_BYTES, OpCode, writeHeader } from '../../src/wire/messageHeader.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';
import { body, bytes, concat, cutAt, frame, int32, opMsg } from './frames.ts';

const small = opMsg([body({ ping: 1 })]);
const other = opMsg([body({ hello: 1, $db: 'admin' })], 0, 8);

/** All messages of these chunks, and whether an error came behind them. A chunk that is no message is spoilt once it was drained. */
function readAll(chunks: readonly Uint8Array[]): { messages: Uint8Array[]; failed: boolean } {
  const reader = new FrameReader();
  const messages: Uint8Array[] = [];
  try {
    for (const chunk of chunks) {
      const given = chunk.slice();
      const before = messages.length;
      reader.push(given);
      for (let message = reader.next(); message; message = reader.next()) messages.push(message);
      if (messages[before]?.length !== given.length) given.fill(0xee);
    }
    return { messages, failed: false };
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolError);
    expect(() => reader.next()).toThrow(error as ProtocolError);
    return { messages, failed: true };
  }
}

/** The header of an OP_MSG of so many bytes. */
function headerOf(messageLength: number): Uint8Array {
  const header = new Uint8Array(16);
  writeHeader(header, { messageLength, requestId: 1, responseTo: 0, opCode: OpCode.msg });
  return header;
}

function emptyMessage(length: number): Uint8Array {
  const message = new Uint8Array(length);
  message.set(headerOf(length));
  return message;
}

describe('messages', () => {
  test.for([
    ['one in one chunk', [small], [small]],
    ['two in one chunk', [concat([small, other])], [small, other]],
    ['byte by byte', [...concat([small, other])].map((byte) => bytes(byte)), [small, other]],
    ['cut inside the length', cutAt(concat([small, other]), [2, small.length + 3]), [small, other]],
    [
      'the end of one with the start of the next',
      cutAt(concat([small, other]), [20, small.length + 9]),
      [small, other],
    ],
    ['nothing but a header', [frame(OpCode.msg, [])], [frame(OpCode.msg, [])]],
    ['empty chunks', [bytes(), small, bytes()], [small]],
    ['half of one', [small.subarray(0, 20)], []],
  ] as const)('%s', ([, chunks, expected]) => {
    expect(readAll(chunks)).toEqual({ messages: expected, failed: false });
  });

  test('chunks may pile up before anybody asks', () => {
    const reader = new FrameReader();
    for (const chunk of cutAt(concat([small, other, small]), [5, 40, 41, 90])) reader.push(chunk);
    expect([reader.next(), reader.next(), reader.next(), reader.next()]).toEqual([small, other, small, undefined]);
  });

  test('a message has a buffer of its own, also when chunks are slices of node’s pool', () => {
    const reader = new FrameReader();
    reader.push(Buffer.from(small));
    const message = reader.next()!;
    expect(message.buffer.byteLength).toBe(message.length);
    expect(message.constructor).toBe(Uint8Array);
  });

  test('the largest that is allowed', () => {
    const huge = emptyMessage(MAX_MESSAGE_BYTES);
    huge[huge.length - 1] = 7;
    const reader = new FrameReader();
    reader.push(huge.subarray(0, 1000));
    expect(reader.next()).toBeUndefined();
    reader.push(huge.subarray(1000));
    expect(Buffer.compare(reader.next()!, huge)).toBe(0);
  });
});

describe('lengths that no message has', () => {
  test.for([
    ['negative', -1],
    ['zero', 0],
    ['below the header', 15],
    ['one too many', MAX_MESSAGE_BYTES + 1],
    ['the largest int32', 0x7fffffff],
  ] as const)('%s: refused as soon as it is there, and what came before is good', ([, length]) => {
    const stream = concat([small, int32(length)]);
    expect(readAll([stream])).toEqual({ messages: [small], failed: true });
    expect(readAll([...stream].map((byte) => bytes(byte)))).toEqual({ messages: [small], failed: true });
  });

  test('nothing is kept of what comes after the failure', () => {
    const reader = new FrameReader();
    reader.push(int32(3));
    expect(() => reader.next()).toThrow(ProtocolError);
    reader.push(small);
    expect(() => reader.next()).toThrow('declares 3 bytes');
  });
});

describe('opcodes that no message has', () => {
  // As TLS begins: the length is one that a message could have, and the rest would never come.
  const tls = bytes(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3, 0x9f, 0x4e, 0x1c, 0x77, 0x20);

  test.for([
    ['the greeting of TLS', tls],
    ['OP_INSERT', frame(2002, [new Uint8Array(30)])],
    ['a header alone', frame(9999, [])],
    ['what is to be long', concat([int32(MAX_MESSAGE_BYTES), new Uint8Array(12)])],
  ] as const)('%s: refused as soon as the header is there, and what came before is good', ([, message]) => {
    const stream = concat([small, message.subarray(0, 16)]);
    expect(readAll([stream])).toEqual({ messages: [small], failed: true });
    expect(readAll([...stream].map((byte) => bytes(byte)))).toEqual({ messages: [small], failed: true });
    expect(readAll([stream.subarray(0, -1)])).toEqual({ messages: [small], failed: false });
    expect(readAll([concat([small, message])])).toEqual({ messages: [small], failed: true });
  });
});

describe('costs', () => {
  afterEach(() => void vi.restoreAllMocks());

  /** How many bytes are moved by `work`. */
  function bytesCopied(work: () => void): number {
    const copies = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'set');
    work();
    return copies.mock.calls.reduce((sum, [source]) => sum + (source as Uint8Array).length, 0);
  }

  test('a large message in small pieces is not copied again and again', () => {
    const large = emptyMessage(8_000_000);
    const reader = new FrameReader();
    const copied = bytesCopied(() => {
      for (let at = 0; at < large.length; at += 65_536) {
        reader.push(large.subarray(at, at + 65_536));
        if (at + 65_536 < large.length) expect(reader.next()).toBeUndefined();
      }
      expect(reader.next()).toHaveLength(large.length);
    });
    expect(copied).toBeLessThan(2.5 * large.length);
  });

  test('many messages in one chunk are copied once each', () => {
    const chunk = concat(Array.from({ length: 500 }, () => small));
    const reader = new FrameReader();
    const copied = bytesCopied(() => {
      reader.push(chunk);
      for (let count = 0; count < 500; count++) expect(reader.next()).toBeDefined();
    });
    expect(copied).toBe(chunk.length);
  });

  test('what is only declared takes no memory', () => {
    const before = process.memoryUsage().arrayBuffers;
    const readers = Array.from({ length: 200 }, () => {
      const reader = new FrameReader();
      reader.push(concat([headerOf(MAX_MESSAGE_BYTES), new Uint8Array(100)]));
      expect(reader.next()).toBeUndefined();
      return reader;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(readers.length * 10_000);
  });
});

test('however a stream is cut, the same messages come out, or the same error behind them', () => {
  const anyFrame = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((content) => frame(OpCode.msg, [content])),
    fc.tuple(fc.integer({ min: 2000, max: 2020 }), fc.uint8Array({ maxLength: 9 })).map(([op, it]) => frame(op, [it])),
    fc.constantFrom(small, other),
  );
  const anyStream = fc.oneof(
    { weight: 3, arbitrary: fc.array(anyFrame, { maxLength: 8 }).map(concat) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.array(anyFrame, { maxLength: 4 }), fc.uint8Array({ maxLength: 60 }))
        .map(([frames, tail]) => concat([...frames, tail])),
    },
  );
  fc.assert(
    fc.property(anyStream, fc.array(fc.nat(5000), { maxLength: 20 }), (stream, places) => {
      expect(readAll(cutAt(stream, places))).toEqual(readAll([stream]));
    }),
    { seed: 5, numRuns: 1200 },
  );
});
