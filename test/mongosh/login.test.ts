import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Driver, programDriver, TEXT_LENGTH } from '../clients/login/clients.ts';
import { GuardedSet, loginsOf, nameOf } from '../clients/login/guardedSet.ts';
import { BINARY, ENV, home } from './mongosh.ts';

// One shell with a client for each login, as `test/clients/login` has it for drivers. Of compressors it brings zlib.

const logins = loginsOf('mongosh', ['zlib']);
const rows = logins.map((login) => [nameOf(login), login] as const);
let shell: Driver;
let guarded: GuardedSet;

beforeAll(async () => {
  guarded = await GuardedSet.start(logins);
  shell = programDriver(process.execPath, [BINARY, '--nodb', '--quiet'], {
    env: { ...ENV, HOME: home },
    before: `load(${JSON.stringify(fileURLToPath(new URL('login.js', import.meta.url)))})\n`,
    // The shell's own patience is two seconds.
    lineOf: (name, uri) =>
      `write(${JSON.stringify(name)}, ${JSON.stringify(`${uri}&serverSelectionTimeoutMS=120000`)})`,
  });
});
afterAll(async () => {
  await shell.stop();
  await guarded.stop();
});

test.for(rows)('%s', async ([, login]) => {
  const { written, counted } = await guarded.writeAlone(shell, login);
  expect(written).toEqual(guarded.expected(login));
  expect(Object.keys(counted.logins)).toEqual([login.mechanism]);
  const { compressor } = login;
  expect(Object.keys(counted.compressed)).toEqual(compressor === 'none' ? [] : [compressor]);
  if (compressor !== 'none') expect(counted.compressed[compressor]).toBeGreaterThan(TEXT_LENGTH);
});

test('the primary dies, and every client goes on', async () => {
  await guarded.set.kill('primary');
  const writes = logins.map((login) => shell.write(nameOf(login), guarded.uriOf(login)));
  await guarded.set.untilPrimary();
  expect(await Promise.all(writes)).toEqual(logins.map((login) => guarded.expected(login)));
  for (const login of logins) expect(await guarded.mechanismsOf(login)).toEqual(new Set([login.mechanism]));
});

test('with a wrong password', async () => {
  const login = { driver: 'mongosh', mechanism: 'SCRAM-SHA-256', compressor: 'none' } as const;
  const written = await shell.write('wrong', guarded.uriOf(login, 'guess'));
  expect(written).toEqual({ code: 18, message: 'Authentication failed.' });
});
