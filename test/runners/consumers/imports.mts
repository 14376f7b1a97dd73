import { MongoClient } from 'mongodb';
import { CommandError, type Duration, ReplicaSet, type ReplicaSetOptions } from 'replsim';
import { replicaSet } from 'replsim/jest';
import MongoMemoryServerByDefault, {
  errors,
  type MongoInstanceData,
  MongoMemoryReplSet,
  type MongoMemoryReplSetOpts,
  MongoMemoryServer,
  MongoMemoryServerStates,
  type ReplicaMemberConfig,
} from 'replsim/mongodb-memory-server';
import { type Fixtures, replicaSetPerFile, replicaSetPerWorker } from 'replsim/vitest';

const options: ReplicaSetOptions = { members: [{ name: 'n1', priority: 2 }, 'n2', 'n3'], version: '7.0', speed: 0 };
const minute: Duration = '1m';

export async function expire(): Promise<Date> {
  await using set: ReplicaSet = await ReplicaSet.start(options);
  const client = new MongoClient(set.getUri('app'));
  const now: Date = await set.advance(minute);
  await set.stepDown({ secs: 60 }).catch((error: unknown) => error instanceof CommandError && error.codeName);
  await client.close();
  return now;
}

const replSetOptions: Partial<MongoMemoryReplSetOpts> = {
  replSet: { count: 3, name: 'rs1', storageEngine: 'wiredTiger', configSettings: { electionTimeoutMillis: 500 } },
  instanceOpts: [{ port: 27_017, replicaMemberConfig: { priority: 2, votes: 1 }, launchTimeout: 1000 }],
  binary: { version: '8.0.4', downloadDir: '/tmp', checkMD5: true },
};

export async function inMemory(): Promise<string[]> {
  const replSet: MongoMemoryReplSet = await MongoMemoryReplSet.create(replSetOptions);
  replSet.on('stateChange', (state: string) => state);
  const [first] = replSet.servers;
  const port: number | undefined = first?.instanceInfo?.port;
  await replSet.replicaSet.advance(minute);
  await using server = new MongoMemoryServerByDefault({ instance: { port: port ?? 0, dbName: 'app' } });
  await server.start().catch((error: unknown) => error instanceof errors.StateError && error.gotState);
  if (server.state !== MongoMemoryServerStates.running) await server.ensureInstance();
  await replSet.stop({ doCleanup: true, force: false });
  return [replSet.getUri('app'), server.getUri(), await replicaSet.untilPrimary()];
}

/** What suites for mongodb-memory-server look at, though there is nothing to see here. */
export function lookedAt(server: MongoMemoryServer, { instance, dbPath }: MongoInstanceData): string {
  const pids: (number | undefined)[] = [instance.mongodProcess?.pid, instance.killerProcess?.pid];
  instance.on('instanceClosed', (code: number | null) => code);
  return [dbPath.length, server.auth?.customRootName, server.instanceInfo?.tmpDir?.length, ...pids].join();
}

export const delayed: ReplicaMemberConfig = { slaveDelay: 30, priority: 0, tags: { use: 'reports' } };

export class Talking extends MongoMemoryServer {
  override async start(forceSamePort?: boolean): Promise<void> {
    this.debug('starts', forceSamePort);
    await super.start(forceSamePort);
  }
}

/** What the preset for jest puts there. */
export const globals: [uri: string, database: string] = [globalThis.__MONGO_URI__, __MONGO_DB_NAME__];

// @ts-expect-error a name that there is not
MongoMemoryServer.create({ instnce: {} });
// @ts-expect-error a name that there is not
ReplicaSet.start({ memebrs: 3 });
// @ts-expect-error a speed is a number
ReplicaSet.start({ speed: 'fast' });

export const set: ReplicaSet = replicaSetPerFile({ members: 1 });
export const fixture = ({ replicaSet, client }: Fixtures): [string, MongoClient] => [replicaSet.uri, client];
export const shared: ReplicaSet = replicaSetPerWorker({ members: 1 });
