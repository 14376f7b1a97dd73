/** Words of targets and checks, which name no member. */
const RESERVED = new Set(['primary', 'secondaries', 'all', 'any', 'none']);

/**
 * What steps call the members of a config: as few labels of each host name as tell them apart (`mongo1` of
 * `mongo1.example.com:27017`, `db-east` of `db.east.example.com:27017`), with the port where the names are the same
 * (`localhost-27018`); addresses are written `ip-10-0-0-1`.
 * @param hosts HOST:PORT, of which no two are equal
 */
export function memberNamesOf(hosts: readonly string[]): readonly string[] {
  const split = hosts.map(labelsOf);
  const most = Math.max(1, ...split.map(({ labels }) => labels.length));
  for (let count = 1; count <= most; count++) {
    const names = split.map(({ labels }) => labels.slice(0, count).join('-'));
    if (isFit(names)) return names;
  }
  const names = split.map(({ labels, port }) => `${labels[0]}-${port}`);
  if (isFit(names)) return names;
  const whole = split.map(({ labels, port }) => `${labels.join('-')}-${port}`);
  return isFit(whole) ? whole : hosts.map((_, i) => `n${i + 1}`);
}

function isFit(names: readonly string[]): boolean {
  return new Set(names).size === names.length && names.every((name) => !RESERVED.has(name));
}

function labelsOf(host: string): { labels: readonly string[]; port: string } {
  const colon = host.lastIndexOf(':');
  const [name, port] = colon < 0 ? [host, '27017'] : [host.slice(0, colon), host.slice(colon + 1)];
  const isAddress = /^\d+(\.\d+){3}$/.test(name) || name.includes(':');
  const plain = (text: string) => text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[-_]+|[-_]+$/g, '') || 'member';
  return { labels: isAddress ? [`ip-${plain(name)}`] : name.split('.').filter(Boolean).map(plain), port };
}
