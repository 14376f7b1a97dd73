import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * The address to listen on, which only this machine can reach.
 * @throws RangeError for any other: there is no authentication yet, and whoever can reach a member can do everything
 */
export function loopbackAddress(address: string): string {
  if (address === 'localhost') return '127.0.0.1';
  const family = isIP(address);
  if (family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4')) return address;
  throw new RangeError(
    `cannot listen on ${address}: only on loopback (127.0.0.1, ::1) until replsim has authentication, because anybody who reaches a member can do everything`,
  );
}
