import { describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../replset/test/askedSet.ts';

/** Values that no createIndexes takes, left behind by an upgrade; here two fail points let them in. */

const MEMBERS = [
  { name: 'n1', config: { priority: 2 } },
  { name: 'n2', config: { priority: 0 } },
  { name: 'n3', config: { priority: 0 } },
];

/** n1 is primary and holds one document that any valid TTL index would take, under an index with this value. */
async function startWith(expireAfterSeconds: unknown, version: '8.2' | '8.0' = '8.2'): Promise<AskedSet> {
  const asked = await AskedSet.start(MEMBERS, { version });
  const points = [
    'skipTTLIndexValidationOnCreateIndex',
    'skipTTLIndexInvalidExpireAfterSecondsValidationForCreateIndex',
  ];
  for (const configureFailPoint of points) {
    await asked.ok('n1', { configureFailPoint, mode: 'alwaysOn' }, 'admin');
  }
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { t: 1 }, name: 't', expireAfterSeconds }] });
  const documents = [{ _id: 1, t: new Date(0) }];
  await asked.ok('n1', { insert: 'c', documents, writeConcern: { w: 3 } });
  return asked;
}

const stored = (asked: AskedSet, member: string) => {
  const command = {
    aggregate: 'c',
    pipeline: [{ $listCatalog: {} }],
    cursor: {},
    $readPreference: { mode: 'nearest' },
  };
  return asked.now(member, command, 'app').cursor.firstBatch[0].md.indexes[1].spec.expireAfterSeconds;
};
const listed = (asked: AskedSet, member: string) => {
  const command = { listIndexes: 'c', $readPreference: { mode: 'nearest' } };
  return asked.now(member, command, 'app').cursor.firstBatch[1].expireAfterSeconds;
};
const logged = (asked: AskedSet, member: string, id: number): Doc[] =>
  asked
    .now(member, { getLog: 'global' })
    .log.map((line: string) => JSON.parse(line))
    .filter((line: Doc) => line.id === id);

test('replication carries the raw value, listIndexes and initial sync do not', async () => {
  const asked = await startWith(Number.NaN);
  for (const member of ['n1', 'n2']) {
    expect([member, stored(asked, member)]).toEqual([member, Number.NaN]);
    expect([member, listed(asked, member)]).toEqual([member, 2147483647]);
  }
  expect(logged(asked, 'n2', 6835900)[0]).toMatchObject({ s: 'W', c: 'INDEX', attr: { namespace: 'app.c' } });
  const before = ['n1', 'n2'].flatMap((member) => logged(asked, member, 6835900)).length;
  asked.set.kill('n3');
  await asked.set.start('n3', { wipe: true });
  await asked.until(() => asked.now('n3', { replSetGetStatus: 1 }).myState === 2);
  expect(stored(asked, 'n3')).toBe(2147483647);
  expect(['n1', 'n2'].flatMap((member) => logged(asked, member, 6835900)).length).toBeGreaterThan(before);
});

test.for([
  ['8.2', 1],
  ['8.0', undefined],
] as const)('%s: the monitor passes over the index, and nothing goes', async ([version, skips]) => {
  const asked = await startWith('60', version);
  await asked.pass(62_000);
  expect(logged(asked, 'n1', 6909100)[0]).toMatchObject({
    s: 'E',
    c: 'INDEX',
    ctx: 'TTLMonitor',
    attr: { index: { name: 't' } },
  });
  expect(asked.now('n1', { serverStatus: 1 }).metrics.ttl.invalidTTLIndexSkips).toBe(skips);
  expect(await asked.documents('n1', 'c')).toHaveLength(1);
});

describe('repair by collMod', () => {
  const collMod = { collMod: 'c', index: { name: 't', expireAfterSeconds: 60 }, writeConcern: { w: 3 } };

  test.for([Number.NaN, 1e12, -1])('%s can be put right, and the next pass takes what is due', async (value) => {
    const asked = await startWith(value);
    expect(await asked.ok('n1', collMod)).toMatchObject({ expireAfterSeconds_old: 0, expireAfterSeconds_new: 60 });
    for (const member of ['n1', 'n2', 'n3']) expect(stored(asked, member)).toBe(60);
    await asked.pass(62_000);
    expect(await asked.documents('n1', 'c')).toEqual([]);
  });

  test('a string cannot: only dropping the index helps', async () => {
    const asked = await startWith('60');
    expect(await asked.run('n1', collMod)).toMatchObject({ code: 72 });
    await asked.ok('n1', { dropIndexes: 'c', index: 't' });
    await asked.ok('n1', { configureFailPoint: 'skipTTLIndexValidationOnCreateIndex', mode: 'off' }, 'admin');
    await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { t: 1 }, name: 't', expireAfterSeconds: 60 }] });
    await asked.pass(62_000);
    expect(await asked.documents('n1', 'c')).toEqual([]);
  });
});

test('whoever becomes primary knows of an index that collMod made TTL', async () => {
  const asked = await AskedSet.start(MEMBERS.map(({ name }, i) => ({ name, config: { priority: 3 - i } })));
  await asked.until(() => asked.primaryIfAny() === 'n1');
  await asked.ok('n1', { createIndexes: 'c', indexes: [{ key: { t: 1 }, name: 't' }] });
  await asked.ok('n1', { collMod: 'c', index: { name: 't', expireAfterSeconds: 60 } });
  await asked.ok('n1', { insert: 'c', documents: [{ _id: 1, t: new Date(0) }], writeConcern: { w: 3 } });
  await asked.failOver();
  await asked.pass(62_000);
  expect(await asked.documents(asked.primary, 'c')).toEqual([]);
});
