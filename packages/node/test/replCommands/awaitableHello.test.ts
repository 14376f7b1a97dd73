import { CommandArguments } from '@replsim/pipeline';
import { encodeDocument } from '@replsim/protocol';
import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { awaitedTopology } from '../../src/replCommands/awaitableHello.ts';

const processId = new ObjectId('0123456789abcdef01234567');
const args = (fields: object) => new CommandArguments(encodeDocument({ hello: 1, ...fields, $db: 'admin' }));

test('whoever wants to be streamed to says how long an answer may take', () => {
  expect(() => awaitedTopology(args({}), true)).toThrow(expect.objectContaining({ code: 51756 }));
  const known = { topologyVersion: { processId, counter: 3n } };
  expect(() => awaitedTopology(args(known), true)).toThrow(expect.objectContaining({ code: 51756 }));
  expect(awaitedTopology(args({ ...known, maxAwaitTimeMS: 500 }), true)).toMatchObject({
    counter: 3n,
    maxAwaitTimeMS: 500,
  });
});

test('who knows nothing is answered at once', () => {
  expect(awaitedTopology(args({}), false)).toBeUndefined();
});
