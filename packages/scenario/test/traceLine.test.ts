import { encodeDocument, OplogEntry, type TraceEvent } from '@replsim/protocol';
import { Long } from 'bson';
import { expect, test } from 'vitest';
import { traceLine } from '../src/index.ts';

const opTime = { ts: { t: 1735689602, i: 1 }, t: 1 };
const entry = new OplogEntry({ op: 'd', ns: 'app.sessions', o: encodeDocument({ _id: 1 }) }, opTime, 1735689602000);

test('time, member and type come first, and entries are canonical Extended JSON', () => {
  const line = traceLine({
    type: 'oplogWritten',
    origin: 'self',
    acceptsWrites: true,
    entries: [entry],
    member: 'n1',
    atMicros: 5,
  });
  expect(line).toBe(
    '{"atMicros":5,"member":"n1","type":"oplogWritten","origin":"self","acceptsWrites":true,"entries":[' +
      '{"op":"d","ns":"app.sessions","o":{"_id":{"$numberInt":"1"}},"ts":{"$timestamp":{"t":1735689602,"i":1}},"t":{"$numberLong":"1"},' +
      '"v":{"$numberLong":"2"},"wall":{"$date":{"$numberLong":"1735689602000"}}}]}',
  );
});

test.for<[TraceEvent, string]>([
  [{ atMicros: 0, type: 'note', text: 'ünï "x"' }, '{"atMicros":0,"type":"note","text":"ünï \\"x\\""}'],
  [
    { atMicros: 1, member: 'n1', type: 'applied', opTime, entries: 0, dataHash: [1, 4294967295] },
    '{"atMicros":1,"member":"n1","type":"applied","opTime":{"ts":{"t":1735689602,"i":1},"t":1},"entries":0,"dataHash":[1,4294967295]}',
  ],
  [
    {
      atMicros: 2,
      member: 'n1',
      type: 'log',
      line: {
        severity: 'I',
        component: 'REPL',
        id: 1,
        ctx: 'a',
        msg: 'b',
        attr: { n: Long.fromNumber(1), big: 5n, at: new Uint8Array([255]) },
      },
      wallMs: 9,
    },
    '{"atMicros":2,"member":"n1","type":"log","line":{"severity":"I","component":"REPL","id":1,"ctx":"a","msg":"b","attr":{"n":{"$numberLong":"1"},"big":{"$numberLong":"5"},"at":"ff"}},"wallMs":9}',
  ],
])('%o', ([event, line]) => {
  expect(traceLine(event)).toBe(line);
});
