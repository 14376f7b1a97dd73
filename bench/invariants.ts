import { ServedSet } from '@replsim/server';
import { MongoClient } from 'mongodb';
import { BareClient } from './bareClient.ts';
import { median } from './measure.ts';

const ROUNDS = 60;
const WARM_UPS = 10;
const INSERTS = 1000;

/** What holding the invariants adds to a served insert, in CPU time: two sets side by side, in turns. */
export async function invariants(): Promise<readonly string[]> {
  return [await compare('insertOne by the driver', driven), await compare('inserts by a bare socket', bare)];
}

interface Side {
  insert(): Promise<void>;
  end(): Promise<void>;
}

async function compare(name: string, start: (served: ServedSet) => Promise<Side>): Promise<string> {
  const sides = [
    await start(await ServedSet.start({ invariants: false })),
    await start(await ServedSet.start({ invariants: true })),
  ] as const;
  const micros: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const i of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const before = process.cpuUsage();
      await sides[i].insert();
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UPS) micros[i].push((user + system) / INSERTS);
    }
  for (const side of sides) await side.end();
  const [without, having] = [median(micros[0]), median(micros[1])];
  const ratio = median(micros[1].map((each, i) => each / micros[0][i]!));
  return `${`invariants, ${name}`.padEnd(52)} ${having.toFixed(0).padStart(12)} µs of CPU; without ${without.toFixed(0)}, ratio ${ratio.toFixed(2)}`;
}

async function driven(served: ServedSet): Promise<Side> {
  const client = new MongoClient(served.uri);
  const collection = client.db('app').collection('c');
  await collection.insertOne({ x: 1 });
  return {
    async insert() {
      for (let i = 0; i < INSERTS; i++) await collection.insertOne({ x: i }, { writeConcern: { w: 1 } });
    },
    async end() {
      await client.close();
      await served.stop();
    },
  };
}

async function bare(served: ServedSet): Promise<Side> {
  const { members, primary } = served.status();
  const client = await BareClient.connect(members.find(({ name }) => name === primary)!.host);
  return {
    insert: () => client.send(client.inserts(INSERTS)),
    async end() {
      client.close();
      await served.stop();
    },
  };
}
