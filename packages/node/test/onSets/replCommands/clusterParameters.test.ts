import { Long } from 'bson';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AskedSet, type Doc } from '../../../../replset/test/askedSet.ts';
import { LoneMember } from '../../loneMember.ts';

let asked: AskedSet;
beforeAll(async () => {
  asked = await AskedSet.start(3);
});
afterAll(() => asked.set.close());

const set = (value: Doc) => asked.run(asked.primary, { setClusterParameter: value }, 'admin');
const get = (name: unknown, member = asked.primary) => asked.now(member, { getClusterParameter: name });
const shown = (name: string, member?: string): Doc => get(name, member).clusterParameters[0];

test('what nobody has set has a default, and is of no time', () => {
  expect(get('*').clusterParameters).toEqual([
    {
      _id: 'changeStreamOptions',
      clusterParameterTime: expect.anything(),
      preAndPostImages: { expireAfterSeconds: 'off' },
    },
    { _id: 'defaultMaxTimeMS', clusterParameterTime: expect.anything(), readOperations: 0 },
  ]);
  expect(String(shown('defaultMaxTimeMS').clusterParameterTime)).toBe('0');
});

test('what is set is known to every member', async () => {
  const images = { preAndPostImages: { expireAfterSeconds: 100 } };
  expect((await set({ changeStreamOptions: images })).ok).toBe(1);
  await asked.pass(3000);
  for (const member of asked.set.memberNames) expect(shown('changeStreamOptions', member)).toMatchObject(images);
  expect(asked.typed(asked.primary, { getClusterParameter: ['changeStreamOptions'] })).toMatchObject({
    clusterParameters: [{ preAndPostImages: { expireAfterSeconds: Long.fromNumber(100) } }],
  });
  await set({ changeStreamOptions: { preAndPostImages: { expireAfterSeconds: 'off' } } });
  expect(shown('changeStreamOptions').preAndPostImages).toEqual({ expireAfterSeconds: 'off' });
});

test.for<[value: Doc, code: number]>([
  [{}, 4],
  [{ nope: {} }, 4],
  [{ nope: 1 }, 4],
  [{ defaultMaxTimeMS: 1 }, 2],
  [{ defaultMaxTimeMS: {}, changeStreamOptions: {} }, 72],
  [{ defaultMaxTimeMS: { readOperations: -1 } }, 2],
  [{ defaultMaxTimeMS: { readOperations: 'x' } }, 14],
  [{ defaultMaxTimeMS: { writeOperations: 1 } }, 40_415],
  [{ changeStreamOptions: {} }, 40_414],
  [{ changeStreamOptions: { preAndPostImages: { expireAfterSeconds: 0 } } }, 2],
  [{ changeStreamOptions: { preAndPostImages: { expireAfterSeconds: 'on' } } }, 2],
])('%j is refused by %i', async ([value, code]) => {
  expect(await set(value)).toMatchObject({ ok: 0, code });
});

test.for<[name: unknown, code: number]>([
  ['nope', 4],
  [['defaultMaxTimeMS', 'nope'], 4],
  [[], 2],
  [1, 14],
])('to get %j is refused by %i', ([name, code]) => {
  expect(get(name)).toMatchObject({ ok: 0, code });
});

test('it takes no write concern, and waits for a majority', async () => {
  const command = { setClusterParameter: { defaultMaxTimeMS: {} }, writeConcern: { w: 1 } };
  expect(await asked.run(asked.primary, command, 'admin')).toMatchObject({ ok: 0, code: 72 });
});

describe('how long a read may take that says nothing', () => {
  const READER = { user: 'reader', db: 'admin' };
  const ROOT = { user: 'root', db: 'admin' };

  /** A member with that default, on which every time limit is over at once. */
  function limited(options: object = { authorization: true }): LoneMember {
    const member = LoneMember.primary(0, {}, { options });
    const roles = { reader: [{ role: 'readWrite', db: 'app' }], root: ['root'] };
    for (const [name, held] of Object.entries(roles)) member.run({ createUser: name, pwd: 'p', roles: held });
    member.run({ setClusterParameter: { defaultMaxTimeMS: { readOperations: 5000 } } });
    member.run({ insert: 'c', documents: [{ _id: 1 }] }, 'app');
    member.run({ configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn' });
    return member;
  }

  function codeOf(member: LoneMember, command: Doc, user: typeof READER | undefined): unknown {
    const id = member.open('10.0.0.1:50001');
    const connection = member.mongod.connections.find(id);
    if (user && connection) connection.user = user;
    return member.runOn(id, command, 'app').code;
  }

  test.for<[command: Doc, code?: number]>([
    [{ find: 'c' }, 50],
    [{ count: 'c' }, 50],
    [{ distinct: 'c', key: 'a' }, 50],
    [{ aggregate: 'c', pipeline: [], cursor: {} }, 50],
    [{ find: 'c', maxTimeMS: 0 }],
    [{ aggregate: 'c', pipeline: [{ $out: 'd' }], cursor: {} }],
    [{ insert: 'c', documents: [{}] }],
    [{ ping: 1 }],
  ])('%j', ([command, code]) => {
    expect(codeOf(limited(), command, READER)).toBe(code);
  });

  test('whoever may bypass the default has none, as everybody where there is no access control', () => {
    const member = limited();
    expect(codeOf(member, { find: 'c' }, ROOT)).toBeUndefined();
    expect(codeOf(member, { find: 'c', maxTimeMS: 10 }, ROOT)).toBe(50);
    expect(codeOf(limited({}), { find: 'c' }, undefined)).toBeUndefined();
  });

  test('what it ends is counted by itself', () => {
    const member = limited();
    codeOf(member, { find: 'c' }, READER);
    codeOf(member, { find: 'c' }, READER);
    codeOf(member, { find: 'c', maxTimeMS: 10 }, READER);
    expect(member.run({ serverStatus: 1 }).metrics).toMatchObject({
      operation: { killedDueToDefaultMaxTimeMSExpired: 2, killedDueToMaxTimeMSExpired: 1 },
    });
  });
});
