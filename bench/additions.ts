import { ServedSet, type ServeOptions } from '@replsim/server';
import { MongoClient } from 'mongodb';
import { BareClient } from './bareClient.ts';
import { median } from './measure.ts';

const ROUNDS = 60;
const WARM_UPS = 10;
const INSERTS = 1000;

/** What holding the invariants adds to a served insert, in CPU time: two sets side by side, in turns. */
export function invariants(): Promise<readonly string[]> {
  return compared('invariants', { invariants: false }, { invariants: true });
}

/** The same of the account of what clients are told of their writes. */
export function ledger(): Promise<readonly string[]> {
  return compared('ledger', { ledger: false }, { ledger: true });
}

async function compared(what: string, without: ServeOptions, having: ServeOptions): Promise<readonly string[]> {
  const pair = [without, having] as const;
  return [
    await compare(`${what}, insertOne by the driver`, pair, driven),
    await compare(`${what}, inserts by a bare socket`, pair, bare),
  ];
}

interface Side {
  insert(): Promise<void>;
  end(): Promise<void>;
}

async function compare(
  name: string,
  [without, having]: readonly [ServeOptions, ServeOptions],
  start: (served: ServedSet) => Promise<Side>,
): Promise<string> {
  const sides = [await start(await ServedSet.start(without)), await start(await ServedSet.start(having))] as const;
  const micros: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const i of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const before = process.cpuUsage();
      await sides[i].insert();
      const { user, system } = process.cpuUsage(before);
      if (round >= WARM_UPS) micros[i].push((user + system) / INSERTS);
    }
  for (const side of sides) await side.end();
  const ratio = median(micros[1].map((each, i) => each / micros[0][i]!));
  return `${name.padEnd(52)} ${median(micros[1]).toFixed(0).padStart(12)} µs of CPU; without ${median(micros[0]).toFixed(0)}, ratio ${ratio.toFixed(3)}`;
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
