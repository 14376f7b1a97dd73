import { Binary, Long } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// What mongod takes and is easily forgotten: collections by their UUID, options of storage engines, variables and fields of reads.

async function started(options: Doc = {}): Promise<{ asked: AskedSet; uuid: Binary }> {
  const asked = await AskedSet.start(
    [{ name: 'n1' }, { name: 'n2', config: { priority: 0 } }, { name: 'n3', config: { priority: 0 } }],
    options,
  );
  await asked.ok('n1', {
    insert: 'c',
    documents: [
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ],
    writeConcern: { w: 3 },
  });
  const { cursor } = await asked.ok('n1', { listCollections: 1, filter: { name: 'c' } });
  return { asked, uuid: cursor.firstBatch[0].info.uuid };
}

test('find, count, distinct and listIndexes take the UUID for the name, on any member, in a transaction too', async () => {
  const { asked, uuid } = await started();
  const ON_SECONDARY = { $readPreference: { mode: 'secondary' } };
  for (const [member, more] of [
    ['n1', {}],
    ['n2', ON_SECONDARY],
  ] as const) {
    const found = await asked.ok(member, { find: uuid, sort: { _id: 1 }, batchSize: 1, ...more });
    expect(found.cursor).toMatchObject({ ns: 'app.c', firstBatch: [{ _id: 1 }] });
    const next = await asked.ok(member, { getMore: found.cursor.id, collection: 'c' });
    expect(next.cursor.nextBatch).toMatchObject([{ _id: 2 }]);
    expect(await asked.ok(member, { count: uuid, query: { a: 2 }, ...more })).toMatchObject({ n: 1 });
    expect(await asked.ok(member, { distinct: uuid, key: 'a', ...more })).toMatchObject({ values: [1, 2] });
    expect((await asked.ok(member, { listIndexes: uuid, ...more })).cursor.firstBatch).toMatchObject([
      { name: '_id_' },
    ]);
  }
  await asked.ok('n1', { renameCollection: 'app.c', to: 'app.d' }, 'admin');
  expect((await asked.ok('n1', { find: uuid })).cursor.ns).toBe('app.d');
  const statement = { lsid: { id: new Binary(new Uint8Array(16), 4) }, txnNumber: Long.ONE, autocommit: false };
  expect((await asked.ok('n1', { find: uuid, ...statement, startTransaction: true })).cursor.firstBatch).toHaveLength(
    2,
  );
  await asked.ok('n1', { abortTransaction: 1, ...statement }, 'admin');
  await asked.set.close();
});

test('a UUID of nobody, of another database, or in a command that takes none is refused', async () => {
  const { asked, uuid } = await started();
  const nobody = new Binary(new Uint8Array(16).fill(3), 4);
  for (const name of ['find', 'count', 'distinct', 'listIndexes']) {
    const command = { [name]: nobody, ...(name === 'distinct' && { key: 'a' }) };
    expect(await asked.run('n1', command), name).toMatchObject({ ok: 0, code: 26 });
    expect(await asked.run('n1', { ...command, [name]: uuid }, 'other'), name).toMatchObject({ ok: 0, code: 26 });
    expect((await asked.run('n1', { ...command, [name]: new Binary(new Uint8Array(16), 0) })).ok, name).toBe(0);
  }
  const others = [
    { insert: uuid, documents: [{}] },
    { delete: uuid, deletes: [{ q: {}, limit: 0 }] },
    { drop: uuid },
    { aggregate: uuid, pipeline: [], cursor: {} },
  ];
  for (const command of others) expect((await asked.run('n1', command)).ok).toBe(0);
  expect(await asked.documents('n1', 'c')).toHaveLength(2);
  await asked.set.close();
});

test('what is said to the storage engine is kept, shown and copied to the others', async () => {
  const { asked } = await started();
  const storageEngine = { wiredTiger: { configString: 'block_compressor=zlib' } };
  await asked.ok('n1', { create: 'd', storageEngine, indexOptionDefaults: { storageEngine }, writeConcern: { w: 3 } });
  await asked.pass(100);
  for (const member of asked.set.memberNames) {
    const { cursor } = await asked.ok(member, {
      listCollections: 1,
      filter: { name: 'd' },
      $readPreference: { mode: 'nearest' },
    });
    expect(cursor.firstBatch[0].options).toEqual({ storageEngine, indexOptionDefaults: { storageEngine } });
  }
  await asked.ok('n1', { create: 'd', storageEngine, indexOptionDefaults: { storageEngine } });
  for (const [options, code] of [
    [{ storageEngine: {} }, 72],
    [{ storageEngine: { wiredTiger: 1 } }, 2],
    [{ storageEngine: { nope: {} } }, 72],
    [{ storageEngine: 1 }, 14],
    [{ indexOptionDefaults: { nope: 1 } }, 40415],
    [{ indexOptionDefaults: { storageEngine: { nope: {} } } }, 72],
  ] as const) {
    expect(await asked.run('n1', { create: 'e', ...options }), JSON.stringify(options)).toMatchObject({ ok: 0, code });
  }
  await asked.set.close();
});

test('$$USER_ROLES is empty where nobody logs in; before 7.0 nobody knows it', async () => {
  const { asked } = await started();
  const project = { find: 'c', filter: { _id: 1 }, projection: { r: '$$USER_ROLES' } };
  expect((await asked.ok('n1', project)).cursor.firstBatch).toEqual([{ _id: 1, r: [] }]);
  const filter = { $expr: { $in: ['app.read', '$$USER_ROLES._id'] } };
  expect(await asked.ok('n1', { count: 'c', query: filter })).toMatchObject({ n: 0 });
  const aggregate = { aggregate: 'c', pipeline: [{ $project: { n: { $size: '$$USER_ROLES' } } }], cursor: {} };
  expect((await asked.ok('n1', aggregate)).cursor.firstBatch).toMatchObject([{ n: 0 }, { n: 0 }]);
  await asked.set.close();
});

test('a find takes readOnce; that and scans by record ids are unstable under apiStrict', async () => {
  const { asked } = await started();
  await asked.ok('n1', { find: 'c', readOnce: true, $_requestResumeToken: false });
  for (const more of [
    { $_requestResumeToken: true },
    { $_resumeAfter: { $recordId: Long.ONE } },
    { $_startAt: { $recordId: Long.ONE } },
  ]) {
    expect(await asked.run('n1', { find: 'c', ...more, apiVersion: '1', apiStrict: true })).toMatchObject({
      code: 323,
    });
  }
  expect(await asked.run('n1', { find: 'c', readOnce: true, apiVersion: '1', apiStrict: true })).toMatchObject({
    code: 323,
  });
  await asked.set.close();
});

test('$out and $merge of a secondary are written by the primary', async () => {
  const { asked } = await started();
  const on = async (pipeline: Doc[], more: Doc = {}) =>
    asked.run('n2', { aggregate: 'c', pipeline, cursor: {}, $readPreference: { mode: 'secondary' }, ...more });
  // Values that look like expressions stay values.
  const shape = { $set: { text: { $literal: '$a' }, doc: { $literal: { $add: [1, 2] } } } };
  expect(await on([{ $match: { _id: 1 } }, shape, { $out: 'd' }], { writeConcern: { w: 3 } })).toMatchObject({
    ok: 1,
    cursor: { firstBatch: [], id: 0, ns: 'app.c' },
  });
  expect(await asked.documents('n1', 'd')).toEqual([{ _id: 1, a: 1, text: '$a', doc: { $add: [1, 2] } }]);
  expect(await on([{ $out: { db: 'other', coll: 'd' } }])).toMatchObject({ ok: 1 });
  expect(await asked.documents('n1', 'd', 'other')).toHaveLength(2);
  expect(await on([{ $set: { b: 1 } }, { $merge: { into: 'd', whenMatched: 'merge' } }])).toMatchObject({ ok: 1 });
  expect(await asked.documents('n1', 'd')).toMatchObject([
    { _id: 1, b: 1, text: '$a' },
    { _id: 2, b: 1 },
  ]);
  expect(await on([{ $merge: { into: 'd', whenMatched: 'fail' } }])).toMatchObject({ ok: 0, code: 11000 });
  expect(await on([{ $match: { _id: 9 } }, { $out: 'd' }])).toMatchObject({ ok: 1 });
  expect(await asked.documents('n1', 'd')).toEqual([]);
  expect(await on([{ $out: 'd' }], { writeConcern: { w: 9 } })).toMatchObject({
    ok: 1,
    writeConcernError: { code: 100 },
  });
  asked.set.kill('n1');
  await asked.pass(15_000);
  expect(await on([{ $out: 'd' }])).toMatchObject({ ok: 0, code: 10107 });
  await asked.set.close();
});
