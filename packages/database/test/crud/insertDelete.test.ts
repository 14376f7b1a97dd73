import { BsonWriter, CommandError, encodeDocument } from '@replsim/protocol';
import { Double, ObjectId, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const ids = (ns = 'app.c') => member.documents(ns).map(({ _id }) => _id);

describe('insert', () => {
  test('makes the collection and keeps the bytes', () => {
    const document = { _id: 1, n: new Double(5), date: new Date(5) };
    expect(member.ok({ insert: 'c', documents: [document] }).n).toBe(1);
    expect(member.writes.log).toEqual([['create', 'app.c', {}], ['insert', 'app.c', 1]]); // biome-ignore format: one line
    const stored = member.engine.collection('app.c')!.get(1)!.bytes;
    expect(stored).toEqual(encodeDocument(document));
    expect(stored.byteLength).toBe(stored.buffer.byteLength);
  });

  test('what a client does with its command afterwards does not reach what is stored', () => {
    const document = { _id: 1, text: 'as it was' };
    const command = Buffer.from(encodeDocument({ insert: 'c', documents: [document], $db: 'app' }));
    expect(member.run(command).ok).toBe(1);
    command.fill(0xee);
    expect(member.engine.collection('app.c')!.get(1)!.bytes).toEqual(encodeDocument(document));
  });

  test('a missing _id is made from the member’s clock and ids, and put first', () => {
    member.ok({ insert: 'c', documents: [{ a: 1 }, { a: 2 }] });
    const [first, second] = member.documents('app.c');
    expect(Object.keys(first!)).toEqual(['_id', 'a']);
    expect(first!._id).toBeInstanceOf(ObjectId);
    expect(first!._id.getTimestamp()).toEqual(new Date(Date.UTC(2025, 0, 1)));
    expect(first!._id.equals(second!._id)).toBe(false);
    const again = new FakeMember();
    again.ok({ insert: 'c', documents: [{ a: 1 }] });
    expect(again.documents('app.c')[0]!._id.equals(first!._id)).toBe(true);
  });

  test('an _id is moved to the front; null timestamps are filled in, but not in the _id', () => {
    const zero = new Timestamp({ t: 0, i: 0 });
    member.ok({
      insert: 'c',
      documents: [
        { a: zero, _id: 5 },
        { _id: zero, deep: { a: zero } },
      ],
    });
    const [first, second] = member.documents('app.c');
    expect(Object.keys(first!)).toEqual(['_id', 'a']);
    expect(first!.a.t).toBe(Date.UTC(2025, 0, 1) / 1000);
    expect(second!._id.t).toBe(0);
    expect(second!.deep.a.t).toBe(0);
  });

  test('ordered: stops at the first error; what came before stays', () => {
    member.insert('c', { _id: 2 });
    const reply = member.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] });
    expect(reply).toMatchObject({
      ok: 1,
      n: 1,
      writeErrors: [{ index: 1, code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 2 } }],
    });
    expect(reply.writeErrors[0].errmsg).toContain(
      'E11000 duplicate key error collection: app.c index: _id_ dup key: { _id: 2 }',
    );
    expect(ids()).toEqual([2, 1]);
  });

  test('unordered: goes on', () => {
    member.insert('c', { _id: 2 });
    const documents = [{ _id: 2 }, { _id: 1 }, { _id: [5] }, { _id: 1 }, { _id: 3 }];
    const reply = member.run({ insert: 'c', documents, ordered: false });
    expect(reply.n).toBe(2);
    expect(reply.writeErrors.map(({ index, code }: { index: number; code: number }) => [index, code])).toEqual([
      [0, 11000],
      [2, 53],
      [3, 11000],
    ]);
    expect(ids()).toEqual([2, 1, 3]);
  });

  test.for([
    [[1], 53],
    [/a/, 53],
    [{ $a: 1 }, 52],
  ] as const)('_id %o is a write error %i', ([_id, code]) => {
    expect(member.run({ insert: 'c', documents: [{ _id }] })).toMatchObject({ ok: 1, n: 0, writeErrors: [{ code }] });
  });

  test('batch sizes', () => {
    expect(member.run({ insert: 'c', documents: [] })).toMatchObject({ code: 16, codeName: 'InvalidLength' });
    const many = new BsonWriter(3_000_000);
    many.string('insert', 'c');
    many.beginArray('documents');
    for (let i = 0; i <= 100_000; i++) many.rawDocument(String(i), encodeDocument({}));
    many.endArray();
    many.string('$db', 'app');
    expect(member.run(many.finish()).code).toBe(16);
  });

  test('documents above 16 MiB are refused one by one', () => {
    const large = { _id: 1, x: 'x'.repeat(16 * 1024 * 1024) };
    const reply = member.run({ insert: 'c', documents: [large, { _id: 2 }], ordered: false });
    expect(reply).toMatchObject({
      n: 1,
      writeErrors: [{ index: 0, code: 2, errmsg: expect.stringMatching(/^object to insert too large/) }],
    });
  });

  test.for([
    ['local', 'oplog.rs', 73],
    ['app', 'system.indexes', 73],
    ['app', 'a$b', 73],
    ['app', 'x'.repeat(255), 73],
    ['app', 'system.js', undefined],
    ['app', 'system.resharding.x', undefined],
    ['app', 'system.reshardingx', 73],
    ['local', 'mine', undefined],
  ] as const)('%s.%s: %s', ([db, collection, code]) => {
    expect(member.run({ insert: collection, documents: [{}] }, db).code).toBe(code);
  });

  test('documents go in in groups, each of which is paid for before', () => {
    const documents = Array.from({ length: 130 }, (_, i) => ({ _id: i }));
    const before = member.now.monotonicMicros;
    member.ok({ insert: 'c', documents });
    const { commandMicros, commitMicros, insertMicros, indexKeyMicros } = member.costs;
    expect(member.now.monotonicMicros - before).toBe(
      commandMicros + 3 * commitMicros + 130 * (insertMicros + indexKeyMicros),
    );
    expect(member.writes.log.slice(1).map(([, , n]) => n)).toEqual([64, 64, 2]);
  });

  test('a command that is killed between groups keeps what it wrote', () => {
    const documents = Array.from({ length: 130 }, (_, i) => ({ _id: i }));
    const running = member.start({ insert: 'c', documents });
    for (let i = 0; i < 3; i++) running.step();
    running.kill(new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted'));
    expect(running.reply).toMatchObject({ ok: 0, code: 11602 });
    expect(ids()).toHaveLength(128);
  });

  test('a write that finds its member no primary any more ends the whole command', () => {
    member.writes.insert = () => {
      throw new CommandError('NotWritablePrimary', 'not primary');
    };
    expect(member.run({ insert: 'c', documents: [{}] })).toMatchObject({ ok: 0, code: 10107 });
  });

  test('a capped collection lets go of its oldest', () => {
    member.ok({ create: 'c', capped: true, size: 100_000, max: 3 });
    member.ok({ insert: 'c', documents: [1, 2, 3, 4, 5].map((_id) => ({ _id })) });
    expect(ids()).toEqual([3, 4, 5]);
    expect(member.writes.log.at(-1)).toEqual(['delete', 'app.c', [1, 2], false]);
    member.ok({ create: 'small', capped: true, size: 256 });
    member.ok({ insert: 'small', documents: [1, 2, 3, 4].map((_id) => ({ _id, x: 'x'.repeat(70) })) });
    expect(ids('app.small')).toEqual([3, 4]);
  });
});

describe('delete', () => {
  beforeEach(() => {
    member.insert('c', ...[1, 2, 3, 4, 5].map((_id) => ({ _id, even: _id % 2 === 0 })));
  });

  test('one and many', () => {
    expect(member.ok({ delete: 'c', deletes: [{ q: { even: false }, limit: 1 }] }).n).toBe(1);
    expect(ids()).toEqual([2, 3, 4, 5]);
    expect(
      member.ok({
        delete: 'c',
        deletes: [
          { q: { even: false }, limit: 0 },
          { q: { _id: 2 }, limit: 1 },
        ],
      }).n,
    ).toBe(3);
    expect(ids()).toEqual([4]);
    expect(member.ok({ delete: 'zzz', deletes: [{ q: {}, limit: 0 }] }).n).toBe(0);
  });

  test('one is a plain delete, many are grouped', () => {
    member.ok({
      delete: 'c',
      deletes: [
        { q: { _id: 3 }, limit: 1 },
        { q: { even: true }, limit: 0 },
      ],
    });
    expect(member.writes.log).toEqual([
      ['delete', 'app.c', [3], false],
      ['delete', 'app.c', [2, 4], true],
    ]);
  });

  test.for([
    [{ q: {} }, 40414],
    [{ limit: 1 }, 40414],
    [{ q: {}, limit: 2 }, 9],
    [{ q: {}, limit: 'x' }, 14],
    [{ q: 5, limit: 1 }, 14],
    [{ q: {}, limit: 1, nope: 1 }, 40415],
    [{ q: {}, limit: 1, collation: { locale: 'xx' } }, 2],
  ] as const)('%o: code %i', ([statement, code]) => {
    expect(member.run({ delete: 'c', deletes: [statement] })).toMatchObject({ ok: 0, code });
    expect(member.run({ delete: 'c', deletes: [] }).code).toBe(16);
  });

  test('a bad filter is its statement’s error', () => {
    const deletes = [{ q: { $nope: 1 }, limit: 1 }, { q: { _id: 1 }, limit: 1 }]; // biome-ignore format: one line
    expect(member.run({ delete: 'c', deletes })).toMatchObject({ ok: 1, n: 0, writeErrors: [{ index: 0, code: 2 }] });
    expect(member.run({ delete: 'c', deletes, ordered: false })).toMatchObject({ ok: 1, n: 1 });
  });

  test('a multi-delete works in batches, between which others write', () => {
    member.insert('many', ...Array.from({ length: 35 }, (_, i) => ({ _id: i, x: 1 })));
    const running = member.start({ delete: 'many', deletes: [{ q: { x: 1 }, limit: 0 }] });
    running.step();
    running.step();
    expect(member.writes.log.map(([name, , removed]) => [name, (removed as number[]).length])).toEqual([
      ['delete', 10],
    ]);
    // Two that still have to be found change: one no longer matches, one is gone.
    const collection = member.engine.collection('app.many')!;
    member.engine.delete('app.many', 12);
    member.ok({ delete: 'many', deletes: [{ q: { _id: 13 }, limit: 1 }] });
    expect(running.finish().n).toBe(33);
    expect(collection.count).toBe(0);
    expect(member.counters.batchedDeletes).toMatchObject({ batches: 4, docs: 33 });
  });

  test('what has changed since it was found is looked at again', () => {
    const running = member.start({ delete: 'c', deletes: [{ q: { even: true }, limit: 1 }] });
    running.step();
    running.step();
    // Record 2 was found, and is paid for now.
    member.engine.delete('app.c', 2);
    expect(running.finish().n).toBe(1);
    expect(ids()).toEqual([1, 3, 5]);
  });

  test('the batch parameters', () => {
    member.parameters.set('batchedDeletesTargetBatchDocs', 2);
    member.ok({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    expect(member.writes.log.map(([, , removed]) => (removed as number[]).length)).toEqual([2, 2, 1]);
  });

  test('a collection dropped under a multi-delete ends it', () => {
    const running = member.start({ delete: 'c', deletes: [{ q: {}, limit: 0 }] });
    running.step();
    member.engine.dropCollection('app.c');
    expect(running.finish()).toMatchObject({ ok: 1, n: 0 });
  });

  test('by index', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { even: 1 }, name: 'even' }] });
    const before = member.now.monotonicMicros;
    expect(member.ok({ delete: 'c', deletes: [{ q: { even: true }, limit: 0, hint: 'even' }] }).n).toBe(2);
    expect(member.now.monotonicMicros).toBeGreaterThan(before);
    expect(member.run({ delete: 'c', deletes: [{ q: {}, limit: 0, hint: 'nope' }] }).writeErrors[0].code).toBe(2);
  });
});
