import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { Decimal128, Double, Int32, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Doc, FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', ...Array.from({ length: 250 }, (_, _id) => ({ _id })));
});

const MINUTE_MICROS = 60_000_000;

const open = (more: object = {}): Doc => member.ok({ find: 'c', ...more }).cursor;
const getMore = (id: unknown, more: object = {}): Doc => ({ getMore: Long.fromBigInt(BigInt(id as number)), collection: 'c', ...more }); // biome-ignore format: one line

describe('batches', () => {
  const sizes = (command: object): number[] => {
    const { cursor } = member.ok(command);
    const found = [cursor.firstBatch.length];
    for (let { id } = cursor; id !== 0; ) {
      const next = member.ok(getMore(id)).cursor;
      found.push(next.nextBatch.length);
      id = next.id;
    }
    return found;
  };

  test.for<[command: object, sizes: number[]]>([
    [{ find: 'c' }, [101, 149]],
    [{ find: 'c', batchSize: 0 }, [0, 250]],
    [{ find: 'c', batchSize: 250 }, [250, 0]],
    [{ find: 'c', batchSize: 300 }, [250]],
    [{ find: 'c', limit: 150 }, [101, 49]],
    [{ find: 'c', limit: 2 }, [2]],
    [{ find: 'c', limit: 2, singleBatch: true }, [2]],
    [{ find: 'c', batchSize: 2, singleBatch: true }, [2]],
    [{ aggregate: 'c', pipeline: [], cursor: {} }, [101, 149]],
    [{ aggregate: 'c', pipeline: [], cursor: { batchSize: 0 } }, [0, 250]],
    [{ aggregate: 'c', pipeline: [{ $limit: 3 }], cursor: { batchSize: 2 } }, [2, 1]],
  ])('%j', ([command, expected]) => {
    expect(sizes(command)).toEqual(expected);
    expect(member.cursors.size).toBe(0);
  });

  test('a batch is full at 16 MiB, and the document that did not fit comes next', () => {
    const half = 'x'.repeat(9 * 1024 * 1024);
    member.insert('big', { _id: 1, half }, { _id: 2, half }, { _id: 3, half });
    const { id, firstBatch } = member.ok({ find: 'big' }).cursor;
    expect(firstBatch).toHaveLength(1);
    expect(member.ok(getMore(id, { collection: 'big' })).cursor.nextBatch[0]._id).toBe(2);
  });

  test.for([{ find: 'c' }, { find: 'c', limit: 1 }, { find: 'zzz' }, { aggregate: 'zzz', pipeline: [], cursor: {} }])(
    'the id of %j is an int64',
    (command) => {
      const running = new Running(member, member.dispatcher.start(encodeDocument({ ...command, $db: 'app' })).run(member, 1)); // biome-ignore format: one line
      running.finish();
      expect(decodeDocument(running.bytes!).cursor.id).toBeInstanceOf(Long);
    },
  );
});

describe('refusals', () => {
  test.for<[name: string, command: (id: unknown) => object, code: number]>([
    ['no such cursor', () => getMore(12345), 43],
    ['another collection', (id) => getMore(id, { collection: 'other' }), 13],
    ['no collection', (id) => getMore(id, { collection: undefined }), 40414],
    ['maxTimeMS without awaitData', (id) => getMore(id, { maxTimeMS: 5 }), 2],
    ['a collection without a name', (id) => getMore(id, { collection: '' }), 73],
    ['a negative batch', (id) => getMore(id, { batchSize: -1 }), 51024],
    ['an unknown option', (id) => getMore(id, { nope: 1 }), 40415],
    ['an id that is no number', () => ({ getMore: 'x', collection: 'c' }), 14],
    ['an id that is an int32', () => ({ getMore: new Int32(5), collection: 'c' }), 14],
    ['an id that is a double', () => ({ getMore: new Double(5), collection: 'c' }), 14],
    ['an id that is a decimal', () => ({ getMore: Decimal128.fromString('5'), collection: 'c' }), 14],
    ['no id', () => ({ getMore: null, collection: 'c' }), 40414],
  ])('%s', ([, command, code]) => {
    const { id } = open();
    expect(member.run(command(id)).code).toBe(code);
    expect(member.run(getMore(id)).ok).toBe(1);
  });

  test.for<[opened: string | undefined, asks: string | undefined, code: number | undefined]>([
    ['a', 'a', undefined],
    [undefined, undefined, undefined],
    [undefined, 'a', 50736],
    ['a', undefined, 50737],
    ['a', 'b', 50738],
  ])('opened in session %s, asked for in %s', ([opened, asks, code]) => {
    member.session = opened;
    const { id } = open();
    member.session = asks;
    expect(member.run(getMore(id)).code).toBe(code);
  });
});

describe('killCursors', () => {
  test('tells which there were', () => {
    const { id } = open();
    const command = { killCursors: 'c', cursors: [Long.fromBigInt(BigInt(id)), Long.fromNumber(5)] };
    expect(member.ok(command)).toMatchObject({ cursorsKilled: [id], cursorsNotFound: [5], cursorsAlive: [], cursorsUnknown: [] }); // biome-ignore format: one line
    expect(member.run(getMore(id)).code).toBe(43);
  });
});

describe('what remains of maxTimeMS is for the batches that follow', () => {
  /** The codes of getMores, each of which looks at a quarter of 2000 documents, which takes half a millisecond or more. */
  const codes = (more: object): unknown[] => {
    const { id } = open({ find: 'many', filter: { x: { $mod: [500, 499] } }, ...more });
    return Array.from({ length: 5 }, () => {
      // Nobody counts the time between them.
      member.advance(MINUTE_MICROS);
      return member.run(getMore(id, { collection: 'many', batchSize: 1 })).code;
    });
  };

  beforeEach(() => {
    member.insert('many', ...Array.from({ length: 2000 }, (_, x) => ({ x })));
    member.ok({ create: 'log', capped: true, size: 1_000_000 });
    member.insert('log', { _id: 1 });
  });

  test.for<[more: object, codes: unknown[]]>([
    [{ batchSize: 0 }, [undefined, undefined, undefined, undefined, undefined]],
    [{ batchSize: 0, maxTimeMS: 0 }, [undefined, undefined, undefined, undefined, undefined]],
    [{ batchSize: 0, maxTimeMS: 60_000 }, [undefined, undefined, undefined, undefined, undefined]],
    [{ batchSize: 0, maxTimeMS: 2 }, [undefined, undefined, undefined, 50, 43]],
    [{ batchSize: 0, maxTimeMS: 1 }, [undefined, 50, 43, 43, 43]],
    [{ batchSize: 1, maxTimeMS: 1 }, [50, 43, 43, 43, 43]],
  ])('%j', ([more, expected]) => {
    expect(codes(more)).toEqual(expected);
  });

  test.for<[tailing: object, code: number | undefined]>([
    [{ tailable: true, maxTimeMS: 1 }, 50],
    [{ tailable: true, awaitData: true, maxTimeMS: 1 }, undefined],
  ])('%j', ([tailing, code]) => {
    const { id } = open({ find: 'log', ...tailing });
    member.insert('log', ...Array.from({ length: 1500 }, (_, _id) => ({ _id: _id + 2 })));
    expect(member.run(getMore(id, { collection: 'log' })).code).toBe(code);
  });
});

describe('idle cursors', () => {
  const metrics = () => member.ok({ serverStatus: 1 }).metrics.cursor;

  test('are closed after ten minutes', () => {
    const { id } = open();
    member.advance(9 * MINUTE_MICROS);
    const { cursor } = member.ok(getMore(id, { batchSize: 1 }));
    expect(cursor.id).toEqual(id);
    member.advance(9 * MINUTE_MICROS);
    expect(metrics()).toMatchObject({ timedOut: 0, open: { total: 1 } });
    member.advance(MINUTE_MICROS);
    expect(metrics()).toMatchObject({ timedOut: 1, totalOpened: 1, moreThanOneBatch: 1, open: { total: 0 } });
    expect(member.run(getMore(id)).code).toBe(43);
  });

  test('cursorTimeoutMillis', () => {
    member.ok({ setParameter: 1, cursorTimeoutMillis: 1000 }, 'admin');
    const { id } = open();
    member.advance(1_000_000);
    expect(member.run(getMore(id)).code).toBe(43);
  });

  test('noCursorTimeout, and a session, keep them', () => {
    const { id } = open({ noCursorTimeout: true });
    member.session = 'a';
    const inSession = open();
    member.advance(60 * MINUTE_MICROS);
    expect(metrics().open).toMatchObject({ total: 2, noTimeout: 1 });
    expect(member.run(getMore(inSession.id)).ok).toBe(1);
    member.session = undefined;
    expect(member.run(getMore(id)).ok).toBe(1);
  });

  test('currentOp shows them', () => {
    const { id } = open({ batchSize: 3 });
    const shown = (spec: object): Doc[] =>
      member.ok({ aggregate: 1, pipeline: [{ $currentOp: spec }], cursor: {} }, 'admin').cursor.firstBatch;
    expect(shown({ allUsers: true, idleCursors: true, localOps: true })).toMatchObject([
      { type: 'idleCursor', ns: 'app.c', planSummary: 'COLLSCAN', cursor: { cursorId: id, nDocsReturned: 3, nBatchesReturned: 1, tailable: false, originatingCommand: { find: 'c' } } }, // biome-ignore format: one line
    ]);
    expect(shown({ allUsers: true })).toEqual([]);
    const refused = (spec: unknown) => member.run({ aggregate: 1, pipeline: [{ $currentOp: spec }], cursor: {} }, 'admin').code; // biome-ignore format: one line
    expect(refused({ nope: true })).toBe(9);
    expect(refused(1)).toBe(14);
    expect(refused({ idleCursors: 1 })).toBe(9);
    // Whether somebody may see all users is asked before the rest is read.
    expect(refused({ allUsers: 1 })).toBe(14);
  });
});

test('a cursor on a collection that is dropped, or bears another name, ends with its next batch', () => {
  const { id } = open();
  member.ok({ drop: 'c' });
  expect(member.run(getMore(id))).toMatchObject({ code: 175, codeName: 'QueryPlanKilled' });
  expect(member.run(getMore(id)).code).toBe(43);
});
