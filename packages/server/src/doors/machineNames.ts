import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { decodePromoted, firstKey, isLoopbackName } from '@replsim/protocol';

// Names are resolved here and nowhere else: what a set was told when it began stands in its recording.

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
/** What every hosts file has besides, and nobody means by it. */
const EVERYBODYS = /^(localhost|ip6-|broadcasthost)/i;
/** Commands by which hosts come into a config, and where it stands in them. */
const INTRODUCING = new Set(['replSetInitiate', 'replSetReconfig']);

/**
 * The names of this machine besides those of the loopback: its own, and those that the hosts file gives it.
 * @param address where members listen; at another address than the usual, one is meant to be known by that alone
 */
export function namesOfThisMachine(address: string): readonly string[] {
  if (address !== '127.0.0.1' && address !== '::1') return [];
  const names = [hostname(), ...namesInHostsFile()];
  return [...new Set(names)].filter((name) => name !== '' && isIP(name) === 0 && !EVERYBODYS.test(name));
}

function namesInHostsFile(): string[] {
  let text: string;
  try {
    text = readFileSync(HOSTS_FILE, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isOwnAddress(address) ? names : [];
  });
}

/** Whether packets to this address stay on this machine. */
export function isOwnAddress(given: string): boolean {
  const address = given.replace(/^::ffff:(?=\d+\.)/, '');
  if (isLoopbackName(isIP(address) === 6 ? `[${address}]` : address)) return true;
  return Object.values(networkInterfaces()).some((all) => all?.some((each) => each.address === address));
}

/** The addresses of this machine that a name of it stands for. */
export async function ownAddressesOf(name: string): Promise<readonly string[]> {
  const literal = name.replace(/^\[(.*)\]$/, '$1');
  if (isIP(literal) !== 0) return [literal];
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.map(({ address }) => address).filter(isOwnAddress);
}

/** Whether a command may bring hosts that nobody has heard of into a config. */
export function introducesHosts(command: Uint8Array): boolean {
  return INTRODUCING.has(firstKey(command));
}

/** The hosts that it brings; none where it is not understood, which is for the member to say. */
export function hostsIntroducedBy(command: Uint8Array): readonly string[] {
  const config = decodePromoted(command)[firstKey(command)] as { members?: unknown } | undefined;
  return Array.isArray(config?.members) ? hostsOf(config.members) : [];
}

/** @param members of a config, if that is what they are */
export function hostsOf(members: readonly unknown[]): readonly string[] {
  return members.flatMap((member) => {
    const host = (member as { host?: unknown } | null)?.host;
    return typeof host === 'string' ? [host] : [];
  });
}
