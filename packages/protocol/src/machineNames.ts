/** How a host may be spelled that means the machine itself, whatever its own name. The last is what Debian gives that name. */
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]', '127.0.1.1'] as const;
/** Who listens at another loopback address, as 127.0.0.2, does so to be told apart from whoever listens at these. */
const COMMON: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);
const WITH_PORT = /^(.*):(\d+)$/;

/**
 * A host as names are resolved: whatever their case. A config keeps the case, and tells hosts apart by it.
 * Upstream: isself.cpp, by getaddrinfo; hostandport.cpp, operator==.
 */
export function resolvable(host: string): string {
  return host.toLowerCase();
}

/**
 * All spellings of a host that mean the same process: one port of one machine.
 * @param host `HOST:PORT` @param machineNames further names of the machine
 * @returns in no other spelling than its own, where the machine is not the one on which everything runs
 */
function spellingsOf(host: string, machineNames: readonly string[] = []): readonly string[] {
  const [, name, port] = WITH_PORT.exec(host) ?? [];
  if (name === undefined || port === undefined) return [host];
  const isHere = [...COMMON, ...machineNames].some((each) => resolvable(each) === resolvable(name));
  const names = isHere ? [name, ...LOOPBACK_NAMES, ...machineNames] : [name];
  return [...new Set(names)].map((each) => `${each}:${port}`);
}

/**
 * The other spellings of each of these hosts. A host that is another's own is that one's, and stays so.
 * @returns in the order of the hosts
 */
export function otherSpellings(hosts: readonly string[], machineNames?: readonly string[]): readonly string[][] {
  const taken = new Set(hosts.map(resolvable));
  return hosts.map((host) =>
    spellingsOf(host, machineNames).filter((spelling) => {
      if (taken.has(resolvable(spelling))) return false;
      taken.add(resolvable(spelling));
      return true;
    }),
  );
}

/** Whether a host is an address, and so needs nobody who knows its name. */
export function isIpAddress(host: string): boolean {
  const name = WITH_PORT.exec(host)?.[1] ?? host;
  return name.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name);
}

/** The name in `HOST:PORT`. */
export function machineOf(host: string): string {
  return WITH_PORT.exec(host)?.[1] ?? host;
}

/** A name that means this machine on every machine. */
export function isLoopbackName(given: string): boolean {
  const name = resolvable(given);
  return name === 'localhost' || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
