import { Double, Int32 } from 'bson';
import { expect, test } from 'vitest';
import { decodeDocument, encodeReply } from '../../src/index.ts';

// Clients in languages with types read `ok` as what a mongod sends; everything else is as for any document.

test.for<[what: string, reply: object, decoded: object]>([
  ['a success', { n: 1, ok: 1 }, { n: new Int32(1), ok: new Double(1) }],
  ['a failure', { ok: 0, code: 59 }, { ok: new Double(0), code: new Int32(59) }],
  ['a double as such', { ok: new Double(1) }, { ok: new Double(1) }],
  ['another type, which only a fail point may ask for', { ok: 'no' }, { ok: 'no' }],
  ['a field inside', { cursor: { ok: 1 }, ok: 1 }, { cursor: { ok: new Int32(1) }, ok: new Double(1) }],
])('%s', ([, reply, decoded]) => {
  const found = decodeDocument(encodeReply(reply));
  expect(found).toStrictEqual(decoded);
  expect(Object.keys(found)).toEqual(Object.keys(decoded));
});

test('what comes behind the reply stands behind it', () => {
  expect(Object.keys(decodeDocument(encodeReply({ ok: 1 }, { operationTime: 5 })))).toEqual(['ok', 'operationTime']);
});
