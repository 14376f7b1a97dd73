import { Decimal128, Double, Int32, Long, Timestamp } from 'bson';
import { describe } from 'vitest';
import { computes, error, MISSING } from './computing.ts';

const long = Long.fromNumber;
const decimal = Decimal128.fromString;
const a = [long(1), new Double(2), decimal('3.0'), new Timestamp({ t: 1, i: 1 }), null];

describe('elements', () => {
  computes([
    [{ $arrayElemAt: ['$a', 0] }, { a }, long(1)],
    [{ $arrayElemAt: ['$a', -3] }, { a }, decimal('3.0')],
    [{ $arrayElemAt: ['$a', new Double(1)] }, { a }, new Double(2)],
    [{ $arrayElemAt: ['$a', 9] }, { a }, MISSING],
    [{ $arrayElemAt: ['$a', -9] }, { a }, MISSING],
    [{ $arrayElemAt: ['$b', 0] }, { a }, null],
    [{ $arrayElemAt: [5, null] }, { a }, null],
    [{ $arrayElemAt: ['$a', 0] }, { a: 5 }, error(28689)],
    [{ $arrayElemAt: ['$a', 'x'] }, { a }, error(28690)],
    [{ $arrayElemAt: ['$a', 1.5] }, { a }, error(28691)],
    [{ $arrayElemAt: ['$a', Long.MAX_VALUE] }, { a }, error(28691)],
    [{ $first: '$a' }, { a }, long(1)],
    [{ $last: '$a' }, { a }, null],
    [{ $first: '$a' }, { a: [] }, MISSING],
    [{ $last: '$a' }, {}, null],
    [{ $first: '$a' }, { a: 5 }, error(28689)],
    [{ $firstN: { input: '$a', n: 2 } }, { a }, [long(1), new Double(2)]],
    [{ $lastN: { input: '$a', n: long(2) } }, { a }, [new Timestamp({ t: 1, i: 1 }), null]],
    [{ $maxN: { input: '$a', n: 9 } }, { a: [long(1), null, 'x', 2] }, ['x', 2, long(1)]],
    [{ $minN: { input: '$a', n: decimal('2') } }, { a: [long(2), new Double(1), null] }, [new Double(1), long(2)]],
    [{ $firstN: { input: '$a', n: 'x' } }, { a }, error(5787902)],
    [{ $firstN: { input: '$a', n: 1.5 } }, { a }, error(5787903)],
    [{ $firstN: { input: '$a', n: 0 } }, { a }, error(5787908)],
    [{ $firstN: { input: '$b', n: 1 } }, { a }, error(5788200)],
    [{ $firstN: { input: '$a' } }, { a }, error(5787906)],
    [{ $firstN: { n: 1 } }, { a }, error(5787907)],
    [{ $firstN: 5 }, { a }, error(5787801)],
    [{ $minN: 5 }, { a }, error(5787900)],
    [{ $max: '$a' }, { a: [long(2), new Double(2), null, 1] }, long(2)],
    [{ $min: ['$a', 3, '$nothing'] }, { a: decimal('2') }, decimal('2')],
    [{ $max: ['$a', 1] }, { a: [0] }, [0]],
    [{ $min: '$nothing' }, {}, null],
    [{ $isArray: '$a' }, { a }, true],
    [{ $isArray: '$b' }, { a }, false],
  ]);
});

describe('whole arrays', () => {
  computes([
    [{ $concatArrays: ['$a', [5]] }, { a: [long(1)] }, [long(1), 5]],
    [{ $concatArrays: [] }, {}, []],
    [{ $concatArrays: ['$a', '$b'] }, { a: [1] }, null],
    [{ $concatArrays: ['$b', 5] }, {}, null],
    [{ $concatArrays: [5, '$b'] }, {}, error(28664)],
    [{ $reverseArray: '$a' }, { a }, [...a].reverse()],
    [{ $reverseArray: '$a' }, {}, null],
    [{ $reverseArray: '$a' }, { a: 'x' }, error(34435)],
    [{ $slice: ['$a', 2] }, { a }, a.slice(0, 2)],
    [{ $slice: ['$a', -2] }, { a }, a.slice(-2)],
    [{ $slice: ['$a', -9] }, { a }, a],
    [{ $slice: ['$a', 0] }, { a }, []],
    [{ $slice: ['$a', 1, 2] }, { a }, a.slice(1, 3)],
    [{ $slice: ['$a', -2, 9] }, { a }, a.slice(-2)],
    [{ $slice: ['$a', -9, 1] }, { a }, [long(1)]],
    [{ $slice: ['$a', 9, 1] }, { a }, []],
    [{ $slice: ['$a', null] }, { a }, null],
    [{ $slice: ['$a', 1, null] }, { a }, null],
    [{ $slice: ['$a', 1] }, { a: 5 }, error(28724)],
    [{ $slice: ['$a', 'x'] }, { a }, error(28725)],
    [{ $slice: ['$a', 1.5] }, { a }, error(28726)],
    [{ $slice: ['$a', 1, 'x'] }, { a }, error(28727)],
    [{ $slice: ['$a', 1, 1.5] }, { a }, error(28728)],
    [{ $slice: ['$a', 1, 0] }, { a }, error(28729)],
    [{ $range: [0, 3] }, {}, [0, 1, 2].map((i) => new Int32(i))],
    [{ $range: [long(5), new Double(0), -2] }, {}, [5, 3, 1]],
    [{ $range: [0, 3, -1] }, {}, []],
    [{ $range: [0, 5, decimal('2')] }, {}, [0, 2, 4]],
    [{ $range: ['x', 1] }, {}, error(34443)],
    [{ $range: [0.5, 1] }, {}, error(34444)],
    [{ $range: [0, null] }, {}, error(34445)],
    [{ $range: [0, 1.5] }, {}, error(34446)],
    [{ $range: [0, 1, 'x'] }, {}, error(34447)],
    [{ $range: [0, 1, 0.5] }, {}, error(34448)],
    [{ $range: [0, 1, 0] }, {}, error(34449)],
    [{ $range: [0, 1, '$nothing'] }, {}, error(34447)],
    [{ $range: [0, 2 ** 31 - 1] }, {}, error(146)],
    [{ $zip: { inputs: ['$a', ['x']] } }, { a: [long(1), 2] }, [[long(1), 'x']]],
    [{ $zip: { inputs: ['$a', ['x']], useLongestLength: true } }, { a: [long(1), 2] }, [[long(1), 'x'], [2, null]]], // biome-ignore format: one line
    [{ $zip: { inputs: [[], ['x']], useLongestLength: true, defaults: ['$d', 0] } }, { d: long(7) }, [[long(7), 'x']]],
    [{ $zip: { inputs: ['$a', [1]] } }, {}, null],
    [{ $zip: { inputs: ['$a', 5] } }, {}, null],
    [{ $zip: { inputs: [[1], 5] } }, {}, error(34468)],
    [{ $zip: [] }, {}, error(34460)],
    [{ $zip: { inputs: '$a' } }, {}, error(34461)],
    [{ $zip: { inputs: [[1]], defaults: 5 } }, {}, error(34462)],
    [{ $zip: { inputs: [[1]], useLongestLength: 1 } }, {}, error(34463)],
    [{ $zip: { inputs: [[1]], nope: 1 } }, {}, error(34464)],
    [{ $zip: { inputs: [] } }, {}, error(34465)],
    [{ $zip: { inputs: [[1]], defaults: [1] } }, {}, error(34466)],
    [{ $zip: { inputs: [[1]], defaults: [1, 2], useLongestLength: true } }, {}, error(34467)],
  ]);
});

describe('values looked for', () => {
  computes([
    [{ $in: [1, '$a'] }, { a }, true],
    [{ $in: [3, '$a'] }, { a }, true],
    [{ $in: ['$nothing', '$a'] }, { a }, false],
    [{ $in: [null, '$a'] }, { a }, true],
    [{ $in: [{ x: 1 }, '$a'] }, { a: [{ x: long(1) }] }, true],
    [{ $in: [1, '$nothing'] }, { a }, error(40081)],
    [{ $indexOfArray: ['$a', 3] }, { a }, 2],
    [{ $indexOfArray: ['$a', 'x'] }, { a }, -1],
    [{ $indexOfArray: ['$a', 1, 1] }, { a: [1, 2, long(1)] }, 2],
    [{ $indexOfArray: ['$a', 1, 1, 2] }, { a: [1, 2, 1] }, -1],
    [{ $indexOfArray: ['$a', 1, 9, 1] }, { a: [1, 2, 1] }, -1],
    [{ $indexOfArray: ['$nothing', 1] }, {}, null],
    [{ $indexOfArray: ['$a', 1] }, { a: 5 }, error(40090)],
    [{ $indexOfArray: ['$a', 1, 0.5] }, { a }, error(40096)],
    [{ $indexOfArray: ['$a', 1, -1] }, { a }, error(40097)],
  ]);
  computes(
    [
      [{ $in: ['X', '$a'] }, { a: ['x'] }, true],
      [{ $indexOfArray: ['$a', 'X'] }, { a: [1, 'x'] }, 1],
      [{ $min: '$a' }, { a: ['b', 'C', 'a', 'A'] }, 'a'],
      [{ $maxN: { input: '$a', n: 1 } }, { a: ['b', 'C', 'a'] }, ['C']],
      [{ $sortArray: { input: '$a', sortBy: 1 } }, { a: ['b', 'C', 'a'] }, ['a', 'b', 'C']],
      [{ $setUnion: ['$a', ['X']] }, { a: ['x'] }, ['x']],
      [{ $setDifference: ['$a', ['X']] }, { a: ['x', 'y', 'Y'] }, ['y']],
      [{ $setEquals: ['$a', ['X']] }, { a: ['x'] }, true],
    ],
    true,
  );
});

describe('$sortArray', () => {
  computes([
    [{ $sortArray: { input: '$a', sortBy: 1 } }, { a: ['x', long(2), new Double(1), null] }, [null, new Double(1), long(2), 'x']], // biome-ignore format: one line
    [{ $sortArray: { input: '$a', sortBy: new Double(-1) } }, { a: [1, long(2)] }, [long(2), 1]],
    [{ $sortArray: { input: '$a', sortBy: { 'x.y': -1, z: 1 } } }, { a: [{ z: 2 }, 5, { x: { y: 1 } }, { z: 1 }] }, [{ x: { y: 1 } }, 5, { z: 1 }, { z: 2 }]], // biome-ignore format: one line
    [{ $sortArray: { input: '$nothing', sortBy: 1 } }, {}, null],
    [{ $sortArray: { input: 5, sortBy: 1 } }, {}, error(2942504)],
    [{ $sortArray: 5 }, {}, error(2942500)],
    [{ $sortArray: { input: [], sortBy: 1, x: 1 } }, {}, error(2942501)],
    [{ $sortArray: { sortBy: 1 } }, {}, error(2942502)],
    [{ $sortArray: { input: [] } }, {}, error(2942503)],
    [{ $sortArray: { input: [], sortBy: {} } }, {}, error(2942505)],
    [{ $sortArray: { input: [], sortBy: { 'a..b': 1 } } }, {}, error(2942505)],
    [{ $sortArray: { input: [], sortBy: 2 } }, {}, error(2942506)],
    [{ $sortArray: { input: [], sortBy: '$x' } }, {}, error(2942507)],
  ]);
});

describe('sets', () => {
  computes([
    [{ $setUnion: ['$a', [3, 1, 2]] }, { a: [long(1), 3] }, [long(1), 2, 3]],
    [{ $setUnion: [] }, {}, []],
    [{ $setUnion: ['$a', null] }, { a: [1] }, null],
    [{ $setUnion: [5, null] }, {}, error(17043)],
    [{ $setIntersection: ['$a', [3, 2]] }, { a: [long(2), 1, 3] }, [2, 3]],
    [{ $setIntersection: ['$a', [3, 2, 2]] }, { a: [long(2), long(3)] }, [long(2), long(3)]],
    [{ $setIntersection: [] }, {}, []],
    [{ $setIntersection: [[], '$a'] }, {}, null],
    [{ $setIntersection: [[], 5] }, {}, error(17047)],
    [{ $setDifference: ['$a', [2]] }, { a: [3, long(2), long(3), 1] }, [3, 1]],
    [{ $setDifference: ['$nothing', 5] }, {}, null],
    [{ $setDifference: [5, []] }, {}, error(17048)],
    [{ $setDifference: [[], 5] }, {}, error(17049)],
    [{ $setEquals: ['$a', [2, 1, 1]] }, { a: [long(1), 2] }, true],
    [{ $setEquals: ['$a', [1], [1, 2]] }, { a: [1] }, false],
    [{ $setEquals: ['$a', [1]] }, {}, error(17044)],
    [{ $setEquals: [[1]] }, {}, error(17045)],
    [{ $setIsSubset: ['$a', [1, 2]] }, { a: [long(2), 2] }, true],
    [{ $setIsSubset: ['$a', [1]] }, { a: [2] }, false],
    [{ $setIsSubset: ['$a', [1]] }, {}, error(17046)],
    [{ $setIsSubset: [[1], '$a'] }, {}, error(17042)],
    [{ $allElementsTrue: '$a' }, { a: [1, 'x', []] }, true],
    [{ $allElementsTrue: '$a' }, { a: [1, null] }, false],
    [{ $allElementsTrue: '$a' }, {}, error(17040)],
    [{ $anyElementTrue: '$a' }, { a: [0, false, long(1)] }, true],
    [{ $anyElementTrue: '$a' }, { a: [] }, false],
    [{ $anyElementTrue: '$a' }, { a: 5 }, error(17041)],
    [{ $ifNull: ['$a'] }, {}, error(1257300)],
  ]);
});
