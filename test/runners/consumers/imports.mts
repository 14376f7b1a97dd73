import { MongoClient } from 'mongodb';
import { CommandError, type Duration, ReplicaSet, type ReplicaSetOptions } from 'replsim';
import { type Fixtures, replicaSetPerFile } from 'replsim/vitest';

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

// @ts-expect-error a name that there is not
ReplicaSet.start({ memebrs: 3 });
// @ts-expect-error a speed is a number
ReplicaSet.start({ speed: 'fast' });

export const set: ReplicaSet = replicaSetPerFile({ members: 1 });
export const fixture = ({ replicaSet, client }: Fixtures): [string, MongoClient] => [replicaSet.uri, client];
