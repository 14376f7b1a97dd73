import { webcrypto } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DAY_MS = 86_400_000;
/** Before now, for clocks that are behind. */
const BEFORE_MS = DAY_MS;
const VALID_MS = 90 * DAY_MS;

const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Certificates for one set, on disk for its clients. */
export interface ThrowAway {
  readonly folder: string;
  /** By which clients know the members. */
  readonly CAFile: string;
  /** Of the members. */
  readonly certificateKeyFile: string;
  /** Of a client, for whoever wants to show one: `CN=client,OU=clients,O=replsim`. */
  readonly clientKeyFile: string;
  /** Removes them. */
  remove(): void;
}

/**
 * Makes a certificate authority, and certificates for members and for a client, that last as long as the set.
 * @param hosts names and addresses by which clients reach members
 */
export async function makeThrowAway(hosts: readonly string[], nowMs: number): Promise<ThrowAway> {
  // It describes its classes by metadata, and says so when it is loaded without.
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as never);
  const generate = () => webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const [caKeys, serverKeys, clientKeys] = [await generate(), await generate(), await generate()];
  const dates = { notBefore: new Date(nowMs - BEFORE_MS), notAfter: new Date(nowMs + VALID_MS) };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: '01',
    name: 'O=replsim, CN=replsim throw-away CA',
    keys: caKeys,
    signingAlgorithm: KEY,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  const issue = (
    serialNumber: string,
    subject: string,
    publicKey: webcrypto.CryptoKey,
    extensions: InstanceType<typeof x509.Extension>[],
  ) =>
    x509.X509CertificateGenerator.create({
      ...dates,
      serialNumber,
      subject,
      issuer: ca.subject,
      publicKey,
      signingKey: caKeys.privateKey,
      signingAlgorithm: KEY,
      extensions,
    });
  const names = hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }));
  const server = await issue('02', 'O=replsim, OU=members, CN=localhost', serverKeys.publicKey, [
    new x509.SubjectAlternativeNameExtension(names),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
  ]);
  const client = await issue('03', 'O=replsim, OU=clients, CN=client', clientKeys.publicKey, [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
  ]);
  const withKey = async (
    certificate: { toString(format: 'pem'): string },
    { privateKey }: { privateKey: webcrypto.CryptoKey },
  ) => `${certificate.toString('pem')}\n${pemOf(await webcrypto.subtle.exportKey('pkcs8', privateKey))}`;
  return written({
    ca: `${ca.toString('pem')}\n`,
    server: await withKey(server, serverKeys),
    client: await withKey(client, clientKeys),
  });
}

/** Nobody else on this machine may read a key. */
function written(files: Readonly<Record<'ca' | 'server' | 'client', string>>): ThrowAway {
  const folder = mkdtempSync(join(tmpdir(), 'replsim-tls-'));
  chmodSync(folder, 0o700);
  const write = (name: 'ca' | 'server' | 'client') => {
    const path = join(folder, `${name}.pem`);
    writeFileSync(path, files[name], { mode: 0o600 });
    return path;
  };
  return {
    folder,
    CAFile: write('ca'),
    certificateKeyFile: write('server'),
    clientKeyFile: write('client'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function pemOf(pkcs8: ArrayBuffer): string {
  const lines =
    Buffer.from(pkcs8)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
