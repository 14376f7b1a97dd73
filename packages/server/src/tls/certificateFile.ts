import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Certificates that run out within so many days are warned of. Upstream: ssl_parameters.idl, tlsX509ExpirationWarningThresholdDays. */
const WARNING_DAYS = 30;
const DAY_MS = 86_400_000;

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** What a member shows to clients. */
export interface KeyFile {
  readonly pem: string;
  readonly certificate: X509Certificate;
  readonly passphrase?: string;
  /** What an operator should know, and does no harm yet. */
  readonly warnings: readonly string[];
}

/**
 * Reads the file of a certificate and its key. Node takes an expired one without a word.
 * @throws RangeError that names the file and what is wrong with it
 */
export function readKeyFile(path: string, password: string | undefined, nowMs: number): KeyFile {
  const pem = textOf('tlsCertificateKeyFile', path);
  const blocks = blocksOf(pem);
  const [first] = blocks.filter(({ kind }) => kind === 'CERTIFICATE');
  if (first === undefined) throw broken(path, 'has no certificate (-----BEGIN CERTIFICATE-----)');
  const certificate = certificateIn(path, first.text);
  const key = privateKeyIn(path, blocks, password);
  if (!certificate.checkPrivateKey(key)) throw broken(path, 'has a private key that does not fit its certificate');
  const { validFrom, validTo } = certificate;
  if (nowMs < Date.parse(validFrom) || nowMs > Date.parse(validTo))
    throw broken(path, `has a certificate that is expired or not yet valid: it holds from ${validFrom} to ${validTo}`);
  return {
    pem,
    certificate,
    ...(password !== undefined && { passphrase: password }),
    warnings: warningsOf(path, certificate, nowMs),
  };
}

/**
 * Reads the certificates by which those of others are judged. Node takes a file without any, and would trust nobody.
 * @throws RangeError
 */
export function readCAFile(path: string): string {
  const pem = textOf('tlsCAFile', path);
  const certificates = blocksOf(pem).filter(({ kind }) => kind === 'CERTIFICATE');
  if (certificates.length === 0) throw broken(path, 'has no certificate (-----BEGIN CERTIFICATE-----)', 'tlsCAFile');
  for (const { text } of certificates) certificateIn(path, text, 'tlsCAFile');
  return pem;
}

interface Block {
  readonly kind: string;
  readonly text: string;
}

function blocksOf(pem: string): readonly Block[] {
  return Array.from(pem.matchAll(BLOCK), ([text, kind]) => ({ kind: kind!, text }));
}

function textOf(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new RangeError(`${option}: cannot read ${path}: ${why}; name a PEM file`);
  }
}

function certificateIn(path: string, text: string, option?: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch (error) {
    throw broken(path, `has a certificate that cannot be read: ${(error as Error).message}`, option);
  }
}

function privateKeyIn(path: string, blocks: readonly Block[], password: string | undefined): KeyObject {
  const block = blocks.find(({ kind }) => kind.endsWith('PRIVATE KEY'));
  if (block === undefined) throw broken(path, 'has no private key (-----BEGIN PRIVATE KEY-----)');
  const isEncrypted = block.kind.startsWith('ENCRYPTED') || /^Proc-Type: 4,ENCRYPTED/m.test(block.text);
  if (isEncrypted && password === undefined)
    throw broken(path, 'has an encrypted private key: give its password with tlsCertificateKeyFilePassword');
  try {
    return createPrivateKey({ key: block.text, ...(password !== undefined && { passphrase: password }) });
  } catch (error) {
    const why = isEncrypted ? 'or the password is wrong' : '';
    throw broken(path, `has a private key that cannot be read ${why}: ${(error as Error).message}`.replace(' :', ':'));
  }
}

function warningsOf(path: string, { validTo, subjectAltName }: X509Certificate, nowMs: number): readonly string[] {
  const days = Math.floor((Date.parse(validTo) - nowMs) / DAY_MS);
  return [
    ...(subjectAltName === undefined
      ? [`${path}: the certificate names no host (Subject Alternative Name), so most clients will not accept it`]
      : []),
    ...(days < WARNING_DAYS ? [`${path}: the certificate expires in ${days} days, at ${validTo}`] : []),
  ];
}

function broken(path: string, why: string, option = 'tlsCertificateKeyFile'): RangeError {
  return new RangeError(`${option}: ${path} ${why}`);
}
