/** Whether clients may, or must, use TLS. */
export type TlsMode = 'disabled' | 'allowTLS' | 'preferTLS' | 'requireTLS';

/** How members' ports are secured, by mongod's names under `net.tls`. */
export interface TlsOptions {
  /** Default: `requireTLS`, if there is a certificate. */
  readonly mode?: TlsMode;
  /** A PEM file with the members' certificate, what it is issued by, and its private key. */
  readonly certificateKeyFile?: string;
  readonly certificateKeyFilePassword?: string;
  /** A PEM file with the certificates by which those of clients are judged. */
  readonly CAFile?: string;
  readonly allowConnectionsWithoutCertificates?: boolean;
  /** A client whose certificate is invalid counts as one without a certificate. */
  readonly allowInvalidCertificates?: boolean;
  /** `TLS1_2` or `TLS1_3`, or both versions that nobody uses any more: names with commas between them. */
  readonly disabledProtocols?: string;
}

/** Options that make sense, with TLS on. */
export interface CheckedTls extends TlsOptions {
  readonly mode: Exclude<TlsMode, 'disabled'>;
  /** Absent: a throw-away one is made. */
  readonly certificateKeyFile?: string;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion: 'TLSv1.2' | 'TLSv1.3';
}

/** As an operator may write them; a mongod of before 4.2 called all of this SSL. */
const MODES: Readonly<Record<string, TlsMode>> = {
  disabled: 'disabled',
  allowTLS: 'allowTLS',
  preferTLS: 'preferTLS',
  requireTLS: 'requireTLS',
  allowSSL: 'allowTLS',
  preferSSL: 'preferTLS',
  requireSSL: 'requireTLS',
};
const PROTOCOLS = ['TLS1_0', 'TLS1_1', 'TLS1_2', 'TLS1_3'];

/**
 * Whether options for TLS fit each other. Upstream: ssl_options_server.cpp, validateSSLServerOptions.
 * @param given `true`: TLS with a certificate that is made for this set
 * @returns undefined without TLS
 * @throws RangeError
 */
export function checkedTls(given: TlsOptions | boolean | undefined): CheckedTls | undefined {
  if (given === undefined || given === false) return undefined;
  const options = given === true ? {} : given;
  const mode = MODES[options.mode ?? 'requireTLS'];
  if (mode === undefined)
    throw new RangeError(`tlsMode: "${options.mode}" is none of disabled, allowTLS, preferTLS, requireTLS`);
  const others = Object.entries(options).filter(([name, value]) => name !== 'mode' && value !== undefined);
  if (mode === 'disabled') {
    if (others.length === 0) return undefined;
    throw new RangeError(
      `tlsMode is disabled, and other options need TLS: ${others.map(([name]) => nameOf(name)).join(', ')}`,
    );
  }
  if (given !== true && options.certificateKeyFile === undefined)
    throw new RangeError(
      `tlsMode ${mode} needs tlsCertificateKeyFile: a PEM file with a certificate and its key; --tls makes one for you`,
    );
  return { ...options, mode, ...versionsOf(options) };
}

/** As an option of the command line. */
function nameOf(name: string): string {
  return `tls${name[0]!.toUpperCase()}${name.slice(1)}`;
}

function versionsOf({ disabledProtocols = '' }: TlsOptions): Pick<CheckedTls, 'minVersion' | 'maxVersion'> {
  const disabled = disabledProtocols.split(',').filter((name) => name !== '' && name !== 'none');
  const unknown = disabled.find((name) => !PROTOCOLS.includes(name));
  if (unknown !== undefined)
    throw new RangeError(`tlsDisabledProtocols: "${unknown}" is none of ${PROTOCOLS.join(', ')}`);
  const [no12, no13] = ['TLS1_2', 'TLS1_3'].map((name) => disabled.includes(name));
  if (no12 && no13)
    throw new RangeError('tlsDisabledProtocols: with neither TLS1_2 nor TLS1_3 no client could connect');
  return { minVersion: no12 ? 'TLSv1.3' : 'TLSv1.2', maxVersion: no13 ? 'TLSv1.2' : 'TLSv1.3' };
}
