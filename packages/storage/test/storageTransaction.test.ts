import { CommandError, decodePromoted } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ReadView } from '../src/collection/views.ts';
import type { StorageEngine } from '../src/engine.ts';
import type { StorageTransaction } from '../src/storageTransaction.ts';
import { doc, engineWith, spec, uuid } from './fixtures.ts';

const NS = 'app.c';

/** An engine with `{ _id: 1, a: 1, u: 1 }` and `{ _id: 2, a: 2, u: 2 }`, `u` being unique. */
function engineWithTwo(): StorageEngine {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ u: 1 }, { unique: true }));
  for (const n of [1, 2]) engine.insert(NS, doc({ _id: n, a: n, u: n }));
  engine.markVersion(1);
  return engine;
}

/** Anybody who writes: an engine does it at once. */
type Writer = Pick<StorageEngine, 'insert' | 'update' | 'delete'> | StorageTransaction;

const recordOf = (view: ReadView, _id: number): number => view.collection(NS)!.findById(doc({ _id }).idKey)!;
const insert = (writer: Writer, value: object) => writer.insert(NS, doc(value));
const change = (writer: Writer & ReadView, _id: number, value: object) =>
  writer.update(NS, recordOf(writer, _id), doc({ _id, ...value }));
const remove = (writer: Writer & ReadView, _id: number) => writer.delete(NS, recordOf(writer, _id));

/** `_id → a`, in natural order. */
function contents(view: ReadView): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const records = view.collection(NS)?.records();
  while (records?.next()) {
    const { _id, a } = decodePromoted(records.document.bytes) as { _id: number; a: unknown };
    found[_id] = a;
  }
  return found;
}

/** What something throws, as a code. */
function codeOf(work: () => unknown): number {
  try {
    work();
    return 0;
  } catch (error) {
    if (error instanceof CommandError) return error.code;
    throw error;
  }
}

test('the hash of its snapshot stays that of the data it began with, whatever it or others write', () => {
  const engine = engineWithTwo();
  const hash = engine.dataHash();
  const one = engine.begin();
  expect(one.snapshotHash()).toEqual(hash);
  insert(one, { _id: 3, a: 3, u: 3 });
  change(one, 1, { a: 10, u: 1 });
  change(one, 1, { a: 11, u: 1 });
  remove(one, 2);
  one.createCollection('app.made', { uuid: uuid(7) });
  insert(engine, { _id: 4, a: 4, u: 4 });
  expect(one.snapshotHash()).toEqual(hash);
  expect(one.dataHash()).not.toEqual(hash);
  expect(engine.begin(engine).snapshotHash()).toEqual(engine.dataHash());
});

test('it sees its own writes, others see them after the commit, all together', () => {
  const engine = engineWithTwo();
  const one = engine.begin();
  insert(one, { _id: 3, a: 3, u: 3 });
  change(one, 1, { a: 10, u: 1 });
  remove(one, 2);
  expect(contents(one)).toEqual({ 1: 10, 3: 3 });
  expect(contents(engine)).toEqual({ 1: 1, 2: 2 });
  one.commit();
  expect(contents(engine)).toEqual({ 1: 10, 3: 3 });
  expect(engine.collection(NS)!.index('u_1')!.keyCount).toBe(2);
});

test('an aborted one leaves nothing behind, and holds nothing', () => {
  const engine = engineWithTwo();
  const before = engine.dataHash();
  const one = engine.begin();
  insert(one, { _id: 3, a: 3, u: 3 });
  change(one, 1, { a: 10, u: 9 });
  one.abort();
  expect(engine.dataHash()).toEqual(before);
  insert(engine, { _id: 3, a: 4, u: 9 });
  change(engine, 1, { a: 11, u: 1 });
  expect(contents(engine)).toEqual({ 1: 11, 2: 2, 3: 4 });
});

test('it goes on seeing the data of its beginning, by scan and by index', () => {
  const engine = engineWithTwo();
  const one = engine.begin();
  change(engine, 1, { a: 10, u: 10 });
  remove(engine, 2);
  insert(engine, { _id: 3, a: 3, u: 3 });
  expect(contents(one)).toEqual({ 1: 1, 2: 2 });
  expect(one.collection(NS)!.index('u_1')!.keyCount).toBe(2);
});

test('both may write what the other has read: that is write skew', () => {
  const engine = engineWithTwo();
  const [one, two] = [engine.begin(), engine.begin()];
  change(one, 1, { a: 0, u: 1 });
  change(two, 2, { a: 0, u: 2 });
  one.commit();
  two.commit();
  expect(contents(engine)).toEqual({ 1: 0, 2: 0 });
});

describe('write conflicts', () => {
  type Act = (writer: Writer & ReadView) => unknown;
  const update1: Act = (w) => change(w, 1, { a: 7, u: 1 });
  const delete1: Act = (w) => remove(w, 1);
  const insert3: Act = (w) => insert(w, { _id: 3, a: 3, u: 3 });
  const insertU3: Act = (w) => insert(w, { _id: 4, a: 4, u: 3 });
  const insertU1: Act = (w) => insert(w, { _id: 5, a: 5, u: 1 });
  const freeU1: Act = (w) => change(w, 1, { a: 1, u: 8 });
  const takeU8: Act = (w) => change(w, 2, { a: 2, u: 8 });

  test.for<[name: string, first: Act, second: Act]>([
    ['update and update', update1, update1],
    ['update and delete', update1, delete1],
    ['delete and update', delete1, update1],
    ['two inserts of an _id', insert3, insert3],
    ['two inserts of a unique key', insert3, insertU3],
    ['a key that the other gives up', freeU1, insertU1],
    ['a key that the other has deleted', delete1, insertU1],
    ['a key that the other moves to', freeU1, takeU8],
  ])('%s', ([, first, second]) => {
    const pair = () => {
      const engine = engineWithTwo();
      const one = engine.begin();
      return { engine, one, two: engine.begin() };
    };
    const open = pair();
    first(open.one);
    expect(codeOf(() => second(open.two))).toBe(112);
    expect(codeOf(() => second(open.engine))).toBe(112);
    open.one.abort();
    expect(codeOf(() => second(open.engine)) === 112).toBe(false);

    const committed = pair();
    first(committed.one);
    committed.one.commit();
    const code = codeOf(() => second(committed.two));
    // A key that is in the snapshot is a duplicate, whatever has become of it since.
    expect([112, 11000]).toContain(code);
    expect(code === 11000).toBe(second === insertU1);
  });

  test('a key of before the snapshot is a duplicate, one of after it a conflict', () => {
    const engine = engineWithTwo();
    const one = engine.begin();
    insert(engine, { _id: 3, a: 3, u: 3 });
    expect(codeOf(() => insert(one, { _id: 1, a: 0, u: 20 }))).toBe(11000);
    expect(codeOf(() => insert(one, { _id: 3, a: 0, u: 21 }))).toBe(112);
    expect(codeOf(() => insert(one, { _id: 9, a: 0, u: 3 }))).toBe(112);
  });

  test('its own keys are its own: duplicates, and free again once deleted', () => {
    const one = engineWithTwo().begin();
    insert(one, { _id: 3, a: 3, u: 3 });
    expect(codeOf(() => insert(one, { _id: 3, a: 3, u: 4 }))).toBe(11000);
    remove(one, 1);
    insert(one, { _id: 1, a: 9, u: 1 });
    change(one, 1, { a: 8, u: 1 });
    one.commit();
  });

  test('a dropped collection, one that was made anew, one that was renamed', () => {
    for (const away of [
      (engine: StorageEngine) => engine.dropCollection(NS),
      (engine: StorageEngine) => engine.renameCollection(NS, 'app.d'),
    ]) {
      const engine = engineWithTwo();
      const [early, late] = [engine.begin(), engine.begin()];
      change(early, 1, { a: 5, u: 1 });
      away(engine);
      engine.createCollection(NS, { uuid: uuid(9) });
      expect(contents(late)).toEqual({ 1: 1, 2: 2 });
      expect(codeOf(() => change(late, 1, { a: 5, u: 1 }))).toBe(112);
      expect(codeOf(() => early.commit())).toBe(112);
    }
  });
});

describe('a collection whose definition has changed since', () => {
  test.for<[what: string, alter: (engine: StorageEngine) => unknown]>([
    ['an index more', (engine) => engine.createIndex(NS, spec({ b: 1 }))],
    ['an index less', (engine) => engine.dropIndex(NS, 'u_1')],
    ['an index hidden', (engine) => engine.setIndexOption(NS, 'u_1', { hidden: true })],
    [
      'a build that has begun',
      (engine) => engine.enterBuild(NS, { uuid: new Uint8Array(16), durable: true }, [spec({ b: 1 })]),
    ],
    ['another validator', (engine) => engine.setOptions(NS, doc({ validator: { a: 1 } }).bytes)],
  ])('%s: reads go on, writes conflict', ([, alter]) => {
    const engine = engineWithTwo();
    const [before, late] = [engine.begin(), engine.begin()];
    change(before, 1, { a: 5, u: 1 });
    alter(engine);
    expect(contents(late)).toEqual({ 1: 1, 2: 2 });
    for (const write of [
      () => insert(late, { _id: 3 }),
      () => change(late, 2, { a: 5, u: 2 }),
      () => remove(late, 2),
    ]) {
      expect(codeOf(write)).toBe(112);
    }
    late.abort();
    const next = engine.begin();
    insert(next, { _id: 3, u: 3 });
    next.commit();
    expect(Object.keys(contents(engine))).toEqual(['1', '2', '3']);
  });
});

describe('collections made inside', () => {
  test('are seen by nobody else, and are there with their documents and indexes after the commit', () => {
    const engine = engineWithTwo();
    const one = engine.begin();
    one.createCollection('app.new', { uuid: uuid(8) });
    one.createIndex('app.new', spec({ b: 1 }));
    one.insert('app.new', doc({ _id: 1, b: 1 }));
    expect(engine.collection('app.new')).toBeUndefined();
    expect(codeOf(() => one.createCollection('app.new', { uuid: uuid(7) }))).toBe(48);
    one.commit();
    expect(engine.collection('app.new')!.index('b_1')!.keyCount).toBe(1);
  });

  test('whose name another took meanwhile end in a conflict at the commit, and nothing is left', () => {
    const engine = engineWithTwo();
    const one = engine.begin();
    change(one, 1, { a: 5, u: 1 });
    one.createCollection('app.new', { uuid: uuid(8) });
    engine.createCollection('app.new', { uuid: uuid(7) });
    expect(codeOf(() => one.commit())).toBe(112);
    expect(contents(engine)).toEqual({ 1: 1, 2: 2 });
    change(engine, 1, { a: 6, u: 1 });
  });
});

test('a unique index that was built meanwhile and refuses undoes the whole commit', () => {
  const engine = engineWithTwo();
  const one = engine.begin();
  change(one, 1, { a: 2, u: 1 });
  insert(one, { _id: 3, a: 3, u: 3 });
  remove(one, 2);
  insert(one, { _id: 4, a: 3, u: 4 });
  engine.createIndex(NS, spec({ a: 1 }, { unique: true }));
  const before = engine.dataHash();
  expect(codeOf(() => one.commit())).toBe(112);
  expect(engine.dataHash()).toEqual(before);
  expect(engine.collection(NS)!.index('a_1')!.keyCount).toBe(2);
});

describe('many at once', () => {
  const anyStep = fc.record({
    who: fc.nat(3),
    act: fc.constantFrom('insert', 'update', 'delete', 'commit', 'abort'),
    id: fc.nat(5),
    u: fc.nat(5),
  });

  test('each sees its snapshot and its own writes; what is committed is what the first writers wrote', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const engine = engineWithTwo();
        let committed: Record<string, unknown> = contents(engine);
        const open = new Map<number, { transaction: StorageTransaction; sees: Record<string, unknown> }>();
        let value = 100;
        for (const { who, act, id, u } of steps) {
          // Number 0 is nobody's transaction: it writes at once.
          if (who > 0 && !open.has(who)) open.set(who, { transaction: engine.begin(), sees: { ...committed } });
          const mine = open.get(who);
          const writer = mine?.transaction ?? engine;
          const sees = mine?.sees ?? committed;
          if (act === 'commit' || act === 'abort') {
            if (!mine) continue;
            const undone = act === 'abort' || codeOf(() => mine.transaction.commit()) !== 0;
            if (act === 'abort') mine.transaction.abort();
            if (!undone) for (const [key, a] of Object.entries(mine.sees)) committed[key] = a;
            open.delete(who);
            committed = contents(engine);
            if (!undone) expect(Object.keys(committed).length).toBe(engine.collection(NS)!.index('u_1')!.keyCount);
            continue;
          }
          value += 1;
          const there = id in sees;
          const code = codeOf(() => {
            if (act === 'insert') insert(writer, { _id: id, a: value, u });
            else if (there && act === 'update') change(writer, id, { a: value, u });
            else if (there) remove(writer, id);
          });
          if (code === 0 && (act === 'insert' || (there && act === 'update'))) sees[id] = value;
          if (code === 0 && there && act === 'delete') delete sees[id];
          if (code === 112 && mine) {
            mine.transaction.abort();
            open.delete(who);
          }
          for (const each of open.values()) expect(contents(each.transaction)).toEqual(each.sees);
          expect(contents(engine)).toEqual(committed);
        }
        for (const { transaction } of open.values()) transaction.abort();
        expect(codeOf(() => engine.checkUnreserved(NS, [1, 2, 3]))).toBe(0);
      }),
    );
  });

  test('no update is lost: counters come to the number of commits', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 40 }), (turns) => {
        const engine = engineWithTwo();
        const open = new Map<number, StorageTransaction>();
        let increments = 0;
        for (const [who, ends] of turns) {
          const transaction = open.get(who) ?? engine.begin();
          open.set(who, transaction);
          if (!ends) continue;
          const { 1: a } = contents(transaction) as { 1: number };
          if (codeOf(() => change(transaction, 1, { a: a + 1, u: 1 })) === 0) {
            transaction.commit();
            increments += 1;
          } else transaction.abort();
          open.delete(who);
        }
        expect(contents(engine)[1]).toBe(1 + increments);
      }),
    );
  });
});

test('an array may have as many unique keys as a document has room for', () => {
  const engine = engineWithTwo();
  const transaction = engine.begin();
  insert(transaction, { _id: 3, u: Array.from({ length: 150_000 }, (_, i) => i + 10) });
  expect(codeOf(() => insert(engine, { _id: 4, u: 150_009 }))).toBe(112);
  transaction.commit();
  expect(codeOf(() => insert(engine, { _id: 4, u: 150_009 }))).toBe(11000);
});
