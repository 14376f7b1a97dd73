import type { MongodVersion } from '@replsim/protocol';
import { Double } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

// In what the releases differ about TTL: each difference asked of running members. What a
// wake-up does by state is in eligibility.test.ts, what a step-up repairs in packages/node/test/onSets/ttl/invalidIndexFixer.test.ts.

const FAST = { ttlMonitorSleepSecs: 1 };
const MEMBERS = [{ name: 'n1', config: { priority: 2 } }, { name: 'n2' }, { name: 'n3' }];
const index = (expireAfterSeconds: unknown = 0, key: Doc = { at: 1 }) => ({ key, name: 'ttl', expireAfterSeconds });
const expired = (n: number) => Array.from({ length: n }, (_, _id) => ({ _id, at: new Date(_id) }));

async function alone(version: MongodVersion, options: Parameters<typeof AskedSet.start>[1] = {}): Promise<AskedSet> {
  return AskedSet.start(1, { version, parameters: FAST, ...options });
}

const metrics = (asked: AskedSet, member = 'n1'): Doc => asked.now(member, { serverStatus: 1 }).metrics.ttl;
const logged = (asked: AskedSet): number[] =>
  asked
    .now('n1', { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter(({ ctx }: Doc) => ctx === 'TTLMonitor')
    .map(({ id }: Doc) => id);

/** With an index that no createIndexes of today would make. */
async function withSpec(version: MongodVersion, spec: Doc): Promise<AskedSet> {
  const asked = await alone(version);
  for (const configureFailPoint of [
    'skipTTLIndexValidationOnCreateIndex',
    'skipTTLIndexExpireAfterSecondsValidation',
  ]) {
    await asked.ok('n1', { configureFailPoint, mode: 'alwaysOn' }, 'admin');
  }
  await asked.ok('n1', { createIndexes: 't', indexes: [spec] });
  await asked.ok('n1', { insert: 't', documents: expired(1) });
  await asked.pass(3000);
  return asked;
}

interface Fact {
  readonly fact: string;
  readonly ask: (version: MongodVersion) => Promise<unknown>;
  readonly answers: Readonly<Record<MongodVersion, unknown>>;
}

const FACTS: readonly Fact[] = [
  {
    // 3.2: createIndexes asks for nothing, and the monitor complains (ttl.cpp). 6.0 makes 2147483647 of NaN (SERVER-68477).
    fact: "createIndexes with '60', null and NaN, and what listIndexes shows of each",
    async ask(version) {
      const asked = await alone(version);
      const answers: unknown[] = [];
      for (const [i, value] of ['60', null, new Double(Number.NaN)].entries()) {
        const { code } = await asked.run('n1', { createIndexes: `t${i}`, indexes: [index(value)] });
        if (code !== undefined) answers.push(code);
        else answers.push(asked.now('n1', { listIndexes: `t${i}` }, 'app').cursor.firstBatch[1].expireAfterSeconds);
      }
      return answers;
    },
    answers: {
      '8.2': [67, 67, 67],
      '8.0': [67, 67, 67],
      '7.0': [67, 67, 67],
      '6.0': [67, 67, 2147483647],
      '4.4': [67, 67, Number.NaN],
      '3.2': ['60', null, Number.NaN],
    },
  },
  {
    // gTimeseriesScalabilityImprovements, from 6.3 on.
    fact: 'indexes of a new time series, and one with TTL on a part of it',
    async ask(version) {
      const asked = await alone(version);
      const { code } = await asked.run('n1', { create: 's', timeseries: { timeField: 't', metaField: 'm' } });
      if (code !== undefined) return code;
      const spec = { ...index(60, { t: 1 }), partialFilterExpression: { m: { $gt: 5 } } };
      const listed = asked.now('n1', { listIndexes: 's' }, 'app').cursor.firstBatch.length;
      return [listed, (await asked.run('n1', { createIndexes: 's', indexes: [spec] })).code ?? 'made'];
    },
    answers: {
      '8.2': [1, 'made'],
      '8.0': [1, 'made'],
      '7.0': [1, 'made'],
      '6.0': [0, 72],
      '4.4': 40415,
      '3.2': [1, 'made'],
    },
  },
  {
    fact: 'what the monitor logs at level 1 of an index whose document it deletes',
    async ask(version) {
      const asked = await alone(version);
      await asked.ok('n1', { setParameter: 1, logComponentVerbosity: { index: { verbosity: 1 } } }, 'admin');
      await asked.ok('n1', { createIndexes: 't', indexes: [index()] });
      await asked.ok('n1', { insert: 't', documents: expired(1) });
      await asked.pass(2500);
      return [...new Set(logged(asked))].filter((id) => id !== 22533);
    },
    answers: {
      '8.2': [5479200],
      '8.0': [5479200],
      '7.0': [5479200],
      '6.0': [5479200],
      '4.4': [22536],
      '3.2': [22536],
    },
  },
  {
    // SERVER-96050.
    fact: 'a secondary counts passes',
    async ask(version) {
      const asked = await AskedSet.start(MEMBERS, { version, parameters: FAST });
      await asked.pass(5000);
      return metrics(asked, 'n2').passes > 0;
    },
    answers: { '8.2': false, '8.0': true, '7.0': true, '6.0': true, '4.4': true, '3.2': true },
  },
  {
    // A pass of a minute, in which two documents of the second index come due.
    fact: 'how many of two documents go that come due while the pass is under way',
    async ask(version) {
      const asked = await alone(version, { parameters: { ttlMonitorEnabled: false }, costs: { deleteMicros: 1e6 } });
      await asked.ok('n1', { createIndexes: 'a', indexes: [index()] });
      await asked.ok('n1', { createIndexes: 'b', indexes: [index()] });
      await asked.ok('n1', { insert: 'a', documents: expired(10) });
      const soon = asked.set.wallMs('n1') + 65_000;
      await asked.ok('n1', { insert: 'b', documents: [0, 1].map((_id) => ({ _id, at: new Date(soon) })) });
      await asked.ok('n1', { setParameter: 1, ttlMonitorEnabled: true }, 'admin');
      await asked.until(() => metrics(asked).deletedDocuments >= 10);
      await asked.until(() => metrics(asked).passes >= 1 && asked.now('n1', { currentOp: 1 }).inprog.length < 2);
      await asked.pass(10_000);
      return metrics(asked).deletedDocuments - 10;
    },
    answers: { '8.2': 0, '8.0': 2, '7.0': 2, '6.0': 2, '4.4': 2, '3.2': 2 },
  },
  {
    fact: 'what metrics.ttl shows',
    ask: async (version) => Object.keys(metrics(await alone(version))).sort(),
    answers: {
      '8.2': ['deletedDocuments', 'invalidTTLIndexSkips', 'passes', 'subPasses'],
      '8.0': ['collSubpassesIncreasedPriority', 'deletedDocuments', 'passes', 'subPasses'],
      '7.0': ['collSubpassesIncreasedPriority', 'deletedDocuments', 'passes', 'subPasses'],
      '6.0': ['deletedDocuments', 'passes'],
      '4.4': ['deletedDocuments', 'passes'],
      '3.2': ['deletedDocuments', 'passes'],
    },
  },
  {
    // Source: ttl.cpp of 3.2.
    fact: 'which parameters of the monitor there are',
    async ask(version) {
      const asked = await alone(version);
      const names = Object.keys(asked.now('n1', { getParameter: '*' }));
      return names.filter((name) => /^(ttl|batchedDeletes)/.test(name)).length;
    },
    answers: { '8.2': 9, '8.0': 10, '7.0': 10, '6.0': 2, '4.4': 2, '3.2': 2 },
  },
  {
    fact: 'how three deletes lie in the oplog',
    async ask(version) {
      const asked = await alone(version);
      await asked.ok('n1', { createIndexes: 't', indexes: [index()] });
      await asked.ok('n1', { insert: 't', documents: expired(3) });
      await asked.pass(3000);
      const filter = { $or: [{ op: 'd' }, { 'o.applyOps': { $exists: true } }] };
      const entries = asked.now('n1', { find: 'oplog.rs', filter }, 'local').cursor.firstBatch;
      return entries.map(({ op, o }: Doc) => (op === 'c' ? o.applyOps.map((each: Doc) => each.o._id) : o._id));
    },
    answers: {
      '8.2': [[2, 1, 0]],
      '8.0': [[0, 1, 2]],
      '7.0': [[0, 1, 2]],
      '6.0': [0, 1, 2],
      '4.4': [0, 1, 2],
      '3.2': [0, 1, 2],
    },
  },
  {
    fact: 'a compound TTL index on disk',
    async ask(version) {
      const asked = await withSpec(version, index(0, { at: 1, b: 1 }));
      const { deletedDocuments, invalidTTLIndexSkips = 0 } = metrics(asked);
      return [new Set(logged(asked)).values().next().value, deletedDocuments, invalidTTLIndexSkips > 0];
    },
    answers: {
      '8.2': [6909100, 0, true],
      '8.0': [22540, 0, false],
      '7.0': [22540, 0, false],
      '6.0': [22540, 0, false],
      '4.4': [22540, 0, false],
      '3.2': [22540, 0, false],
    },
  },
  {
    // Old servers took NaN for 0; ttl.cpp of 3.2, numberLong.
    fact: 'how many of one document a TTL index with NaN deletes',
    async ask(version) {
      return metrics(await withSpec(version, index(new Double(Number.NaN)))).deletedDocuments;
    },
    answers: { '8.2': 0, '8.0': 0, '7.0': 0, '6.0': 0, '4.4': 0, '3.2': 1 },
  },
  {
    fact: 'createIndexes with a compound key',
    async ask(version) {
      const asked = await alone(version);
      return (await asked.run('n1', { createIndexes: 't', indexes: [index(60, { a: 1, b: 1 })] })).code ?? 'made';
    },
    answers: { '8.2': 67, '8.0': 67, '7.0': 67, '6.0': 67, '4.4': 67, '3.2': 'made' },
  },
  {
    // From 7.1 on it expires; 3.2: Collection::deleteDocument, 10089.
    fact: 'TTL on a capped collection: made, and what is left of one document',
    async ask(version) {
      const asked = await alone(version);
      await asked.ok('n1', { create: 't', capped: true, size: 4096 });
      const { code } = await asked.run('n1', { createIndexes: 't', indexes: [index()] });
      await asked.ok('n1', { insert: 't', documents: expired(1) });
      await asked.pass(3000);
      return [code ?? 'made', (await asked.documents('n1', 't')).length];
    },
    answers: {
      '8.2': ['made', 0],
      '8.0': ['made', 0],
      '7.0': [67, 1],
      '6.0': [67, 1],
      '4.4': [67, 1],
      '3.2': ['made', 1],
    },
  },
  {
    // Stored as int32 from 7.3 on; the oplog shows what is stored.
    fact: 'what is stored of 10000.7 seconds',
    async ask(version) {
      const asked = await alone(version);
      await asked.ok('n1', { createIndexes: 't', indexes: [index(new Double(10000.7))] });
      const filter = { $or: [{ 'o.createIndexes': 't' }, { 'o.commitIndexBuild': 't' }] };
      const [{ o }] = asked.now('n1', { find: 'oplog.rs', filter }, 'local').cursor.firstBatch;
      return (o.indexes?.[0] ?? o).expireAfterSeconds;
    },
    answers: { '8.2': 10000, '8.0': 10000, '7.0': 10000.7, '6.0': 10000.7, '4.4': 10000.7, '3.2': 10000.7 },
  },
  {
    // Conversion by collMod from 5.1 on; by name from 3.6 on.
    fact: 'collMod of a plain index, by key and by name',
    async ask(version) {
      const asked = await alone(version);
      await asked.ok('n1', { createIndexes: 't', indexes: [{ key: { at: 1 }, name: 'at_1' }] });
      const byKey = { keyPattern: { at: 1 }, expireAfterSeconds: 60 };
      const byName = { name: 'at_1', expireAfterSeconds: 60 };
      const codes: unknown[] = [];
      for (const change of [byKey, byName])
        codes.push((await asked.run('n1', { collMod: 't', index: change })).code ?? 'ok');
      return codes;
    },
    answers: {
      '8.2': ['ok', 'ok'],
      '8.0': ['ok', 'ok'],
      '7.0': ['ok', 'ok'],
      '6.0': ['ok', 'ok'],
      '4.4': [72, 72],
      '3.2': [72, 72],
    },
  },
  {
    // Source: SERVER-9306.
    fact: 'hidden, clustered, time-series, and expireAfterSeconds of a collection; 3.2 passes over what create does not know',
    async ask(version) {
      const asked = await alone(version);
      const commands: Doc[] = [
        { createIndexes: 't', indexes: [{ ...index(), hidden: true }] },
        { create: 'c', clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 60 },
        { create: 's', timeseries: { timeField: 't' } },
        { collMod: 'c', expireAfterSeconds: 'off' },
      ];
      const codes: unknown[] = [];
      for (const command of commands) codes.push((await asked.run('n1', command)).ok);
      return codes;
    },
    answers: {
      '8.2': [1, 1, 1, 1],
      '8.0': [1, 1, 1, 1],
      '7.0': [1, 1, 1, 1],
      '6.0': [1, 1, 1, 1],
      '4.4': [1, 0, 0, 0],
      '3.2': [0, 1, 1, 0],
    },
  },
  {
    // storage_engine server status section; RecordStoreV1Base::appendCustomStats.
    fact: 'the storage engine, and its userFlags in collStats',
    async ask(version) {
      const asked = await alone(version);
      await asked.ok('n1', { insert: 't', documents: expired(1) });
      const { storageEngine } = asked.now('n1', { serverStatus: 1 });
      return [storageEngine.name, asked.now('n1', { collStats: 't' }, 'app').userFlags];
    },
    answers: {
      '8.2': ['wiredTiger', undefined],
      '8.0': ['wiredTiger', undefined],
      '7.0': ['wiredTiger', undefined],
      '6.0': ['wiredTiger', undefined],
      '4.4': ['wiredTiger', undefined],
      '3.2': ['mmapv1', 1],
    },
  },
];

test.for(
  FACTS.flatMap(({ fact, ask, answers }) =>
    (Object.keys(answers) as MongodVersion[]).map((version) => [fact, version, ask, answers[version]] as const),
  ),
)('%s: in %s', async ([, version, ask, answer]) => {
  expect(await ask(version)).toEqual(answer);
});

// --- 3.2 in detail ---

test('3.2 changes what is TTL already, and tells only what it was and is', async () => {
  const asked = await alone('3.2');
  await asked.ok('n1', { createIndexes: 't', indexes: [index(60)] });
  const change = { collMod: 't', index: { keyPattern: { at: 1 }, expireAfterSeconds: 90 } };
  expect(await asked.run('n1', change)).toMatchObject({
    expireAfterSeconds_old: 60,
    expireAfterSeconds_new: 90,
    ok: 1,
  });
});

test('3.2 shows a collection as MMAPv1 does, and collMod switches its powers of two', async () => {
  const asked = await AskedSet.start(MEMBERS, { version: '3.2' });
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await asked.ok('n1', { createIndexes: 't', indexes: [index(60)] });
  await asked.ok('n1', { insert: 't', documents: expired(4), writeConcern: { w: 3 } });
  const stats = (member: string) => asked.now(member, { collStats: 't', $readPreference: { mode: 'nearest' } }, 'app');
  // biome-ignore format: a list
  expect(Object.keys(stats('n1')).slice(0, 14)).toEqual(['ns', 'count', 'size', 'avgObjSize', 'numExtents', 'storageSize',
    'lastExtentSize', 'paddingFactor', 'paddingFactorNote', 'userFlags', 'capped', 'nindexes', 'totalIndexSize', 'indexSizes']);
  expect(stats('n1')).toMatchObject({ count: 4, userFlags: 1, paddingFactor: 1, capped: false, nindexes: 2 });
  const change = { collMod: 't', usePowerOf2Sizes: false, writeConcern: { w: 3 } };
  expect(await asked.ok('n1', change)).toMatchObject({ usePowerOf2Sizes_old: true, usePowerOf2Sizes_new: false });
  for (const member of ['n1', 'n2', 'n3']) expect(stats(member).userFlags).toBe(0);
  const { argv, parsed } = asked.now('n1', { getCmdLineOpts: 1 });
  expect([argv.join(' '), parsed.storage]).toEqual([
    expect.stringContaining('--storageEngine mmapv1'),
    { engine: 'mmapv1' },
  ]);
});

test('usePowerOf2Sizes is no field of collMod today', async () => {
  const asked = await alone('8.0');
  await asked.ok('n1', { create: 't' });
  expect(await asked.run('n1', { collMod: 't', usePowerOf2Sizes: true })).toMatchObject({ ok: 0, code: 40415 });
});
