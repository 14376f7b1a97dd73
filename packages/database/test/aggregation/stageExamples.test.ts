import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { Decimal128, Double, EJSON, Long } from 'bson';
import { beforeEach, describe, expect, test } from 'vitest';
import { FakeMember, Running } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
});

const fill = (documents: readonly object[]) => {
  for (const document of documents) member.insert('c', document);
};
const run = (...pipeline: object[]) => member.ok({ aggregate: 'c', pipeline, cursor: {} }).cursor.firstBatch;

/** The documents with types and order as on the wire. */
function wire(...pipeline: object[]): string {
  const command = encodeDocument({ aggregate: 'c', pipeline, cursor: {}, $db: 'app' });
  const running = new Running(member, member.dispatcher.start(command).run(member, 1));
  running.finish();
  return EJSON.stringify(decodeDocument(running.bytes!).cursor.firstBatch, { relaxed: false });
}

describe('$setWindowFields', () => {
  // The figures of the manual's cakes.
  const cakes = [
    [0, '2020-05-18T14:10:30Z', 'CA', 13, 120],
    [1, '2021-03-20T11:30:05Z', 'WA', 14, 140],
    [2, '2021-01-11T06:31:15Z', 'CA', 12, 145],
    [3, '2020-02-08T13:13:23Z', 'WA', 13, 104],
    [4, '2019-05-18T16:09:01Z', 'CA', 41, 162],
    [5, '2019-01-08T06:12:03Z', 'WA', 43, 134],
  ] as const;
  beforeEach(() => {
    fill(cakes.map(([_id, at, state, price, quantity]) => ({ _id, at: new Date(at), state, price, quantity })));
  });
  const year = { $year: '$at' };
  const quantity = '$quantity';

  test.for<[name: string, partitionBy: unknown, sortBy: object, output: object, expected: unknown[][]]>([
    ['a running total of each state', '$state', { at: 1 }, { $sum: quantity, window: { documents: ['unbounded', 'current'] } }, [[4, 162], [0, 282], [2, 427], [5, 134], [3, 238], [1, 378]]],
    ['a running total of each year', year, { at: 1 }, { $sum: quantity, window: { documents: ['unbounded', 'current'] } }, [[5, 134], [4, 296], [3, 104], [0, 224], [2, 145], [1, 285]]],
    ['a moving average of each year', year, { at: 1 }, { $avg: quantity, window: { documents: [-1, 0] } }, [[5, 134], [4, 148], [3, 104], [0, 112], [2, 145], [1, 142.5]]],
    ['the greatest of each year', year, { at: 1 }, { $max: quantity, window: { documents: ['unbounded', 'unbounded'] } }, [[5, 162], [4, 162], [3, 120], [0, 120], [2, 145], [1, 145]]],
    ['those of about that price', '$state', { price: 1 }, { $sum: quantity, window: { range: [-10, 10] } }, [[2, 265], [0, 265], [4, 162], [3, 244], [1, 244], [5, 134]]],
    ['those of ten months before', '$state', { at: 1 }, { $push: '$_id', window: { range: ['unbounded', -10], unit: 'month' } }, [[4, []], [0, [4]], [2, [4]], [5, []], [3, [5]], [1, [5, 3]]]],
    ['those of the same price, from the document on', undefined, { price: 1 }, { $push: '$_id', window: { range: ['current', 0] } }, [[2, [2]], [0, [0, 3]], [3, [3]], [1, [1]], [4, [4]], [5, [5]]]],
    ['those of the same price, up to the document', undefined, { price: 1 }, { $push: '$_id', window: { range: [0, 'current'] } }, [[2, [2]], [0, [0]], [3, [0, 3]], [1, [1]], [4, [4]], [5, [5]]]],
    ['ranks', '$state', { quantity: -1 }, { $rank: {} }, [[4, 1], [2, 2], [0, 3], [1, 1], [5, 2], [3, 3]]],
    ['numbers', '$state', { quantity: -1 }, { $documentNumber: {} }, [[4, 1], [2, 2], [0, 3], [1, 1], [5, 2], [3, 3]]],
    ['the one before', '$state', { quantity: -1 }, { $shift: { output: quantity, by: 1, default: 'none' } }, [[4, 145], [2, 120], [0, 'none'], [1, 134], [5, 104], [3, 'none']]],
    ['a deviation', '$state', { at: 1 }, { $stdDevPop: '$price' }, [[4, 13.441], [0, 13.441], [2, 13.441], [5, 13.912], [3, 13.912], [1, 13.912]]],
    ['an exponential average', '$state', { at: 1 }, { $expMovingAvg: { input: '$price', N: 1 } }, [[4, 41], [0, 13], [2, 12], [5, 43], [3, 13], [1, 14]]],
    ['no partition', undefined, { price: 1 }, { $denseRank: {} }, [[2, 1], [0, 2], [3, 2], [1, 3], [4, 4], [5, 5]]],
  ])('%s', ([, partitionBy, sortBy, output, expected]) => {
    const found = run({ $setWindowFields: { ...(partitionBy !== undefined && { partitionBy }), sortBy, output: { v: output } } });
    const rounded = (v: unknown) => (typeof v === 'number' ? Math.round(v * 1000) / 1000 : v);
    expect(found.map(({ _id, v }: { _id: number; v: unknown }) => [_id, rounded(v)])).toEqual(expected);
  }); // biome-ignore format: a table

  test('ties have one rank, and leave a gap unless it is dense', () => {
    fill([{ _id: 6, at: new Date(0), state: 'CA', price: 12, quantity: 145 }]);
    const output = { rank: { $rank: {} }, dense: { $denseRank: {} }, n: { $documentNumber: {} } };
    const found = run({ $match: { state: 'CA' } }, { $setWindowFields: { sortBy: { quantity: -1 }, output } });
    expect(found.map(({ rank, dense, n }: Record<string, number>) => [rank, dense, n])).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [2, 2, 3],
      [4, 3, 4],
    ]);
  });
});

describe('$linearFill', () => {
  const at = new Date(0);
  test.for<[name: string, rows: [x: unknown, y: unknown][], code: number]>([
    ['two nulls at one place', [[1, 1], [2, null], [2, null], [3, 3]], 6050106],
    ['a null at the place of a value', [[1, 1], [2, 2], [2, null], [3, 3]], 6050106],
    ['one place of two types', [[1, 1], [new Double(1), 2]], 6050106],
    ['numbers and dates', [[1, 1], [2, null], [at, 3]], 14],
    ['null among numbers', [[null, 1], [2, null]], 14],
  ])('fails: %s', ([, rows, code]) => {
    fill(rows.map(([x, y], _id) => ({ _id, x, y })));
    const stage = { $setWindowFields: { sortBy: { x: 1 }, output: { y: { $linearFill: '$y' } } } };
    expect(member.run({ aggregate: 'c', pipeline: [stage], cursor: {} })).toMatchObject({ code });
  }); // biome-ignore format: a table

  test('each partition has places of its own', () => {
    fill([[0, 1, 1], [0, 2, null], [0, 3, 5], [1, 3, 7]].map(([p, x, y], _id) => ({ _id, p, x, y }))); // biome-ignore format: one line
    const output = { y: { $linearFill: '$y' } };
    const found = run({ $setWindowFields: { partitionBy: '$p', sortBy: { x: 1 }, output } });
    expect(found.map(({ y }: { y: number }) => y)).toEqual([1, 3, 5, 7]);
  });
});

describe('$densify', () => {
  const coffee = [['Arabica Typica', 600], ['Arabica Typica', 750], ['Arabica Typica', 950], ['Gesha', 1250], ['Gesha', 1700], ['Gesha', 1950]] as const; // biome-ignore format: one line
  const altitudes = (variety: string, bounds: unknown) =>
    run(
      { $densify: { field: 'altitude', partitionByFields: ['variety'], range: { bounds, step: 200 } } },
      { $match: { variety } },
      { $sort: { altitude: 1 } },
    ).map(({ altitude }: { altitude: number }) => altitude);

  test.for<[bounds: unknown, typica: number[], gesha: number[]]>([
    ['full', [600, 750, 800, 950, 1000, 1200, 1400, 1600, 1800], [600, 800, 1000, 1200, 1250, 1400, 1600, 1700, 1800, 1950]],
    ['partition', [600, 750, 800, 950], [1250, 1450, 1650, 1700, 1850, 1950]],
    [[500, 1200], [500, 600, 700, 750, 900, 950, 1100], [500, 700, 900, 1100, 1250, 1700, 1950]],
  ])('the coffee of the manual: %j', ([bounds, typica, gesha]) => {
    fill(coffee.map(([variety, altitude], _id) => ({ _id, variety, altitude })));
    expect(altitudes('Arabica Typica', bounds)).toEqual(typica);
    expect(altitudes('Gesha', bounds)).toEqual(gesha);
  }); // biome-ignore format: a table

  test('hours between explicit bounds, the upper one left out', () => {
    const at = (hour: number) => new Date(Date.UTC(2021, 4, 18, hour));
    fill([0, 4, 8, 12].map((hour) => ({ _id: hour, at: at(hour), metadata: { sensor: 5578 } })));
    const found = run({ $densify: { field: 'at', range: { step: 1, unit: 'hour', bounds: [at(0), at(8)] } } });
    expect(found.map((document: { at: Date }) => document.at.getUTCHours())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 12]);
    expect(found[1]).toEqual({ at: at(1) });
  });

  test('months end where they end, no document at all is none, and null passes', () => {
    const range = { step: 1, unit: 'month', bounds: 'full' };
    expect(run({ $densify: { field: 'at', range } })).toEqual([]);
    fill([
      { _id: 0, at: null },
      { _id: 1, at: new Date('2024-01-31') },
      { _id: 2, at: new Date('2024-04-01') },
    ]);
    const found = run({ $densify: { field: 'at', range } });
    expect(found.map(({ at }: { at: Date | null }) => at?.toISOString().slice(0, 10))).toEqual([undefined, '2024-01-31', '2024-02-29', '2024-03-29', '2024-04-01']); // biome-ignore format: one line
  });

  test('what is made has the type of the step, nested too', () => {
    fill([
      { _id: 1, a: { n: Long.fromNumber(1) }, p: { k: 1 } },
      { _id: 2, a: { n: Long.fromNumber(3) }, p: { k: 1 } },
    ]);
    const stage = { $densify: { field: 'a.n', partitionByFields: ['p.k'], range: { step: 1, bounds: 'partition' } } };
    expect(wire(stage, { $skip: 1 }, { $limit: 1 })).toBe(
      '[{"p":{"k":{"$numberInt":"1"}},"a":{"n":{"$numberLong":"2"}}}]',
    );
  });
});

describe('$fill', () => {
  test('the stock prices of the manual: linear, and the last one carried forward', () => {
    const prices = [500, undefined, 515, undefined, undefined, 485, null];
    fill(prices.map((price, _id) => ({ _id, at: new Date(_id * 300_000), ...(price !== undefined && { price }) })));
    const filled = (method: string) =>
      run({ $fill: { sortBy: { at: 1 }, output: { price: { method } } } }).map(({ price }: { price: number }) => price);
    expect(filled('linear')).toEqual([500, 507.5, 515, 505, 495, 485, null]);
    expect(filled('locf')).toEqual([500, 500, 515, 515, 515, 485, 485]);
  });

  test('by partitions, and with a value', () => {
    fill([
      { _id: 1, p: 'a', n: 1, m: null },
      { _id: 2, p: 'b' },
      { _id: 3, p: 'a', m: 7 },
    ]);
    const output = { n: { method: 'locf' }, m: { value: { $add: ['$_id', 10] } } };
    const expected = [
      { _id: 1, p: 'a', n: 1, m: 11 },
      { _id: 3, p: 'a', m: 7, n: 1 },
      { _id: 2, p: 'b', n: null, m: 12 },
    ];
    expect(run({ $fill: { partitionBy: '$p', sortBy: { _id: 1 }, output } })).toEqual(expected);
    expect(run({ $fill: { partitionByFields: ['p'], sortBy: { _id: 1 }, output } })).toEqual(expected);
  });

  test('what is there keeps its type', () => {
    fill([{ _id: 1, n: Long.fromNumber(1) }, { _id: 2 }, { _id: 3, n: new Decimal128('1.50') }]);
    expect(wire({ $fill: { sortBy: { _id: 1 }, output: { n: { method: 'linear' } } } }, { $project: { _id: 0 } })).toBe(
      '[{"n":{"$numberLong":"1"}},{"n":{"$numberDouble":"1.25"}},{"n":{"$numberDecimal":"1.50"}}]',
    );
  });
});

describe('$bucketAuto', () => {
  const prices = [199.99, 280, 76.04, 167.3, 483, 385, 159, 118.42];
  test('the art of the manual, in four buckets', () => {
    fill(prices.map((price, _id) => ({ _id, price })));
    expect(JSON.stringify(run({ $bucketAuto: { groupBy: '$price', buckets: 4 } }))).toBe(
      '[{"_id":{"min":76.04,"max":159},"count":2},{"_id":{"min":159,"max":199.99},"count":2},' +
        '{"_id":{"min":199.99,"max":385},"count":2},{"_id":{"min":385,"max":483},"count":2}]',
    );
  });

  test('equal keys stay together, and the last bucket takes what is left', () => {
    fill([1, 1, 1, 2, 3].map((n, _id) => ({ _id, n })));
    expect(run({ $bucketAuto: { groupBy: '$n', buckets: 2, output: { ids: { $push: '$_id' } } } })).toEqual([
      { _id: { min: 1, max: 2 }, ids: [0, 1, 2] },
      { _id: { min: 2, max: 3 }, ids: [3, 4] },
    ]);
  });

  test('granularity rounds the boundaries outwards, and _id comes first', () => {
    fill([0, 1, 2, 3, 4, 5, 6, 7].map((n) => ({ _id: n, n })));
    const found = run({ $bucketAuto: { groupBy: '$n', buckets: 2, granularity: 'POWERSOF2' } });
    expect(JSON.stringify(found)).toBe('[{"_id":{"min":0,"max":4},"count":4},{"_id":{"min":4,"max":8},"count":4}]');
    // Accumulators that go by the names of operators of expressions.
    const output = { first: { $first: '$n' }, max: { $max: '$n' } };
    expect(run({ $bucketAuto: { groupBy: '$n', buckets: 2, granularity: 'POWERSOF2', output } })).toMatchObject([
      { first: 0, max: 3 },
      { first: 4, max: 7 },
    ]);
  });

  test('keys and sums keep their types', () => {
    fill([
      { _id: 1, n: Long.fromNumber(1) },
      { _id: 2, n: new Decimal128('2.50') },
      { _id: 3, n: new Double(3) },
    ]);
    const stage = { $bucketAuto: { groupBy: '$n', buckets: 1, output: { long: { $min: '$n' }, sum: { $sum: '$n' } } } };
    expect(wire(stage)).toBe(
      '[{"_id":{"min":{"$numberLong":"1"},"max":{"$numberDouble":"3.0"}},"long":{"$numberLong":"1"},"sum":{"$numberDecimal":"6.50"}}]',
    );
  });
});

describe('$stdDevPop and $stdDevSamp', () => {
  test('the quizzes of the manual', () => {
    const scores = [[1, 85], [1, 90], [1, 71], [2, 96], [2, 77], [2, 82]] as const; // biome-ignore format: one line
    fill(scores.map(([quiz, score], _id) => ({ _id, quiz, score })));
    const found = run({ $group: { _id: '$quiz', d: { $stdDevPop: '$score' } } }, { $sort: { _id: 1 } });
    expect(found).toEqual([
      { _id: 1, d: expect.closeTo(8.04155872120988, 10) },
      { _id: 2, d: expect.closeTo(8.04155872120988, 10) },
    ]);
  });

  test('of a sample of one there is none, what is no number counts nothing, and a double it is', () => {
    fill([
      { _id: 1, n: Long.fromNumber(2) },
      { _id: 2, n: 'x' },
    ]);
    const group = { _id: null, pop: { $stdDevPop: '$n' }, samp: { $stdDevSamp: '$n' }, none: { $stdDevPop: '$nope' } };
    expect(wire({ $group: group })).toBe('[{"_id":null,"pop":{"$numberDouble":"0.0"},"samp":null,"none":null}]');
  });
});

describe('$redact', () => {
  test('the forecast of the manual: what the tags do not allow is gone, at every level', () => {
    fill([
      {
        _id: 1,
        tags: ['G', 'STLW'],
        year: Long.fromNumber(2014),
        subsections: [
          { subtitle: 'one', tags: ['SI', 'G'] },
          { subtitle: 'two', tags: ['STLW'] },
          { subtitle: 'three', tags: ['TK'], content: { text: 'secret', tags: ['HCS'] } },
        ],
      },
    ]);
    const shared = { $setIntersection: ['$tags', ['STLW', 'G']] };
    const stage = { $redact: { $cond: [{ $gt: [{ $size: shared }, 0] }, '$$DESCEND', '$$PRUNE'] } };
    expect(run(stage)[0].subsections.map(({ subtitle }: { subtitle: string }) => subtitle)).toEqual(['one', 'two']);
    expect(wire(stage)).toContain('"year":{"$numberLong":"2014"}');
    expect(run({ $redact: '$$PRUNE' })).toEqual([]);
  });
});
