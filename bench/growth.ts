import type { ReplSet } from '@replsim/replset';
import type { Figure } from './measure.ts';
import { run, setWithPrimary } from './set.ts';

/** How many documents or elements the smaller of two runs has. */
const SMALL = 10_000;
const RUNS = 5;

/** Work on n documents or elements, which cost n times something, or at most n log n. */
interface Growth {
  readonly name: string;
  readonly prepare?: (set: ReplSet, n: number) => Promise<unknown>;
  /** @param run how often it was made before, for names that are not there yet */
  readonly command: (n: number, run: number) => object;
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i);
const aggregate = (collection: string, ...pipeline: object[]) => ({
  aggregate: collection,
  pipeline,
  cursor: {},
  $db: 'app',
});
const ofArray = (name: string, ...pipeline: object[]): Growth => ({
  name,
  command: (n) => aggregate(`array${n}`, ...pipeline, { $count: 'n' }),
});
const ofDocuments = (name: string, ...pipeline: object[]): Growth => ({
  name,
  command: (n) => aggregate(`documents${n}`, ...pipeline, { $count: 'n' }),
});
const ofUpdate = (name: string, before: (n: number) => readonly number[], update: (n: number) => object): Growth => ({
  name,
  prepare: (set, n) => run(set, 'n1', updateOf({ $set: { list: before(n) } })),
  command: (n) => updateOf(update(n)),
});
const updateOf = (u: object) => ({ update: 'lists', updates: [{ q: { _id: 1 }, u, upsert: true }], $db: 'app' });

const growths: readonly Growth[] = [
  ofArray('$unwind', { $unwind: { path: '$a', includeArrayIndex: 'i' } }),
  ofArray('$setUnion', { $project: { n: { $size: { $setUnion: ['$a', '$a'] } } } }),
  ofArray('$sortArray', { $project: { n: { $size: { $sortArray: { input: '$a', sortBy: -1 } } } } }),
  ofArray('$lookup by an array', {
    $lookup: { from: `documents${SMALL}`, localField: 'a', foreignField: 'x', as: 'found' },
  }),
  ofDocuments('$group, $push', { $group: { _id: null, all: { $push: '$x' } } }),
  ofDocuments('$group, $addToSet', { $group: { _id: null, all: { $addToSet: '$x' } } }),
  ofDocuments('$bucket', { $bucket: { groupBy: '$x', boundaries: upTo(1000), default: -1 } }),
  ofDocuments('$facet', { $facet: { a: [{ $match: {} }], b: [{ $sort: { x: -1 } }] } }),
  ofDocuments('$unionWith', { $unionWith: `documents${SMALL}` }),
  {
    name: '$graphLookup along a chain',
    command: (n) =>
      aggregate(
        `documents${n}`,
        { $match: { _id: 0 } },
        {
          $graphLookup: {
            from: `documents${n}`,
            startWith: '$x',
            connectFromField: 'next',
            connectToField: 'x',
            as: 'all',
          },
        },
        { $count: 'n' },
      ),
  },
  { name: 'distinct', command: (n) => ({ distinct: `documents${n}`, key: 'x', $db: 'app' }) },
  {
    name: '$in, by the index',
    command: (n) => ({ count: `documents${n}`, query: { _id: { $in: upTo(n) } }, $db: 'app' }),
  },
  { name: '$in, by a scan', command: (n) => ({ count: `documents${n}`, query: { x: { $in: upTo(n) } }, $db: 'app' }) },
  ofUpdate(
    '$push of many',
    () => [1],
    (n) => ({ $push: { list: { $each: upTo(n) } } }),
  ),
  ofUpdate(
    '$addToSet of many',
    () => [1],
    (n) => ({ $addToSet: { list: { $each: upTo(n) } } }),
  ),
  ofUpdate('$pullAll of many', upTo, (n) => ({ $pullAll: { list: upTo(n) } })),
  {
    name: '$set of many fields',
    command: (n, i) => updateOf({ $set: Object.fromEntries(upTo(n).map((field) => [`f${field}`, i])) }),
  },
  {
    name: 'insert of many',
    command: (n, i) => ({ insert: `inserted${n}x${i}`, documents: upTo(n).map((x) => ({ x })), $db: 'app' }),
  },
  {
    name: 'bulkWrite of many',
    command: (n) => ({
      bulkWrite: 1,
      nsInfo: [{ ns: `app.documents${n}` }],
      ops: upTo(n).map((_id) => ({ update: 0, filter: { _id }, updateMods: { $inc: { y: 1 } } })),
      cursor: {},
      $db: 'admin',
    }),
  },
];

/** What twice as many cost: 2 is linear, 4 is a client that can hold the whole set with one command. */
export async function growth(): Promise<readonly Figure[]> {
  const set = await setWithPrimary(1);
  for (const n of [SMALL, 2 * SMALL]) {
    const documents = upTo(n).map((i) => ({ _id: i, x: i, next: i + 1 }));
    await run(set, 'n1', { insert: `documents${n}`, documents, $db: 'app' });
    await run(set, 'n1', { insert: `array${n}`, documents: [{ _id: 1, a: upTo(n) }], $db: 'app' });
  }
  const figures: Figure[] = [];
  for (const each of growths) {
    const small = await fastest(set, each, SMALL);
    const large = await fastest(set, each, 2 * SMALL);
    const millis = (micros: number) => `${Math.round(micros / 1000)} ms`;
    figures.push({
      name: `growth: ${each.name}`,
      value: large / small,
      unit: 'times for twice as many',
      better: 'less',
      aim: 2.3,
      also: [`${millis(small)} and ${millis(large)} for ${SMALL} and ${2 * SMALL}`],
    });
  }
  await set.close();
  return figures;
}

/** The least of several runs, in microseconds of the processor: what others do on the machine does not count. */
async function fastest(set: ReplSet, { prepare, command }: Growth, n: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    await prepare?.(set, n);
    const sent = command(n, i);
    const before = process.cpuUsage();
    await run(set, 'n1', sent);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}
