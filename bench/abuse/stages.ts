import { MANY } from './fixtures.ts';
import { aggregate, fields, nested, type Row, times } from './row.ts';

const count = { $count: 'n' };

/** Every stage with what costs it most. */
export const STAGES: readonly Row[] = [
  {
    name: '$match of 20,000 alternatives, 20,000 documents',
    ...aggregate('many', { $match: { $or: times(MANY, (i) => ({ k: i })) } }, count),
  },
  {
    name: '$match of $in with 100,000 values',
    ...aggregate('many', { $match: { k: { $in: times(100_000, (i) => i) } } }, count),
  },
  {
    name: '$match with an $expr',
    ...aggregate('many', { $match: { $expr: { $gt: [{ $strLenCP: '$s' }, 100] } } }, count),
  },
  { name: '$sort of 20,000 by a string and a number', ...aggregate('many', { $sort: { s: -1, k: 1 } }, count) },
  {
    name: '$sort of 20,000 with a collation',
    fixtures: ['many'],
    commands: () => ({
      aggregate: 'many',
      pipeline: [{ $sort: { s: -1 } }, count],
      cursor: {},
      collation: { locale: 'de', numericOrdering: true },
    }),
  },
  {
    name: '$group by each of 20,000',
    ...aggregate('many', { $group: { _id: '$s', all: { $push: '$$ROOT' } } }, count),
  },
  {
    name: '$group of all with $addToSet',
    ...aggregate('many', { $group: { _id: null, all: { $addToSet: '$s' } } }, { $project: { n: { $size: '$all' } } }),
  },
  {
    name: '$group of all with 50 accumulators',
    ...aggregate('many', {
      $group: { _id: null, ...fields(50, (i) => [`f${i}`, { $stdDevPop: { $multiply: ['$k', i] } }]) },
    }),
  },
  {
    name: '$group with $topN and $percentile',
    ...aggregate(
      'many',
      {
        $group: {
          _id: null,
          t: { $topN: { n: 10_000, sortBy: { s: 1 }, output: '$k' } },
          p: { $percentile: { input: '$k', p: [0.5, 0.99], method: 'approximate' } },
        },
      },
      count,
    ),
  },
  {
    name: '$group with $mergeObjects of 20,000 fields',
    ...aggregate(
      'many',
      { $group: { _id: null, all: { $mergeObjects: { $arrayToObject: [[{ k: '$s', v: '$k' }]] } } } },
      count,
    ),
  },
  {
    name: '$bucket of 10,000 boundaries',
    ...aggregate(
      'many',
      { $bucket: { groupBy: '$k', boundaries: times(10_000, (i) => 2 * i), default: 'other' } },
      count,
    ),
  },
  {
    name: '$bucketAuto of 10,000 buckets',
    ...aggregate('many', { $bucketAuto: { groupBy: '$s', buckets: 10_000 } }, count),
  },
  { name: '$sortByCount of 20,000', ...aggregate('many', { $sortByCount: '$s' }, count) },
  {
    name: '$facet of 50 branches',
    ...aggregate('many', { $facet: fields(50, (i) => [`b${i}`, [{ $match: { g: i } }, count]]) }),
  },
  { name: '$unwind of 100,000', ...aggregate('array', { $unwind: '$a' }, count) },
  { name: '$unwind and $group of 100,000', ...aggregate('array', { $unwind: '$a' }, { $group: { _id: '$a' } }, count) },
  {
    name: '$lookup by fields, 20,000 × 20,000',
    ...aggregate('many', { $lookup: { from: 'many', localField: 'g', foreignField: 'k', as: 'o' } }, count),
  },
  {
    name: '$lookup by $expr $eq, 20,000 × 20,000',
    ...aggregate(
      'many',
      {
        $lookup: { from: 'many', let: { g: '$g' }, pipeline: [{ $match: { $expr: { $eq: ['$k', '$$g'] } } }], as: 'o' },
      },
      count,
    ),
  },
  {
    name: '$lookup with an open pipeline, 100 × 20,000',
    ...aggregate(
      'few',
      { $limit: 100 },
      {
        $lookup: {
          from: 'many',
          let: { k: '$k' },
          pipeline: [{ $match: { $expr: { $lt: ['$k', '$$k'] } } }, count],
          as: 'o',
        },
      },
      count,
    ),
  },
  {
    name: '$graphLookup of a chain of 1,000',
    ...aggregate(
      'few',
      { $match: { _id: 999 } },
      {
        $graphLookup: {
          from: 'few',
          startWith: '$parent',
          connectFromField: 'parent',
          connectToField: 'k',
          as: 'chain',
        },
      },
      { $project: { n: { $size: '$chain' } } },
    ),
  },
  { name: '$unionWith, 20 times 20,000', ...aggregate('many', ...times(20, () => ({ $unionWith: 'many' })), count) },
  { name: '$sample of 20,000', ...aggregate('many', { $sample: { size: MANY } }, count) },
  {
    name: '$project of 1,000 computed fields',
    ...aggregate('few', { $project: fields(1000, (i) => [`f${i}`, { $add: ['$k', i] }]) }, count),
  },
  {
    name: '$set stage of 20,000 fields',
    ...aggregate('few', { $limit: 1 }, { $set: fields(20_000, (i) => [`f${i}`, i]) }, count),
  },
  { name: '$unset stage of 20,000 fields', ...aggregate('wide', { $unset: times(20_000, (i) => `f${i}`) }, count) },
  {
    name: '$replaceRoot of 20,000',
    ...aggregate('many', { $replaceRoot: { newRoot: { $mergeObjects: ['$$ROOT', { x: 1 }] } } }, count),
  },
  {
    name: '$redact of 20,000',
    ...aggregate('many', { $redact: { $cond: [{ $eq: ['$g', 7] }, '$$PRUNE', '$$DESCEND'] } }, count),
  },
  {
    name: '$densify of 200,000',
    ...aggregate('few', { $densify: { field: 'k', range: { step: 0.005, bounds: 'full' } } }, count),
  },
  {
    name: '$fill of 20,000',
    ...aggregate(
      'many',
      { $fill: { sortBy: { k: 1 }, output: { x: { method: 'locf' }, y: { method: 'linear' } } } },
      count,
    ),
  },
  {
    name: '$documents of 100,000',
    onAdmin: true,
    commands: () => ({ aggregate: 1, pipeline: [{ $documents: times(100_000, (i) => ({ i })) }, count], cursor: {} }),
  },
  { name: '500 stages over 1,000', ...aggregate('few', ...times(500, (i) => ({ $set: { [`f${i % 5}`]: i } })), count) },
  {
    name: 'an expression nested 150 deep over 20,000',
    ...aggregate('many', { $project: { v: nested<unknown>(75, '$k', (inner) => ({ $add: [inner, 1] })) } }, count),
  },
];

const window = (output: object, ...bounds: readonly (number | string)[]) =>
  aggregate(
    'many',
    {
      $setWindowFields: {
        sortBy: { k: 1 },
        output: { v: { ...output, ...(bounds.length > 0 && { window: { documents: bounds } }) } },
      },
    },
    count,
  );

/** Window functions over 20,000 documents, each with the window that costs most. */
export const WINDOWS: readonly Row[] = [
  { name: 'window $sum, all before', ...window({ $sum: '$k' }, 'unbounded', 'current') },
  { name: 'window $avg, 10,000 each way', ...window({ $avg: '$k' }, -10_000, 10_000) },
  { name: 'window $max, 10,000 each way', ...window({ $max: '$s' }, -10_000, 10_000) },
  { name: 'window $stdDevPop, all before', ...window({ $stdDevPop: '$k' }, 'unbounded', 'current') },
  { name: 'window $push, 100 each way', ...window({ $push: '$k' }, -100, 100) },
  { name: 'window $addToSet, 100 each way', ...window({ $addToSet: '$g' }, -100, 100) },
  { name: 'window $topN, 500 each way', ...window({ $topN: { n: 3, sortBy: { s: 1 }, output: '$k' } }, -500, 500) },
  { name: 'window $median, 250 each way', ...window({ $median: { input: '$k', method: 'approximate' } }, -250, 250) },
  {
    name: 'window $median, all before',
    ...window({ $median: { input: '$k', method: 'approximate' } }, 'unbounded', 'current'),
  },
  {
    name: 'window $percentile, 10,000 each way',
    ...window({ $percentile: { input: '$g', p: [0.1, 0.9], method: 'approximate' } }, -10_000, 10_000),
  },
  { name: 'window $covariancePop, all before', ...window({ $covariancePop: ['$k', '$g'] }, 'unbounded', 'current') },
  { name: 'window $covarianceSamp, 10,000 each way', ...window({ $covarianceSamp: ['$k', '$g'] }, -10_000, 10_000) },
  { name: 'window $integral, all before', ...window({ $integral: { input: '$g' } }, 'unbounded', 'current') },
  { name: 'window $derivative, 10,000 each way', ...window({ $derivative: { input: '$g' } }, -10_000, 10_000) },
  { name: 'window $expMovingAvg', ...window({ $expMovingAvg: { input: '$k', N: 10_000 } }) },
  { name: 'window $rank', ...window({ $rank: {} }) },
  { name: 'window $shift by 10,000', ...window({ $shift: { output: '$k', by: -10_000, default: 0 } }) },
  { name: 'window $linearFill', ...window({ $linearFill: '$missing' }) },
  {
    name: 'window $firstN of 100, all before',
    ...window({ $firstN: { input: '$k', n: 100 } }, 'unbounded', 'current'),
  },
  {
    name: 'window by a range',
    ...aggregate(
      'many',
      { $setWindowFields: { sortBy: { k: 1 }, output: { v: { $sum: '$g', window: { range: [-10_000, 10_000] } } } } },
      count,
    ),
  },
  {
    name: 'window, 20,000 partitions',
    ...aggregate(
      'many',
      { $setWindowFields: { partitionBy: '$s', sortBy: { k: 1 }, output: { v: { $sum: '$k' } } } },
      count,
    ),
  },
];
