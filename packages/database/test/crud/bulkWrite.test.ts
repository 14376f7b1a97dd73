import { BsonType, CommandError, encodeName, findField } from '@replsim/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember, RETRYABLE } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...[1, 2, 3].map((_id) => ({ _id, n: 0 })));
});

const NS = [{ ns: 'app.c' }, { ns: 'app.d' }];
const bulk = (ops: readonly object[], more: object = {}) =>
  member.run({ bulkWrite: 1, ops, nsInfo: NS, ...more }, 'admin');
const items = (reply: Doc) => reply.cursor.firstBatch as Doc[];

describe('bulkWrite', () => {
  test('all kinds of writes, into several collections', () => {
    const reply = bulk([
      { insert: 1, document: { _id: 'a' } },
      { update: 0, filter: { _id: 1 }, updateMods: { $set: { n: 1 } } },
      { update: 0, filter: {}, updateMods: { $inc: { n: 1 } }, multi: true },
      { update: 1, filter: { _id: 'b' }, updateMods: { x: 1 }, upsert: true },
      { delete: 0, filter: { n: 1 }, multi: false },
      { delete: 0, filter: {}, multi: true },
    ]);
    expect(reply).toMatchObject({
      cursor: { id: 0, ns: 'admin.$cmd.bulkWrite' },
      nErrors: 0,
      nInserted: 1,
      nMatched: 4,
      nModified: 4,
      nUpserted: 1,
      nDeleted: 3,
      ok: 1,
    });
    expect(items(reply)).toEqual([
      { ok: 1, idx: 0, n: 1 },
      { ok: 1, idx: 1, n: 1, nModified: 1 },
      { ok: 1, idx: 2, n: 3, nModified: 3 },
      { ok: 1, idx: 3, n: 1, nModified: 0, upserted: { _id: 'b' } },
      { ok: 1, idx: 4, n: 1 },
      { ok: 1, idx: 5, n: 2 },
    ]);
    expect(member.documents('app.c')).toEqual([]);
    expect(member.documents('app.d')).toEqual([{ _id: 'a' }, { _id: 'b', x: 1 }]);
    expect(member.counters.opcounters).toMatchObject({ insert: 4, update: 3, delete: 2, command: 0 });
  });

  test('the counters are int32 and the id of the cursor int64, whatever their value', () => {
    const running = member.start({ bulkWrite: 1, ops: [{ delete: 0, filter: {} }], nsInfo: NS }, 'admin');
    running.finish();
    const { bytes } = running;
    for (const name of ['nErrors', 'nInserted', 'nMatched', 'nModified', 'nUpserted', 'nDeleted']) {
      expect([name, findField(bytes!, encodeName(name))!.type]).toEqual([name, BsonType.int]);
    }
    const cursor = findField(bytes!, encodeName('cursor'))!;
    expect(findField(bytes!, encodeName('id'), cursor.offset)!.type).toBe(BsonType.long);
  });

  test.for([
    { ordered: true, errorsOnly: false, shown: [[1, 0], [0, 1]], left: 4 }, // biome-ignore format: one line
    { ordered: false, errorsOnly: false, shown: [[1, 0], [0, 1], [1, 2], [0, 3], [1, 4]], left: 5 }, // biome-ignore format: one line
    { ordered: false, errorsOnly: true, shown: [[0, 1], [0, 3]], left: 5 }, // biome-ignore format: one line
  ])('errors: ordered $ordered, errorsOnly $errorsOnly', ({ ordered, errorsOnly, shown, left }) => {
    const ops = [
      { insert: 0, document: { _id: 4 } },
      { insert: 0, document: { _id: 1 } },
      { insert: 0, document: { _id: 5 } },
      { update: 0, filter: { _id: 2 }, updateMods: { $set: { _id: 9 } } },
      { update: 0, filter: { _id: 2 }, updateMods: { $set: { n: 9 } } },
    ];
    const reply = bulk(ops, { ordered, errorsOnly });
    expect(items(reply).map(({ ok, idx }) => [ok, idx])).toEqual(shown);
    expect(items(reply).find(({ idx }) => idx === 1)).toMatchObject({ code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 1 }, n: 0 }); // biome-ignore format: one line
    expect(reply).toMatchObject({ ok: 1, nErrors: ordered ? 1 : 2, nInserted: ordered ? 1 : 2 });
    expect(member.documents('app.c')).toHaveLength(left);
  });

  test('results are read on with getMore', () => {
    const ops = Array.from({ length: 5 }, (_, i) => ({ insert: 1, document: { _id: i } }));
    const first = bulk(ops, { cursor: { batchSize: 2 } });
    expect(items(first).map(({ idx }) => idx)).toEqual([0, 1]);
    const more = member.ok({ getMore: first.cursor.id, collection: '$cmd.bulkWrite' }, 'admin');
    expect(more.cursor).toMatchObject({ id: 0, ns: 'admin.$cmd.bulkWrite' });
    expect(more.cursor.nextBatch.map(({ idx }: Doc) => idx)).toEqual([2, 3, 4]);
    const killed = bulk(
      [
        { delete: 0, filter: {} },
        { delete: 0, filter: {} },
      ],
      { cursor: { batchSize: 0 } },
    );
    expect(member.ok({ killCursors: '$cmd.bulkWrite', cursors: [killed.cursor.id] }, 'admin').cursorsKilled).toHaveLength(1); // biome-ignore format: one line
  });

  test('options of single writes: arrayFilters, hint, sort, constants of let', () => {
    member.insert('c', { _id: 7, list: [{ k: 1 }, { k: 2 }] });
    const reply = bulk(
      [
        { update: 0, filter: { _id: 7 }, updateMods: { $set: { 'list.$[x].v': 1 } }, arrayFilters: [{ 'x.k': 2 }] },
        { update: 0, filter: { n: 0 }, updateMods: { $set: { n: 'last' } }, sort: { _id: -1 }, hint: { _id: 1 } },
        { delete: 0, filter: { $expr: { $eq: ['$_id', '$$one'] } }, hint: '_id_' },
      ],
      { let: { one: 1 } },
    );
    expect(reply).toMatchObject({ nErrors: 0, nModified: 2, nDeleted: 1 });
    expect(member.documents('app.c')).toEqual([{ _id: 2, n: 0 }, { _id: 3, n: 'last' }, { _id: 7, list: [{ k: 1 }, { k: 2, v: 1 }] }]); // biome-ignore format: one line
  });

  test.for([
    ['no entries', { ops: [] }, 16],
    ['an unknown kind', { ops: [{ replace: 0, filter: {} }] }, 9],
    ['an empty entry', { ops: [{}] }, 9],
    ['a namespace too far', { ops: [{ insert: 2, document: {} }] }, 2],
    ['a namespace before the first', { ops: [{ insert: -1, document: {} }] }, 2],
    ['a namespace that is no number', { ops: [{ insert: 'app.c', document: {} }] }, 14],
    ['an unknown field', { ops: [{ insert: 0, document: {}, filter: {} }] }, 40415],
    ['no document', { ops: [{ insert: 0 }] }, 40414],
    ['no filter', { ops: [{ update: 0, updateMods: {} }] }, 40414],
    ['no update', { ops: [{ update: 0, filter: {} }] }, 40414],
    ['a filter of a wrong type', { ops: [{ delete: 0, filter: 1 }] }, 14],
    ['an update of a wrong type', { ops: [{ update: 0, filter: {}, updateMods: 1 }] }, 9],
    ['a namespace without a collection', { nsInfo: [{ ns: 'app' }] }, 73],
    ['a namespace that nobody may write', { nsInfo: [{ ns: 'app.system.views' }] }, 73],
    ['no namespaces', { nsInfo: undefined }, 40414],
    ['an unknown option', { nope: 1 }, 40415],
    ['a negative batchSize', { cursor: { batchSize: -1 } }, 51024],
  ] as const)('%s: nothing is written', ([, wrong, code]) => {
    const { ops = [], ...more } = { ops: undefined, ...wrong };
    // Something good comes before what is wrong.
    const sent = code === 16 ? ops : [{ insert: 0, document: { _id: 4 } }, ...ops];
    expect(bulk(sent, more)).toMatchObject({ ok: 0, code });
    expect(member.documents('app.c')).toHaveLength(3);
  });

  test('it is for the admin database, and takes no more entries than a batch', () => {
    expect(member.run({ bulkWrite: 1, ops: [], nsInfo: [] }, 'app')).toMatchObject({ ok: 0, code: 13 });
    const ops = Array.from({ length: 100_001 }, () => ({ delete: 0, filter: {} }));
    expect(bulk(ops)).toMatchObject({ ok: 0, code: 16 });
  });

  test('a name that no collection may bear is the error of its inserts alone', () => {
    const ops = [
      { insert: 0, document: {} },
      { insert: 0, document: {} },
      { insert: 1, document: {} },
    ];
    const nsInfo = [{ ns: 'app.a$b' }, { ns: 'app.d' }];
    const reply = member.run({ bulkWrite: 1, ops, nsInfo, ordered: false }, 'admin');
    expect(reply).toMatchObject({ nErrors: 2, nInserted: 1 });
    expect(items(reply).map(({ code }) => code)).toEqual([73, 73, undefined]);
  });

  test('what writes many documents cannot be retried', () => {
    const ops = [
      { update: 0, filter: {}, updateMods: { $inc: { n: 1 } }, multi: true },
      { delete: 0, filter: {}, multi: true },
      { insert: 0, document: { _id: 4 } },
    ];
    const reply = bulk(ops, { ...RETRYABLE, ordered: false });
    expect(items(reply).map(({ code }) => code)).toEqual([72, 72, undefined]);
  });

  test('a step-down in the middle ends the command, and what was written stays', () => {
    const ops = [1, 2, 3].map((_id) => ({ update: 0, filter: { _id }, updateMods: { $set: { n: 1 } } }));
    const running = member.start({ bulkWrite: 1, ops, nsInfo: NS, ...RETRYABLE }, 'admin');
    while (member.writes.log.length === 0) running.step();
    member.lastOpTime = { ts: { t: 1, i: 1 }, t: 1 };
    running.kill(new CommandError('InterruptedDueToReplStateChange', 'operation was interrupted'));
    expect(running.reply).toMatchObject({ ok: 0, code: 11602, errorLabels: ['RetryableWriteError'] });
    expect(member.documents('app.c').map(({ n }) => n)).toEqual([1, 0, 0]);
  });

  test('the write concern is waited for, and its failure stands beside the results', () => {
    member.writeConcernResult = new CommandError('UnsatisfiableWriteConcern', 'not so many members');
    const reply = bulk([{ insert: 1, document: { _id: 1 } }], { writeConcern: { w: 3 } });
    expect(reply).toMatchObject({ ok: 1, nInserted: 1, writeConcernError: { code: 100 } });
  });
});

type Op = { kind: 'insert' | 'update' | 'delete'; into: 0 | 1; _id: number; multi: boolean; upsert: boolean };
const anyOp: fc.Arbitrary<Op> = fc.record({
  kind: fc.constantFrom('insert', 'update', 'delete'),
  into: fc.constantFrom(0, 1),
  _id: fc.nat(5),
  multi: fc.boolean(),
  upsert: fc.boolean(),
});

const filterOf = ({ _id, multi }: Op) => (multi ? { _id: { $lte: _id } } : { _id });

function inBulk(op: Op): object {
  const { kind, into, _id, multi, upsert } = op;
  if (kind === 'insert') return { insert: into, document: { _id, n: 0 } };
  if (kind === 'delete') return { delete: into, filter: filterOf(op), multi };
  return { update: into, filter: filterOf(op), updateMods: { $inc: { n: 1 } }, multi, upsert };
}

function alone(op: Op): object {
  const { kind, into, _id, multi, upsert } = op;
  const name = 'cd'[into]!;
  if (kind === 'insert') return { insert: name, documents: [{ _id, n: 0 }] };
  if (kind === 'delete') return { delete: name, deletes: [{ q: filterOf(op), limit: multi ? 0 : 1 }] };
  return { update: name, updates: [{ q: filterOf(op), u: { $inc: { n: 1 } }, multi, upsert }] };
}

test.for([true, false])('entries do what the same writes do one by one, ordered %s', (ordered) => {
  fc.assert(
    fc.property(fc.array(anyOp, { minLength: 1, maxLength: 20 }), (ops) => {
      const [together, apart] = [new FakeMember(), new FakeMember()];
      const reply = together.run({ bulkWrite: 1, ops: ops.map(inBulk), nsInfo: NS, ordered }, 'admin');
      const sums = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 };
      for (const op of ops) {
        const single = apart.run(alone(op));
        const made = single.upserted?.length ?? 0;
        if (single.writeErrors) sums.nErrors += 1;
        if (op.kind === 'insert') sums.nInserted += single.n;
        if (op.kind === 'delete') sums.nDeleted += single.n;
        if (op.kind === 'update') {
          sums.nMatched += single.n - made;
          sums.nModified += single.nModified;
          sums.nUpserted += made;
        }
        if (ordered && single.writeErrors) break;
      }
      expect(reply).toMatchObject(sums);
      for (const ns of ['app.c', 'app.d']) {
        // What an upsert by a range makes has an _id of its own.
        const shown = (doc: Doc) => (typeof doc._id === 'number' ? doc : { n: doc.n });
        expect(together.documents(ns).map(shown)).toEqual(apart.documents(ns).map(shown));
      }
    }),
    { seed: 8, numRuns: 200 },
  );
});
