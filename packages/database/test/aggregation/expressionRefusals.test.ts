import { expressionRules } from '@replsim/query';
import { Decimal128, Long, ObjectId, Timestamp } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', {
    _id: 1,
    s: 'text',
    n: 5,
    a: [1, 'x', null],
    o: { k: 1 },
    d: new Date(0),
    l: Long.MAX_VALUE,
    l0: Long.ZERO,
  });
});

const compute = (expression: unknown) =>
  member.run({ aggregate: 'c', pipeline: [{ $replaceWith: { v: expression } }], cursor: {} });

test.for<[expression: object, code: number, phrase: string]>([
  [{ $abs: 'x' }, 28765, '$abs'],
  [{ $abs: [1, 2] }, 16020, 'takes exactly 1 arguments'],
  [{ $divide: [1] }, 16020, 'takes exactly 2 arguments'],
  [{ $divide: [1, 0] }, 2, 'by zero'],
  [{ $mod: ['x', 1] }, 16611, '$mod'],
  [{ $add: ['$n', '$s'] }, 14, '$add'],
  [{ $round: [1, 2, 3] }, 28667, 'at least 1 arguments, and at most 2'],
  [{ $round: '$s' }, 51081, '$round'],
  [{ $pow: ['$s', 2] }, 28762, '$pow'],
  [{ $concat: ['$s', '$n'] }, 16702, '$concat'],
  [{ $strLenCP: '$n' }, 34471, '$strLenCP'],
  [{ $strLenBytes: '$n' }, 34473, '$strLenBytes'],
  [{ $split: ['$n', ','] }, 40085, '$split'],
  [{ $trim: '$s' }, 50696, 'only supports an object as its argument'],
  [{ $trim: {} }, 50695, "Missing 'input'"],
  [{ $trim: { input: '$s', nope: 1 } }, 50694, 'nope'],
  [{ $trim: { input: '$n' } }, 50699, '$trim'],
  [{ $regexMatch: { input: '$s' } }, 31023, "Missing 'regex'"],
  [{ $replaceOne: { input: '$s', find: 'x', replacement: 1 } }, 51744, 'replacement'],
  [{ $filter: [] }, 28646, 'only supports an object'],
  [{ $filter: { input: '$a' } }, 28650, "Missing 'cond'"],
  [{ $filter: { input: '$n', cond: true } }, 28651, '$filter'],
  [{ $map: { input: '$a' } }, 16882, "Missing 'in'"],
  [{ $map: { input: '$n', in: 1 } }, 16883, '$map'],
  [{ $reduce: { input: '$a', in: 1 } }, 40078, 'initialValue'],
  [{ $reduce: { input: '$n', initialValue: 0, in: 1 } }, 40080, '$reduce'],
  [{ $arrayElemAt: ['$n', 0] }, 28689, '$arrayElemAt'],
  [{ $arrayElemAt: ['$a', 'x'] }, 28690, '$arrayElemAt'],
  [{ $arrayToObject: '$n' }, 40386, '$arrayToObject'],
  [{ $objectToArray: '$n' }, 40390, '$objectToArray'],
  [{ $mergeObjects: ['$o', '$n'] }, 40400, '$mergeObjects'],
  [{ $concatArrays: ['$a', '$n'] }, 28664, '$concatArrays'],
  [{ $in: [1, '$n'] }, 40081, '$in'],
  [{ $reverseArray: '$n' }, 34435, '$reverseArray'],
  [{ $range: ['$s', 1] }, 34443, '$range'],
  [{ $slice: ['$n', 1] }, 28724, '$slice'],
  [{ $zip: { inputs: ['$n'] } }, 34468, '$zip'],
  [{ $setUnion: ['$a', '$n'] }, 17043, '$setUnion'],
  [{ $setIsSubset: ['$n', '$a'] }, 17046, '$setIsSubset'],
  [{ $cond: [1, 2] }, 16020, 'takes exactly 3 arguments'],
  // biome-ignore lint/suspicious/noThenProperty: MongoDB's name for it
  [{ $cond: { if: 1, then: 2 } }, 17082, "Missing 'else'"],
  [{ $switch: { branches: [] } }, 40068, 'at least one branch'],
  [{ $switch: { branches: [{ case: true }] } }, 40065, 'then'],
  [{ $let: { vars: {} } }, 16877, "Missing 'in'"],
  [{ $let: { vars: 5, in: 1 } }, 10065, '$let'],
  [{ $let: { vars: { X: 1 }, in: 1 } }, 9, "'X' starts with an invalid character"],
  [{ $let: { vars: { _x: 1 }, in: 1 } }, 9, "'_x' starts with an invalid character"],
  [{ $let: { vars: { '': 1 }, in: 1 } }, 9, 'empty variable names'],
  [{ $let: { vars: { 'a-b': 1 }, in: 1 } }, 9, "'a-b' contains an invalid character"],
  [{ $map: { input: '$a', as: 'X', in: 1 } }, 9, "'X' starts"],
  [{ $map: { input: '$a', as: 5, in: 1 } }, 9, 'empty'],
  [{ $filter: { input: '$a', as: '1', cond: true } }, 9, "'1' starts"],
  [{ $year: '$s' }, 16006, '$year'],
  [{ $dateToString: { format: '%Y' } }, 18628, "Missing 'date'"],
  [{ $dateAdd: { startDate: '$d', unit: 'day' } }, 5166402, "Missing 'amount'"],
  [{ $dateTrunc: { date: '$d' } }, 5439010, "Missing 'unit'"],
  [{ $convert: { input: 1 } }, 9, "Missing 'to'"],
  [{ $convert: { input: '$n', to: 'foo' } }, 2, 'Unknown type name: foo'],
  [{ $convert: { input: null, to: 'foo', onNull: 0 } }, 2, 'Unknown type name: foo'],
  [{ $convert: { input: '$n', to: { $concat: ['f', 'oo'] }, onError: 0 } }, 2, 'Unknown type name: foo'],
  [{ $convert: { input: '$n', to: 99, onError: 0 } }, 9, "numeric value for 'to'"],
  [{ $convert: { input: '$s', to: 'int' } }, 241, '$convert'],
  [{ $toInt: 'x' }, 241, "Failed to parse number 'x' in $convert"],
  [{ $toInt: [1, 2] }, 50723, '$toInt takes exactly 1 arguments'],
  [{ $sortArray: { input: '$n', sortBy: 1 } }, 2942504, '$sortArray'],
  [{ $regexMatch: { input: { $arrayElemAt: [['x'], 0.5] }, regex: 'x' } }, 28691, '$arrayElemAt'],
  [{ $regexMatch: { input: { $first: { $zip: { inputs: [] } } }, regex: 'x' } }, 34465, '$zip'],
  [{ $sin: { $toInt: 'x' } }, 241, "Failed to parse number 'x'"],
  [{ $sin: { $toObjectId: 5 } }, 241, 'from int to objectId'],
  [{ $nope: 1 }, 168, '$nope'],
  [{ $cond: [true, 1, { $nope: 1 }] }, 168, '$nope'],
  [{ $abs: 1, $ceil: 1 }, 15983, 'one field'],
  [{ $ifNull: [{ $abs: { $concat: ['$s', { $ceil: '$s' }] } }, 1] }, 28765, '$ceil'],
  [{ $map: { input: '$a', in: '$$nope' } }, 17276, 'Use of undefined variable'],
])('%j is refused with %i', ([expression, code, phrase]) => {
  const reply = compute(expression);
  expect(reply).toMatchObject({ ok: 0, code });
  expect(reply.errmsg).toContain(phrase);
});

test.for<[expression: object, expected: unknown]>([
  [{ $convert: { input: '12', to: 'int' } }, 12],
  [{ $convert: { input: '12', to: 16 } }, 12],
  [{ $convert: { input: '$s', to: 'int', onError: 'none' } }, 'none'],
  [{ $convert: { input: '$missing', to: 'int', onNull: 'none' } }, 'none'],
  [{ $convert: { input: 1, to: 'maxKey', onError: 'none' } }, 'none'],
  [{ $const: '$n' }, '$n'],
  [{ $abs: { $const: -1 } }, 1],
  [{ $map: { input: [1], in: { $const: { $nope: 1 } } } }, [{ $nope: 1 }]],
])('%j gives %j', ([expression, expected]) => {
  expect(compute(expression)).toMatchObject({ ok: 1, cursor: { firstBatch: [{ v: expected }] } });
});

test.for<[expression: object, value: unknown]>([
  [{ $year: '$nothing' }, null],
  [{ $let: { vars: { aB_1: 1, éÉ: 2 }, in: { $add: ['$$aB_1', '$$éÉ'] } } }, 3],
  [{ $year: ['$d'] }, 1970],
  [{ $hour: { date: '$d', timezone: '+02:00' } }, 2],
  [{ $month: { date: '$nothing' } }, null],
  [{ $mergeObjects: [null, '$nothing', { x: 1 }] }, { x: 1 }],
  [{ $sin: { $binarySize: { $toString: { $toObjectId: '$nothing' } } } }, null],
  [{ $cos: { $toInt: { $toString: { $literal: 0 } } } }, 1],
  [{ $ifNull: [{ $mergeObjects: [[{ a: 1 }, { b: 2 }]] }, 1] }, { a: 1, b: 2 }],
  // Inside of a search, too.
  [{ $regexMatch: { input: { $toUpper: 'é' }, regex: '^é$' } }, true],
  [{ $regexMatch: { input: { $trim: { input: '\0x' } }, regex: '^x$' } }, true],
  [{ $regexMatch: { input: { $first: { $sortArray: { input: ['b', 'a'], sortBy: -1 } } }, regex: 'b' } }, true],
])('%j is no mistake', ([expression, value]) => {
  expect(compute(expression).cursor.firstBatch).toEqual([{ v: value }]);
});

const nonsense: readonly unknown[] = [
  null,
  5,
  -1,
  1e300,
  Number.NaN,
  'x',
  '',
  '$s',
  '$nothing.at.all',
  '$$ROOT',
  true,
  [],
  {},
  [[]],
  [null, null],
  ['$s', '$n'],
  ['$a', '$o', '$d'],
  [1, 2, 3, 4, 5, 6],
  [{}, []],
  { input: 5 },
  { input: '$a', in: { $abs: '$$this' }, cond: 5, as: 7, n: -1, sortBy: 5, initialValue: null },
  { input: '$s', regex: '(', options: 'zzz', find: 5, replacement: null, chars: 3 },
  { date: 'x', unit: 5, timezone: 'Nowhere/At_All', format: 7, binSize: -1, startDate: '$d', endDate: {}, amount: 'x' },
  // biome-ignore lint/suspicious/noThenProperty: MongoDB's name for it
  { branches: [{ case: true, then: { $abs: 'x' } }], default: '$nope' },
  { branches: 5 },
  { vars: 5, in: '$$x' },
  // biome-ignore lint/suspicious/noThenProperty: MongoDB's name for it
  { if: 1, then: { $size: 1 }, else: 2 },
  { inputs: '$a', useLongestLength: 'x', defaults: 5 },
  { field: 5, input: 7, value: '$a' },
  { input: '$s', to: { type: 99 }, onError: { $abs: 'x' } },
  { input: 'x', p: [2], method: 5 },
  /x/,
  new Date(Number.NaN),
  new ObjectId('0'.repeat(24)),
  new Timestamp({ t: 1, i: 1 }),
  Long.MIN_VALUE,
  Decimal128.fromString('NaN'),
  JSON.parse('{"__proto__": {"x": 1}, "constructor": 5}'),
];
/** Words of JavaScript's errors, and of the libraries'. */
const foreign =
  /TypeError|RangeError|undefined(?! variable)|is not a function|is not iterable|Cannot read|Cannot convert (undefined|a BigInt|object)|Cannot mix|not defined|Invalid (time|array|count)|BigInt|BSON(?! type| field)|\[object/;

/** Only as many arguments as the operator takes reach what computes it. */
const arities = [1, 2, 3];

describe('whatever an operator is given, the answer is its value or an error of MongoDB', () => {
  test.for(Object.keys(expressionRules))('%s', (name) => {
    for (const argument of nonsense) {
      const shapes = name === '$rand' ? [argument] : [argument, ...arities.map((count) => Array(count).fill(argument))];
      for (const shape of shapes) {
        const reply = compute({ [name]: shape });
        if (reply.ok === 1) continue;
        expect(reply.code).toBeGreaterThan(0);
        expect(reply.codeName).toMatch(/\w/);
        expect(reply.errmsg).not.toMatch(foreign);
      }
    }
  });
});
