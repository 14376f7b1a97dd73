import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether only this machine can reach an address. */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return address === 'localhost' || (family !== 0 && LOOPBACK.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}

/**
 * The address to listen on, which only this machine can reach.
 * @throws RangeError for any other
 */
export function loopbackAddress(address: string): string {
  if (address === 'localhost') return '127.0.0.1';
  if (isLoopback(address)) return address;
  throw new RangeError(
    `cannot listen on ${address}: only on loopback (127.0.0.1, ::1); replsim serve --bind opens other addresses`,
  );
}
