import { BsonType, type BsonValue, decodePromoted, encodeDocument } from '@replsim/protocol';
import { compareValues, compileCollator } from '@replsim/query';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { val } from '../../../query/test/bson.ts';
import { checkIndex } from '../../src/collection/indexCheck.ts';
import type { IndexBounds } from '../../src/collection/indexCursor.ts';
import { StorageEngine } from '../../src/engine.ts';
import { compareKeys } from '../../src/keys/collatedKeys.ts';
import { AFTER_PREFIX, encodeCompoundKey, encodeKey, invertKey, typePrefix } from '../../src/keys/keys.ts';
import { ITSELF } from '../../src/keys/valueKey.ts';
import { doc, engineWith, spec, uuid } from '../fixtures.ts';

const NS = 'app.users';
const ignoringCase = { locale: 'en', strength: 2 };
const collator = compileCollator(encodeDocument(ignoringCase));
const key = (value: BsonValue, descending = false) => encodeKey(value, descending, ITSELF);

/** Strings that a collation finds equal or orders otherwise than their bytes, among them the chars that mark strings in keys. */
const anyText = fc.string({ unit: fc.constantFrom('a', 'A', 'á', 'b', 'B', 'Ā', '\u0100', '\0', '-'), maxLength: 3 });
const anyLeaf = fc.oneof({ weight: 4, arbitrary: anyText }, fc.constantFrom(null, 1, 2.5, true, new Date(5)));
const anyValue = fc.oneof(
  { weight: 3, arbitrary: anyLeaf },
  fc.array(anyLeaf, { maxLength: 3 }),
  fc.record({ a: anyLeaf, A: anyLeaf }, { requiredKeys: [] }),
);
const options = { seed: 1, numRuns: 1000 };

test('keys compare as their values do under the collation, in both directions', () => {
  fc.assert(
    fc.property(anyValue, anyValue, (a, b) => {
      const [x, y] = [val(a), val(b)];
      const expected = Math.sign(compareValues(x, y, collator));
      expect(Math.sign(compareKeys(key(x), key(y), collator))).toBe(expected);
      expect(Math.sign(compareKeys(key(x, true), key(y, true), collator))).toBe(-expected + 0);
      expect(invertKey(key(x))).toBe(key(x, true));
      expect(invertKey(invertKey(key(x)))).toBe(key(x));
    }),
    options,
  );
});

test('compound keys compare part by part, and a bound stands for all that begin with it', () => {
  fc.assert(
    fc.property(anyValue, anyValue, anyValue, anyValue, fc.boolean(), (a, b, c, d, descending) => {
      const [first, second] = [
        encodeCompoundKey([val(a), val(b)], [descending, false], ITSELF),
        encodeCompoundKey([val(c), val(d)], [descending, false], ITSELF),
      ];
      const byFirst = compareValues(val(a), val(c), collator) * (descending ? -1 : 1);
      const expected = byFirst || compareValues(val(b), val(d), collator);
      expect(Math.sign(compareKeys(first, second, collator))).toBe(Math.sign(expected) + 0);
      const prefix = key(val(c), descending);
      const within =
        compareKeys(first, prefix, collator) >= 0 && compareKeys(first, prefix + AFTER_PREFIX, collator) < 0;
      expect(within).toBe(byFirst === 0);
    }),
    options,
  );
});

test('the prefix of a type stands before all its values, and behind them with the char that ends prefixes', () => {
  const strings = typePrefix(BsonType.string);
  for (const text of ['', 'a', '\u{1f600}']) {
    expect(compareKeys(strings, key(val(text)), collator)).toBeLessThan(0);
    expect(compareKeys(strings + AFTER_PREFIX, key(val(text)), collator)).toBeGreaterThan(0);
  }
});

test('a unique index refuses what is equal to something in it, and nothing else', () => {
  fc.assert(
    fc.property(fc.array(anyValue, { maxLength: 8 }), fc.boolean(), (values, descending) => {
      const engine = engineWith(NS);
      const options = { unique: true, collation: ignoringCase };
      engine.createIndex(NS, spec({ u: descending ? -1 : 1 }, options));
      const taken: BsonValue[] = [];
      values.forEach((value, n) => {
        // Of an array the elements are keys.
        const keys = Array.isArray(value) ? (value.length > 0 ? value : [[]]) : [value];
        const own = keys.map(val);
        const isTaken = own.some((x) => taken.some((y) => isSameKey(x, y)));
        let refused = false;
        try {
          engine.insert(NS, doc({ _id: n, u: value }));
        } catch (error) {
          refused = true;
          expect(error).toMatchObject({ code: 11000, extra: { collation: expect.anything() } });
        }
        expect(refused).toBe(isTaken);
        if (!refused) taken.push(...own);
      });
      const { missing, extra, duplicates } = checkIndex(
        engine.collection(NS)!,
        engine.collection(NS)!.index(`u_${descending ? -1 : 1}`)!,
      );
      expect([missing, extra, duplicates]).toEqual([[], [], 0]);
    }),
    { seed: 1, numRuns: 300 },
  );
});

/** An empty array has a key of its own, which nothing else has. */
function isSameKey(a: BsonValue, b: BsonValue): boolean {
  return (a.type === BsonType.array) === (b.type === BsonType.array) && compareValues(a, b, collator) === 0;
}

const idsIn = (engine: StorageEngine, index: string, bounds?: IndexBounds) => {
  const collection = engine.collection(NS)!;
  const found: unknown[] = [];
  const cursor = collection.index(index)!.range(bounds);
  while (cursor.next()) found.push(decodePromoted(collection.get(cursor.recordId)!.bytes)._id);
  return found;
};

test('a range finds what is equal, in the order of the collation, and goes on when a document changes its case', () => {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ s: 1 }, { collation: ignoringCase }));
  for (const [_id, s] of [
    [1, 'b'],
    [2, 'PEN'],
    [3, 'a'],
    [4, 'pen'],
    [5, 7],
    [6, 'C'],
  ] as const)
    engine.insert(NS, doc({ _id, s }));
  expect(idsIn(engine, 's_1')).toEqual([5, 3, 1, 6, 2, 4]);
  const pen = key(val('Pen'));
  expect(idsIn(engine, 's_1', { lower: pen, upper: pen })).toEqual([2, 4]);
  expect(idsIn(engine, 's_1', { lower: pen, upper: pen, reverse: true })).toEqual([4, 2]);
  expect(
    idsIn(engine, 's_1', { lower: key(val('B')), lowerInclusive: false, upper: pen, upperInclusive: false }),
  ).toEqual([6]);
  const cursor = engine.collection(NS)!.index('s_1')!.range({ lower: pen, upper: pen });
  const met: number[] = [];
  while (met.length < 10 && cursor.next()) {
    met.push(cursor.recordId);
    engine.update(NS, cursor.recordId, doc({ _id: cursor.recordId, s: met.length % 2 === 1 ? 'pEN' : 'PEn' }));
  }
  expect(met).toEqual([2, 4]);
});

test('an array with equal strings has one key of them', () => {
  const engine = engineWith(NS);
  engine.createIndex(NS, spec({ s: 1 }, { collation: ignoringCase, unique: true }));
  engine.insert(NS, doc({ _id: 1, s: ['pen', 'PEN', 'ink'] }));
  const index = engine.collection(NS)!.index('s_1')!;
  expect(index.keyCount).toBe(2);
  expect(checkIndex(engine.collection(NS)!, index)).toMatchObject({ missing: [], extra: [], duplicates: 0 });
  engine.delete(NS, 1);
  expect(index.keyCount).toBe(0);
});

test("a collection's collation is that of its _id index, which still finds the very _id", () => {
  const engine = new StorageEngine();
  engine.createCollection(NS, { uuid: uuid(1), options: encodeDocument({ collation: ignoringCase }) });
  engine.insert(NS, doc({ _id: 'Ann' }));
  const collection = engine.collection(NS)!;
  expect(collection.indexes.map(({ spec }) => [spec.name, spec.collator !== undefined])).toEqual([['_id_', true]]);
  expect(() => engine.insert(NS, doc({ _id: 'ANN' }))).toThrow(
    expect.objectContaining({ code: 11000, message: expect.stringContaining('index: _id_ collation: { locale: "en"') }),
  );
  expect(collection.findById(encodeKey(val('Ann')))).toBe(1);
  expect(collection.findById(encodeKey(val('ANN')))).toBeUndefined();
  engine.delete(NS, 1);
  engine.insert(NS, doc({ _id: 'ANN' }));
  expect(idsIn(engine, '_id_')).toEqual(['ANN']);
  const snapshot = engine.collection(NS)!.indexes;
  expect(snapshot).toHaveLength(1);
});

test('a symbol cannot be indexed by a collation', () => {
  const symbol: BsonValue = { ...val('x'), type: BsonType.symbol };
  const before = encodeKey(symbol);
  expect(() => encodeKey(symbol, false, ITSELF)).toThrow(expect.objectContaining({ codeName: 'CannotBuildIndexKeys' }));
  expect(encodeKey(symbol), 'nothing of the refused key is left in the next one').toBe(before);
});
