import { ServedSet, type ServeOptions } from '@replsim/server';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { BareClient } from './bareClient.ts';
import { type Figure, median } from './measure.ts';

const ROUNDS = 60;
const WARM_UPS = 10;
const INSERTS = 1000;
const AIM_RATIO = 1.1;

/** What holding the invariants adds to a served insert, in CPU time: two sets side by side, in turns. */
export function invariants(): Promise<readonly Figure[]> {
  return compared('invariants', { invariants: false }, { invariants: true });
}

/** The same of the account of what clients are told of their writes. */
export function ledger(): Promise<readonly Figure[]> {
  return compared('ledger', { ledger: false }, { ledger: true });
}

/** What a login and the gate add to an insert: a set with access control beside one without. */
export async function access(): Promise<readonly Figure[]> {
  const access = { authorization: true, keys: ['not a secret, as nobody but this process reaches it'] };
  return [await compare('access control, insertOne by the driver', [{}, { access }], loggedIn, 1.03)];
}

/** The first user comes by the localhost exception; where nobody asks who one is, it logs in as nobody. */
async function loggedIn(served: ServedSet): Promise<Side> {
  if (!served.options.access?.authorization) return driven(served);
  const auth = { username: 'root', password: 'root' };
  const first = new MongoClient(served.uri);
  await first.db('admin').command({ createUser: auth.username, pwd: auth.password, roles: ['root'] });
  await first.close();
  return driven(served, { auth });
}

async function compared(what: string, without: ServeOptions, having: ServeOptions): Promise<readonly Figure[]> {
  const pair = [without, having] as const;
  return [
    await compare(`${what}, insertOne by the driver`, pair, driven, AIM_RATIO),
    await compare(`${what}, inserts by a bare socket`, pair, bare, AIM_RATIO),
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
  aimRatio: number,
): Promise<Figure> {
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
  return {
    name,
    value: median(micros[1]),
    unit: 'µs of CPU',
    better: 'less',
    floor: { name: 'without', value: median(micros[0]) },
    ratio,
    aimRatio,
  };
}

async function driven(served: ServedSet, options: MongoClientOptions = {}): Promise<Side> {
  const client = new MongoClient(served.uri, options);
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
