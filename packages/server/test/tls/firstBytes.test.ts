import { expect, test } from 'vitest';
import { beginningOf, HTTP_ANSWER } from '../../src/tls/firstBytes.ts';
import { body, bytes, concat, int32, opMsg, opQuery } from '../wire/frames.ts';

// As Node's own client says it: record, handshake, ClientHello, TLS 1.2 for those of before.
const CLIENT_HELLO = bytes(0x16, 3, 1, 0, 0xf7, 1, 0, 0, 0xf3, 3, 3, 0x5a, 0xa5);

test.for([
  ['nothing', bytes(), undefined],
  ['three bytes', bytes(0x16, 3, 1), undefined],
  ['OP_MSG', opMsg([body({ ping: 1 })]), 'plain'],
  ['OP_QUERY', opQuery({ isMaster: 1 }), 'plain'],
  ['a message as long as the first bytes of TLS would be', concat([bytes(0x16, 3, 1, 0), int32(1), int32(0)]), 'plain'],
  ['a reply to nobody', concat([int32(40), int32(1), int32(-1)]), 'plain'],
  ['a ClientHello', CLIENT_HELLO, 'tls'],
  ['a ClientHello that has not come whole', CLIENT_HELLO.subarray(0, 11), undefined],
  ['a message that has not come whole', opMsg([body({ ping: 1 })]).subarray(0, 11), undefined],
  ['HTTP', new TextEncoder().encode('GET / HTTP/1.1'), 'http'],
  ['no length', int32(0), 'plain'],
  ['a length beyond all messages', int32(48_000_001), 'plain'],
] as const)('%s', ([, first, beginning]) => {
  expect(beginningOf(first)).toBe(beginning);
});

test('the answer to a browser is as long as it says', () => {
  const [head, text] = HTTP_ANSWER.split('\r\n\r\n');
  expect(Number(/Content-Length: (\d+)/.exec(head!)![1])).toBe(text!.length);
});
