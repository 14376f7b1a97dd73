import { MongoClient } from 'mongodb';
import type { ReplicaSet } from 'replsim';
import { replicaSetPerFile, replicaSetPerTest, test } from 'replsim/vitest';
import { beforeAll, beforeEach, describe, expect } from 'vitest';

const outer = replicaSetPerFile({ members: 1, name: 'outer', speed: 0 });

beforeAll(() => outer.command('n1', { insert: 'items', documents: [{ _id: 1 }], $db: 'app' }));

const countIn = async (set: ReplicaSet) => (await set.command('n1', { count: 'items', $db: 'app' })).n;

describe('a set for a describe', () => {
  const inner = replicaSetPerFile({ members: 1, name: 'inner' });

  test('is another than that of the file', async () => {
    expect([outer.name, inner.name]).toEqual(['outer', 'inner']);
    expect([await countIn(outer), await countIn(inner)]).toEqual([1, 0]);
  });

  test('can be told apart from nothing that it stands for', async () => {
    expect(inner).toBeInstanceOf(Object.getPrototypeOf(outer).constructor);
    const { advance, uri } = inner;
    expect(await advance('1s')).toBeInstanceOf(Date);
    expect(uri).toBe(inner.getUri());
    inner.speed = 3;
    expect([inner.speed, outer.speed]).toEqual([3, 0]);
    expect(() => {
      inner.speed = -1;
    }).toThrow(RangeError);
  });
});

describe('a set for each test', () => {
  const set = replicaSetPerTest({ members: 1, speed: 0 });
  const seen: string[] = [];

  beforeEach(async () => {
    await set.command('n1', { insert: 'items', documents: [{ _id: seen.length }], $db: 'app' });
  });

  test.for([1, 2, 3])('test %i', async () => {
    seen.push(set.uri);
    expect(await countIn(set)).toBe(1);
    expect(set.speed).toBe(0);
    set.speed = 5;
  });
});

describe('a set that runs for others', () => {
  let elsewhere: ReplicaSet;

  describe('elsewhere', () => {
    elsewhere = replicaSetPerFile({ members: 1 });
    test('runs', () => expect(elsewhere.primary).toBe('n1'));
  });

  test('cannot be used', () => {
    expect(() => elsewhere.uri).toThrow(/runs only while tests and their hooks do/);
  });
});

describe.concurrent('sets that concurrent tests ask for', () => {
  const small = test.extend({ replicaSetOptions: { members: 1, name: 'small' }, clientOptions: { appName: 'tests' } });
  const running = new Set<string>();
  let together: () => void;
  const allRun = new Promise<void>((resolve) => {
    together = resolve;
  });

  small.for([1, 2, 3, 4])('test %i', async (i, { replicaSet, client, expect }) => {
    running.add(replicaSet.uri);
    if (running.size === 4) together();
    await allRun;
    const items = client.db('app').collection<{ _id: number }>('items');
    await items.insertOne({ _id: 1 });
    await replicaSet.advance(`${i}m`);
    expect(await items.countDocuments()).toBe(1);
    expect(client.options.appName).toBe('tests');
  });

  small('one alone needs no client', ({ replicaSet, expect }) => {
    expect(replicaSet.name).toBe('small');
  });
});

const ofMine = test.extend<{ db: string }>({
  db: async ({ replicaSet }, use) => use(new URL(replicaSet.getUri('mine').replace(/,[^/]*/, '')).pathname),
});

ofMine('a fixture that is built on them', async ({ db, replicaSet }) => {
  expect(db).toBe('/mine');
  const client = new MongoClient(replicaSet.uri);
  await client.db('app').command({ ping: 1 });
  await client.close();
});
