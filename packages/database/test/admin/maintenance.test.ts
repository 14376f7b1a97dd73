import { beforeEach, expect, test } from 'vitest';
import { FakeMember } from '../fakeMember.ts';

let member: FakeMember;
beforeEach(() => {
  member = new FakeMember();
  member.insert('c', { _id: 1, a: 'x' }, { _id: 2, a: 'y' }, { _id: 3, a: 'z' });
  member.ok({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', sparse: true }] });
});

test('compact works on a time series, and not on a view', () => {
  member.ok({ create: 'series', timeseries: { timeField: 't' } });
  expect(member.ok({ compact: 'series', force: true }).bytesFreed).toBe(0);
  member.ok({ create: 'view', viewOn: 'c', pipeline: [] });
  expect(member.run({ compact: 'view', force: true }).code).toBe(166);
});

test('compact frees nothing, on a secondary without force', () => {
  expect(member.ok({ compact: 'c', force: true }).bytesFreed).toBe(0);
  member.memberState = 'SECONDARY';
  expect(member.ok({ compact: 'c' }).bytesFreed).toBe(0);
  expect(member.ok({ compact: 'c', dryRun: true }).estimatedBytesFreed).toBe(0);
});

test('reIndex builds the indexes of a standalone anew', () => {
  member.memberState = 'STANDALONE';
  const index = member.engine.collection('app.c')!.index('a_1');
  expect(member.ok({ reIndex: 'c' })).toMatchObject({
    nIndexesWas: 2,
    nIndexes: 2,
    indexes: [{ name: '_id_' }, { name: 'a_1', key: { a: 1 }, sparse: true }],
  });
  expect(member.engine.collection('app.c')!.index('a_1')).not.toBe(index);
  expect(member.ok({ validate: 'c' })).toMatchObject({ valid: true, keysPerIndex: { _id_: 3, a_1: 3 } });
});

test('cloneCollectionAsCapped copies what fits of the newest, and no index', () => {
  member.insert('logs', ...Array.from({ length: 5 }, (_, _id) => ({ _id, text: 'x'.repeat(80) })));
  member.ok({ cloneCollectionAsCapped: 'logs', toCollection: 'newest', size: 256 });
  expect(member.find('newest').map(({ _id }) => _id)).toEqual([3, 4]);
  expect(member.find('logs')).toHaveLength(5);
  const [{ options }] = member.ok({ listCollections: 1, filter: { name: 'newest' } }).cursor.firstBatch;
  expect(options).toEqual({ capped: true, size: 256 });
  member.ok({ cloneCollectionAsCapped: 'c', toCollection: 'd', size: 1000 });
  expect(member.ok({ listIndexes: 'd' }).cursor.firstBatch.map(({ name }: { name: string }) => name)).toEqual(['_id_']);
});

test("setFeatureCompatibilityVersion to the release's own changes nothing", () => {
  expect(member.run({ setFeatureCompatibilityVersion: '8.0', confirm: true }, 'admin').ok).toBe(1);
  const { featureCompatibilityVersion } = member.ok({ getParameter: 1, featureCompatibilityVersion: 1 }, 'admin');
  expect(featureCompatibilityVersion).toEqual({ version: '8.0' });
});

test('nobody has an account', () => {
  expect(member.ok({ usersInfo: 'someone' }).users).toEqual([]);
  expect(member.ok({ rolesInfo: 1 }).roles).toEqual([]);
  expect(member.ok({ rolesInfo: { role: 'root', db: 'admin' }, showBuiltinRoles: true }).roles).toEqual([
    { role: 'root', db: 'admin', isBuiltin: true, roles: [], inheritedRoles: [] },
  ]);
  expect(member.ok({ connectionStatus: 1 }).authInfo).toEqual({ authenticatedUsers: [], authenticatedUserRoles: [] });
  const { authInfo } = member.ok({ connectionStatus: 1, showPrivileges: 1 });
  expect(authInfo.authenticatedUserPrivileges).toEqual([]);
});

test('a log that is rotated says so', () => {
  member.ok({ logRotate: 1 }, 'admin');
  member.ok({ logRotate: 'server' }, 'admin');
  expect(member.run({ logRotate: 'audits' }, 'admin').code).toBe(4);
  expect(member.ok({ getLog: 'global' }, 'admin').log[0]).toContain('"id":23166');
});
