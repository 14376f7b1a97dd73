import { createRequire } from 'node:module';
import { MongoClient } from 'mongodb';
import { CannedServer } from './cannedServer.ts';
import { timed } from './measure.ts';

// A program: from nothing to a write that a majority has, as each file of a test suite begins, this many times in one process. It
// prints how long each took, in ms. `canned` is the floor: the driver, against a set of as many members that has its answers ready.

const MEMBERS = 3;

const [, , what, times] = process.argv;
const millis: number[] = [];
const start = what === 'canned' ? () => CannedServer.start(MEMBERS) : setsAsPublished();
for (let i = 0; i < Number(times); i++) {
  let end = async () => {};
  const seconds = await timed(async () => {
    const served = await start();
    const client = new MongoClient(served.uri);
    end = async () => {
      await client.close();
      await served.stop();
    };
    await client
      .db('app')
      .collection('c')
      .insertOne({ x: 1 }, { writeConcern: { w: 'majority' } });
  });
  millis.push(1000 * seconds);
  await end();
}
process.stdout.write(JSON.stringify(millis));

interface Served {
  readonly uri: string;
  stop(): Promise<void>;
}

function setsAsPublished(): () => Promise<Served> {
  const { ReplicaSet } = createRequire(import.meta.url)('replsim') as {
    ReplicaSet: { start(options: object): Promise<Served> };
  };
  return () => ReplicaSet.start({ members: MEMBERS });
}
