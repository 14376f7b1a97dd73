import { encodeDocument } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { type Ended, saysNoWritesPerformed, shouldRetry, tellsOfStateChange } from '../src/retry.ts';

const reply = (document: object): Ended => ({ kind: 'reply', reply: encodeDocument(document) });
const error = (code: number, ...errorLabels: string[]) => ({
  ok: 0,
  code,
  errmsg: 'no',
  ...(errorLabels.length && { errorLabels }),
});

test.for([
  ['a label', error(10107, 'RetryableWriteError'), true],
  ['a label, whatever the code', error(112, 'RetryableWriteError'), true],
  ['a label among others', error(91, 'NoWritesPerformed', 'RetryableWriteError'), true],
  [
    'a label on a write concern error',
    { ok: 1, writeConcernError: { code: 91 }, errorLabels: ['RetryableWriteError'] },
    true,
  ],
  ['no label', error(10107), false],
  ['another label', error(10107, 'TransientTransactionError'), false],
  ['a write concern error without one', { ok: 1, writeConcernError: { code: 64 } }, false],
  ['success', { ok: 1 }, false],
] as const)('a write goes by the label: %s', ([, document, again]) => {
  expect(shouldRetry(reply(document), 'write')).toBe(again);
});

test.for([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436])('a read after %d', (code) => {
  expect(shouldRetry(reply(error(code)), 'read')).toBe(true);
});
test.for([43, 50, 112, 133, 11601])('no second read after %d', (code) => {
  expect(shouldRetry(reply(error(code)), 'read')).toBe(false);
});

test.for(['refused', 'closed', 'timedOut'] as const)('a connection that was %s is reason enough for both', (kind) => {
  for (const what of ['read', 'write'] as const) expect(shouldRetry({ kind, errmsg: 'gone' }, what)).toBe(true);
});

test.for([
  [10107, true],
  [13435, true],
  [13436, true],
  [189, true],
  [11602, true],
  [91, true],
  [11600, true],
  [11000, false],
  [50, false],
] as const)('%d says that the server changed: %s', ([code, change]) => {
  expect(tellsOfStateChange(encodeDocument(error(code)))).toBe(change);
  expect(tellsOfStateChange(encodeDocument({ ok: 1, writeConcernError: { code } }))).toBe(change);
});

test('success says nothing of the server', () => {
  expect(tellsOfStateChange(encodeDocument({ ok: 1 }))).toBe(false);
  expect(saysNoWritesPerformed(encodeDocument({ ok: 1 }))).toBe(false);
  expect(saysNoWritesPerformed(encodeDocument(error(91, 'RetryableWriteError', 'NoWritesPerformed')))).toBe(true);
});
