import { CommandError, encodeDocument, VERSIONS } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { ObjectId } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember, RETRYABLE } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...[1, 2, 3, 4, 5].map((_id) => ({ _id, n: 0, even: _id % 2 === 0 })));
});

const update = (...updates: object[]) => member.run({ update: 'c', updates });
const values = (field = 'n') => member.documents('app.c').map((document) => document[field]);

describe('update', () => {
  test('one, many, none', () => {
    expect(update({ q: { even: true }, u: { $set: { n: 1 } } })).toMatchObject({ n: 1, nModified: 1, ok: 1 });
    expect(values()).toEqual([0, 1, 0, 0, 0]);
    expect(update({ q: { even: true }, u: { $set: { n: 1 } }, multi: true })).toMatchObject({ n: 2, nModified: 1 });
    expect(values()).toEqual([0, 1, 0, 1, 0]);
    expect(update({ q: { even: 7 }, u: { $set: { n: 1 } }, multi: true })).toMatchObject({ n: 0, nModified: 0 });
    expect(member.run({ update: 'zzz', updates: [{ q: {}, u: { $set: { n: 1 } } }] })).toMatchObject({ n: 0, ok: 1 });
  });

  test('an update is recorded as its delta, a replacement whole, and nothing where nothing changes', () => {
    // A delta is worth it only where the document is larger.
    member.engine.delete('app.c', 1);
    member.insert('c', { _id: 1, n: 0, x: 'x'.repeat(100) });
    update(
      { q: { _id: 1 }, u: { $set: { n: 5 } } },
      { q: { _id: 2 }, u: { n: 6 } },
      { q: { _id: 3 }, u: { $set: { n: 0 } } },
    );
    expect(member.writes.log).toEqual([
      ['update', 'app.c', 6, { $v: 2, diff: { u: { n: 5 } } }],
      ['update', 'app.c', 2, undefined],
    ]);
    expect(member.find('c', { _id: 2 })).toEqual([{ _id: 2, n: 6 }]);
  });

  test('an update does not meet again what it moved ahead of itself', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n' }] });
    expect(update({ q: { n: { $gte: 0 } }, u: { $inc: { n: 10 } }, multi: true })).toMatchObject({
      n: 5,
      nModified: 5,
    });
    expect(values()).toEqual([10, 10, 10, 10, 10]);
  });

  test('upsert', () => {
    const reply = update(
      { q: { _id: 9, even: true }, u: { $set: { n: 1 } }, upsert: true },
      { q: { n: 77 }, u: { $setOnInsert: { x: 1 } }, upsert: true },
      { q: { _id: 1 }, u: { $set: { n: 1 } }, upsert: true },
    );
    expect(reply).toMatchObject({ n: 3, nModified: 1, upserted: [{ index: 0, _id: 9 }, { index: 1 }] }); // biome-ignore format: one line
    expect(reply.upserted[1]._id).toBeInstanceOf(ObjectId);
    expect(member.documents('app.c').slice(5)).toEqual([
      { _id: 9, even: true, n: 1 },
      { _id: reply.upserted[1]._id, n: 77, x: 1 },
    ]);
  });

  test('an upsert makes the collection', () => {
    expect(member.run({ update: 'new', updates: [{ q: { _id: 1 }, u: { a: 1 }, upsert: true }] })).toMatchObject({ n: 1, nModified: 0 }); // biome-ignore format: one line
    expect(member.documents('app.new')).toEqual([{ _id: 1, a: 1 }]);
  });

  test('an upsert whose document comes into being meanwhile updates that one', () => {
    const running = member.start({ update: 'c', updates: [{ q: { _id: 9 }, u: { $inc: { n: 1 } }, upsert: true }] });
    running.step();
    expect(running.pause?.type).toBe('spend');
    member.insert('c', { _id: 9, n: 10 });
    expect(running.finish()).toMatchObject({ n: 1, nModified: 1 });
    expect(values().at(-1)).toBe(11);
  });

  test('ordered and unordered errors', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { u: 1 }, name: 'u', unique: true, sparse: true }] });
    const updates = [
      { q: { _id: 1 }, u: { $set: { u: 1 } } },
      { q: { _id: 2 }, u: { $set: { u: 1 } } },
      { q: { _id: 3 }, u: { $set: { _id: 4 } } },
      { q: { _id: 5 }, u: { $set: { u: 5 } } },
    ];
    const reply = member.run({ update: 'c', updates });
    expect(reply).toMatchObject({
      ok: 1,
      n: 1,
      nModified: 1,
      writeErrors: [{ index: 1, code: 11000, keyPattern: { u: 1 } }],
    });
    const all = member.run({ update: 'c', updates: updates.slice(1), ordered: false });
    expect(all).toMatchObject({ n: 1, writeErrors: [{ index: 0, code: 11000 }, { index: 1, code: 66 }] }); // biome-ignore format: one line
  });

  test.for([
    [{ u: {} }, 40414],
    [{ q: {} }, 40414],
    [{ q: 5, u: {} }, 14],
    [{ q: {}, u: 5 }, 9],
    [{ q: {}, u: [1] }, 14],
    [{ q: {}, u: { $nope: { a: 1 } } }, 9],
    [{ q: { $nope: 1 }, u: {} }, 2],
    [{ q: {}, u: { a: 1 }, multi: true }, 9],
    [{ q: {}, u: { $set: { a: 1 } }, multi: 'x' }, 14],
    [{ q: {}, u: { $set: { a: 1 } }, nope: 1 }, 40415],
    [{ q: {}, u: { $set: { a: 1 } }, hint: 'nope' }, 2],
    [{ q: {}, u: { $set: { a: 1 } }, multi: true, sort: { a: 1 } }, 9],
  ] as const)('%o: code %i', ([statement, code]) => {
    const reply = update(statement);
    expect(reply.ok === 1 ? reply.writeErrors[0].code : reply.code).toBe(code);
    expect(member.writes.log).toEqual([]);
  });

  test('arrayFilters, positional, hint and sort', () => {
    member.insert('c', { _id: 7, list: [{ k: 1 }, { k: 2 }] });
    update({ q: { _id: 7 }, u: { $set: { 'list.$[x].v': 'a' } }, arrayFilters: [{ 'x.k': 2 }] });
    update({ q: { 'list.k': 1 }, u: { $set: { 'list.$.v': 'b' } } });
    expect(member.documents('app.c').at(-1)!.list).toEqual([{ k: 1, v: 'b' }, { k: 2, v: 'a' }]); // biome-ignore format: one line
    update({ q: { n: 0 }, u: { $set: { n: 'last' } }, sort: { _id: -1 }, hint: '_id_' });
    expect(values()[4]).toBe('last');
  });

  test('$currentDate is the member’s time', () => {
    update({ q: { _id: 1 }, u: { $currentDate: { at: true } } });
    expect(Math.abs(member.documents('app.c')[0]!.at.getTime() - member.now.wallMs)).toBeLessThan(2);
  });

  test('a document that changed while its update was paid for is looked at again', () => {
    const running = member.start({ update: 'c', updates: [{ q: { even: true }, u: { $set: { n: 1 } } }] });
    running.step();
    running.step();
    member.engine.delete('app.c', 2);
    expect(running.finish()).toMatchObject({ n: 1, nModified: 1 });
    expect(values()).toEqual([0, 0, 1, 0]);
  });

  test.for([
    { update: 'c', updates: [{ q: { even: true }, u: { $set: { n: 1 } } }] },
    { update: 'c', updates: [{ q: { even: true }, u: { $set: { n: 1 } }, multi: true }] },
    { findAndModify: 'c', query: { even: true }, update: { $set: { n: 1 } } },
    { delete: 'c', deletes: [{ q: { even: true }, limit: 1 }] },
    { delete: 'c', deletes: [{ q: { even: true }, limit: 0 }] },
    { findAndModify: 'c', query: { even: true }, remove: true },
  ])('what no longer matches when its time has come is left alone: %o', (command) => {
    const running = member.start(command);
    running.step();
    running.step();
    const unmatched = new StoredDocument(encodeDocument({ _id: 2, n: 0, even: false }));
    member.engine.update('app.c', 2, unmatched);
    expect(running.finish().ok).toBe(1);
    expect(member.engine.collection('app.c')!.get(2)).toBe(unmatched);
    expect(member.find('c', { even: true, n: 0 })).toEqual([]);
  });

  test('two increments at the same time both count', () => {
    const command = { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } } }] };
    const [a, b] = [member.start(command), member.start(command)];
    while (!a.reply || !b.reply) {
      a.step();
      b.step();
    }
    expect(values()[0]).toBe(2);
  });

  test('below the top a name may begin with a dollar, from 5.0', () => {
    const u = { $set: { 'sub.$x': 1 } };
    expect(update({ q: { _id: 1 }, u })).toMatchObject({ ok: 1, nModified: 1 });
    member.traits = VERSIONS['3.2'];
    expect(update({ q: { _id: 1 }, u }).writeErrors[0]).toMatchObject({
      code: 52,
      errmsg: expect.stringContaining("'$x'"),
    });
    expect(update({ q: { _id: 1 }, u: { $set: { 'ref.$id': 1 } } })).toMatchObject({ ok: 1, nModified: 1 });
    expect(update({ q: { _id: 1, a: 1 }, u: { $set: { 'a.$': 1 } } }).writeErrors?.[0]?.code).not.toBe(52);
  });

  test('documents above 16 MiB are refused', () => {
    const x = 'x'.repeat(9 * 1024 * 1024);
    update({ q: { _id: 1 }, u: { $set: { x } } });
    expect(update({ q: { _id: 1 }, u: { $set: { y: x } } }).writeErrors[0].code).toBe(17419);
    // Twice within the statement's bounds, and not the document that comes of it.
    const upsert = { q: { _id: 'new', x }, u: { $set: { y: x } }, upsert: true };
    expect(update(upsert).writeErrors[0]).toMatchObject({ code: 17420, errmsg: expect.stringContaining('16777216') });
  });

  test('a multi-update that is killed keeps what it wrote', () => {
    member.insert('many', ...Array.from({ length: 200 }, (_, _id) => ({ _id, n: 0 })));
    const running = member.start({ update: 'many', updates: [{ q: {}, u: { $set: { n: 1 } }, multi: true }] });
    while (member.writes.log.length < 64) running.step();
    running.kill(new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted'));
    expect(running.reply).toMatchObject({ ok: 0, code: 11602 });
    expect(member.documents('app.many').filter(({ n }) => n === 1)).toHaveLength(64);
  });
});

describe('findAndModify', () => {
  const modify = (options: object) => member.run({ findAndModify: 'c', ...options });

  test('update: the document as it was, or as it is', () => {
    const query = { _id: 1 };
    expect(modify({ query, update: { $inc: { n: 1 } } })).toMatchObject({
      lastErrorObject: { n: 1, updatedExisting: true },
      value: { _id: 1, n: 0, even: false },
      ok: 1,
    });
    expect(modify({ query, update: { $inc: { n: 1 } }, new: true }).value.n).toBe(2);
    expect(modify({ query, update: { $set: { n: 2 } }, new: true }).value.n).toBe(2);
    expect(modify({ query, update: { x: 1 }, new: true, fields: { x: 1, _id: 0 } }).value).toEqual({ x: 1 });
    expect(member.run({ findandmodify: 'c', query: { _id: 77 }, update: { x: 1 } })).toMatchObject({
      lastErrorObject: { n: 0, updatedExisting: false },
      value: null,
    });
  });

  test('sort chooses the document', () => {
    expect(modify({ sort: { _id: -1 }, update: { $set: { n: 9 } } }).value._id).toBe(5);
    expect(modify({ sort: { n: -1, _id: 1 }, remove: true }).value._id).toBe(5);
    expect(modify({ query: { even: true }, sort: { n: 1, _id: -1 }, remove: true }).value._id).toBe(4);
  });

  test('remove', () => {
    expect(modify({ query: { _id: 2 }, remove: true })).toMatchObject({ lastErrorObject: { n: 1 }, value: { _id: 2 } });
    expect(modify({ query: { _id: 2 }, remove: true })).toMatchObject({ lastErrorObject: { n: 0 }, value: null });
    expect(member.writes.log).toEqual([['delete', 'app.c', [2], false]]);
  });

  test('upsert', () => {
    const upserted = modify({ query: { _id: 8 }, update: { $set: { n: 3 } }, upsert: true });
    expect(upserted).toMatchObject({ lastErrorObject: { n: 1, updatedExisting: false, upserted: 8 }, value: null });
    expect(modify({ query: { _id: 9 }, update: { $set: { n: 3 } }, upsert: true, new: true }).value).toEqual({
      _id: 9,
      n: 3,
    });
  });

  test.for([
    [{}, 9],
    [{ remove: true, update: {} }, 9],
    [{ remove: true, upsert: true }, 9],
    [{ remove: true, new: true }, 9],
    [{ remove: true, arrayFilters: [] }, 9],
    [{ update: 5 }, 9],
    [{ update: { $nope: { a: 1 } } }, 9],
    [{ query: 5, remove: true }, 14],
    [{ query: { $nope: 1 }, remove: true }, 2],
    [{ remove: true, nope: 1 }, 40415],
    [{ query: { _id: 1 }, update: { $set: { _id: 2 } } }, 66],
  ] as const)('%o is refused with %i', ([options, code]) => {
    expect(modify(options)).toMatchObject({ ok: 0, code });
    expect(member.writes.log).toEqual([]);
  });

  test('a retryable one is labelled when its member is no primary', () => {
    member.writable = false;
    const reply = modify({ remove: true, ...RETRYABLE });
    expect(reply).toMatchObject({ ok: 0, code: 10107, errorLabels: ['RetryableWriteError', 'NoWritesPerformed'] });
  });
});
