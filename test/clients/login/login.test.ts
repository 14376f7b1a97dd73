import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Driver, isThere, mongocDriver, nodeDriver, pythonDriver, TEXT_LENGTH } from './clients.ts';
import { type Compressor, GuardedSet, type Login, loginsOf, nameOf } from './guardedSet.ts';

// Real drivers log in by each mechanism, with each compressor that they have, to one set that requires TLS and has access control. Its primary
// dies under all of them, and they go on writing. What a client says of itself is not believed: the primary's counts show that its messages
// were compressed, and by which mechanism it logged in.

interface Kind {
  readonly name: string;
  readonly compressors: readonly Compressor[];
  readonly make: () => Driver;
  /** Debian's packages, and a command that succeeds where they are. */
  readonly packages?: string;
  readonly there?: string;
}

/** Node's driver has zlib by itself, and so has Debian's PyMongo. */
const KINDS: readonly Kind[] = [
  { name: 'node', compressors: ['zlib'], make: nodeDriver },
  {
    name: 'pymongo',
    compressors: ['zlib'],
    make: pythonDriver,
    packages: 'python3-pymongo',
    there: '/usr/bin/python3 -c "import pymongo, ssl"',
  },
  {
    name: 'mongoc',
    compressors: ['snappy', 'zlib', 'zstd'],
    make: mongocDriver,
    packages: 'gcc libc6-dev pkg-config libmongoc-dev',
    there: 'gcc --version && pkg-config --exists libmongoc-1.0',
  },
];

const present = KINDS.filter(({ there }) => there === undefined || isThere(there));
const logins = present.flatMap(({ name, compressors }) => loginsOf(name, compressors));
const rows = logins.map((login) => [nameOf(login), login] as const);
const drivers = new Map<string, Driver>();
const driverOf = ({ driver }: Login) => drivers.get(driver)!;
let guarded: GuardedSet;

beforeAll(async () => {
  for (const { name, make } of present) drivers.set(name, make());
  guarded = await GuardedSet.start(logins);
});
afterAll(async () => {
  await Promise.all(Array.from(drivers.values(), (driver) => driver.stop()));
  await guarded.stop();
});

test.runIf(process.env.CI)('every driver is here', () => {
  const missing = KINDS.filter((kind) => !present.includes(kind));
  expect(missing.map(({ packages }) => `apt-get install ${packages}`)).toEqual([]);
});

/** A client's write, and that it was compressed as it says. */
async function writesAlone(login: Login) {
  const { written, counted } = await guarded.writeAlone(driverOf(login), login);
  expect(written).toEqual(guarded.expected(login));
  const { compressor } = login;
  expect(Object.keys(counted.compressed)).toEqual(compressor === 'none' ? [] : [compressor]);
  if (compressor !== 'none') expect(counted.compressed[compressor]).toBeGreaterThan(TEXT_LENGTH);
  return counted;
}

describe('with the first primary', () => {
  test.for(rows)('%s', async ([, login]) => {
    const { logins: counted } = await writesAlone(login);
    expect(Object.keys(counted)).toEqual([login.mechanism]);
    expect(await guarded.mechanismsOf(login)).toEqual(new Set([login.mechanism]));
  });
});

describe('the primary dies', () => {
  test('every client goes on', async () => {
    const before = guarded.set.primary;
    await guarded.set.kill('primary');
    const writes = logins.map((login) => driverOf(login).write(nameOf(login), guarded.uriOf(login)));
    expect(await guarded.set.untilPrimary()).not.toBe(before);
    expect(await Promise.all(writes)).toEqual(logins.map((login) => guarded.expected(login)));
  });

  test.for(rows)('%s', async ([, login]) => {
    await writesAlone(login);
    expect(await guarded.mechanismsOf(login)).toEqual(new Set([login.mechanism]));
  });
});

describe.each(present)('$name', ({ name }) => {
  const login = { driver: name, mechanism: 'SCRAM-SHA-256', compressor: 'none' } as const;

  test('with a wrong password', async () => {
    const written = await drivers.get(name)!.write(`${name}-wrong`, guarded.uriOf(login, 'guess'));
    // libmongoc has a number of its own for it.
    const code = name === 'mongoc' ? 11 : 18;
    expect(written).toMatchObject({ code, message: expect.stringMatching(/authentication failed/i) });
    expect((await guarded.failuresOf(login)).at(-1)).toBe(18);
  });

  test('without TLS', async () => {
    const before = await guarded.refusals();
    const uri = guarded.uriOf(login).replace(/&tls(CAFile)?=[^&]*/g, '');
    const write = () => drivers.get(name)!.write(`${name}-plain`, `${uri}&serverSelectionTimeoutMS=500`);
    // One that has not come as far as a refusal has shown nothing.
    do expect(await write()).toMatchObject({ message: expect.any(String) });
    while ((await guarded.refusals()).length === before.length);
  });
});
