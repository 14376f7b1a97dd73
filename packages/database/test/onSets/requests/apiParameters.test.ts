import { Binary, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// Who goes on says of the Stable API what was said at first. Upstream: service_entry_point_shard_role.cpp; getmore_cmd.cpp.

const STRICT = { apiVersion: '1', apiStrict: true };
const session = (n: number) => ({ lsid: { id: new Binary(new Uint8Array(16).fill(n), 4) } });
const statement = (n: number): Doc => ({ ...session(1), txnNumber: Long.fromNumber(n), autocommit: false });

const KINDS: [what: string, first: Doc, then: Doc, same: boolean][] = [
  ['nothing twice', {}, {}, true],
  ['a version twice', { apiVersion: '1' }, { apiVersion: '1' }, true],
  ['all twice', { ...STRICT, apiDeprecationErrors: true }, { ...STRICT, apiDeprecationErrors: true }, true],
  ['a version that comes later', {}, { apiVersion: '1' }, false],
  ['a version that goes', { apiVersion: '1' }, {}, false],
  ['strictness that comes later', { apiVersion: '1' }, STRICT, false],
  ['strictness that is false later', STRICT, { apiVersion: '1', apiStrict: false }, false],
  ['false for nothing', { apiVersion: '1' }, { apiVersion: '1', apiStrict: false }, false],
  ['deprecation errors that come later', STRICT, { ...STRICT, apiDeprecationErrors: true }, false],
];

async function started(): Promise<AskedSet> {
  const asked = await AskedSet.start(1);
  await asked.ok('n1', { insert: 'c', documents: [1, 2, 3].map((_id) => ({ _id })) });
  return asked;
}

describe.for(KINDS)('%s', ([, first, then, same]) => {
  const refused = {
    ok: 0,
    code: 347,
    codeName: 'APIMismatchError',
    errmsg: expect.stringMatching(/^API parameter mismatch: /),
  };

  test('in a transaction', async () => {
    const asked = await started();
    const commands: [Doc, string][] = [
      [{ find: 'c' }, 'app'],
      [{ insert: 'c', documents: [{ _id: 9 }] }, 'app'],
      [{ commitTransaction: 1 }, 'admin'],
    ];
    await asked.ok('n1', { find: 'c', ...statement(1), startTransaction: true, ...first });
    for (const [command, db] of commands) {
      const reply = await asked.run('n1', { ...command, ...statement(1), ...then }, db);
      expect(reply).toMatchObject(same ? { ok: 1 } : refused);
    }
    // It is there for who says what was said at first.
    if (!same) await asked.ok('n1', { commitTransaction: 1, ...statement(1), ...first }, 'admin');
    await asked.set.close();
  });

  test.for<[what: string, command: Doc]>([
    ['find', { find: 'c', batchSize: 1 }],
    ['aggregate', { aggregate: 'c', pipeline: [], cursor: { batchSize: 1 } }],
    ['listCollections', { listCollections: 1, cursor: { batchSize: 0 } }],
  ])('a getMore after %s', async ([, command]) => {
    const asked = await started();
    const { cursor } = await asked.ok('n1', { ...command, ...first });
    const more = { getMore: cursor.id, collection: cursor.ns.slice(4) };
    expect(await asked.run('n1', { ...more, ...then })).toMatchObject(same ? { ok: 1 } : refused);
    if (!same) await asked.ok('n1', { ...more, ...first });
    await asked.set.close();
  });
});

test('the results of a bulkWrite are read on inside of its transaction', async () => {
  const asked = await started();
  const ops = Array.from({ length: 5 }, (_, i) => ({ insert: 0, document: { _id: 100 + i } }));
  const bulk = { bulkWrite: 1, ops, nsInfo: [{ ns: 'app.c' }], cursor: { batchSize: 2 } };
  const { cursor } = await asked.ok('n1', { ...bulk, ...statement(1), startTransaction: true }, 'admin');
  expect(cursor).toMatchObject({ ns: 'admin.$cmd.bulkWrite' });
  const more = { getMore: cursor.id, collection: '$cmd.bulkWrite', batchSize: 2 };
  const next = await asked.ok('n1', { ...more, ...statement(1) }, 'admin');
  expect(next.cursor.nextBatch.map(({ idx }: Doc) => idx)).toEqual([2, 3]);
  const last = await asked.ok('n1', { ...more, ...statement(1) }, 'admin');
  expect(last.cursor).toMatchObject({ id: 0, nextBatch: [{ idx: 4, ok: 1, n: 1 }] });
  await asked.ok('n1', { commitTransaction: 1, ...statement(1) }, 'admin');
  expect((await asked.documents('n1', 'c')).length).toBe(8);
  await asked.set.close();
});

test('an aggregation that is explained takes no write concern', async () => {
  const asked = await started();
  for (const pipeline of [[], [{ $out: 'd' }]]) {
    const command = { aggregate: 'c', pipeline, explain: true, writeConcern: { w: 1 } };
    expect(await asked.run('n1', command)).toMatchObject({ ok: 0, code: 9 });
  }
  await asked.ok('n1', { aggregate: 'c', pipeline: [{ $out: 'd' }], explain: true });
  await asked.set.close();
});
