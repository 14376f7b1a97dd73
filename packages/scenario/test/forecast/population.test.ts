import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { isTaken } from '../../src/forecast/population.ts';

test.for<[what: string, reply: object, taken: boolean]>([
  ['a success', { ok: 1, n: 2 }, true],
  [
    'documents that were there already',
    { ok: 1, n: 1, writeErrors: [{ index: 0, code: 11000, errmsg: 'E11000' }] },
    true,
  ],
  ['documents that were refused', { ok: 1, n: 1, writeErrors: [{ index: 0, code: 121, errmsg: 'refused' }] }, false],
  [
    'some of both',
    {
      ok: 1,
      n: 0,
      writeErrors: [
        { code: 11000, errmsg: '' },
        { code: 121, errmsg: '' },
      ],
    },
    false,
  ],
  ['a missed write concern', { ok: 1, n: 2, writeConcernError: { code: 11602, errmsg: 'stepped down' } }, false],
  ['a refusal', { ok: 0, code: 10107, errmsg: 'not primary' }, false],
])('a batch counts when all of it is there as asked: %s', ([, reply, taken]) => {
  expect(isTaken(encodeDocument(reply))).toBe(taken);
});
