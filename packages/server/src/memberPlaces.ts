import type { MemberSpec } from '@replsim/replset';
import { portAsked } from './resumedOptions.ts';
import type { ServeOptions } from './serveOptions.ts';

/** Where a member listens, and what it is called there. */
export interface MemberPlace {
  readonly address: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** `HOST:PORT` in the config and in `hello`, if it is not the address and the port. */
  readonly host?: string;
}

const HOST = /^([\w.-]+|\[[\da-f:.]+\]):(\d{1,5})$/i;

/**
 * The place of each member. One with a name of its own listens at the port of that name, unless a port is asked for. Members
 * whose names have the same port, as in a compose file with a container each, get loopback addresses of their own: 127.0.0.1, 127.0.0.2, …
 * @throws RangeError for an invalid address, or for a member that does not exist
 */
export function placesOf(options: ServeOptions, specs: readonly MemberSpec[], address: string): readonly MemberPlace[] {
  const { hostNames = {} } = options;
  checkNames(options, specs);
  const sharing = new Map<number, number>();
  return specs.map(({ name }, i) => {
    const host = hostNames[name];
    if (host === undefined) return { address, port: portAsked(options, i) };
    const port = options.port === undefined ? Number(host.slice(host.lastIndexOf(':') + 1)) : portAsked(options, i);
    const before = port === 0 ? 0 : (sharing.get(port) ?? 0);
    sharing.set(port, before + 1);
    return { address: before === 0 ? address : addressAfter(address, before, options), port, host };
  });
}

function checkNames({ hostNames = {}, dbpath }: ServeOptions, specs: readonly MemberSpec[]): void {
  const names = Object.entries(hostNames);
  if (names.length > 0 && dbpath !== undefined)
    throw new RangeError(
      'host names cannot be given to a set whose data are on disk, because a later start could not know them',
    );
  const without = specs.filter(({ name }) => hostNames[name] === undefined);
  for (const [member, host] of names) {
    if (!specs.some(({ name }) => name === member))
      throw new RangeError(`there is no member ${member}; the members are ${specs.map(({ name }) => name).join(', ')}`);
    const port = Number(HOST.exec(host)?.[2] ?? 0);
    if (port < 1 || port > 65_535)
      throw new RangeError(`the host name of ${member} must be HOST:PORT, such as mongo1:27017, not ${host}`);
  }
  if (names.length > 0 && without.length > 0)
    throw new RangeError(
      `${without.map(({ name }) => name).join(', ')} must have a host name too: in a config all members are at localhost, or none is`,
    );
  const twice = names.find(([member, host]) => names.some(([other, same]) => other !== member && same === host));
  if (twice !== undefined)
    throw new RangeError(`two members are called ${twice[1]}; each needs a host name of its own`);
}

function addressAfter(address: string, count: number, { anyClient }: ServeOptions): string {
  if (address === '127.0.0.1' && !anyClient) return `127.0.0.${1 + count}`;
  throw new RangeError(
    `host names may share a port only at 127.0.0.1, where each member gets an address of its own${anyClient ? ', and not where any client is let in' : ''}`,
  );
}
