import { hasExtendedRange, type TimeseriesOptions } from '@replsim/pipeline';
import { decodePromoted } from '@replsim/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unpackBucket } from '../../../pipeline/src/timeseries/unpack.ts';
import { anyMeasurement, BY_SECONDS, Packer, START_MS } from '../../../pipeline/test/timeseries/measurements.ts';
import { BucketScan } from '../../src/ttl/bucketScan.ts';

const CUSTOM: TimeseriesOptions = { ...BY_SECONDS, bucketMaxSpanSeconds: 300, bucketRoundingSeconds: 300 };
const LAST_STANDARD_MS = (2 ** 31 - 1) * 1000 + 999;

/** The buckets as a model sees them: when each begins, and its measurements' times. Unit: ms. */
interface Seen {
  readonly id: string;
  readonly startMs: number;
  readonly times: readonly number[];
}

function seen(packer: Packer): Seen[] {
  return packer.all().map((bucket) => ({
    // biome-ignore lint/suspicious/noExplicitAny: a bucket as the client sees it
    id: String((decodePromoted(bucket) as any)._id),
    // biome-ignore lint/suspicious/noExplicitAny: a bucket as the client sees it
    startMs: Number((decodePromoted(bucket) as any).control.min.t),
    times: unpackBucket(bucket, packer.options).map((one) => Number(decodePromoted(one).t)),
  }));
}

function found(packer: Packer, wallMs: number, expireAfterSeconds: number): string[] {
  const { buckets, options } = packer;
  const scan = new BucketScan(buckets, options, { wallMs, expireAfterSeconds }, hasExtendedRange(buckets));
  const ids: string[] = [];
  for (let next = scan.next(); next; next = scan.next()) {
    const due = scan.dueDate(next.document);
    expect(due).toBeLessThanOrEqual(wallMs - expireAfterSeconds * 1000);
    ids.push(String(decodePromoted(next.document.bytes)._id));
  }
  return ids;
}

const at = (secs: number) => new Date(START_MS + secs * 1000);

describe('which buckets are due', () => {
  // Kept for a minute, with a span of an hour: a bucket that began 3660 s ago goes.
  test.for([
    ['one that began just long enough ago', at(-3660), 0, true],
    ['one that began a minute later', at(-3600), 0, false],
    ['one a millisecond before its time', at(-3660), -1, false],
    ['one of a measurement late in its minute', at(-3601), 0, true],
    ['one of 1970', new Date(0), 0, true],
    ['one of today', at(0), 0, false],
  ] as const)('%s', ([, time, laterMs, due]) => {
    const packer = new Packer();
    packer.insert([{ t: time }]);
    expect(found(packer, START_MS + laterMs, 60)).toHaveLength(due ? 1 : 0);
  });

  test('nothing is due before 1970 has come', () => {
    const packer = new Packer();
    packer.insert([{ t: new Date(0) }]);
    expect(found(packer, 3_000_000, 60)).toEqual([]);
  });

  test.for([
    ['1969', Date.UTC(1969, 6, 20), true],
    ['1910', Date.UTC(1910, 0, 1), true],
    ['2061', Date.UTC(2061, 6, 28), false],
    // 136 years and more away the four bytes begin anew, and what is before 1902 is taken for the future.
    ['1901, which an _id cannot tell from 2037', Date.UTC(1901, 0, 1), false],
  ] as const)('extended range: %s', ([, time, due]) => {
    const packer = new Packer();
    packer.insert([{ t: new Date(time), m: 1 }]);
    packer.insert([{ t: new Date(Date.UTC(1969, 0, 1)), m: 2 }]);
    expect(hasExtendedRange(packer.buckets)).toBe(true);
    expect(found(packer, START_MS, 60)).toHaveLength(due ? 2 : 1);
  });
});

test('a time series expires as a naive model has it', () => {
  const anyTime = fc.oneof(
    fc.integer({ min: START_MS - 5 * 3600_000, max: START_MS + 3600_000 }),
    fc.integer({ min: 0, max: LAST_STANDARD_MS }),
  );
  const anyOne = fc.tuple(anyMeasurement, anyTime).map(([document, ms]) => ({ ...document, t: new Date(ms) }));
  fc.assert(
    fc.property(
      fc.constantFrom(BY_SECONDS, CUSTOM),
      fc.array(anyOne, { maxLength: 25 }),
      fc.integer({ min: 0, max: 7200 }),
      fc.integer({ min: 0, max: 3600_000 }),
      (options, documents, expireAfterSeconds, laterMs) => {
        const packer = new Packer(options);
        packer.insert(documents);
        const wallMs = START_MS + laterMs;
        const limitMs = wallMs - (expireAfterSeconds + options.bucketMaxSpanSeconds) * 1000;
        const due = seen(packer).filter(({ startMs }) => startMs <= limitMs);
        expect(found(packer, wallMs, expireAfterSeconds).sort()).toEqual(due.map(({ id }) => id).sort());
        for (const { times } of due) {
          for (const time of times) expect(time + expireAfterSeconds * 1000).toBeLessThanOrEqual(wallMs);
        }
      },
    ),
  );
});

test('in the extended range nothing goes of which any measurement is still to be kept', () => {
  const anyTime = fc.integer({ min: Date.UTC(1902, 0, 1), max: Date.UTC(2100, 0, 1) });
  const anyOne = fc.tuple(anyMeasurement, anyTime).map(([document, ms]) => ({ ...document, t: new Date(ms) }));
  fc.assert(
    fc.property(fc.array(anyOne, { maxLength: 12 }), fc.integer({ min: 0, max: 7200 }), (documents, seconds) => {
      const packer = new Packer();
      // Makes it one in any case.
      packer.insert([{ t: new Date(Date.UTC(2050, 0, 1)), m: 'late' }, ...documents]);
      const gone = new Set(found(packer, START_MS, seconds));
      for (const { id, startMs, times } of seen(packer)) {
        const expired = Math.max(...times) + seconds * 1000 <= START_MS;
        if (gone.has(id)) expect(expired).toBe(true);
        // Before 1970 the span is not waited for.
        else if (startMs < 0) expect(expired).toBe(false);
      }
    }),
  );
});
