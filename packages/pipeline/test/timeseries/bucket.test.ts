import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { compileFilter } from '@replsim/query';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUCKET_MAX_COUNT, BUCKET_MAX_SIZE } from '../../src/timeseries/bucket.ts';
import { bucketFilter } from '../../src/timeseries/bucketFilter.ts';
import { objectIdSecs } from '../../src/timeseries/options.ts';
import { unpackBucket } from '../../src/timeseries/unpack.ts';
import { anyMeasurement, BY_SECONDS, Packer, START_MS } from './measurements.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into buckets without telling each type
type Doc = Record<string, any>;

const at = (secs: number) => new Date(START_MS + secs * 1000);
const shown = (packer: Packer): Doc[] => packer.all().map((bytes) => decodePromoted(bytes) as Doc);
/** A document as text, whatever the order of its fields. */
const text = (document: Doc): string =>
  JSON.stringify(document, (_, value) =>
    value && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

describe('a bucket', () => {
  test('is a document of columns, with the least and the greatest of each', () => {
    const packer = new Packer();
    packer.insert([
      { t: at(61), m: 's1', v: 5, o: { a: 1, b: 9 }, l: [1, 8] },
      { t: at(75), m: 's1', o: { a: 3, b: 2 }, l: [4] },
      { t: at(70), m: 's1', v: -2.5 },
    ]);
    const [bucket, ...others] = shown(packer);
    expect(others).toEqual([]);
    expect(bucket!._id.getTimestamp()).toEqual(at(60));
    expect(bucket!.control).toEqual({
      version: 1,
      min: { t: at(60), v: -2.5, o: { a: 1, b: 2 }, l: [1, 8] },
      max: { t: at(75), v: 5, o: { a: 3, b: 9 }, l: [4, 8] },
    });
    expect(bucket!.meta).toBe('s1');
    expect(bucket!.data).toEqual({
      t: { 0: at(61), 1: at(75), 2: at(70) },
      v: { 0: 5, 2: -2.5 },
      o: { 0: { a: 1, b: 9 }, 1: { a: 3, b: 2 } },
      l: { 0: [1, 8], 1: [4] },
    });
  });

  test('grows from one insert to the next', () => {
    const packer = new Packer();
    for (let i = 0; i < 5; i++) packer.insert([{ t: at(i), m: 1, v: i }]);
    expect(shown(packer)).toMatchObject([{ control: { min: { v: 0 }, max: { v: 4, t: at(4) } } }]);
    expect(unpackBucket(packer.all()[0]!, BY_SECONDS).map((bytes) => decodePromoted(bytes).v)).toEqual([0, 1, 2, 3, 4]);
  });

  test.for([
    ['other metadata', { t: at(1), m: 2 }, [[at(0)], [at(1)]]],
    ['the same metadata in another order', { t: at(1), m: { b: 2, a: 1 } }, [[at(0), at(1)]]],
    ['a number of another type', { t: at(1), m: { a: 1.5, b: 2 } }, [[at(0)], [at(1)]]],
    ['a time at the end of the span', { t: at(3600), m: { a: 1, b: 2 } }, [[at(0)], [at(3600)]]],
    ['a time just before it', { t: at(3599.999), m: { a: 1, b: 2 } }, [[at(0), at(3599.999)]]],
    ['a time before the beginning', { t: at(-1), m: { a: 1, b: 2 } }, [[at(-1)], [at(0)]]],
    ['a value of another type', { t: at(1), m: { a: 1, b: 2 }, v: 'x' }, [[at(0)], [at(1)]]],
    ['a field that is new', { t: at(1), m: { a: 1, b: 2 }, z: 'x' }, [[at(0), at(1)]]],
  ] as const)('%s', ([, second, times]) => {
    const packer = new Packer();
    packer.insert([{ t: at(0), m: { a: 1, b: 2 }, v: 1 }]);
    packer.insert([second]);
    const byBucket = shown(packer).map(({ data }) => Object.values(data.t));
    expect(byBucket.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual(times);
  });

  test('holds a thousand measurements and no more', () => {
    const packer = new Packer();
    packer.insert(Array.from({ length: BUCKET_MAX_COUNT + 1 }, (_, i) => ({ t: at(i / 10), m: 1 })));
    const counts = shown(packer).map(({ data }) => Object.keys(data.t).length);
    expect(counts.sort((a, b) => b - a)).toEqual([BUCKET_MAX_COUNT, 1]);
  });

  test('ends at its size once it has ten measurements', () => {
    const packer = new Packer();
    const big = 'x'.repeat(20_000);
    packer.insert(Array.from({ length: 14 }, (_, i) => ({ t: at(i), m: 1, big })));
    const counts = shown(packer).map(({ data }) => Object.keys(data.t).length);
    expect(counts.sort((a, b) => b - a)).toEqual([10, 4]);
  });
});

test('what is unpacked is what was packed, in some order', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyMeasurement, { maxLength: 8 }), { maxLength: 6 }), (batches) => {
      const packer = new Packer();
      for (const batch of batches) packer.insert(batch);
      const unpacked = packer.all().flatMap((bucket) => unpackBucket(bucket, BY_SECONDS));
      // Both ways through BSON, so that -0 and the like are what they are there.
      const packed = batches.flat().map((document) => text(decodePromoted(encodeDocument(document)) as Doc));
      expect(unpacked.map((bytes) => text(decodePromoted(bytes) as Doc)).sort()).toEqual(packed.sort());
    }),
  );
});

test('a bucket keeps its limits, and its control what it says of it', () => {
  fc.assert(
    fc.property(fc.array(fc.array(anyMeasurement, { maxLength: 8 }), { maxLength: 6 }), (batches) => {
      const packer = new Packer();
      for (const batch of batches) packer.insert(batch);
      for (const bytes of packer.all()) {
        const { _id, control, data } = decodePromoted(bytes) as Doc;
        const times = Object.values(data.t).map(Number);
        const startMs = objectIdSecs({ bytes: _id.id, offset: 0 }) * 1000;
        expect(startMs % 60_000).toBe(0);
        expect(Number(control.min.t)).toBe(startMs);
        expect(Number(control.max.t)).toBe(Math.max(...times));
        expect(Math.min(...times)).toBeGreaterThanOrEqual(startMs);
        expect(Math.max(...times)).toBeLessThan(startMs + 3_600_000);
        expect(times.length).toBeLessThanOrEqual(BUCKET_MAX_COUNT);
        expect(bytes.length).toBeLessThanOrEqual(BUCKET_MAX_SIZE);
      }
    }),
  );
});

const anyTime = fc.integer({ min: 0, max: 4 * 3600 }).map((secs) => at(secs));
const anyCondition: fc.Arbitrary<object> = fc.letrec((tie) => ({
  leaf: fc.oneof(
    fc.record({ t: fc.oneof(anyTime, fc.record({ $gte: anyTime, $lt: anyTime }), fc.record({ $gt: anyTime })) }),
    fc.record({ t: fc.record({ $lte: anyTime }) }),
    fc.record({ m: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.record({ $in: fc.constant([0, 'a', null]) })) }),
    fc.record({ 'm.x': fc.oneof(fc.integer({ min: 0, max: 1 }), fc.constant({ $exists: false })) }),
    fc.record({ v: fc.record({ $gt: fc.integer({ min: -9, max: 9 }) }) }),
    fc.constant({ $nor: [{ m: 1 }] }),
  ),
  node: fc.oneof(
    { depthSize: 'small' },
    tie('leaf'),
    fc.record({ $and: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ $or: fc.array(tie('node'), { minLength: 1, maxLength: 2 }) }),
  ),
})).node as fc.Arbitrary<object>;

test('a filter on buckets lets every bucket through in which something matches', () => {
  fc.assert(
    fc.property(fc.array(anyMeasurement, { maxLength: 20 }), anyCondition, (documents, condition) => {
      const packer = new Packer();
      packer.insert(documents);
      const filter = encodeDocument({ ...condition });
      const matches = compileFilter(filter);
      const passes = compileFilter(bucketFilter(filter, BY_SECONDS));
      for (const bucket of packer.all()) {
        if (unpackBucket(bucket, BY_SECONDS).some(matches)) expect(passes(bucket)).toBe(true);
      }
    }),
    { numRuns: 300 },
  );
});

test('conditions on time and metadata do shut buckets out', () => {
  const packer = new Packer();
  packer.insert([
    { t: at(0), m: 1 },
    { t: at(7200), m: 1 },
    { t: at(0), m: 2 },
  ]);
  const passing = (condition: object) => {
    const passes = compileFilter(bucketFilter(encodeDocument(condition), BY_SECONDS));
    return packer.all().filter(passes).length;
  };
  expect(passing({})).toBe(3);
  expect(passing({ m: 1 })).toBe(2);
  expect(passing({ t: { $gt: at(100) } })).toBe(1);
  expect(passing({ t: { $lt: at(100) }, m: 2 })).toBe(1);
  expect(passing({ t: at(7200) })).toBe(1);
  expect(passing({ $or: [{ m: 2 }, { t: { $gte: at(7200) } }] })).toBe(2);
  expect(passing({ $or: [{ m: 2 }, { v: 1 }] })).toBe(3);
});

test('a filter may have as many clauses as it has room for', () => {
  const clauses = Array.from({ length: 150_000 }, (_, m) => ({ m }));
  const filter = bucketFilter(encodeDocument({ $and: [{ $and: clauses }] }), BY_SECONDS);
  expect(decodePromoted(filter).$and).toHaveLength(150_000);
});
