import { MongoServerError } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// Many suites carry a user name and a password in their connection string.

const served = useServedSet({ members: 1, parameters: { anyUserPasswords: ['secret', 'other one'] } });
const newClient = useClients();

const authInfo = (user: string, db: string) => ({ authenticatedUsers: [{ user, db }], authenticatedUserRoles: [] });
const withUser = (credentials: string, options = '') =>
  newClient(`${served().uri.replace('mongodb://', `mongodb://${credentials}@`)}${options}`, {
    serverSelectionTimeoutMS: 5000,
  });

test.for([
  ['me:secret', '', 'me', 'admin'],
  ['you:secret', '&authSource=app', 'you', 'app'],
  ['me:other%20one', '', 'me', 'admin'],
  ['a%2Cb%3Dc:secret', '', 'a,b=c', 'admin'],
  ['me:secret', '&authMechanism=SCRAM-SHA-1', 'me', 'admin'],
  ['me:secret', '&authMechanism=SCRAM-SHA-256', 'me', 'admin'],
] as const)('%s%s', async ([credentials, options, user, db]) => {
  const client = withUser(credentials, options);
  await client
    .db('app')
    .collection<{ _id: string }>('items')
    .updateOne({ _id: 'x' }, { $inc: { n: 1 } }, { upsert: true });
  const status = await client.db('app').command({ connectionStatus: 1 });
  expect(status.authInfo).toEqual(authInfo(user, db));
});

test.for(['&authMechanism=SCRAM-SHA-1', ''])('another password is refused %s', async (options) => {
  const refused = withUser('me:guess', options).connect();
  await expect(refused).rejects.toBeInstanceOf(MongoServerError);
  await expect(refused).rejects.toMatchObject({ code: 18, codeName: 'AuthenticationFailed' });
});

test('whoever does not log in may do just as much, and is nobody', async () => {
  const status = await newClient(served().uri).db('app').command({ connectionStatus: 1 });
  expect(status.authInfo.authenticatedUsers).toEqual([]);
});

describe('as an option of the API', () => {
  let set: ReplicaSet;
  beforeAll(async () => {
    set = await ReplicaSet.start({ members: 1, anyUser: 'secret' });
  });
  afterAll(() => set.stop());

  test('any name will do', async () => {
    const client = newClient(set.uri, { auth: { username: 'root', password: 'secret' } });
    const { authInfo: shown } = await client.db('app').command({ connectionStatus: 1 });
    expect(shown).toEqual(authInfo('root', 'admin'));
  });
});
