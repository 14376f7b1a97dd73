import { expect, test } from 'vitest';
import { commandText } from '../src/transcript/commandText.ts';

const timedOut = { code: 64, errmsg: 'waiting for replication timed out' };

test.for([
  { told: {}, text: undefined },
  { told: { code: 10107, errmsg: 'not primary' }, text: 'refuses insert: NotWritablePrimary, not primary' },
  { told: { retriedStatements: 1 }, text: 'answers insert from its oplog: it was executed before' },
  { told: { retriedStatements: 3 }, text: 'answers insert from its oplog: 3 statements were executed before' },
  {
    told: { writeConcernError: timedOut },
    text: 'has done insert, but its write concern is not satisfied: waiting for replication timed out',
  },
])('$text', ({ told, text }) => {
  const ended = { type: 'commandEnded', opId: 1, name: 'insert', ns: 'app.c', tookMicros: 50, code: 0 } as const;
  expect(commandText({ atMicros: 0, member: 'n1', ...ended, ...told })).toBe(text);
});
