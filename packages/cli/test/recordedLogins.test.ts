import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, expect, test } from 'vitest';
import { main } from '../src/main.ts';
import { testIo } from './io.ts';
import { serve } from './serving.ts';

// A recording of a set with access control: drivers create users and log in, and it is played again from a file without a secret.

const folder = mkdtempSync(join(tmpdir(), 'replsim-recorded-logins-'));
afterAll(() => rmSync(folder, { recursive: true }));

const MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-1'] as const;
const PASSWORDS = { root: 'the-root-password', 'SCRAM-SHA-256': 'first-of-256', 'SCRAM-SHA-1': 'first-of-1' } as const;
const CHANGED = { 'SCRAM-SHA-256': 'second-of-256', 'SCRAM-SHA-1': 'second-of-1' } as const;

/** As a member stores it. */
interface User {
  readonly user: string;
  readonly credentials: Readonly<Partial<Record<string, Kept>>>;
}

test('logins are played again to the byte, and the recording holds nothing to log in with', async () => {
  const [keyFile, recording, live, replayed] = ['key', 'run.yaml', 'live.ndjson', 'replayed.ndjson'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  writeFileSync(keyFile, 'theSharedKey', { mode: 0o400 });
  const files = ['--keyFile', keyFile, '--record', recording, '--trace', live];
  const serving = await serve('--port', '0', '--seed', '5', ...files);
  const clients: MongoClient[] = [];
  const connect = (options: MongoClientOptions = {}) => {
    const client = new MongoClient(serving.uri, { monitorCommands: true, ...options });
    clients.push(client);
    return client;
  };
  const as = (username: string, password: string, authMechanism?: (typeof MECHANISMS)[number]) =>
    connect({ auth: { username, password }, ...(authMechanism && { authMechanism }) });
  const stored: User[] = [];
  try {
    const createUser = { createUser: 'root', pwd: PASSWORDS.root, roles: ['root'] };
    await connect().db('admin').command(createUser);
    const root = as('root', PASSWORDS.root);
    const admin = root.db('admin');
    const users = admin.collection<User>('system.users');
    for (const mechanism of MECHANISMS) {
      const user = `user of ${mechanism}`;
      const roles = [{ role: 'readWrite', db: 'app' }];
      await admin.command({ createUser: user, pwd: PASSWORDS[mechanism], roles, mechanisms: [mechanism] });
      const items = (password: string) => as(user, password, mechanism).db('app').collection<{ _id: string }>('items');
      await items(PASSWORDS[mechanism]).insertOne({ _id: mechanism });
      await expect(items('a wrong guess').findOne()).rejects.toMatchObject({ code: 18 });
      stored.push(...(await users.find({ user }).toArray()));
      await admin.command({ updateUser: user, pwd: CHANGED[mechanism] });
      expect(await items(CHANGED[mechanism]).countDocuments()).toBeGreaterThan(0);
      stored.push(...(await users.find({ user }).toArray()));
    }
    await admin.command({ dropUser: 'user of SCRAM-SHA-1' });
    const { primary } = await admin.command({ replsimStatus: 1 });
    await admin.command({
      replsimFault: { restart: { member: primary === 'n1' ? 'n2' : 'n1', keyFile: 'anotherKey' } },
    });
    stored.push(...(await users.find({ user: 'root' }).toArray()));
  } finally {
    for (const client of clients) await client.close();
    expect(await serving.interrupt()).toBe(0);
  }
  expect(await main(['run', recording, '--trace', replayed], testIo())).toBe(0);
  expect(readFileSync(replayed, 'utf8').split('\n')).toEqual(readFileSync(live, 'utf8').split('\n'));

  const text = readFileSync(recording, 'utf8');
  const inEveryForm = (secret: Buffer | string) =>
    (['utf8', 'base64', 'base64url', 'hex'] as const).map((form) => Buffer.from(secret).toString(form));
  const passwords = [...Object.values(PASSWORDS), ...Object.values(CHANGED)];
  for (const secret of [...passwords, 'theSharedKey', 'anotherKey'].flatMap(inEveryForm))
    expect(text).not.toContain(secret);
  expect(stored.length).toBe(5);
  for (const { user, credentials } of stored) {
    for (const mechanism of MECHANISMS.filter((each) => each in credentials)) {
      const kept = credentials[mechanism]!;
      // Of one of the passwords, which is tried by what the member stores.
      const secrets = passwords.map((password) => secretsOf(mechanism, user, password, kept));
      const found = secrets.find(({ storedKey }) => storedKey === kept.storedKey)!;
      // What a member stores is there, or the run could not be repeated.
      expect(text).toContain(found.storedKey);
      for (const secret of [found.hashed, found.salted, found.clientKey].flatMap(inEveryForm))
        expect(text).not.toContain(secret);
    }
  }
});

interface Kept {
  readonly salt: string;
  readonly iterationCount: number;
  readonly storedKey: string;
}

/** What a client makes of a password, RFC 5802; of SHA-1 MongoDB's digest. */
function secretsOf(mechanism: (typeof MECHANISMS)[number], user: string, password: string, kept: Kept) {
  const hash = mechanism === 'SCRAM-SHA-1' ? 'sha1' : 'sha256';
  const digest = createHash('md5').update(`${user}:mongo:${password}`).digest('hex');
  const hashed = mechanism === 'SCRAM-SHA-1' ? digest : password;
  const bytes = hash === 'sha1' ? 20 : 32;
  const salted = pbkdf2Sync(hashed, Buffer.from(kept.salt, 'base64'), kept.iterationCount, bytes, hash);
  const clientKey = createHmac(hash, salted).update('Client Key').digest();
  return { hashed, salted, clientKey, storedKey: createHash(hash).update(clientKey).digest('base64') };
}
