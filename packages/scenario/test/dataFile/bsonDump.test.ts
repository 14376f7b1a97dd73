import { encodeDocument } from '@replsim/protocol';
import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { documentsOfDump } from '../../src/dataFile/bsonDump.ts';

const DUMP = Uint8Array.from([...serialize({ _id: 1 }), ...serialize({ _id: 2 })]);

test('a BSON dump is one document after the other', () => {
  expect([...documentsOfDump(DUMP)]).toEqual([encodeDocument({ _id: 1 }), encodeDocument({ _id: 2 })]);
});

test.each([
  [
    'cut off',
    DUMP.subarray(0, 20),
    'document 2, at byte 14: it claims 14 bytes, and the file ends after 6; the dump is cut off',
  ],
  [
    'cut off in a length',
    DUMP.subarray(0, 16),
    'document 2, at byte 14: it claims at least 4 bytes, and the file ends after 2',
  ],
  [
    'no dump',
    new TextEncoder().encode('\u0001\u0000\u0000\u0000 text'),
    'document 1, at byte 0: it claims 1 bytes; this is not a BSON dump',
  ],
  ['broken inside', Uint8Array.from(DUMP).fill(0x77, 18, 19), 'document 2, at byte 14: '],
])('a dump that is %s is reported with its byte', (_, bytes, message) => {
  expect(() => [...documentsOfDump(bytes)]).toThrow(message);
});
