import { aggregate, computed, fields, nested, type Row, times } from './row.ts';

const range = (count: number) => ({ $range: [0, count] });

/** Expressions that go through the elements or the letters of one document. */
export const EXPRESSIONS: readonly Row[] = [
  {
    name: '$map in $map, 15 million steps',
    ...computed('array', {
      $size: { $map: { input: range(3000), in: { $size: { $map: { input: range(5000), in: '$$this' } } } } },
    }),
  },
  {
    name: '$map in $map, 15 million steps, maxTimeMS 100',
    fixtures: ['array'],
    commands: () => ({
      aggregate: 'array',
      maxTimeMS: 100,
      cursor: {},
      pipeline: [
        {
          $project: {
            v: { $map: { input: range(3000), in: { $size: { $map: { input: range(5000), in: '$$this' } } } } },
          },
        },
      ],
    }),
  },
  {
    name: '$map of 1,000,000',
    ...computed('array', { $size: { $map: { input: range(1_000_000), in: { $add: ['$$this', 1] } } } }),
  },
  {
    name: '$filter of 1,000,000',
    ...computed('array', { $size: { $filter: { input: range(1_000_000), cond: { $gt: ['$$this', 5] } } } }),
  },
  {
    name: '$reduce of 1,000,000',
    ...computed('array', {
      $reduce: { input: range(1_000_000), initialValue: 0, in: { $add: ['$$value', '$$this'] } },
    }),
  },
  { name: '$range of 5 million', ...computed('array', { $size: range(5_000_000) }) },
  {
    name: '$reduce with $concatArrays, 5,000',
    ...computed('array', {
      $size: { $reduce: { input: range(5000), initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } },
    }),
  },
  {
    name: '$reduce with $concatArrays, 20,000',
    ...computed('array', {
      $size: { $reduce: { input: range(20_000), initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } },
    }),
  },
  {
    name: '$reduce with $concat, 20,000',
    ...computed('strings', {
      $strLenBytes: { $reduce: { input: '$a', initialValue: '', in: { $concat: ['$$value', '$$this'] } } },
    }),
  },
  {
    name: '$reduce with $mergeObjects, 5,000',
    ...computed('array', {
      $reduce: {
        input: range(5000),
        initialValue: {},
        in: { $mergeObjects: ['$$value', { $arrayToObject: [[{ k: { $toString: '$$this' }, v: 1 }]] }] },
      },
    }),
  },
  {
    name: '$reduce with $setUnion, 3,000',
    ...computed('array', {
      $size: { $reduce: { input: range(3000), initialValue: [], in: { $setUnion: ['$$value', ['$$this']] } } },
    }),
  },
  {
    name: '$sortArray of 100,000 objects',
    ...computed('objects', { $size: { $sortArray: { input: '$a', sortBy: { k: 1 } } } }),
  },
  { name: '$setUnion of 100,000', ...computed('array', { $size: { $setUnion: ['$a', '$a'] } }) },
  { name: '$setIntersection of 100,000', ...computed('array', { $size: { $setIntersection: ['$a', '$a'] } }) },
  { name: '$setDifference of 100,000', ...computed('array', { $size: { $setDifference: ['$a', range(50_000)] } }) },
  { name: '$setIsSubset of 100,000', ...computed('array', { $setIsSubset: ['$a', '$a'] }) },
  { name: '$zip of 20 × 100,000', ...computed('array', { $size: { $zip: { inputs: times(20, () => '$a') } } }) },
  { name: '$concatArrays of 20 × 100,000', ...computed('array', { $size: { $concatArrays: times(20, () => '$a') } }) },
  {
    name: '$reverseArray, 20 times',
    ...computed('array', { $size: nested<unknown>(20, '$a', (inner) => ({ $reverseArray: inner })) }),
  },
  {
    name: '$in, 1,000 times in 100,000',
    ...computed('array', {
      $size: { $filter: { input: range(1000), cond: { $in: [{ $add: ['$$this', 1_000_000] }, '$a'] } } },
    }),
  },
  {
    name: '$indexOfArray, 1,000 times in 100,000',
    ...computed('array', { $sum: { $map: { input: range(1000), in: { $indexOfArray: ['$a', -5] } } } }),
  },
  {
    name: '$arrayElemAt, 10,000 times in 100,000',
    ...computed('array', { $sum: { $map: { input: range(10_000), in: { $arrayElemAt: ['$a', '$$this'] } } } }),
  },
  {
    name: '$arrayToObject and back, 100,000',
    ...computed('objects', {
      $size: {
        $objectToArray: { $arrayToObject: { $map: { input: '$a', in: { k: { $toString: '$$this.k' }, v: 1 } } } },
      },
    }),
  },
  {
    name: '$setField, 2,000 times',
    ...computed(
      'array',
      nested<unknown>(70, {}, (inner) => ({ $setField: { field: 'x', input: inner, value: '$a' } })),
    ),
  },
  { name: '$maxN of 100,000', ...computed('array', { $size: { $maxN: { input: '$a', n: 50_000 } } }) },
  {
    name: '$percentile of 100,000',
    ...computed('array', { $percentile: { input: '$a', p: [0.5], method: 'approximate' } }),
  },
  { name: '$sum and $stdDevPop of 100,000', ...computed('array', { $add: [{ $sum: '$a' }, { $stdDevPop: '$a' }] }) },
  { name: 'a path through 100,000 objects', ...computed('objects', { $size: '$a.k' }) },
  { name: '$regexFindAll in 2 MB', ...computed('text', { $size: { $regexFindAll: { input: '$s', regex: 'a' } } }) },
  {
    name: '$regexMatch that backtracks, 30,000 letters',
    ...computed('letters', { $regexMatch: { input: '$s', regex: 'a*a*a*b' } }),
  },
  { name: '$split of 2 MB', ...computed('text', { $size: { $split: ['$s', ' '] } }) },
  {
    name: '$replaceAll in 2 MB',
    ...computed('text', { $strLenBytes: { $replaceAll: { input: '$s', find: 'a', replacement: 'bb' } } }),
  },
  {
    name: '$toUpper, $trim and $strLenCP of 2 MB',
    ...computed('text', { $strLenCP: { $toUpper: { $trim: { input: '$s' } } } }),
  },
  {
    name: '$substrCP, 1,000 times in 2 MB',
    ...computed('text', { $size: { $map: { input: range(1000), in: { $substrCP: ['$s', 600_000, 5] } } } }),
  },
  {
    name: '$indexOfCP, 1,000 times in 2 MB',
    ...computed('text', { $sum: { $map: { input: range(1000), in: { $indexOfCP: ['$s', 'zzz'] } } } }),
  },
  { name: '$concat doubled to 8 MB', ...computed('text', { $strLenBytes: { $concat: ['$s', '$s', '$s', '$s'] } }) },
  {
    name: '$switch of 5,000 branches over 1,000',
    ...aggregate(
      'few',
      {
        $project: {
          // biome-ignore lint/suspicious/noThenProperty: MongoDB's name
          v: { $switch: { branches: times(5000, (i) => ({ case: { $eq: ['$k', -i - 1] }, then: i })), default: 0 } },
        },
      },
      { $count: 'n' },
    ),
  },
  {
    name: '$dateToString of 20,000, with a time zone',
    ...aggregate(
      'many',
      { $project: { v: { $dateToString: { date: '$t', timezone: 'Europe/Berlin' } } } },
      { $count: 'n' },
    ),
  },
  {
    name: '$pow of decimals, 1,000 documents',
    ...aggregate(
      'few',
      { $project: { v: { $pow: [{ $toDecimal: '1.0000001' }, { $add: ['$k', 0.5] }] } } },
      { $count: 'n' },
    ),
  },
  {
    name: 'an object of 20,000 computed fields',
    ...computed(
      'array',
      fields(20_000, (i) => [`f${i}`, { $add: [i, 1] }]),
    ),
  },
];
