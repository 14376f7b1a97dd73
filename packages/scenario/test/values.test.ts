import { Random } from '@replsim/kernel';
import { encodeDocument } from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FillError, type Filling, plus } from '../src/file/placeholder.ts';
import type { ScenarioError } from '../src/file/scenarioError.ts';
import { showDocument } from '../src/file/show.ts';
import { Source } from '../src/file/source.ts';
import { readTemplate } from '../src/reading/values.ts';

const NOW = Date.UTC(2025, 0, 1);

function filling(more: Partial<Filling> = {}): Filling {
  return { nowMs: NOW, random: Random.fromSeed(1).split('scenario'), lets: new Map(), ...more };
}

test('a date may be any int64 of milliseconds', () => {
  const bytes = bytesOf('{ $date: { $numberLong: "9223372036854775807" } }');
  expect(bytes[4]).toBe(0x09);
  expect(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(7, true)).toBe(2n ** 63n - 1n);
});

/** The bytes that `{ v: <yaml> }` stands for. */
function bytesOf(yaml: string, more: Partial<Filling> = {}): Uint8Array {
  const mistakes: ScenarioError[] = [];
  const source = new Source(`{ v: ${yaml} }`, 'value.yaml', mistakes, { what: 'scenario', needs: 'steps:' });
  const scope = { lets: new Set(more.lets?.keys() ?? []), i: more.i !== undefined };
  const bytes = readTemplate(source, source.root, scope).bytes(filling(more));
  expect(mistakes.map(({ message }) => message)).toEqual([]);
  return bytes;
}

const bson = (v: unknown) => encodeDocument({ v });

test.for<[string, unknown]>([
  ['1', new Int32(1)],
  ['-2147483648', new Int32(-2147483648)],
  ['2147483648', Long.fromString('2147483648')],
  ['9007199254740993', Long.fromString('9007199254740993')],
  ['-9223372036854775808', Long.MIN_VALUE],
  ['9223372036854775808', new Double(2 ** 63)],
  ['0x10', new Int32(16)],
  ['1.0', new Double(1)],
  ['1e3', new Double(1000)],
  ['-0.0', new Double(-0)],
  ['.inf', new Double(Number.POSITIVE_INFINITY)],
  ['.nan', new Double(Number.NaN)],
  ['true', true],
  ['yes', 'yes'],
  ['null', null],
  ['~', null],
  ['', null],
  ['"1"', '1'],
  ['2025-01-01', '2025-01-01'],
  ['{ $oid: 0123456789abcdef01234567 }', new ObjectId('0123456789abcdef01234567')],
  ['{ $date: "2025-01-01T00:00:00Z" }', new Date(NOW)],
  ['{ $date: 2025-01-01T01:00:00.5+01:00 }', new Date(NOW + 500)],
  ['{ $date: { $numberLong: "1735689600000" } }', new Date(NOW)],
  ['{ $date: 1735689600000 }', new Date(NOW)],
  ['{ $date: { $numberLong: "-1" } }', new Date(-1)],
  ['{ $numberInt: "5" }', new Int32(5)],
  ['{ $numberLong: "5" }', Long.fromNumber(5)],
  ['{ $numberLong: "9223372036854775807" }', Long.MAX_VALUE],
  ['{ $numberDouble: "5" }', new Double(5)],
  ['{ $numberDouble: "-Infinity" }', new Double(Number.NEGATIVE_INFINITY)],
  ['{ $numberDouble: NaN }', new Double(Number.NaN)],
  ['{ $numberDecimal: "5.00" }', Decimal128.fromString('5.00')],
  ['{ $binary: { base64: AQID, subType: "05" } }', new Binary(new Uint8Array([1, 2, 3]), 5)],
  [
    '{ $uuid: c8edabc3-f738-4ca3-b68d-ab92a91478a3 }',
    Binary.createFromHexString('c8edabc3f7384ca3b68dab92a91478a3', 4),
  ],
  ['{ $timestamp: { t: 4294967295, i: 1 } }', new Timestamp({ t: 4294967295, i: 1 })],
  ['{ $regularExpression: { pattern: ^a, options: mi } }', new BSONRegExp('^a', 'im')],
  ['{ $code: "f()" }', new Code('f()')],
  ['{ $minKey: 1 }', new MinKey()],
  ['{ $maxKey: 1 }', new MaxKey()],
  ['{ $regex: ^a, $options: i }', { $regex: '^a', $options: 'i' }],
  ['{ $gt: 5 }', { $gt: 5 }],
  ['"$5.00"', '$5.00'],
  ['"$a.b"', '$a.b'],
  ['$$NOW', '$$NOW'],
  ['[1, [2], { a: 3 }]', [1, [2], { a: 3 }]],
  ['{ pipeline: [{ $group: { _id: $status } }] }', { pipeline: [{ $group: { _id: '$status' } }] }],
  ['{ $expr: { $gt: [$a, $b] } }', { $expr: { $gt: ['$a', '$b'] } }],
  ['{ u: [{ $set: { a: $b } }] }', { u: [{ $set: { a: '$b' } }] }],
])('%s', ([yaml, value]) => {
  expect(showDocument(bytesOf(yaml))).toBe(showDocument(bson(value)));
  expect(bytesOf(yaml)).toEqual(bson(value));
});

test('keys keep their order, whatever they look like', () => {
  expect(showDocument(bytesOf('{ b: 1, 2: 1, "1": 1, __proto__: 1, 1.0: 1 }'))).toBe(
    '{v: {b: 1, "2": 1, "1": 1, __proto__: 1, "1.0": 1}}',
  );
});

test('canonical Extended JSON reads back as the bytes it came from', () => {
  const scalar = fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).map((n) => new Int32(n)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => Long.fromBigInt(n)),
    fc.double().map((n) => new Double(n)),
    fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('$')),
    fc.boolean(),
    fc.constant(null),
    fc.date({ noInvalidDate: true, min: new Date(-62135596800000), max: new Date(253402300799999) }),
    fc.uint8Array({ maxLength: 20 }).map((data) => new Binary(data, 0)),
  );
  const key = fc.string({ minLength: 1, maxLength: 5 }).filter((text) => !text.startsWith('$') && !text.includes('\0'));
  // A Map, since integer-like keys would change their places in an object.
  const entries = fc.uniqueArray(fc.tuple(key, scalar), { selector: ([name]) => name, maxLength: 5 });
  fc.assert(
    fc.property(entries, (pairs) => {
      const members = pairs.map(
        ([name, v]) => `${JSON.stringify(name)}: ${EJSON.stringify(v as object, { relaxed: false })}`,
      );
      expect(bytesOf(`{ ${members.join(', ')} }`)).toEqual(bson(new Map(pairs)));
    }),
  );
});

test.for<[string, Partial<Filling>, unknown]>([
  ['$now', {}, new Date(NOW)],
  ['{ $now: -90s }', {}, new Date(NOW - 90_000)],
  ['{ $now: 1h30m }', {}, new Date(NOW + 5_400_000)],
  ['{ $now: { minus: 1h, times: $i } }', { i: 3 }, new Date(NOW - 3 * 3_600_000)],
  ['{ $now: { plus: 250ms } }', {}, new Date(NOW + 250)],
  ['{ $now: { minus: 1s, times: $n } }', { lets: new Map([['n', Long.fromNumber(2)]]) }, new Date(NOW - 2000)],
  [
    '{ _id: $i, "7": $i }',
    { i: 7 },
    new Map([
      ['_id', 7],
      ['7', 7],
    ]),
  ],
  ['$x', { lets: new Map([['x', Long.fromNumber(5)]]) }, Long.fromNumber(5)],
  ['[$x, { y: $x }]', { lets: new Map([['x', 'text']]) }, ['text', { y: 'text' }]],
  ['{ $plus: [$x, 1] }', { lets: new Map([['x', Long.fromNumber(5)]]) }, Long.fromNumber(6)],
  ['{ $plus: [$x, 1, 1] }', { lets: new Map([['x', new Int32(2147483647)]]) }, Long.fromString('2147483649')],
])('%s is filled in', ([yaml, more, value]) => {
  expect(showDocument(bytesOf(yaml, more))).toBe(showDocument(bson(value)));
});

test('$plus keeps the widest type', () => {
  expect(plus(1, 2)).toBe(3);
  expect(plus(new Int32(1), new Double(0.5))).toEqual(new Double(1.5));
  expect(plus(Long.fromNumber(1), 2)).toBe(3n);
  expect(plus(new Date(5), 7)).toEqual(new Date(12));
  expect(plus(7, new Timestamp({ t: 1, i: 2 }))).toEqual(new Timestamp({ t: 1, i: 9 }));
  expect(() => plus('a', 1)).toThrow(FillError);
  expect(() => plus(new Date(5), new Date(5))).toThrow(FillError);
});

test('$rand draws from the stream it is given, and in bounds', () => {
  const random = Random.fromSeed(7).split('scenario');
  const drawn = Array.from({ length: 100 }, () => showDocument(bytesOf('{ $rand: [1, 6] }', { random })));
  expect(new Set(drawn)).toEqual(new Set([1, 2, 3, 4, 5, 6].map((n) => `{v: ${n}}`)));
  const again = Random.fromSeed(7).split('scenario');
  expect(drawn.map(() => showDocument(bytesOf('{ $rand: [1, 6] }', { random: again })))).toEqual(drawn);
  expect(bytesOf('$rand')).toEqual(bson(new Double(Random.fromSeed(1).split('scenario').float())));
});
