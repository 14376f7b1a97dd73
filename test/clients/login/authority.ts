import { webcrypto } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** An operator's own certificate authority, with what it has issued in files. */
export interface Authority {
  readonly CAFile: string;
  /** The members' certificate and key. */
  readonly certificateKeyFile: string;
  /** Issues a client's certificate. @returns the file with it and its key, and the subject as the server names it */
  issue(name: string): Promise<{ readonly keyFile: string; readonly subject: string }>;
  remove(): void;
}

/** Makes an authority, and a certificate for members that are reached at this address. */
export async function makeAuthority(address: string): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto as never);
  const folder = mkdtempSync(join(tmpdir(), 'replsim-authority-'));
  const newKeys = () => webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const dates = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 60 * DAY_MS) };
  const keys = await newKeys();
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: '01',
    name: 'O=Example, CN=Example CA',
    keys,
    signingAlgorithm: KEY,
    extensions: [new x509.BasicConstraintsExtension(true, 1, true)],
  });
  const write = (name: string, text: string) => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const issue = async (serialNumber: string, subject: string, extensions: x509.Extension[]) => {
    const { publicKey, privateKey } = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...dates,
      serialNumber,
      subject,
      issuer: own.subject,
      publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: KEY,
      extensions,
    });
    const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
    return `${certificate.toString('pem')}\n${key}\n`;
  };
  const names = [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: address }])];
  let issued = 2;
  return {
    CAFile: write('ca', `${own.toString('pem')}\n`),
    certificateKeyFile: write('members', await issue('02', 'O=Example, OU=members, CN=members', names)),
    issue: async (name) => {
      const serial = String(++issued).padStart(2, '0');
      const use = [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])];
      const keyFile = write(name, await issue(serial, `O=Example, OU=apps, CN=${name}`, use));
      return { keyFile, subject: `CN=${name},OU=apps,O=Example` };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
