import { decodePromoted } from '@replsim/protocol';
import { OpQueryRequest } from 'mongodb/lib/cmap/commands.js';
import { describe, expect, test } from 'vitest';
import { OpCode } from '../../src/wire/messageHeader.ts';
import { readRequest } from '../../src/wire/opMsg.ts';
import { ProtocolError } from '../../src/wire/protocolError.ts';
import { bytes, concat, frame, int32, opQuery, REQUEST_ID, text } from './frames.ts';

const SECONDARY_OK = 4;
const EMPTY = bytes(5, 0, 0, 0, 0);
const PREFERRED = { mode: 'secondaryPreferred' };

describe('well-formed', () => {
  test.for([
    ['hello', opQuery({ hello: 1 }), { hello: 1, $db: 'admin' }],
    ['on another database', opQuery({ isMaster: 1 }, { ns: 'a.b.$cmd' }), { isMaster: 1, $db: 'a.b' }],
    ['one document wanted', opQuery({ hello: 1 }, { numberToReturn: 1 }), { hello: 1, $db: 'admin' }],
    ['a projection behind', opQuery({ hello: 1 }, { after: EMPTY }), { hello: 1, $db: 'admin' }],
    [
      'secondaryOk',
      opQuery({ hello: 1 }, { flags: SECONDARY_OK }),
      { hello: 1, $db: 'admin', $readPreference: PREFERRED },
    ],
    [
      'secondaryOk beside a preference of its own',
      opQuery({ hello: 1, $readPreference: { mode: 'nearest' } }, { flags: SECONDARY_OK }),
      { hello: 1, $readPreference: { mode: 'nearest' }, $db: 'admin' },
    ],
    ['wrapped', opQuery({ $query: { hello: 1, a: { b: 2 } } }), { hello: 1, a: { b: 2 }, $db: 'admin' }],
    ['wrapped, the older way', opQuery({ query: { hello: 1 } }), { hello: 1, $db: 'admin' }],
    [
      'wrapped with a preference',
      opQuery({ $query: { hello: 1 }, $maxTimeMS: 5, $readPreference: { mode: 'nearest' } }, { flags: SECONDARY_OK }),
      { hello: 1, $db: 'admin', $readPreference: { mode: 'nearest' } },
    ],
    [
      'wrapped and secondaryOk',
      opQuery({ $query: { hello: 1 } }, { flags: SECONDARY_OK }),
      { hello: 1, $db: 'admin', $readPreference: PREFERRED },
    ],
  ] as const)('%s', ([, message, command]) => {
    const request = readRequest(message);
    expect(decodePromoted(request.command)).toEqual(command);
    expect(request).toMatchObject({ requestId: REQUEST_ID, kind: 'query', exhaustAllowed: false, moreToCome: false });
  });

  test('the driver’s first message', () => {
    const hello = { ismaster: 1, helloOk: true, client: { driver: { name: 'nodejs' } }, compression: ['none'] };
    const message = concat(
      new OpQueryRequest('admin', hello, { numberToReturn: -1, secondaryOk: true, requestId: 5 }).toBin(),
    );
    const request = readRequest(message);
    expect(request).toMatchObject({ requestId: 5, kind: 'query' });
    expect(decodePromoted(request.command)).toEqual({ ...hello, $db: 'admin', $readPreference: PREFERRED });
  });
});

const parts = (...more: Uint8Array[]) => frame(OpCode.query, [int32(0), ...more]);

test.for([
  ['a collection', opQuery({ hello: 1 }, { ns: 'test.c' }), 5739101],
  ['no database', opQuery({ hello: 1 }, { ns: '.$cmd' }), 5739101],
  ['a command that has to come as OP_MSG', opQuery({ find: 'c' }), 352],
  ['wrapped in a name of its own', opQuery({ $query: { find: 'c' } }), 352],
  ['no command', opQuery({}), 352],
  ['a wrapper around nothing', opQuery({ $query: {} }), 352],
  ['$db', opQuery({ hello: 1, $db: 'a' }), 40621],
  ['two documents wanted', opQuery({ hello: 1 }, { numberToReturn: 2 }), 16979],
  ['no document', parts(text('a.$cmd'), int32(0), int32(-1)), 22],
  ['a document that is cut off', parts(text('a.$cmd'), int32(0), int32(-1), EMPTY.subarray(0, 4)), 22],
  ['a projection that is cut off', opQuery({ hello: 1 }, { after: bytes(9, 0, 0, 0, 0) }), 22],
  ['an element of no type', opQuery(bytes(8, 0, 0, 0, 0x33, 97, 0, 0)), 22],
  [
    'a wrapped document without its zero',
    opQuery(bytes(18, 0, 0, 0, 3, 36, 113, 117, 101, 114, 121, 0, 5, 0, 0, 0, 9, 0)),
    22,
  ],
] as const)('%s: answered', ([, message, code]) => {
  expect(() => readRequest(message)).toThrow(
    expect.objectContaining({
      closes: false,
      requestId: REQUEST_ID,
      kind: 'query',
      answer: expect.objectContaining({ code }),
    }),
  );
});

test.for([
  ['no flags', frame(OpCode.query, [bytes(0, 0)])],
  ['a name without its end', parts(bytes(97, 97))],
  ['nothing behind the name', parts(text('a.$cmd'))],
  ['half of the numbers', parts(text('a.$cmd'), int32(0), bytes(0))],
  ['bytes behind the projection', opQuery({ hello: 1 }, { after: concat([EMPTY, bytes(1)]) })],
] as const)('%s: the connection closes', ([, message]) => {
  expect(() => readRequest(message)).toThrow(ProtocolError);
  expect(() => readRequest(message)).toThrow(expect.objectContaining({ closes: true, answer: undefined }));
});
