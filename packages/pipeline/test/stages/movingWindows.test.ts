import { BsonType, type BsonValue, BsonWriter, ElementCursor, encodeDocument, readDouble } from '@replsim/protocol';
import { Meter } from '@replsim/query';
import { Decimal128, Double, Int32, Long } from 'bson';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileAccumulator } from '../../src/stages/accumulators.ts';
import { movingFunction } from '../../src/stages/movingWindows.ts';
import type { Window } from '../../src/stages/windowBounds.ts';
import { atOnce } from '../../src/stages/work.ts';

// What goes in and out of a moving window leaves what the accumulator makes of the window by itself.

const world = { filterVariables: new Map(), collator: undefined, meter: new Meter() };

const V = bsonOf({ v: '$v' });

function moved(name: string, argument: BsonValue, window: Window, partition: readonly Uint8Array[]) {
  return atOnce(movingFunction(name, argument, window, world as never)!(partition));
}

function bsonOf(document: object): BsonValue {
  const cursor = new ElementCursor(encodeDocument(document as Record<string, unknown>));
  cursor.next();
  return cursor.value();
}

// Halves add up without rounding, so that both ways must agree to the bit.
const value = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }).map((n) => new Int32(n)),
  fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }).map((n) => Long.fromBigInt(n)),
  fc.integer({ min: -1000, max: 1000 }).map((n) => new Double(n / 2)),
  fc.integer({ min: -1000, max: 1000 }).map((n) => Decimal128.fromString(String(n))),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY).map((n) => new Double(n)),
  fc.constantFrom('NaN', 'Infinity', '-Infinity').map((text) => Decimal128.fromString(text)),
  fc.constantFrom(null, 'a', 'b', new Date(5), true),
);
const row = fc.oneof({ weight: 5, arbitrary: value.map((v) => ({ v })) }, { weight: 1, arbitrary: fc.constant({}) });
const bound = fc.integer({ min: -6, max: 6 });

const several = { input: '$v', n: 3 };
const sorted = { sortBy: { v: 1 }, output: '$place' };
const quantiles = { input: '$v', p: [0, 0.3, 0.9, 1], method: 'approximate' };
const ARGUMENTS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    ['$sum', '$avg', '$min', '$max', '$first', '$last', '$push', '$addToSet'].map((name) => [name, '$v']),
  ),
  $count: {},
  ...{ $firstN: several, $lastN: several, $minN: several, $maxN: several },
  ...{ $median: { input: '$v', method: 'approximate' }, $percentile: quantiles },
  ...{ $top: sorted, $bottom: sorted, $topN: { ...sorted, n: 2 }, $bottomN: { ...sorted, n: 2 } },
};

test.for(Object.entries(ARGUMENTS))('%s', ([name, argument]) => {
  const spec = bsonOf({ v: { [name]: argument } });
  const whole = compileAccumulator('v', spec, world as never);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 25 }), bound, bound, (rows, a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const window = (all: readonly Uint8Array[], index: number) => {
        const start = Math.min(Math.max(index + from, 0), all.length);
        return [start, Math.max(start, Math.min(index + to + 1, all.length))] as const;
      };
      const partition = rows.map((each, place) => encodeDocument({ ...each, place }));
      const moving = moved(name, bsonOf({ argument }), window, partition);
      const anew = partition.map((_, index) => atOnce(whole(partition.slice(...window(partition, index)))));
      expect(moving.map(shown)).toEqual(anew.map(shown));
    }),
  );
});

/** To the bit, with its type; which bits a NaN has says nothing. */
function shown({ type, bytes, offset, size }: BsonValue): string {
  if (type === BsonType.double && Number.isNaN(readDouble(bytes, offset))) return 'NaN';
  return `${type} ${Buffer.from(bytes.subarray(offset, offset + size)).toString('hex')}`;
}

test('a window that has moved on keeps nothing of a number that was too large for the others', () => {
  const partition = [1e300, 1, 2, 3].map((v) => encodeDocument({ v }));
  const window = (_: readonly Uint8Array[], index: number) => [Math.max(0, index - 1), index + 1] as const;
  const sums = moved('$sum', V, window, partition);
  expect(sums.slice(2).map(shown)).toEqual([3, 5].map((sum) => shown(bsonOf({ v: new Int32(sum) }))));
});

test.for(['$stdDevPop', '$stdDevSamp'])('%s, but for what is rounded', (name) => {
  const whole = compileAccumulator('v', bsonOf({ v: { [name]: '$v' } }), world as never);
  fc.assert(
    fc.property(fc.array(row, { maxLength: 25 }), bound, (rows, from) => {
      const window = (all: readonly Uint8Array[], index: number) =>
        [Math.max(0, Math.min(index + from, index)), Math.min(index + 1, all.length)] as const;
      const partition = rows.map((each) => encodeDocument(each));
      const moving = moved(name, V, window, partition);
      for (const [index, found] of moving.entries()) {
        const anew = atOnce(whole(partition.slice(...window(partition, index))));
        expect(found.type).toBe(anew.type);
        if (anew.type !== BsonType.double) continue;
        const [a, b] = [found, anew].map(({ bytes, offset }) => readDouble(bytes, offset)) as [number, number];
        if (!Number.isNaN(b) || !Number.isNaN(a)) expect(Math.abs(a - b)).toBeLessThanOrEqual(1e-3 + b * 1e-9);
      }
    }),
  );
});

test.for(Object.entries({ ...ARGUMENTS, $stdDevPop: '$v' }).filter(([name]) => name !== '$push'))(
  '%s looks at each document once, however long windows are',
  ([name, argument]) => {
    const writer = new BsonWriter();
    writer.int32('v', 1);
    const document = writer.finish();
    const partition = Array.from({ length: 20_000 }, () => document);
    const window = (_: readonly Uint8Array[], index: number) => [0, index + 1] as const;
    world.meter.take();
    moved(name, bsonOf({ argument }), window, partition);
    // Two rounds of one step a document, where each window anew would be 200,000,000.
    expect(world.meter.take()).toBeLessThan(3 * partition.length);
  },
);
