import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { digestQuantiles, discreteQuantiles } from '../../src/expressions/percentiles.ts';
import { compileExpression } from '../../src/index.ts';
import { doc, show, val } from '../bson.ts';
import { computed, shown } from './computed.ts';

const dec = (text: string) => Decimal128.fromString(text);
const approximate = 'approximate';

/** A number instead of a value is an error's. */
function table(rows: readonly (readonly [expression: object, expected: unknown])[]): void {
  test.for(rows.map(([expression, expected]) => [expression, expected, shown(expression)] as const))('$2', ([expression, expected]) => {
    expect(computed(expression)).toBe(typeof expected === 'number' ? expected : shown(expected));
  }); // biome-ignore format: one line
}

describe('$sigmoid', () =>
  table([
    [{ $sigmoid: 0 }, new Double(0.5)],
    [{ $sigmoid: new Long(0) }, new Double(0.5)],
    [{ $sigmoid: new Double(100) }, new Double(1)],
    [{ $sigmoid: dec('0') }, dec('0.5')],
    [{ $sigmoid: null }, null],
    [{ $sigmoid: '$nothing' }, null],
    [{ $sigmoid: { $add: [1, -1] } }, new Double(0.5)],
    [{ $sigmoid: 'x' }, 14],
    // It takes its argument as it stands: brackets make an array of it.
    [{ $sigmoid: [0] }, 14],
  ]));

// The numbers of upstream's own tests: hasher_test.cpp, expression_to_hashed_index_key_test.cpp.
test.for<[value: unknown, hash: string]>([
  [new Int32(42), '-944302157085130861'],
  ['hashThisStringLiteral', '-5776344739422278694'],
  [new Double(Number.NaN), '4854801880128277513'],
  [new Double(1.987), '5902408780260971510'],
  [new Double(-1.789), '1140205862565771219'],
  [new Double(-(2 ** 31)), '6165898260261354870'],
  [new Double(Number.MAX_VALUE), '921523596458303250'],
  [new Double(-Number.MAX_VALUE), '4532067210535695462'],
  [new MinKey(), '7961148599568647290'],
  [new MaxKey(), '5504842513779440750'],
  ['abc', '8478485326885698097'],
  ['', '2049396243249673340'],
  [{ a: 'abc', b: Long.fromNumber(123) }, '4771603801758380216'],
  [{}, '7980500913326740417'],
  [['bar', 'baz', 'qux'], '-2938911267422831539'],
  [[], '8849948234993459283'],
  [new Binary(Uint8Array.of(0, 1, 2, 3, 4, 6)), '7252465090394235301'],
  [new Binary(Uint8Array.of(0, 1, 2, 3, 4, 6), 128), '5736670452907618262'],
  [new ObjectId('010203040506070809101112'), '-5588663249627035708'],
  [true, '6405873908747105701'],
  [new Date(0), '-1178696894582842035'],
  [new BSONRegExp('.*', 'i'), '7095855029187981886'],
  [new Code('func f() { return 1; }'), '6861638109178014270'],
  [new Code('func f() { return 1; }', { c: true }), '501342939894575968'],
])('$toHashedIndexKey of %j is %s', ([value, hash]) => {
  expect(computed({ $toHashedIndexKey: { $literal: value } })).toBe(shown(Long.fromString(hash)));
});

describe('what a hashed index takes for the same', () => {
  const hash = (value: unknown) => computed({ $toHashedIndexKey: { $literal: value } });
  test.for<[a: unknown, b: unknown]>([
    [new Int32(42), new Double(42.9)],
    [new Int32(42), Long.fromNumber(42)],
    [new Int32(42), dec('42')],
    [new Double(Number.NaN), new Int32(0)],
    [new Double(Number.POSITIVE_INFINITY), Long.MAX_VALUE],
    [new Double(2 ** 63), Long.MIN_VALUE],
    [dec('-Infinity'), Long.MIN_VALUE],
    [
      { a: 1.5, b: [2] },
      { a: 1, b: [Long.fromNumber(2)] },
    ],
  ])('%j and %j', ([a, b]) => expect(hash(a)).toBe(hash(b)));

  test('missing is null, and everything else is something else', () => {
    expect(computed({ $toHashedIndexKey: '$nothing' })).toBe(hash(null));
    const all = [null, false, true, 0, 1, '', 'a', {}, [], { a: 1 }, { b: 1 }, [1], { a: { b: 1 } }, new MinKey(), new MaxKey(), new ObjectId('00'.repeat(12)), new Date(0), /a/]; // biome-ignore format: one line
    expect(new Set(all.map(hash)).size).toBe(all.length);
  });
});

const median = (input: unknown) => ({ $median: { input, method: approximate } });
const percentile = (input: unknown, p: unknown) => ({ $percentile: { input, p, method: approximate } });
const doubles = (...values: number[]) => values.map((value) => new Double(value));

describe('$median and $percentile', () =>
  table([
    // The manual's examples.
    [median([62, 81, 80]), new Double(80)],
    [median([60, 83, 79]), new Double(79)],
    [percentile([62, 81, 80], [0.5, 0.95]), doubles(80, 81)],
    [median([1, 2, 3, 4]), new Double(2)],
    [median(7), new Double(7)],
    [median(dec('1.5')), new Double(1.5)],
    [median([Long.MAX_VALUE]), new Double(2 ** 63)],
    [median([]), null],
    [median('x'), null],
    [median('$nothing'), null],
    [median(['x', null, 5, [9]]), new Double(5)],
    [median([Number.NaN, 5]), new Double(5)],
    [percentile([], [0.1, 0.9]), [null, null]],
    [percentile([3, 1, 2], [0, 0.34, 1]), doubles(1, 2, 3)],
    [percentile([1, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY], [0, 0.5, 1]), doubles(-Infinity, 1, Infinity)],
    [{ $let: { vars: { a: [3, 1, 2] }, in: median('$$a') } }, new Double(2)],
    [percentile([1], 0.5), 7750301],
    [percentile([1], ['x']), 7750302],
    [percentile([1], [2]), 7750303],
  ]));

describe('a digest', () => {
  const ints = (count: number) => Array.from({ length: count }, (_, i) => val((i * 7919) % count));
  const ps = [0, 0.001, 0.25, 0.5, 0.9, 0.999, 1];

  test('is exact up to a thousand numbers', () => {
    expect(digestQuantiles(ints(1000), ps)).toEqual(discreteQuantiles(ints(1000), ps));
  });

  test('is near enough beyond, and exact at its ends', () => {
    const found = digestQuantiles(ints(20_011), ps)!;
    discreteQuantiles(ints(20_011), ps)!.forEach((exact, i) => {
      expect(Math.abs(found[i]! - exact)).toBeLessThan(i === 0 || i === 6 ? 1e-9 : 20);
    });
  });

  test('of numbers below zero has the greatest of these at its end', () => {
    expect(digestQuantiles([val(-3), val(-5)], [0, 1])).toEqual([-5, -3]);
  });
});

const match = (idx: number, text: string, ...captures: unknown[]) => ({ match: text, idx, captures });

describe('regular expressions', () =>
  table([
    [{ $regexMatch: { input: 'line 1', regex: /LINE/i } }, true],
    [{ $regexMatch: { input: 'line 1', regex: 'LINE', options: 'i' } }, true],
    [{ $regexMatch: { input: null, regex: 'x' } }, false],
    [{ $regexMatch: { input: 'x', regex: '$nothing' } }, false],
    [{ $regexFind: { input: 'fünf 5', regex: '(\\d)(x)?' } }, match(5, '5', '5', null)],
    [{ $regexFind: { input: 'x', regex: 'y' } }, null],
    [{ $regexFindAll: { input: '𝄞a𝄞', regex: '𝄞' } }, [match(0, '𝄞'), match(2, '𝄞')]],
    [{ $regexFindAll: { input: '', regex: '' } }, [match(0, '')]],
    [{ $regexFindAll: { input: 'bb', regex: '()' } }, [match(0, '', ''), match(1, '', '')]],
    [{ $regexFindAll: { input: 'ab', regex: 'b|$' } }, [match(1, 'b')]],
    [{ $regexFindAll: { input: 'ab', regex: /$/ } }, [match(2, '')]],
    [{ $regexFindAll: { input: '$nothing', regex: 'x' } }, []],
    [{ $map: { input: ['ab', 'cb'], in: { $regexMatch: { input: '$$this', regex: '^a' } } } }, [true, false]],
    [{ $regexMatch: { input: 5, regex: 'x' } }, 51104],
    [{ $regexMatch: { input: 'x', regex: 5 } }, 51105],
    [{ $regexMatch: { input: 'x', regex: 'x', options: 5 } }, 51106],
    [{ $regexMatch: { input: 'x', regex: /x/i, options: 'i' } }, 51107],
    [{ $regexMatch: { input: 'x', regex: 'x', options: 'z' } }, 51108],
    [{ $regexMatch: { input: 'x', regex: 'a\0b' } }, 51109],
    [{ $regexMatch: { input: 'x', regex: 'x', options: 'i\0' } }, 51110],
    [{ $regexMatch: { input: 'x', regex: '(' } }, 51111],
    // A pattern that is wrong is refused before there is an input.
    [{ $cond: [true, 1, { $regexMatch: { input: '$nothing', regex: '(' } }] }, 51111],
  ]));

test('$rand draws for each document from the chance it is given, and from none elsewhere', () => {
  const draws = [0.25, 0.75];
  const variables = Object.assign(new Map(), { random: () => draws.shift() ?? 0 });
  const expression = compileExpression(val({ $rand: {} }), variables);
  expect([1, 2].map(() => show(expression(doc({}))!))).toEqual([shown(new Double(0.25)), shown(new Double(0.75))]);
  expect(computed({ $rand: {} })).toBe(3040500);
});
