import {
  type MongoClientOptions,
  MongoCompatibilityError,
  MongoServerError,
  type ServerHeartbeatFailedEvent,
} from 'mongodb';
import { expect, test } from 'vitest';
import { nextEvent, useClients, useServedSet } from './servedSets.ts';

// What an application is told that asks for what there is not.

const served = useServedSet({ members: 1 });
const newClient = useClients();

test.for<[string, MongoClientOptions]>([
  ['a password', {}],
  ['a password, the old way', { authMechanism: 'SCRAM-SHA-1' }],
  ['a password that somebody else knows', { authMechanism: 'PLAIN' }],
])('%s: there are no users, and the message says what to do', async ([, options]) => {
  const client = newClient(served().uri, { auth: { username: 'me', password: 'secret' }, ...options });
  const refused = client.connect();
  await expect(refused).rejects.toBeInstanceOf(MongoServerError);
  // docs/serve.md, --any-user: there are two ways out.
  await expect(refused).rejects.toThrow(
    /Leave user name and password out of the connection string, .*--any-user PASSWORD/,
  );
});

test('TLS: the connection ends, and the client says what for', async () => {
  const client = newClient(served().uri, { tls: true });
  const failed = nextEvent<ServerHeartbeatFailedEvent>(client, 'serverHeartbeatFailed', () => true);
  const refused = expect(client.connect()).rejects.toThrow();
  expect((await failed).failure.message).toMatch(/before secure TLS connection was established/);
  await client.close();
  await refused;
});

test('a load balancer: there is none', async () => {
  const client = newClient(`mongodb://${served().set.hostOf('n1')}/?loadBalanced=true`);
  await expect(client.connect()).rejects.toBeInstanceOf(MongoCompatibilityError);
});
