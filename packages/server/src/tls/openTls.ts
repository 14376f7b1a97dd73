import { readCAFile, readKeyFile } from './certificateFile.ts';
import type { TlsMaterial } from './secureDoor.ts';
import { subjectOf } from './subject.ts';
import { makeThrowAway, type ThrowAway } from './throwAway.ts';
import { type CheckedTls, checkedTls, type TlsOptions } from './tlsOptions.ts';

/** By which clients of this machine reach members, whatever else they are called. */
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/** TLS of a set, ready for its ports. */
export interface OpenedTls {
  readonly material: TlsMaterial;
  /** Certificates that were made for this set, and go with it. */
  readonly throwAway?: ThrowAway;
  /** What an operator should know. */
  readonly warnings: readonly string[];
}

/**
 * Reads what the options name, or makes it.
 * @param hosts names of members, as clients use them
 * @returns undefined without TLS
 * @throws RangeError for options that do not fit each other, and for files that are broken, expired or unfit
 */
export async function openTls(
  options: TlsOptions | boolean | undefined,
  hosts: readonly string[],
  nowMs: number,
): Promise<OpenedTls | undefined> {
  const settings = checkedTls(options);
  if (settings === undefined) return undefined;
  if (settings.certificateKeyFile !== undefined) return opened(settings, nowMs);
  const throwAway = await makeThrowAway([...new Set([...LOCAL_NAMES, ...hosts])], nowMs);
  const { certificateKeyFile, CAFile } = throwAway;
  const made = { ...settings, certificateKeyFile, CAFile, allowConnectionsWithoutCertificates: true };
  return { ...opened(made, nowMs), throwAway };
}

function opened(settings: CheckedTls & { readonly certificateKeyFile?: string }, nowMs: number): OpenedTls {
  const { certificateKeyFile = '', certificateKeyFilePassword, CAFile } = settings;
  const { pem, certificate, passphrase, warnings } = readKeyFile(certificateKeyFile, certificateKeyFilePassword, nowMs);
  return {
    material: {
      settings,
      keyFile: pem,
      passphrase,
      ca: CAFile === undefined ? undefined : readCAFile(CAFile),
      serverSubject: subjectOf(certificate),
      expiresMs: Date.parse(certificate.validTo),
    },
    warnings,
  };
}

/** What a connection string says of TLS: nothing where members take clients without it, too. */
export function tlsOfUri({ settings }: TlsMaterial): string {
  if (settings.mode !== 'requireTLS') return '';
  const ca = settings.CAFile === undefined ? '' : `&tlsCAFile=${encodeURIComponent(settings.CAFile)}`;
  return `&tls=true${ca}`;
}
