import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { calculateObjectSize } from 'bson';
import { DocumentSequence, OpMsgRequest } from 'mongodb/lib/cmap/commands.js';
import { describe, expect, test } from 'vitest';
import { OpCode, readHeader, writeInt32 } from '../../src/wire/messageHeader.ts';
import { readRequest, writeReply } from '../../src/wire/opMsg.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';
import {
  body,
  bytes,
  CHECKSUM_PRESENT,
  checksummed,
  concat,
  EXHAUST_ALLOWED,
  frame,
  int32,
  MORE_TO_COME,
  opMsg,
  REQUEST_ID,
  sequence,
} from './frames.ts';

const INSERT = { insert: 'c', $db: 'test' };

/** What is wrong with a message; fails if nothing is. */
function errorOf(message: Uint8Array): ProtocolError {
  try {
    readRequest(message);
  } catch (error) {
    expect(error).toBeInstanceOf(ProtocolError);
    return error as ProtocolError;
  }
  throw new Error('the message was accepted');
}

describe('well-formed', () => {
  test.for([
    ['a command', opMsg([body(INSERT)]), INSERT],
    [
      'a sequence behind it',
      opMsg([body(INSERT), sequence('documents', [{ a: 1 }, {}])]),
      { ...INSERT, documents: [{ a: 1 }, {}] },
    ],
    [
      'a sequence before it',
      opMsg([sequence('documents', [{ a: 1 }]), body(INSERT)]),
      { ...INSERT, documents: [{ a: 1 }] },
    ],
    ['an empty sequence', opMsg([body(INSERT), sequence('documents', [])]), { ...INSERT, documents: [] }],
    [
      'two sequences',
      opMsg([
        sequence('ops', [{ insert: 0 }]),
        body({ bulkWrite: 1 }),
        sequence('nsInfo', [{ ns: 'a.b' }, { ns: 'a.c' }]),
      ]),
      { bulkWrite: 1, ops: [{ insert: 0 }], nsInfo: [{ ns: 'a.b' }, { ns: 'a.c' }] },
    ],
    ['a name beyond ASCII', opMsg([body(INSERT), sequence('døcuments', [{}])]), { ...INSERT, døcuments: [{}] }],
    ['an empty body', opMsg([body({}), sequence('a', [{}])]), { a: [{}] }],
    [
      'a true checksum',
      checksummed([body(INSERT), sequence('documents', [{ a: 1 }])]),
      { ...INSERT, documents: [{ a: 1 }] },
    ],
    ['unknown upper flags', opMsg([body(INSERT)], 0x7ffe0000), INSERT],
  ] as const)('%s', ([, message, command]) => {
    const request = readRequest(message);
    expect(decodePromoted(request.command)).toEqual(command);
    expect(request).toMatchObject({ requestId: REQUEST_ID, kind: 'msg', exhaustAllowed: false, moreToCome: false });
  });

  test.for([
    [0, { exhaustAllowed: false, moreToCome: false }],
    [MORE_TO_COME, { exhaustAllowed: false, moreToCome: true }],
    [EXHAUST_ALLOWED, { exhaustAllowed: true, moreToCome: false }],
    [EXHAUST_ALLOWED | MORE_TO_COME, { exhaustAllowed: true, moreToCome: true }],
  ] as const)('flags %i', ([flags, expected]) => {
    expect(readRequest(opMsg([body(INSERT)], flags))).toMatchObject(expected);
  });

  test('golden bytes: a ping as it goes over the wire', () => {
    const hex =
      '2f00000009000000' + // 47 bytes, request 9
      '00000000dd070000' + // no response, OP_MSG
      '0000000000' + // no flags; one document
      '1a000000' +
      '10' +
      '70696e6700' +
      '01000000' + // ping: 1
      '02' +
      '24646200' +
      '02000000' +
      '7400' +
      '00'; // $db: "t"
    const request = readRequest(new Uint8Array(Buffer.from(hex, 'hex')));
    expect(request.requestId).toBe(9);
    expect(decodePromoted(request.command)).toEqual({ ping: 1, $db: 't' });
  });

  test('a command alone is not copied', () => {
    const message = opMsg([body(INSERT)]);
    expect(readRequest(message).command.buffer).toBe(message.buffer);
  });

  test.for([0, 1, 9, 10, 11, 100, 101, 1000, 1001, 12_345])(
    'an array of %i has the indexes that BSON wants',
    (count) => {
      const documents = Array.from({ length: count }, (_, _id) => ({ _id }));
      const { command } = readRequest(opMsg([body(INSERT), sequence('documents', documents)]));
      expect(Buffer.compare(command, encodeDocument({ ...INSERT, documents }))).toBe(0);
    },
  );
});

describe('the driver’s own encoder', () => {
  const driver = (command: object, options: object) => concat(new OpMsgRequest('test', command, options).toBin());

  test('a command', () => {
    const message = driver({ find: 'c', filter: { a: 1 } }, { requestId: 3 });
    expect(decodePromoted(readRequest(message).command)).toEqual({ find: 'c', filter: { a: 1 }, $db: 'test' });
    expect(readRequest(message)).toMatchObject({ requestId: 3, moreToCome: false, exhaustAllowed: false });
  });

  test('bulk inserts', () => {
    const documents = Array.from({ length: 1200 }, (_, _id) => ({ _id, text: 'x'.repeat(_id % 50) }));
    const message = driver({ insert: 'c', documents: new DocumentSequence('documents', documents), ordered: true }, {});
    const expected = { insert: 'c', ordered: true, $db: 'test', documents };
    expect(decodePromoted(readRequest(message).command)).toEqual(expected);
    expect(readRequest(message).command).toHaveLength(calculateObjectSize(expected));
  });

  test('bulkWrite, with two sequences', () => {
    const ops = [{ insert: 0, document: { _id: 1 } }];
    const nsInfo = [{ ns: 'test.c' }];
    const command = {
      bulkWrite: 1,
      ops: new DocumentSequence('ops', ops),
      nsInfo: new DocumentSequence('nsInfo', nsInfo),
    };
    expect(decodePromoted(readRequest(driver(command, {})).command)).toEqual({
      bulkWrite: 1,
      $db: 'test',
      ops,
      nsInfo,
    });
  });

  test('an awaitable hello, and an unacknowledged write', () => {
    expect(readRequest(driver({ hello: 1 }, { exhaustAllowed: true })).exhaustAllowed).toBe(true);
    expect(readRequest(driver({ insert: 'c', writeConcern: { w: 0 } }, {})).moreToCome).toBe(true);
  });
});

describe('what closes the connection', () => {
  const INSERT_BODY = body(INSERT);
  const wrongLength = opMsg([INSERT_BODY]);
  writeInt32(wrongLength, 0, wrongLength.length + 1);
  test.for([
    ['no header', bytes(1, 2, 3), 'shorter than its header'],
    ['a length that is not its own', wrongLength, 'declares'],
    ['OP_COMPRESSED', frame(OpCode.compressed, [new Uint8Array(20)]), 'opcode 2012'],
    ['OP_REPLY', frame(OpCode.reply, [new Uint8Array(20)]), 'opcode 1 '],
    ['OP_INSERT', frame(2002, [new Uint8Array(20)]), 'opcode 2002'],
    ['OP_GET_MORE', frame(2005, [new Uint8Array(20)]), 'opcode 2005'],
    ['no flags', frame(OpCode.msg, [bytes(0, 0)]), 'no flags'],
    ['an unknown flag', opMsg([INSERT_BODY], 4), 'unknown flags: 0x4'],
    ['another', opMsg([INSERT_BODY], 0x8000), 'unknown flags: 0x8000'],
    ['a wrong checksum', checksummed([INSERT_BODY], 12345), 'checksum of an OP_MSG is wrong'],
    ['no room for a checksum', frame(OpCode.msg, [int32(CHECKSUM_PRESENT), bytes(0)]), 'no room'],
    ['a sequence cut before its size', opMsg([INSERT_BODY, bytes(1, 9, 0)]), 'claims 0 bytes'],
    ['a sequence of size 0', opMsg([INSERT_BODY, sequence('a', [], 0)]), 'claims 0 bytes'],
    ['a sequence without room for a name', opMsg([INSERT_BODY, sequence('', [], 4)]), 'claims 4 bytes'],
    ['a sequence of negative size', opMsg([INSERT_BODY, sequence('a', [], -6)]), 'claims -6 bytes'],
    ['a sequence beyond the message', opMsg([INSERT_BODY, sequence('a', [], 7)]), 'claims 7 bytes'],
    ['a sequence into the checksum', checksummed([INSERT_BODY, sequence('a', [], 10)]), 'claims 10 bytes'],
    ['a name without its end', opMsg([INSERT_BODY, bytes(1, 7, 0, 0, 0, 97, 97, 97)]), 'identifier does not end'],
    ['a name that ends behind the sequence', opMsg([bytes(1, 5, 0, 0, 0, 97), INSERT_BODY]), 'identifier does not end'],
    ['a third sequence', opMsg([INSERT_BODY, ...['a', 'b', 'c'].map((name) => sequence(name, []))]), 'too many'],
  ] as const)('%s', ([, message, errmsg]) => {
    const error = errorOf(message);
    expect(error.message).toContain(errmsg);
    expect(error).toMatchObject({ closes: true, answer: undefined });
  });
});

describe('what is answered, and the connection goes on', () => {
  const tooLong = concat([bytes(0), encodeDocument(INSERT)]);
  writeInt32(tooLong, 1, tooLong.length);
  const endless = concat([bytes(0), encodeDocument(INSERT)]);
  endless[endless.length - 1] = 1;
  const strange = (...element: number[]) => concat([int32(element.length + 5), bytes(...element, 0)]);
  test.for([
    ['no sections', opMsg([]), 40587, 'an OP_MSG has no body'],
    ['only a sequence', opMsg([sequence('documents', [])]), 40587, 'an OP_MSG has no body'],
    ['two bodies', opMsg([body(INSERT), body(INSERT)]), 40430, 'more than one body'],
    ['an unknown section', opMsg([body(INSERT), bytes(3)]), 40432, 'section of kind 3'],
    [
      'one sequence twice',
      opMsg([body(INSERT), sequence('a', []), sequence('a', [])]),
      40431,
      'two document sequences called a',
    ],
    [
      'a sequence that is a field too',
      opMsg([body({ insert: 'c', documents: [] }), sequence('documents', [])]),
      40433,
      'documents is both a field of the body and a document sequence',
    ],
    ['a body that claims too much', opMsg([tooLong]), 22, 'claims 34 bytes'],
    ['a body that is cut off', opMsg([bytes(0, 9, 0)]), 22, 'cut off'],
    ['a body without its zero', opMsg([endless]), 22, 'does not end with a zero'],
    ['a body of 4 bytes', opMsg([bytes(0, 4, 0, 0, 0, 0)]), 22, 'claims 4 bytes'],
    ['a body of negative size', opMsg([bytes(0, 0xf0, 0xff, 0xff, 0xff, 0)]), 22, 'claims -16 bytes'],
    ['a body into the checksum', checksummed([tooLong.subarray(0, -1)]), 22, 'claims 34 bytes'],
    [
      'a document beyond its sequence',
      opMsg([body(INSERT), sequence('a', [{}, bytes(9, 0, 0, 0, 0)])]),
      22,
      'claims 9 bytes',
    ],
    ['bytes behind the last document', opMsg([body(INSERT), sequence('a', [{}, bytes(0, 0)])]), 22, 'cut off'],
    ['an element of no type', opMsg([body(strange(0x33, 97, 0)), sequence('a', [])]), 22, 'type 0x33'],
    ['a name without end', opMsg([body(strange(0x0a, 97, 97)), sequence('a', [])]), 22, 'field name does not end'],
    [
      'a value that leads back',
      opMsg([body(strange(2, 97, 0, 0xf0, 0xff, 0xff, 0xff)), sequence('a', [])]),
      22,
      'reaches beyond',
    ],
    ['a value that is too long', opMsg([body(strange(2, 97, 0, 9, 0, 0, 0)), sequence('a', [])]), 22, 'reaches beyond'],
  ] as const)('%s', ([, message, code, errmsg]) => {
    const error = errorOf(message);
    expect(error).toMatchObject({
      closes: false,
      requestId: REQUEST_ID,
      kind: 'msg',
      answer: { code, errmsg: error.message },
    });
    expect(error.message).toContain(errmsg);
    expect(error.answer?.codeName).toBe(code === 22 ? 'InvalidBSON' : `Location${code}`);
  });

  test('whoever wants no reply gets none', () => {
    expect(errorOf(opMsg([sequence('a', [])], MORE_TO_COME))).toMatchObject({ closes: false, answer: undefined });
  });

  test('values inside are the member’s matter', () => {
    const message = opMsg([body(strange(0x33, 97, 0))]);
    expect(readRequest(message).command).toHaveLength(8);
  });
});

describe('replies', () => {
  const written = (reply: Uint8Array, moreToCome?: boolean) => {
    const parts = writeReply(reply, {
      requestId: 11,
      responseTo: 7,
      ...(moreToCome === undefined ? {} : { moreToCome }),
    });
    return concat(Array.isArray(parts) ? parts : [parts]);
  };

  test.for([
    ['small', { ok: 1 }, undefined, 0],
    ['the last', { ok: 1 }, false, 0],
    ['one of several', { ok: 1 }, true, MORE_TO_COME],
    ['large', { text: 'x'.repeat(100_000), ok: 1 }, undefined, 0],
    ['large, one of several', { text: 'x'.repeat(100_000), ok: 1 }, true, MORE_TO_COME],
  ] as const)('%s', ([, reply, moreToCome, flags]) => {
    const message = written(encodeDocument(reply), moreToCome);
    expect(readHeader(message)).toEqual({ messageLength: message.length, requestId: 11, responseTo: 7, opCode: 2013 });
    expect([...message.subarray(16, 21)]).toEqual([flags, 0, 0, 0, 0]);
    expect(decodePromoted(message.subarray(21))).toEqual(reply);
  });

  test.for([
    [{ ok: 1 }, false],
    [{ text: 'x'.repeat(100_000), ok: 1 }, true],
  ] as const)('with a checksum', ([reply, moreToCome]) => {
    const message = writeReply(encodeDocument(reply), { requestId: 11, responseTo: 7, moreToCome, checksum: true });
    const read = readRequest(concat([message].flat()));
    expect(decodePromoted(read.command)).toEqual(reply);
    expect(read).toMatchObject({ checksummed: true, moreToCome });
  });

  test('a large one is not copied', () => {
    const reply = encodeDocument({ text: 'x'.repeat(100_000) });
    expect(writeReply(reply, { requestId: 1, responseTo: 2 })).toContain(reply);
  });

  test('as golden bytes', () => {
    expect(Buffer.from(written(encodeDocument({ ok: 1 }))).toString('hex')).toBe(
      '220000000b00000007000000dd0700000000000000' + '0d000000106f6b000100000000',
    );
  });

  test('ids may pass the largest int32', () => {
    const message = writeReply(bytes(5, 0, 0, 0, 0), { requestId: 0x80000001, responseTo: -1 }) as Uint8Array;
    expect(readHeader(message)).toMatchObject({ requestId: -0x7fffffff, responseTo: -1 });
  });
});
