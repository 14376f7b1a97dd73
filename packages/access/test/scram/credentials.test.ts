import { expect, test } from 'vitest';
import {
  fakeCredentials,
  readCredentials,
  scramCredentials,
  secretOf,
  storedCredentials,
} from '../../src/scram/credentials.ts';
import { SCRAM_MECHANISMS } from '../../src/scram/mechanisms.ts';

const salts = { 'SCRAM-SHA-256': new Uint8Array(28).fill(7), 'SCRAM-SHA-1': new Uint8Array(16).fill(7) };

test('the older mechanism hashes the name with the password, the newer prepares it', () => {
  expect(secretOf('SCRAM-SHA-1', 'user', 'pencil')).toBe('1c33006ec1ffd90f9cadcbcc0e118200');
  expect(secretOf('SCRAM-SHA-256', 'user', 'I\u00adX')).toBe('IX');
});

test.for(SCRAM_MECHANISMS)('%s: what is stored is read again', (mechanism) => {
  const credentials = scramCredentials(mechanism, 'secret', salts[mechanism], 5000);
  expect(readCredentials(mechanism, { ...storedCredentials(credentials) })).toEqual(credentials);
});

test.for([
  { salt: 'AAAA' },
  { storedKey: '' },
  { serverKey: 'not base64' },
  { iterationCount: 0 },
  { iterationCount: 'x' },
])('credentials with %o are damaged', (damage) => {
  const stored = storedCredentials(scramCredentials('SCRAM-SHA-256', 'secret', salts['SCRAM-SHA-256'], 5000));
  expect(readCredentials('SCRAM-SHA-256', { ...stored, ...damage })).toBeUndefined();
});

test('keys are kept by what they were made of', () => {
  const made = (secret: string, iterations: number, salt = salts['SCRAM-SHA-1']) =>
    scramCredentials('SCRAM-SHA-1', secret, salt, iterations);
  expect(made('a', 5000)).toBe(made('a', 5000));
  const others = [made('b', 5000), made('a', 5001), made('a', 5000, new Uint8Array(16))];
  for (const other of others) expect(other.storedKey).not.toEqual(made('a', 5000).storedKey);
});

test.for(SCRAM_MECHANISMS)('%s: fakes look like what a user has', (mechanism) => {
  const fake = fakeCredentials(mechanism, 'me@admin', new Uint8Array(32), 15_000);
  expect(readCredentials(mechanism, { ...storedCredentials(fake) })).toEqual(fake);
});
