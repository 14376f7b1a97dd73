import { encodeDocument } from '@replsim/protocol';
import type { ReplSet } from '@replsim/replset';
import { cpuSeconds, type Figure } from './measure.ts';
import { datedDocuments, run, runAll, setWithPrimary } from './set.ts';

// How a cost grows with what there is more of: the slope of a straight line through the sizes, both on a logarithmic scale. 1 is linear, 0 is
// a cost that stays the same.

interface Scale {
  readonly name: string;
  readonly sizes: readonly number[];
  /** What it has to be by nature. */
  readonly exponent: number;
  /** @returns the work that is measured, and what ends it; the work may be done several times */
  readonly prepare: (size: number) => Promise<Prepared>;
}

interface Prepared {
  readonly set: ReplSet;
  readonly work: (round: number) => Promise<unknown>;
}

/** Beyond its natural exponent by more than this, a cost is to be explained. */
const TOLERANCE = 0.2;
const ROUNDS = 5;
const INDEX = (name: string, more: object = {}) => ({ key: { [name]: 1 }, name, ...more });

async function filled(count: number, size = 1): Promise<ReplSet> {
  const set = await setWithPrimary(size);
  for (let i = 0; i < count; i += 5000)
    await run(set, 'n1', { insert: 'c', documents: datedDocuments(i, Math.min(5000, count - i), i), $db: 'app' });
  return set;
}

/** As many commands as take long enough to be measured. */
const often = (times: number, command: (i: number) => object) => async (set: ReplSet) => {
  for (let i = 0; i < times; i++) await run(set, 'n1', command(i));
};

const DOCUMENTS = [1000, 10_000, 100_000] as const;

/** A cost of one command over a collection of so many documents. */
function overDocuments(
  name: string,
  exponent: number,
  command: (size: number, i: number) => object,
  times = 300,
): Scale {
  return {
    name: `${name}, by documents`,
    sizes: DOCUMENTS,
    exponent,
    prepare: async (size) => {
      const set = await filled(size);
      let next = 0;
      return { set, work: () => often(times, () => command(size, next++))(set) };
    },
  };
}

const SCALES: readonly Scale[] = [
  overDocuments('find by _id', 0, (size, i) => ({ find: 'c', filter: { _id: (i * 7919) % size }, $db: 'app' })),
  overDocuments('an insert', 0, (size, i) => ({ insert: 'c', documents: [{ _id: size + i }], $db: 'app' })),
  overDocuments('an update by _id', 0, (size, i) => ({
    update: 'c',
    updates: [{ q: { _id: (i * 7919) % size }, u: { $set: { x: i } } }],
    $db: 'app',
  })),
  overDocuments('a scan', 1, () => ({ find: 'c', filter: { x: 1 }, $db: 'app' }), 1),
  overDocuments('a sort of 100', 1, () => ({ find: 'c', sort: { at: -1 }, limit: 100, batchSize: 100, $db: 'app' }), 1),
  overDocuments(
    'a group',
    1,
    () => ({
      aggregate: 'c',
      pipeline: [{ $group: { _id: { $mod: ['$_id', 10] }, n: { $sum: 1 } } }],
      cursor: {},
      $db: 'app',
    }),
    1,
  ),
  {
    name: 'an insert, by indexes',
    sizes: [4, 16, 60],
    exponent: 1,
    prepare: async (size) => {
      const set = await setWithPrimary(1);
      const indexes = Array.from({ length: size }, (_, i) => INDEX(`f${i}`));
      await run(set, 'n1', { createIndexes: 'c', indexes, $db: 'app' });
      const document = Object.fromEntries(indexes.map(({ name }, i) => [name, i]));
      return { set, work: () => often(200, () => ({ insert: 'c', documents: [document], $db: 'app' }))(set) };
    },
  },
  {
    name: 'a minute of TTL passes, by TTL indexes',
    sizes: [100, 400, 1600],
    exponent: 1,
    prepare: async (size) => {
      const set = await setWithPrimary(1);
      for (let i = 0; i < size; i++)
        await run(set, 'n1', {
          createIndexes: `c${i}`,
          indexes: [INDEX('at', { expireAfterSeconds: 60 })],
          $db: 'app',
        });
      await run(set, 'n1', { setParameter: 1, ttlMonitorSleepSecs: 1, $db: 'admin' });
      return { set, work: () => set.advanceTo(set.nowMicros + 60e6) };
    },
  },
  {
    name: 'a minute of nothing, by members',
    sizes: [5, 15, 45],
    // Each asks each other whether it is there.
    exponent: 2,
    prepare: async (size) => {
      const set = await setWithPrimary(size);
      return { set, work: () => set.advanceTo(set.nowMicros + 60e6) };
    },
  },
  {
    name: 'a write at w: majority, by members',
    sizes: [3, 9, 27],
    exponent: 1,
    prepare: async (size) => {
      const set = await setWithPrimary(size);
      const command = { insert: 'c', documents: [{ x: 1 }], writeConcern: { w: 'majority' }, $db: 'app' };
      return { set, work: () => often(100, () => command)(set) };
    },
  },
  {
    name: 'a write each, by clients',
    sizes: [10, 100, 1000],
    exponent: 1,
    prepare: async (size) => {
      const set = await setWithPrimary(3);
      const commands = Array.from({ length: size }, (_, x) => ({
        insert: 'c',
        documents: [{ x }],
        writeConcern: { w: 'majority' },
        $db: 'app',
      }));
      return { set, work: () => runAll(set, 'n1', commands) };
    },
  },
  {
    name: 'an insert, by idle change streams',
    sizes: [10, 100, 1000],
    exponent: 0,
    prepare: async (size) => {
      const set = await setWithPrimary(1);
      await waitOnStreams(set, size, 'other');
      return { set, work: () => often(200, (x) => ({ insert: 'c', documents: [{ x }], $db: 'app' }))(set) };
    },
  },
  {
    name: 'an insert, by entries of the oplog',
    sizes: [1000, 10_000, 100_000],
    exponent: 0,
    prepare: async (size) => {
      const set = await setWithPrimary(3);
      await run(set, 'n1', { insert: 'c', documents: [{ _id: 1, n: 0 }], $db: 'app' });
      const updates = Array.from({ length: 1000 }, () => ({ q: { _id: 1 }, u: { $inc: { n: 1 } } }));
      for (let i = 0; i < size; i += 1000) await run(set, 'n1', { update: 'c', updates, $db: 'app' });
      await set.advanceTo(set.nowMicros + 120e6);
      return { set, work: () => often(200, (x) => ({ insert: 'd', documents: [{ x }], $db: 'app' }))(set) };
    },
  },
  {
    name: 'a restart, by documents',
    sizes: [1000, 10_000, 100_000],
    exponent: 1,
    prepare: async (size) => {
      const set = await filled(size);
      return {
        set,
        work: async () => {
          set.kill('n1');
          await set.start('n1');
          await set.advanceTo(set.nowMicros + 30e6);
        },
      };
    },
  },
  {
    name: 'nothing, by simulated days',
    sizes: [0.25, 1, 4],
    exponent: 1,
    prepare: async (size) => {
      const set = await setWithPrimary(3);
      return { set, work: () => set.advanceTo(set.nowMicros + size * 86_400e6) };
    },
  },
];

/** Change streams that wait on a collection which nobody writes to. */
async function waitOnStreams(set: ReplSet, count: number, collection: string): Promise<void> {
  for (let i = 0; i < count; i++) {
    const reply = await run(set, 'n1', {
      aggregate: collection,
      pipeline: [{ $changeStream: {} }],
      cursor: {},
      $db: 'app',
    });
    const { cursor } = reply as { cursor: { id: bigint } };
    set.send('n1', encodeDocument({ getMore: cursor.id, collection, maxTimeMS: 3_600_000, $db: 'app' }));
  }
}

/** A figure a scale. What exceeds its natural exponent says so. */
export async function scales(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const scale of SCALES) figures.push(await measured(scale));
  return figures;
}

async function measured({ name, sizes, exponent, prepare }: Scale): Promise<Figure> {
  const seconds: number[] = [];
  for (const size of sizes) seconds.push(await leastSeconds(await prepare(size)));
  const value = slope(sizes.map(Math.log), seconds.map(Math.log));
  const told = sizes.map((size, i) => `${size.toLocaleString('en-US')}: ${(1000 * seconds[i]!).toFixed(1)} ms`);
  return {
    name,
    value,
    unit: `is the exponent, ${exponent} by nature`,
    better: 'less',
    aim: exponent + TOLERANCE,
    also: [told.join(', '), ...(value > exponent + TOLERANCE ? ['EXCEEDS IT'] : [])],
  };
}

/** The least of several rounds, the first of which is for the compiler. */
async function leastSeconds({ set, work }: Prepared): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const seconds = await cpuSeconds(async () => void (await work(round)));
    if (round > 0) least = Math.min(least, seconds);
  }
  await set.close();
  return least;
}

/** Of the straight line that is closest to the points. */
function slope(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
  const [x0, y0] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, x, i) => sum + (x - x0) * (ys[i]! - y0), 0);
  return covariance / xs.reduce((sum, x) => sum + (x - x0) ** 2, 0);
}
