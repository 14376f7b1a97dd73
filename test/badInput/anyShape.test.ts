import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import fc from 'fast-check';
import { expect, test } from 'vitest';

// Whatever a client sends, it gets an answer, and the member goes on.

const NAMES = [
  'hello',
  'ping',
  'buildInfo',
  'insert',
  'find',
  'getMore',
  'killCursors',
  'count',
  'update',
  'delete',
  'findAndModify',
  'aggregate',
  'distinct',
  'create',
  'drop',
  'dropDatabase',
  'createIndexes',
  'dropIndexes',
  'listIndexes',
  'listCollections',
  'listDatabases',
  'collMod',
  'serverStatus',
  'getParameter',
  'setParameter',
  'replSetInitiate',
  'replSetGetStatus',
  'replSetGetConfig',
  'replSetStepDown',
  'replSetFreeze',
  'replSetReconfig',
  'dbHash',
  'getLog',
  'currentOp',
  'noSuchCommand',
];

const FIELDS = [
  'documents',
  'updates',
  'deletes',
  'indexes',
  'filter',
  'query',
  'update',
  'sort',
  'projection',
  'limit',
  'skip',
  'batchSize',
  'cursor',
  'cursors',
  'collection',
  'pipeline',
  'key',
  'index',
  'writeConcern',
  'readConcern',
  'ordered',
  'maxTimeMS',
  'hint',
  'force',
  'secondaryCatchUpPeriodSecs',
  'nonsense',
];

const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    Number.NaN,
    2 ** 31,
    '',
    'c',
    'majority',
    '$a',
    -(2 ** 53),
  ),
  fc.date({ noInvalidDate: true }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.uint8Array({ maxLength: 4 }),
);
const key = fc.constantFrom(
  'a',
  'a.b',
  '_id',
  '$set',
  '$gt',
  '$in',
  'q',
  'u',
  'name',
  'expireAfterSeconds',
  'w',
  'wtimeout',
  '',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  ),
})).any;

const command = fc
  .tuple(
    fc.constantFrom(...NAMES),
    value,
    fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 4 }),
    fc.constantFrom('admin', 'app', 'local', '', 'a.b'),
  )
  .map(([name, first, fields, db]) => ({ [name]: first, ...fields, $db: db }));

test('a command of any shape is answered, and the member lives', async () => {
  const set = await ReplSet.create({ members: [{ name: 'n1' }] });
  await set.advanceTo(5_000_000);
  await fc.assert(
    fc.asyncProperty(command, async (document) => {
      const pending = set.send('n1', encodeDocument(document));
      const limit = set.nowMicros + 700_000_000;
      await set.runUntil(() => pending.reply !== undefined, limit);
      const reply = decodePromoted(pending.reply ?? encodeDocument({})) as Record<string, unknown>;
      // Only waiting for something that may never come is silence: what the client asked for, bounded by nothing.
      if (pending.reply !== undefined) {
        expect([0, 1]).toContain(Number(reply.ok));
        if (Number(reply.ok) === 0)
          expect(reply).toMatchObject({
            code: expect.any(Number),
            codeName: expect.any(String),
            errmsg: expect.any(String),
          });
      }
      expect(set.status('n1').running).toBe(true);
    }),
    { numRuns: 1500, seed: 7 },
  );
  const pong = decodePromoted(set.ask('n1', encodeDocument({ ping: 1, $db: 'admin' })));
  expect(pong.ok).toBe(1);
  await set.close();
});

test('bytes that are no BSON are answered too', async () => {
  const set = await ReplSet.create({ members: [{ name: 'n1' }] });
  await set.advanceTo(5_000_000);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      expect(decodePromoted(set.ask('n1', bytes))).toMatchObject({ ok: 0, code: expect.any(Number) });
    }),
    { numRuns: 500, seed: 7 },
  );
  await set.close();
});
