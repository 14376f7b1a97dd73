import { Binary, UUID } from 'bson';
import { expect, test } from 'vitest';
import { type Doc, LoneMember } from './loneMember.ts';

// Commands that name a collection by its UUID as well. Upstream: jstests/core/collection_uuid_*.js.

const COMMANDS: readonly ((collection: string) => Doc)[] = [
  (find) => ({ find }),
  (aggregate) => ({ aggregate, pipeline: [], cursor: {} }),
  (createIndexes) => ({ createIndexes, indexes: [{ key: { a: 1 }, name: 'a_1' }] }),
  (collMod) => ({ collMod }),
  (listIndexes) => ({ listIndexes }),
  (dropIndexes) => ({ dropIndexes, index: '*' }),
  (convertToCapped) => ({ convertToCapped, size: 4096 }),
  (drop) => ({ drop }),
];

function started() {
  const member = LoneMember.primary(0);
  const run = (command: Doc, db = 'app') => member.run(command, db);
  for (const name of ['c', 'other']) run({ insert: name, documents: [{ _id: 1 }] });
  run({ insert: 'far', documents: [{}] }, 'elsewhere');
  const uuidOf = (name: string, db = 'app') =>
    (run({ listCollections: 1, filter: { name } }, db) as { cursor: { firstBatch: Doc[] } }).cursor.firstBatch.map(
      ({ info }) => (info as { uuid: Binary }).uuid,
    )[0]!;
  return { run, uuidOf };
}

test.for(COMMANDS.map((of) => ({ name: Object.keys(of('c'))[0]!, of })))('$name', ({ of }) => {
  const { run, uuidOf } = started();
  const c = uuidOf('c');
  const unknown = new UUID('0b8a9d4e-3c1f-4b6e-9a52-0123456789ab').toBinary();
  const mismatch = { ok: 0, code: 361, codeName: 'CollectionUUIDMismatch', db: 'app' };
  expect(run({ ...of('other'), collectionUUID: c })).toMatchObject({
    ...mismatch,
    collectionUUID: c,
    expectedCollection: 'other',
    actualCollection: 'c',
  });
  expect(run({ ...of('none'), collectionUUID: c })).toMatchObject({ ...mismatch, actualCollection: 'c' });
  for (const collectionUUID of [unknown, uuidOf('far', 'elsewhere')])
    expect(run({ ...of('c'), collectionUUID })).toMatchObject({ ...mismatch, actualCollection: null });
  expect(run({ ...of('c'), collectionUUID: 'c' })).toMatchObject({ code: 14 });
  expect(run({ ...of('c'), collectionUUID: new Binary(c.buffer, 0) })).toMatchObject({ code: 14 });
  expect(run({ find: 'other' })).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
  expect(run({ ...of('c'), collectionUUID: c })).toMatchObject({ ok: 1 });
});

/** Twice the same, of which an ordered command does but the first. */
const WRITES: readonly ((collection: string) => Doc)[] = [
  (insert) => ({ insert, documents: [{}, {}] }),
  (update) => ({ update, updates: Array(2).fill({ q: {}, u: { $set: { a: 2 } } }) }),
  (name) => ({ delete: name, deletes: Array(2).fill({ q: { _id: 1 }, limit: 1 }) }),
];

test.for(WRITES.map((of) => ({ name: Object.keys(of('c'))[0]!, of })))('each statement of $name', ({ of }) => {
  const { run, uuidOf } = started();
  const collectionUUID = uuidOf('c');
  const mismatch = { code: 361, db: 'app', collectionUUID, expectedCollection: 'other', actualCollection: 'c' };
  const failed = (index: number) => expect.objectContaining({ index, ...mismatch });
  expect(run({ ...of('other'), collectionUUID })).toMatchObject({ ok: 1, n: 0, writeErrors: [failed(0)] });
  expect(run({ ...of('other'), collectionUUID, ordered: false })).toMatchObject({
    ok: 1,
    n: 0,
    writeErrors: [failed(0), failed(1)],
  });
  expect(run({ ...of('none'), collectionUUID })).toMatchObject({ writeErrors: [{ code: 361, actualCollection: 'c' }] });
  expect(run({ ...of('c'), collectionUUID: 'c' })).toMatchObject({ ok: 0, code: 14 });
  expect(run({ find: 'other' })).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
  const names = run({ listCollections: 1, nameOnly: true }) as { cursor: { firstBatch: Doc[] } };
  expect(names.cursor.firstBatch.map(({ name }) => name).sort()).toEqual(['c', 'other']);
  expect(run({ ...of('c'), collectionUUID })).not.toHaveProperty('writeErrors');
});

test('a bulkWrite names each of its collections', () => {
  const { run, uuidOf } = started();
  const nsInfo = [
    { ns: 'app.c', collectionUUID: uuidOf('c') },
    { ns: 'app.other', collectionUUID: uuidOf('c') },
  ];
  const ops = [
    { insert: 1, document: {} },
    { insert: 0, document: {} },
    { update: 1, filter: {}, updateMods: { $set: { a: 1 } } },
    { delete: 1, filter: {} },
    { delete: 0, filter: { _id: 1 } },
  ];
  const bulk = (more: Doc = {}) => run({ bulkWrite: 1, ops, nsInfo, ...more }, 'admin');
  expect(bulk()).toMatchObject({ ok: 1, nErrors: 1, nInserted: 0, cursor: { firstBatch: [{ idx: 0, code: 361 }] } });
  const failed = (idx: number) => ({ ok: 0, idx, code: 361 });
  expect(bulk({ ordered: false })).toMatchObject({
    nErrors: 3,
    nInserted: 1,
    nDeleted: 1,
    cursor: { firstBatch: [failed(0), { ok: 1, idx: 1 }, failed(2), failed(3), { ok: 1, idx: 4 }] },
  });
  expect(bulk({ nsInfo: [{ ns: 'app.c', collectionUUID: 1 }, nsInfo[1]] })).toMatchObject({ ok: 0, code: 14 });
});

test('renameCollection says so of its source', () => {
  const { run, uuidOf } = started();
  const rename = { renameCollection: 'app.c', to: 'app.d' };
  const wrong = { code: 361, expectedCollection: 'c', actualCollection: 'other' };
  expect(run({ ...rename, collectionUUID: uuidOf('other') }, 'admin')).toMatchObject(wrong);
  expect(run({ ...rename, collectionUUID: uuidOf('c') }, 'admin')).toMatchObject({ ok: 1 });
});
