import { Binary, UUID } from 'bson';
import { expect, test } from 'vitest';
import { type Doc, LoneMember } from './loneMember.ts';

// Commands that name a collection by its UUID as well. Upstream: jstests/core/collection_uuid_*.js.

const COMMANDS: readonly ((collection: string) => Doc)[] = [
  (find) => ({ find }),
  (aggregate) => ({ aggregate, pipeline: [], cursor: {} }),
  (insert) => ({ insert, documents: [{}] }),
  (update) => ({ update, updates: [{ q: {}, u: { $set: { a: 2 } } }] }),
  (name) => ({ delete: name, deletes: [{ q: { _id: 1 }, limit: 1 }] }),
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

test('renameCollection says so of its source', () => {
  const { run, uuidOf } = started();
  const rename = { renameCollection: 'app.c', to: 'app.d' };
  const wrong = { code: 361, expectedCollection: 'c', actualCollection: 'other' };
  expect(run({ ...rename, collectionUUID: uuidOf('other') }, 'admin')).toMatchObject(wrong);
  expect(run({ ...rename, collectionUUID: uuidOf('c') }, 'admin')).toMatchObject({ ok: 1 });
});
