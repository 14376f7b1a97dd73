import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readCAFile, readKeyFile } from '../../src/tls/certificateFile.ts';
import { openTls, tlsOfUri } from '../../src/tls/openTls.ts';
import { makeThrowAway, type ThrowAway } from '../../src/tls/throwAway.ts';

const NOW = Date.UTC(2026, 0, 15);
const DAY_MS = 86_400_000;

const made: ThrowAway[] = [];
afterEach(() => {
  for (const each of made.splice(0)) each.remove();
});

async function make(nowMs = NOW, hosts = ['localhost', '127.0.0.1', '::1', 'mongo1']): Promise<ThrowAway> {
  const one = await makeThrowAway(hosts, nowMs);
  made.push(one);
  return one;
}

test('an authority, a certificate for all names, and one for a client', async () => {
  const { folder, CAFile, certificateKeyFile, clientKeyFile, remove } = await make();
  const ca = new X509Certificate(readFileSync(CAFile));
  const [server, client] = [certificateKeyFile, clientKeyFile].map((each) => new X509Certificate(readFileSync(each)));
  expect(ca.ca).toBe(true);
  for (const each of [server!, client!]) expect(each.verify(ca.publicKey)).toBe(true);
  expect(server!.checkHost('mongo1')).toBe('mongo1');
  expect(server!.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(server!.checkIP('::1')).toBe('::1');
  expect(server!.checkHost('elsewhere')).toBeUndefined();
  expect(client!.subject).toBe('O=replsim\nOU=clients\nCN=client');
  if (process.platform !== 'win32') {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const each of [CAFile, certificateKeyFile, clientKeyFile]) expect(statSync(each).mode & 0o777).toBe(0o600);
  }
  remove();
  expect(existsSync(folder)).toBe(false);
});

describe('files that members do not start with', () => {
  test.for([
    [
      'a file that is not there',
      () => 'no/such.pem',
      /^tlsCertificateKeyFile: cannot read .*such\.pem: there is no such file; name a PEM file$/,
    ],
    ['text', (_, write) => write('hello'), /has no certificate \(-----BEGIN CERTIFICATE-----\)$/],
    ['a certificate alone', ({ CAFile }) => CAFile, /has no private key/],
    [
      'the key of another',
      ({ CAFile, clientKeyFile }, write) => write(readFileSync(CAFile, 'utf8') + keyIn(clientKeyFile)),
      /has a private key that does not fit its certificate$/,
    ],
    [
      'a certificate that is cut off',
      ({ clientKeyFile }, write) =>
        write(`-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n${keyIn(clientKeyFile)}`),
      /has a certificate that cannot be read/,
    ],
    [
      'a key that is cut off',
      ({ clientKeyFile }, write) =>
        write(readFileSync(clientKeyFile, 'utf8').replace(/(BEGIN PRIVATE KEY-----\n)[^-]*/, '$1AAAA\n')),
      /has a private key that cannot be read: /,
    ],
    [
      'a key with a password',
      ({ CAFile }, write) =>
        write(
          `${readFileSync(CAFile, 'utf8')}-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n`,
        ),
      /encrypted private key: give its password with tlsCertificateKeyFilePassword$/,
    ],
  ] as [string, (made: ThrowAway, write: (text: string) => string) => string, RegExp][])(
    '%s',
    async ([, file, told]) => {
      const one = await make();
      const path = file(one, (text) => {
        const written = join(one.folder, 'written.pem');
        writeFileSync(written, text);
        return written;
      });
      expect(() => readKeyFile(path, undefined, NOW)).toThrow(told);
      expect(() => readKeyFile(path, undefined, NOW)).toThrow(RangeError);
    },
  );

  test.for([-2 * DAY_MS, 91 * DAY_MS])('a certificate that does not hold, %i ms later', async (laterMs) => {
    const { certificateKeyFile } = await make();
    expect(() => readKeyFile(certificateKeyFile, undefined, NOW + laterMs)).toThrow(
      /is expired or not yet valid: it holds from Jan 14 .* to Apr 15 /,
    );
  });

  test('one that expires soon is warned of', async () => {
    const { certificateKeyFile } = await make();
    expect(readKeyFile(certificateKeyFile, undefined, NOW).warnings).toEqual([]);
    const { warnings } = readKeyFile(certificateKeyFile, undefined, NOW + 80 * DAY_MS);
    expect(warnings).toEqual([expect.stringContaining('the certificate expires in 10 days')]);
  });

  test('authorities that are none', async () => {
    const one = await make();
    writeFileSync(join(one.folder, 'written.pem'), 'hello');
    expect(() => readCAFile(join(one.folder, 'written.pem'))).toThrow(/^tlsCAFile: .* has no certificate/);
    expect(readCAFile(one.CAFile)).toContain('BEGIN CERTIFICATE');
  });
});

function keyIn(path: string): string {
  return /-----BEGIN PRIVATE KEY[\s\S]*/.exec(readFileSync(path, 'utf8'))![0];
}

test('what a connection string says of it', async () => {
  const { certificateKeyFile, CAFile } = await make();
  const uriOf = async (options: object) =>
    tlsOfUri((await openTls({ certificateKeyFile, ...options }, [], NOW))!.material);
  expect(await uriOf({ CAFile })).toBe(`&tls=true&tlsCAFile=${encodeURIComponent(CAFile)}`);
  expect(await uriOf({})).toBe('&tls=true');
  expect(await uriOf({ mode: 'preferTLS', CAFile })).toBe('');
  expect(await openTls(undefined, [], NOW)).toBeUndefined();
});
