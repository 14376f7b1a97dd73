import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// The certificate that a set makes for a client is all that the client shows.

const served = useServedSet({ members: 3, tls: true });
const newClient = useClients();

const SUBJECT = 'CN=client,OU=clients,O=replsim';
const USER = { user: SUBJECT, db: '$external' };
const withCertificate = (more = '') =>
  `${served().uri}&tlsCertificateKeyFile=${encodeURIComponent(served().tls!.throwAway!.clientKeyFile)}` +
  `&authMechanism=MONGODB-X509&authSource=%24external${more}`;

beforeAll(async () => {
  const client = newClient(served().uri);
  const roles = [{ role: 'readWriteAnyDatabase', db: 'admin' }];
  await client.db('$external').command({ createUser: SUBJECT, roles });
});

test('the driver logs in as the subject, within its hello', async () => {
  const client = newClient(withCertificate());
  await client.db('app').collection<{ _id: number }>('items').insertOne({ _id: 1 });
  const { authInfo } = await client.db('app').command({ connectionStatus: 1 });
  expect(authInfo.authenticatedUsers).toEqual([USER]);
  const { security, transportSecurity } = await client.db('admin').command({ serverStatus: 1 });
  const counts = security.authentication.mechanisms['MONGODB-X509'];
  expect(counts.speculativeAuthenticate.successful).toBeGreaterThan(0);
  expect(counts.authenticate).toEqual(counts.speculativeAuthenticate);
  expect(transportSecurity['1.3']).toBeGreaterThan(0);
  const { log } = await client.db('admin').command({ getLog: 'global' });
  const line = (log as string[]).map((each) => JSON.parse(each)).find(({ id }) => id === 5286306);
  expect(line.attr).toMatchObject({ isSpeculative: true, mechanism: 'MONGODB-X509', user: SUBJECT, db: '$external' });
});

test('it logs in again after a failover', async () => {
  const client = newClient(withCertificate());
  const items = client.db('app').collection<{ _id: number }>('failover');
  await items.insertOne({ _id: 1 });
  await served().stepDown();
  await items.insertOne({ _id: 2 });
  expect((await client.db('app').command({ connectionStatus: 1 })).authInfo.authenticatedUsers).toEqual([USER]);
});

test.for([
  ['no certificate', (uri: string) => uri.replace(/&tlsCertificateKeyFile=[^&]*/, '')],
  [
    'the name of somebody else',
    (uri: string) => uri.replace('mongodb://', `mongodb://${encodeURIComponent('CN=somebody')}@`),
  ],
] as const)('who has %s is not let in', async ([, changed]) => {
  const client = newClient(changed(withCertificate()), { serverSelectionTimeoutMS: 2000 });
  await expect(client.connect()).rejects.toMatchObject({ code: 18 });
});

const hasPyMongo = spawnSync('/usr/bin/python3', ['-c', 'import pymongo, ssl']).status === 0;

describe.runIf(hasPyMongo)('PyMongo', () => {
  test('logs in as the subject', async () => {
    const program = [
      'import sys, pymongo',
      'client = pymongo.MongoClient(sys.argv[1])',
      'client.app.python.insert_one({"a": 1})',
      'print(client.app.command("connectionStatus")["authInfo"]["authenticatedUsers"][0]["user"])',
    ].join('\n');
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', program, withCertificate()]);
    expect(stdout).toBe(`${SUBJECT}\n`);
  });
});
