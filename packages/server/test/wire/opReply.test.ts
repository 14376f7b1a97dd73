import { encodeDocument } from '@replsim/protocol';
import { deserialize } from 'bson';
import { OpReply } from 'mongodb/lib/cmap/commands.js';
import { expect, test } from 'vitest';
import { readHeader } from '../../src/wire/messageHeader.ts';
import { writeLegacyReply } from '../../src/wire/opReply.ts';

const message = writeLegacyReply(encodeDocument({ ok: 1 }), { requestId: 11, responseTo: 7 });

test('golden bytes', () => {
  expect(Buffer.from(message).toString('hex')).toBe(
    '310000000b0000000700000001000000' + // header: 49 bytes, OP_REPLY
      '08000000' +
      '0000000000000000' +
      '00000000' +
      '01000000' + // await capable, no cursor, from 0, one document
      '0d000000106f6b000100000000',
  );
});

test('the driver reads it', () => {
  const { messageLength, requestId, responseTo, opCode } = readHeader(message);
  const header = { length: messageLength, requestId, responseTo, opCode };
  const reply = new OpReply(message, header, message.subarray(16), {});
  expect(deserialize(reply.parse())).toEqual({ ok: 1 });
  expect(reply).toMatchObject({
    awaitCapable: true,
    queryFailure: false,
    cursorNotFound: false,
    numberReturned: 1,
    startingFrom: 0,
  });
});
