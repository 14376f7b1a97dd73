import { encodeDocument, OplogEntry, type TraceEvent, UNINITIALIZED_TERM } from '@replsim/protocol';
import { Long } from 'bson';
import { expect, test } from 'vitest';
import { traceLine } from '../src/index.ts';

const opTime = { ts: { t: 1735689602, i: 1 }, t: 1 };
const entry = new OplogEntry({ op: 'd', ns: 'app.sessions', o: encodeDocument({ _id: 1 }) }, opTime, 1735689602000);

const OP_TIME = '"ts":{"$timestamp":{"t":1735689602,"i":1}},"t":1';

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
      `{${OP_TIME},"op":"d","ns":"app.sessions","o":{"_id":{"$numberInt":"1"}},` +
      '"v":{"$numberLong":"2"},"wall":{"$date":{"$numberLong":"1735689602000"}}}]}',
  );
});

test.for<[TraceEvent, string]>([
  [{ atMicros: 0, type: 'note', text: 'ünï "x"' }, '{"atMicros":0,"type":"note","text":"ünï \\"x\\""}'],
  [
    { atMicros: 1, member: 'n1', type: 'applied', opTime, entries: 0, dataHash: [1, 4294967295] },
    `{"atMicros":1,"member":"n1","type":"applied","opTime":{${OP_TIME}},"entries":0,"dataHash":[1,4294967295]}`,
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
        attr: { n: Long.fromNumber(1), big: 5n, at: new Uint8Array([255]), when: new Date(7), opTime },
      },
      wallMs: 9,
    },
    '{"atMicros":2,"member":"n1","type":"log","line":{"severity":"I","component":"REPL","id":1,"ctx":"a","msg":"b","attr":{"n":{"$numberLong":"1"},"big":{"$numberLong":"5"},"at":"ff","when":{"$date":{"$numberLong":"7"}},' +
      `"opTime":{${OP_TIME}}}},"wallMs":9}`,
  ],
])('%o', ([event, line]) => {
  expect(traceLine(event)).toBe(line);
});

test('the first entries of a set have no term, and an opTime says so by -1 wherever it stands', () => {
  const initiating = { ts: { t: 1735689600, i: 1 }, t: UNINITIALIZED_TERM };
  const first = new OplogEntry({ op: 'n', ns: '', o: encodeDocument({ msg: 'initiating set' }) }, initiating, 0);
  const { opTime: told, batch } = JSON.parse(
    traceLine({
      atMicros: 0,
      member: 'n1',
      type: 'applied',
      opTime: initiating,
      entries: 1,
      dataHash: [0, 0],
      batch: [first],
    }),
  );
  expect(told).toEqual({ ts: { $timestamp: { t: 1735689600, i: 1 } }, t: -1 });
  expect({ ts: batch[0].ts, t: batch[0].t }).toEqual(told);
});

test('the entry before a retryable one is an opTime too', () => {
  const lsid = encodeDocument({ id: 1 });
  const statement = { lsid, txnNumber: 1n, stmtId: 0 };
  const operation = { op: 'd', ns: 'app.c', o: encodeDocument({ _id: 1 }), statement } as const;
  const retryable = new OplogEntry(operation, opTime, 0, undefined, opTime);
  const line = traceLine({
    atMicros: 0,
    member: 'n1',
    type: 'oplogWritten',
    origin: 'self',
    acceptsWrites: true,
    entries: [retryable],
  });
  expect(line).toContain(`"prevOpTime":{${OP_TIME}}`);
});
