import { ServedSet, type ServeOptions } from '@replsim/server';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** One set for all tests of the file or of the `describe` block. @returns how to get it, once the tests run */
export function useServedSet(options: ServeOptions = {}): () => ServedSet {
  let served: ServedSet | undefined;
  beforeAll(async () => {
    served = await ServedSet.start(options);
  });
  afterAll(() => served?.stop());
  return () => served!;
}

/** Clients that live as long as the test that asked for them. */
export function useClients(): (uri: string, options?: MongoClientOptions) => MongoClient {
  const clients: MongoClient[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  return (uri, options) => {
    const client = new MongoClient(uri, options);
    clients.push(client);
    return client;
  };
}

/**
 * Connects a client and waits until the members stream their news to it. A client that is younger hears of a failover
 * only when its first stream begins.
 * @param members how many must stream
 */
export async function connected(client: MongoClient, members = 3): Promise<MongoClient> {
  const streaming = new Set<string>();
  const all = new Promise<void>((resolve) => {
    client.on('serverHeartbeatStarted', ({ awaited, connectionId }) => {
      if (awaited) streaming.add(connectionId);
      if (streaming.size >= members) resolve();
    });
  });
  await client.connect();
  await all;
  return client;
}

/** A URI for one member alone. */
export function directUri(served: ServedSet, member: string): string {
  return `mongodb://${served.set.hostOf(member)}/?directConnection=true`;
}

/** Names of the members at these addresses. */
export function namesOf(served: ServedSet, addresses: Iterable<string>): string[] {
  const names = new Map(served.set.memberNames.map((name) => [served.set.hostOf(name), name]));
  return Array.from(addresses, (address) => names.get(address) ?? address).sort();
}

/** The next event of this kind for which `wanted` holds. */
export function nextEvent<Event>(client: MongoClient, name: string, wanted: (event: Event) => boolean): Promise<Event> {
  return new Promise((resolve) => {
    const heard = (event: Event) => {
      if (!wanted(event)) return;
      client.off(name as 'open', heard as never);
      resolve(event);
    };
    client.on(name as 'open', heard as never);
  });
}
