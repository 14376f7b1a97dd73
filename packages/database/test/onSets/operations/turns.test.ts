import { beforeAll, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';

// One client's long work on one member: others have their turn meanwhile, and it ends when its time is up or somebody kills it.

const ROWS = 6000;
let asked: AskedSet;
beforeAll(async () => {
  asked = await AskedSet.start(1);
  const documents = Array.from({ length: ROWS }, (_, a) => ({ _id: a, a }));
  await asked.ok('n1', { insert: 'rows', documents });
  await asked.ok('n1', { insert: 'one', documents: [{ _id: 1 }] });
  const pipeline = [{ $project: { twice: { $add: ['$a', '$a'] } } }, { $group: { _id: '$twice' } }];
  await asked.ok('n1', { create: 'doubled', viewOn: 'rows', pipeline });
});

const later = { $match: { $expr: { $lt: ['$a', '$$x'] } } };
const LOOKUP = [{ $lookup: { from: 'rows', let: { x: '$a' }, pipeline: [later, { $count: 'n' }], as: 'found' } }, { $limit: 1 }]; // biome-ignore format: a row
const count = (length: number, inside: unknown) => ({
  $size: { $map: { input: { $range: [0, length] }, in: inside } },
});
const heavy = { $gt: [count(500, { $add: ['$$this', 1] }), 0] };

const LONG: readonly (readonly [name: string, command: Doc])[] = [
  ['a join', { aggregate: 'rows', pipeline: LOOKUP, cursor: {} }],
  ['a pipeline on a view', { aggregate: 'doubled', pipeline: [{ $match: { $expr: heavy } }], cursor: {} }],
  ['a query of a view', { find: 'doubled', filter: { $expr: heavy } }],
  ['a query', { find: 'rows', filter: { $expr: heavy }, batchSize: 1_000_000 }],
  ['a count', { count: 'rows', query: { $expr: heavy } }],
  ['a plan that is carried out', { explain: { aggregate: 'rows', pipeline: LOOKUP, cursor: {} } }],
];

test.for(LONG)('%s is done in turns with others', async ([, command]) => {
  const { reply } = asked.send('n1', command);
  await asked.pass(20);
  expect(reply()).toBeUndefined();
  const { reply: pong } = asked.send('n1', { ping: 1 });
  await asked.pass(20);
  expect(pong()).toMatchObject({ ok: 1 });
  expect(reply()).toBeUndefined();

  const { inprog } = await asked.ok('n1', { currentOp: 1 }, 'admin');
  const [verb] = Object.keys(command);
  const { opid } = inprog.find((op: Doc) => op.command && verb! in op.command);
  await asked.ok('n1', { killOp: 1, op: opid }, 'admin');
  await asked.pass(10);
  expect(reply()).toMatchObject({ ok: 0, codeName: 'Interrupted' });
});

test.for(LONG)('%s ends when its time is up', async ([, command]) => {
  const { reply } = asked.send('n1', { ...command, maxTimeMS: 30 });
  await asked.pass(100);
  expect(reply()).toMatchObject({ ok: 0, codeName: 'MaxTimeMSExpired' });
});

/** On one document: what takes long is to read it. */
const longFilter = { $or: Array.from({ length: 12_000 }, (_, a) => ({ a, b: -1 })) };
const many = (make: (i: number) => unknown) =>
  Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`f${i}`, make(i)]));
const longUpdate = { $bit: many(() => ({ or: 1 })) };
const LONG_TO_READ: readonly (readonly [name: string, command: Doc])[] = [
  ['a query by a long filter', { find: 'one', filter: longFilter }],
  ['a plan for a long filter', { explain: { find: 'one', filter: longFilter }, verbosity: 'queryPlanner' }],
  ['a pipeline that begins with a long filter', { aggregate: 'one', pipeline: [{ $match: longFilter }], cursor: {} }],
  ['a distinct by a long filter', { distinct: 'one', key: 'a', query: longFilter }],
  ['a delete by a long filter', { delete: 'one', deletes: [{ q: longFilter, limit: 1 }] }],
  ['an update by a long filter', { update: 'one', updates: [{ q: longFilter, u: { $set: { x: 1 } } }] }],
  ['a long update of nothing', { update: 'one', updates: [{ q: { _id: 0 }, u: longUpdate }] }],
  ['a long findAndModify of nothing', { findAndModify: 'one', query: { _id: 0 }, update: longUpdate }],
  ['a long stage', { aggregate: 'none', pipeline: [{ $set: many((i) => ({ $add: ['$a', i] })) }], cursor: {} }],
];

test.for(LONG_TO_READ)('%s is read in turns with others', async ([, command]) => {
  const { reply } = asked.send('n1', command);
  await asked.pass(20);
  const { reply: pong } = asked.send('n1', { ping: 1 });
  await asked.pass(10);
  expect(pong()).toMatchObject({ ok: 1 });
  expect(reply()).toBeUndefined();
  while (!reply()) await asked.pass(1000);
  expect(reply()).toMatchObject({ ok: 1 });
});

test('an expression on one document ends when its time is up, too', async () => {
  const pipeline = [{ $project: { n: count(3000, count(3000, 1)) } }];
  const reply = await asked.run('n1', { aggregate: 'one', pipeline, cursor: {}, maxTimeMS: 100 });
  expect(reply).toMatchObject({ ok: 0, codeName: 'MaxTimeMSExpired' });
});

test('an update of a long document takes longer than one of a short document', async () => {
  const micros = async (elements: number) => {
    const documents = [{ _id: 1, a: Array.from({ length: elements }, (_, i) => i) }];
    await asked.ok('n1', { insert: `of${elements}`, documents });
    const updates = Array.from({ length: 10 }, () => ({ q: { _id: 1 }, u: { $pop: { a: 1 } } }));
    const began = asked.set.nowMicros;
    const { reply } = asked.send('n1', { update: `of${elements}`, updates });
    while (!reply()) await asked.pass(1);
    return asked.set.nowMicros - began;
  };
  expect(await micros(100_000)).toBeGreaterThan(2 * (await micros(100)));
});

const LONG_UPDATE = [{ $set: { size: count(200, count(1000, 1)) } }];
const WHILE_IT_IS_COMPUTED: readonly (readonly [what: string, command: (id: string) => Doc, left: Doc | undefined])[] =
  [
    ['removed', (_id) => ({ delete: 'held', deletes: [{ q: { _id }, limit: 1 }] }), undefined],
    [
      'no longer matching',
      (_id) => ({ update: 'held', updates: [{ q: { _id }, u: { $set: { open: 0 } } }] }),
      { open: 0 },
    ],
    [
      'changed',
      (_id) => ({ update: 'held', updates: [{ q: { _id }, u: { $set: { n: 7 } } }] }),
      { open: 1, n: 7, size: 200 },
    ],
  ];
const LONG_UPDATES: readonly (readonly [name: string, command: (id: string) => Doc])[] = [
  ['updateOne', (_id) => ({ update: 'held', updates: [{ q: { _id, open: 1 }, u: LONG_UPDATE }] })],
  ['updateMany', (_id) => ({ update: 'held', updates: [{ q: { _id, open: 1 }, u: LONG_UPDATE, multi: true }] })],
  ['findAndModify', (_id) => ({ findAndModify: 'held', query: { _id, open: 1 }, update: LONG_UPDATE })],
];
const RIVALS = LONG_UPDATES.flatMap(([name, long]) =>
  WHILE_IT_IS_COMPUTED.map((each) => [name, long, ...each] as const),
);

test.for(RIVALS)('$0 of a document that is $2 meanwhile', async ([name, long, what, rival, left]) => {
  const id = `${name} ${what}`;
  await asked.ok('n1', { insert: 'held', documents: [{ _id: id, open: 1 }] });
  const { reply } = asked.send('n1', long(id));
  await asked.pass(20);
  expect(reply()).toBeUndefined();
  await asked.ok('n1', rival(id));
  expect(reply()).toBeUndefined();
  while (!reply()) await asked.pass(1000);
  expect(reply()).toMatchObject({ ok: 1 });
  expect(reply()).not.toHaveProperty('writeErrors');
  const { cursor } = await asked.ok('n1', { find: 'held', filter: { _id: id } });
  expect(cursor.firstBatch).toEqual(left ? [{ _id: id, ...left }] : []);
});
