import { refused, works } from './row.ts';

const orders = [
  { _id: 1, who: 'a', cost: 5, at: new Date('2026-01-01') },
  { _id: 2, who: 'b', cost: 7, at: new Date('2026-01-02') },
  { _id: 3, who: 'a', cost: 9, at: new Date('2026-01-04') },
];

export const aggregation = [
  works(
    '`$match`, `$project`, `$set`, `$unset`, `$sort`, `$skip`, `$limit`, `$count`, `$replaceWith`, `$redact`, `$sample`',
    async ({ things }) => {
      await things.insertMany(orders);
      const pipelines = [
        [{ $match: { who: 'a' } }, { $set: { twice: { $multiply: ['$cost', 2] } } }, { $unset: ['at', 'who'] }],
        [{ $sort: { cost: -1 } }, { $skip: 1 }, { $limit: 1 }, { $project: { _id: 0, cost: 1 } }],
        [{ $sample: { size: 2 } }, { $count: 'drawn' }],
        [{ $match: { _id: 2 } }, { $replaceWith: { was: '$cost' } }],
        [{ $redact: { $cond: [{ $gt: ['$cost', 8] }, '$$KEEP', '$$PRUNE'] } }, { $project: { cost: 1 } }],
      ];
      return Promise.all(pipelines.map((pipeline) => things.aggregate(pipeline).toArray()));
    },
    [
      [
        { _id: 1, cost: 5, twice: 10 },
        { _id: 3, cost: 9, twice: 18 },
      ],
      [{ cost: 7 }],
      [{ drawn: 2 }],
      [{ was: 7 }],
      [{ _id: 3, cost: 9 }],
    ],
  ),
  works(
    '`$group`, `$bucket`, `$bucketAuto`, `$sortByCount`, `$facet`',
    async ({ things }) => {
      await things.insertMany(orders);
      const facets = await things
        .aggregate([
          {
            $facet: {
              sums: [
                { $group: { _id: '$who', sum: { $sum: '$cost' }, all: { $push: '$_id' } } },
                { $sort: { _id: 1 } },
              ],
              counts: [{ $sortByCount: '$who' }],
              cheap: [{ $bucket: { groupBy: '$cost', boundaries: [0, 6, 10] } }],
              halves: [{ $bucketAuto: { groupBy: '$cost', buckets: 2 } }],
            },
          },
        ])
        .next();
      return [facets?.sums, facets?.counts, facets?.cheap, facets?.halves];
    },
    [
      [
        { _id: 'a', sum: 14, all: [1, 3] },
        { _id: 'b', sum: 7, all: [2] },
      ],
      [
        { _id: 'a', count: 2 },
        { _id: 'b', count: 1 },
      ],
      [
        { _id: 0, count: 1 },
        { _id: 6, count: 2 },
      ],
      [
        { _id: { min: 5, max: 9 }, count: 2 },
        { _id: { min: 9, max: 9 }, count: 1 },
      ],
    ],
  ),
  works(
    '`$lookup` (by field, by pipeline), `$graphLookup`, `$unionWith`, `$unwind`',
    async ({ things, db }) => {
      await things.insertMany(orders);
      await db.collection<{ _id: string }>('people').insertMany([{ _id: 'a' }, { _id: 'b' }]);
      const joined = db.collection('people').aggregate([
        {
          $lookup: {
            from: things.collectionName,
            localField: '_id',
            foreignField: 'who',
            as: 'orders',
            pipeline: [{ $match: { cost: { $gt: 5 } } }],
          },
        },
        { $unwind: '$orders' },
        { $sort: { _id: 1 } },
        { $project: { cost: '$orders.cost' } },
      ]);
      const walked = things.aggregate([
        { $match: { _id: 1 } },
        { $unionWith: { coll: things.collectionName, pipeline: [{ $match: { _id: 2 } }] } },
        {
          $graphLookup: {
            from: things.collectionName,
            startWith: '$who',
            connectFromField: 'who',
            connectToField: 'who',
            as: 'all',
          },
        },
        { $project: { _id: 0, all: { $size: '$all' } } },
      ]);
      return [await joined.toArray(), await walked.toArray()];
    },
    [
      [
        { _id: 'a', cost: 9 },
        { _id: 'b', cost: 7 },
      ],
      [{ all: 2 }, { all: 1 }],
    ],
  ),
  works(
    '`$setWindowFields`, `$densify`, `$fill`',
    async ({ things }) => {
      await things.insertMany(orders);
      const days = things.aggregate([
        { $densify: { field: 'at', range: { step: 1, unit: 'day', bounds: 'full' } } },
        {
          $setWindowFields: {
            sortBy: { at: 1 },
            output: { sofar: { $sum: '$cost', window: { documents: ['unbounded', 'current'] } } },
          },
        },
        { $fill: { sortBy: { at: 1 }, output: { who: { method: 'locf' } } } },
        { $project: { _id: 0, sofar: 1, who: 1 } },
      ]);
      return days.toArray();
    },
    [
      { sofar: 5, who: 'a' },
      { sofar: 12, who: 'b' },
      { sofar: 12, who: 'b' },
      { sofar: 21, who: 'a' },
    ],
  ),
  works(
    '`$merge` and `$out`',
    async ({ things, db }) => {
      await things.insertMany(orders);
      await things.aggregate([{ $group: { _id: '$who', n: { $sum: 1 } } }, { $merge: { into: 'sums' } }]).toArray();
      await things.aggregate([{ $match: { who: 'b' } }, { $out: 'theirs' }]).toArray();
      return [await db.collection('sums').countDocuments(), await db.collection('theirs').countDocuments()];
    },
    [2, 1],
  ),
  works(
    '`$documents`, `$collStats`, `$indexStats`, `$planCacheStats`, `$currentOp`, `$listSessions`',
    async ({ things, db, admin, client }) => {
      await things.insertOne({ _id: 1 });
      const of = (pipeline: object[]) => things.aggregate(pipeline).toArray();
      const [stats] = await of([{ $collStats: { count: {} } }]);
      const [index] = await of([{ $indexStats: {} }]);
      const sessions = client
        .db('config')
        .collection('system.sessions')
        .aggregate([{ $listSessions: { allUsers: true } }]);
      return [
        await db.aggregate([{ $documents: [{ a: 1 }] }]).toArray(),
        stats?.count,
        index?.name,
        await of([{ $planCacheStats: {} }]),
        await admin.aggregate([{ $currentOp: {} }, { $match: { 'command.aggregate': 1 } }, { $count: 'n' }]).toArray(),
        await sessions.toArray(),
      ];
    },
    [[{ a: 1 }], 1, '_id_', [], [{ n: 1 }], []],
  ),
  works(
    'expressions for dates, strings, arrays, sets, objects, numbers, types',
    async ({ things }) => {
      await things.insertOne({ _id: 1, at: new Date('2026-03-04T05:06:07Z'), words: 'one two', list: [3, 1, 2] });
      const say = things.aggregate([
        {
          $project: {
            _id: 0,
            day: { $dateToString: { date: '$at', format: '%d.%m.%Y' } },
            words: { $size: { $split: ['$words', ' '] } },
            most: {
              $reduce: {
                input: { $map: { input: '$list', in: { $pow: ['$$this', 2] } } },
                initialValue: 0,
                in: { $max: ['$$value', '$$this'] },
              },
            },
            sorted: { $sortArray: { input: '$list', sortBy: 1 } },
            number: { $convert: { input: '12', to: 'int' } },
          },
        },
      ]);
      return say.next();
    },
    { day: '04.03.2026', words: 2, most: 9, sorted: [1, 2, 3], number: 12 },
  ),
  refused('`$function`', 115, 'CommandNotSupported', /runs JavaScript/, ({ things }) =>
    things
      .aggregate([{ $project: { x: { $function: { body: 'function() { return 1 }', args: [], lang: 'js' } } } }])
      .toArray(),
  ),
  refused('`$accumulator`', 115, 'CommandNotSupported', /runs JavaScript/, ({ things }) =>
    things
      .aggregate([
        {
          $group: {
            _id: 1,
            x: { $accumulator: { init: '', accumulate: '', accumulateArgs: [], merge: '', lang: 'js' } },
          },
        },
      ])
      .toArray(),
  ),
  refused('`mapReduce`', 115, 'CommandNotSupported', /use an aggregation/, ({ db }) =>
    db.command({ mapReduce: 'things', map: '', reduce: '', out: { inline: 1 } }),
  ),
  refused(
    '`$search`, `$searchMeta`, `$vectorSearch`',
    31082,
    'SearchNotEnabled',
    /has no search/,
    ({ things }) =>
      [{ $search: { text: { query: 'x', path: 'y' } } }, { $searchMeta: {} }, { $vectorSearch: {} }].map((stage) =>
        things.aggregate([stage]).toArray(),
      ),
    'as from a mongod without Atlas',
  ),
];
