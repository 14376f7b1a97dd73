import { encodeDocument, VERSIONS } from '@replsim/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const idsOf = (collection: string) => member.documents(`app.${collection}`).map(({ _id }) => _id);

describe('what a capped collection lets go of', () => {
  const sizeOf = (document: object) => encodeDocument(document).length;

  test('is its longest tail within both limits, the newest document in any case', () => {
    const anyDocument = fc.record({ text: fc.integer({ min: 0, max: 300 }).map((n) => 'x'.repeat(n)) });
    const anyLimits = fc.record({
      size: fc.integer({ min: 1, max: 900 }),
      max: fc.option(fc.integer({ min: 1, max: 6 })),
    });
    fc.assert(
      fc.property(
        anyLimits,
        fc.array(fc.array(anyDocument, { minLength: 1, maxLength: 5 }), { maxLength: 8 }),
        ({ size, max }, batches) => {
          member = new FakeMember();
          member.ok({ create: 'c', capped: true, size, ...(max !== null && { max }) });
          const limit = size;
          let _id = 0;
          let model: { _id: number; text: string }[] = [];
          for (const batch of batches) {
            const documents = batch.map((document) => ({ _id: _id++, ...document }));
            member.ok({ insert: 'c', documents });
            model.push(...documents);
            const bytes = () => model.reduce((sum, document) => sum + sizeOf(document), 0);
            while (model.length > 1 && (bytes() > limit || model.length > (max ?? Infinity))) model = model.slice(1);
            expect(idsOf('c')).toEqual(model.map((document) => document._id));
          }
        },
      ),
      { seed: 1, numRuns: 100 },
    );
  });

  test('goes at the next insert after collMod has lowered a limit', () => {
    member.ok({ create: 'c', capped: true, size: 100_000, max: 5 });
    member.ok({ insert: 'c', documents: [1, 2, 3, 4].map((_id) => ({ _id })) });
    member.ok({ collMod: 'c', cappedMax: 2 });
    expect(idsOf('c')).toEqual([1, 2, 3, 4]);
    member.ok({ insert: 'c', documents: [{ _id: 5 }] });
    expect(idsOf('c')).toEqual([4, 5]);
  });
});

describe('a client that deletes from one', () => {
  test.for(['8.2', '8.0', '7.0'] as const)('may, in %s', (version) => {
    member.traits = VERSIONS[version];
    member.ok({ create: 'c', capped: true, size: 1000 });
    member.ok({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    expect(member.ok({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }).n).toBe(1);
    expect(idsOf('c')).toEqual([2]);
  });
});

describe('a reader whose place is gone', () => {
  beforeEach(() => {
    member.ok({ create: 'log', capped: true, size: 100_000 });
    member.insert('log', { _id: 1 }, { _id: 2 }, { _id: 3 });
  });
  const open = (more: object) => member.ok({ find: 'log', ...more }).cursor.id;
  const remove = (_id: number) => member.ok({ delete: 'log', deletes: [{ q: { _id }, limit: 1 }] });
  const goOn = (id: unknown) => member.run({ getMore: id, collection: 'log' });

  test.for([
    [{ tailable: true }, 3, 136],
    [{ tailable: true, awaitData: true }, 3, 136],
    [{ batchSize: 2 }, 2, 136],
    [{ batchSize: 2 }, 1, 0],
    [{ batchSize: 2, hint: { _id: 1 } }, 2, 0],
    [{ batchSize: 2, sort: { $natural: -1 } }, 2, 136],
  ] as const)('%j, then %i is deleted: %i', ([query, _id, code]) => {
    const id = open(query);
    remove(_id);
    expect(goOn(id).code ?? 0).toBe(code);
  });

  test('a plain collection has no such place', () => {
    member.insert('c', { _id: 1 }, { _id: 2 }, { _id: 3 });
    const { id } = member.ok({ find: 'c', batchSize: 2 }).cursor;
    member.ok({ delete: 'c', deletes: [{ q: { _id: 2 }, limit: 1 }] });
    expect(member.ok({ getMore: id, collection: 'c' }).cursor.nextBatch).toEqual([{ _id: 3 }]);
  });

  test('a clustered capped collection is tailed in the order of _id', () => {
    const clusteredIndex = { key: { _id: 1 }, unique: true };
    member.ok({ create: 'byTime', clusteredIndex, capped: true, expireAfterSeconds: 60 });
    member.insert('byTime', { _id: new Date(5000) }, { _id: new Date(3000) });
    const { id, firstBatch } = member.ok({ find: 'byTime', tailable: true }).cursor;
    expect(firstBatch).toEqual([{ _id: new Date(3000) }, { _id: new Date(5000) }]);
    member.insert('byTime', { _id: new Date(7000) }, { _id: new Date(4000) }, { _id: new Date(6000) });
    expect(member.ok({ getMore: id, collection: 'byTime' }).cursor.nextBatch).toEqual([
      { _id: new Date(6000) },
      { _id: new Date(7000) },
    ]);
  });

  test('one who has read nothing and waits where nothing is hears of the next insert, once', () => {
    const id = open({ tailable: true, awaitData: true, batchSize: 0 });
    for (const _id of [1, 2, 3]) remove(_id);
    const running = member.start({ getMore: id, collection: 'log', maxTimeMS: 500 });
    running.step();
    expect(running.pause).toMatchObject({ type: 'wait', what: 'awaitData' });
    expect(() => running.step()).toThrow('waits');
    member.insert('log', { _id: 4 });
    expect(running.finish().cursor.nextBatch).toEqual([{ _id: 4 }]);
  });
});

describe('convertToCapped', () => {
  test('keeps the newest that fit, and no index but _id_', () => {
    member.ok({ createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 }] });
    member.ok({ insert: 'c', documents: [1, 2, 3, 4].map((_id) => ({ _id, text: 'x'.repeat(100) })) });
    const before = member.engine.collection('app.c')!.uuid;
    member.ok({ convertToCapped: 'c', size: 512 });
    const after = member.engine.collection('app.c')!;
    expect(idsOf('c')).toEqual(
      [1, 2, 3, 4].slice(-Math.floor(512 / encodeDocument({ _id: 1, text: 'x'.repeat(100) }).length)),
    );
    expect(after.indexes.map(({ spec }) => spec.name)).toEqual(['_id_']);
    expect(after.uuid).not.toEqual(before);
    expect(member.ok({ listCollections: 1 }).cursor.firstBatch).toMatchObject([
      { name: 'c', options: { capped: true, size: 512 } },
    ]);
  });

  test('takes another size for one that is capped, and forgets its max', () => {
    member.ok({ create: 'c', capped: true, size: 1000, max: 5 });
    member.ok({ convertToCapped: 'c', size: 2000 });
    const [{ options }] = member.ok({ listCollections: 1 }).cursor.firstBatch;
    expect(options).toEqual({ capped: true, size: 2000 });
  });

  test.for([
    [{ convertToCapped: 'none', size: 100 }, 26],
    [{ convertToCapped: 'c' }, 72],
    [{ convertToCapped: 'c', size: 0 }, 72],
    [{ convertToCapped: 'c', size: 'x' }, 72],
    [{ convertToCapped: 'c', size: 5e21 }, 2],
    [{ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 2 ** 50 + 1 }, 2],
    [{ create: 'd', capped: true, size: 2 ** 50 + 1 }, 51024],
    [{ create: 'd', capped: true, size: 100, max: 2 ** 31 }, 51024],
    [{ collMod: 'c', cappedSize: 2 ** 50 + 1 }, 51024],
    [{ collMod: 'c', cappedMax: 2 ** 31 }, 51024],
    [{ convertToCapped: 'clustered', size: 100 }, 72],
    [{ convertToCapped: 'system.x', size: 100 }, 73],
  ] as const)('%j: %i', ([command, code]) => {
    member.ok({ create: 'c' });
    member.ok({ create: 'clustered', clusteredIndex: { key: { _id: 1 }, unique: true } });
    expect(member.run(command).code).toBe(code);
  });
});

describe('the limits that are kept', () => {
  const stats = () => member.ok({ collStats: 'c' });

  test.for([
    ['8.0', 1000, 1100],
    ['7.0', 1000, 1100],
    ['6.0', 1024, 1280],
  ] as const)('%s: a size of 1000 is %i, one of 1100 is %i', ([version, size, changed]) => {
    member.traits = VERSIONS[version];
    member.ok({ create: 'c', capped: true, size: 1000 });
    const [{ options }] = member.ok({ listCollections: 1 }).cursor.firstBatch;
    expect(options).toEqual({ capped: true, size });
    expect(stats()).toMatchObject({ maxSize: size, max: 0 });
    member.ok({ collMod: 'c', cappedSize: 1100 });
    expect(stats().maxSize).toBe(changed);
  });

  test.for([0, -2])('a max of %i is none, and shown as all that there can be', (max) => {
    member.ok({ create: 'c', capped: true, size: 1000, max });
    expect(stats().max).toBe(2147483647);
    member.ok({ collMod: 'c', cappedMax: 1 });
    expect(stats().max).toBe(1);
    member.ok({ collMod: 'c', cappedMax: max });
    expect(stats().max).toBe(2147483647);
  });
});
