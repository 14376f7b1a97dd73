import { isIP } from 'node:net';
import { checkedTls, type TlsOptions } from '../tls/tlsOptions.ts';
import { isAccessControlled } from './limits.ts';
import { isLoopback, loopbackAddress } from './loopback.ts';

const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** Who reaches the ports of a set. */
export interface Reach {
  /** By which members are called that have no other name. */
  readonly address: string;
  /** Where ports are open. */
  readonly listenAt: string;
  /** Clients of other machines come in. */
  readonly anyClient: boolean;
}

/** What decides it. */
export interface ReachOptions {
  readonly ip?: string;
  readonly anyClient?: boolean;
  readonly isOpen?: boolean;
  readonly tls?: TlsOptions | boolean;
  readonly access?: object;
}

/**
 * Who reaches the ports of a set. Other machines do only where clients must log in and TLS keeps their passwords, or where somebody says that
 * it is to be open.
 * @throws RangeError
 */
export function reachOf(options: ReachOptions): Reach {
  const { ip = '127.0.0.1', anyClient, isOpen } = options;
  if (anyClient) return { address: loopbackAddress(ip), listenAt: '0.0.0.0', anyClient };
  if (isLoopback(ip)) return { address: loopbackAddress(ip), listenAt: loopbackAddress(ip), anyClient: false };
  if (isIP(ip) === 0) throw new RangeError(`cannot listen on ${ip}: it is not an IP address`);
  if (!isOpen && !isGuarded(options))
    throw new RangeError(
      `cannot listen on ${ip}: everybody who reaches it could do everything. Turn on access control and TLS (--keyFile and --tls), or add --i-know-it-is-open`,
    );
  return { address: addressOf(ip), listenAt: ip, anyClient: true };
}

/** By which address members are called that listen there. */
export function addressOf(ip: string): string {
  if (ip === '0.0.0.0') return '127.0.0.1';
  return ip === '::' ? '::1' : isLoopback(ip) ? loopbackAddress(ip) : ip;
}

/** Nobody comes in without a login and TLS. */
function isGuarded(options: ReachOptions): boolean {
  return isAccessControlled(options) && checkedTls(options.tls)?.mode === 'requireTLS';
}

/** What whoever serves the set reads first. */
export function reachText(options: ReachOptions): string {
  const { listenAt, anyClient } = reachOf(options);
  const users = isAccessControlled(options) ? 'with access control' : 'without access control';
  if (!anyClient) return `on loopback only, ${users}`;
  const where = EVERYWHERE.has(listenAt) ? 'this machine' : listenAt;
  const tls = checkedTls(options.tls);
  return `open to every client that reaches ${where}, ${users}${tls === undefined ? '' : ` and ${tls.mode}`}`;
}
