import type { ServeOptions, TlsOptions } from '@replsim/server';
import { InputError } from '../io.ts';

/** What the command line says of TLS, by mongod's names. */
export interface TlsArguments {
  readonly tls?: boolean;
  readonly tlsMode?: string;
  readonly tlsCertificateKeyFile?: string;
  readonly tlsCertificateKeyFilePassword?: string;
  readonly tlsCAFile?: string;
  readonly tlsAllowConnectionsWithoutCertificates?: boolean;
  readonly tlsAllowInvalidCertificates?: boolean;
  readonly tlsDisabledProtocols?: string;
  readonly sslMode?: string;
  readonly sslPEMKeyFile?: string;
  readonly sslPEMKeyPassword?: string;
  readonly sslCAFile?: string;
  readonly sslAllowConnectionsWithoutCertificates?: boolean;
  readonly sslAllowInvalidCertificates?: boolean;
  readonly sslDisabledProtocols?: string;
}

/** By which names an option goes under `net.tls`; those of before 4.2 first, so that the others count more. */
const NAMES: Readonly<Record<keyof Omit<TlsArguments, 'tls'>, keyof TlsOptions>> = {
  sslMode: 'mode',
  sslPEMKeyFile: 'certificateKeyFile',
  sslPEMKeyPassword: 'certificateKeyFilePassword',
  sslCAFile: 'CAFile',
  sslAllowConnectionsWithoutCertificates: 'allowConnectionsWithoutCertificates',
  sslAllowInvalidCertificates: 'allowInvalidCertificates',
  sslDisabledProtocols: 'disabledProtocols',
  tlsMode: 'mode',
  tlsCertificateKeyFile: 'certificateKeyFile',
  tlsCertificateKeyFilePassword: 'certificateKeyFilePassword',
  tlsCAFile: 'CAFile',
  tlsAllowConnectionsWithoutCertificates: 'allowConnectionsWithoutCertificates',
  tlsAllowInvalidCertificates: 'allowInvalidCertificates',
  tlsDisabledProtocols: 'disabledProtocols',
};

/**
 * How ports are to be secured: what the command line says, over a `mongod.conf`.
 * @throws InputError for `--tls` beside files
 */
export function tlsOf(options: TlsArguments, conf: Record<string, unknown> = {}): Pick<ServeOptions, 'tls'> {
  const given = Object.entries(NAMES).flatMap(([name, short]) => {
    const value = options[name as keyof TlsArguments];
    return value === undefined ? [] : [[short, value] as const];
  });
  const all = { ...conf, ...Object.fromEntries(given) } as TlsOptions;
  if (!options.tls) return Object.keys(all).length === 0 ? {} : { tls: all };
  const [other] = Object.keys(all);
  if (other !== undefined)
    throw new InputError(
      `--tls makes a certificate for this set, and there is another option for TLS (${other}): leave one out`,
    );
  return { tls: true };
}
