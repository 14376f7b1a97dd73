import { MongoClient, MongoServerError } from 'mongodb';
import { ReplicaSet } from 'replsim';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  COMMANDS,
  isOpenRow,
  mayRun,
  ON_ADMIN,
  ON_DATABASE,
  type Row,
} from '../../packages/database/test/onSets/access/commandsByRole.ts';

// The table of commands and built-in roles, walked with a real driver: a user of each role logs in and tries every row.

/** Of a user without a role, and of a client who has not logged in. */
const [NOTHING, NOBODY] = ['nothing', 'nobody'];
const ROLES = [...ON_DATABASE, ...ON_ADMIN, NOTHING];
const roleOf = (role: string) => ({ role, db: (ON_DATABASE as readonly string[]).includes(role) ? 'app' : 'admin' });

type Place = 'app' | 'shop' | 'admin';
const placesOf = ({ on }: Row): readonly Place[] => (on === 'admin' ? ['admin'] : ['app', 'shop']);
const TRIES = Object.values(COMMANDS).flatMap((rows) =>
  rows.flatMap((row) => placesOf(row).map((db) => ({ row, db, name: `${db}: ${JSON.stringify(row.command, shown)}` }))),
);

let set: ReplicaSet;
beforeAll(async () => {
  set = await ReplicaSet.start({
    members: 1,
    // Only answers count: time need not pass, and nothing is checked besides.
    speed: 0,
    ledger: false,
    invariants: false,
    auth: {
      enable: true,
      extraUsers: ROLES.map((role) => ({
        createUser: role,
        pwd: 'secret',
        roles: role === NOTHING ? [] : [roleOf(role)],
      })),
    },
    parameters: { scramSHA256IterationCount: 5000 },
  });
});
afterAll(() => set.stop());

test.for([...ROLES, NOBODY])('%s', async (user) => {
  const auth = user === NOBODY ? {} : { auth: { username: user, password: 'secret' } };
  const client = new MongoClient(set.uri, { ...auth, maxPoolSize: 1 });
  // What is not a role of `app` means the same on every database but `admin`.
  const tries = (ON_DATABASE as readonly string[]).includes(user) ? TRIES : TRIES.filter(({ db }) => db !== 'shop');
  try {
    const refused = await Promise.all(tries.map(({ row, db }) => isRefused(client, row, db)));
    const allowed = tries.filter((_, i) => !refused[i]);
    const expected = tries.filter(({ row, db }) => (user === NOBODY ? isOpenRow(row) : mayRun(row, user, db)));
    expect(allowed.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  } finally {
    await client.close();
  }
});

/** Behind the gate it fails for its time limit, so that nothing is done. */
async function isRefused(client: MongoClient, { command }: Row, db: Place): Promise<boolean> {
  const error = await client
    .db(db)
    .command({ ...command, maxTimeMS: -1 })
    .catch((reason) => reason);
  if (!(error instanceof MongoServerError) || (error.code !== 13 && error.code !== 2))
    throw new Error(`${db}: ${JSON.stringify(command, shown)}`, { cause: error });
  return error.code === 13;
}

function shown(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
