import { isStale, type ServerDescription, unknownServer } from './serverDescription.ts';

/**
 * What a client knows of a replica set.
 * Upstream: the server discovery and monitoring specification, TopologyDescription of a client with `replicaSet`.
 */
export interface TopologyDescription {
  readonly type: 'ReplicaSetNoPrimary' | 'ReplicaSetWithPrimary';
  readonly setName: string;
  /** The greatest pair that a primary has shown. */
  readonly maxElectionId?: string;
  readonly maxSetVersion?: number;
  /** By address, in the order in which they became known. */
  readonly servers: ReadonlyMap<string, ServerDescription>;
}

/** What a client knows at its start: a set's name and where to ask. */
export function seedTopology(setName: string, seeds: readonly string[], atMicros: number): TopologyDescription {
  const servers = new Map(seeds.map((address) => [address, unknownServer(address, atMicros)]));
  return { type: 'ReplicaSetNoPrimary', setName, servers };
}

/** The primary that the client believes in. */
export function primaryOf({ servers }: TopologyDescription): ServerDescription | undefined {
  return [...servers.values()].find(({ type }) => type === 'RSPrimary');
}

/**
 * Takes in what one server said. The same object comes back when it was no news.
 * Upstream: the same specification, the table of actions by server type.
 */
export function updateTopology(topology: TopologyDescription, server: ServerDescription): TopologyDescription {
  const known = topology.servers.get(server.address);
  if (!known || isStale(server.topologyVersion, known.topologyVersion, { orEqual: false })) return topology;
  switch (server.type) {
    case 'Unknown':
    case 'RSGhost':
      return withServers(topology, replaced(topology, server));
    case 'Standalone':
      return withServers(topology, without(topology, server.address));
    case 'RSPrimary':
      return fromPrimary(topology, server);
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      return fromMember(topology, server);
  }
}

/** A primary's word on who belongs to the set is the last one, unless another was elected after it. */
function fromPrimary(topology: TopologyDescription, server: ServerDescription): TopologyDescription {
  if (server.setName !== topology.setName) return withServers(topology, without(topology, server.address));
  if (isStalePrimary(topology, server)) {
    const stale = unknownServer(server.address, server.lastUpdateMicros, 'primary marked stale: a newer one was seen');
    return withServers(topology, replaced(topology, stale));
  }
  const { electionId, setVersion } = server;
  const seen = {
    ...topology,
    ...(electionId !== undefined && { maxElectionId: electionId }),
    ...(setVersion !== undefined && { maxSetVersion: setVersion }),
  };
  const servers = new Map<string, ServerDescription>();
  for (const [address, each] of replaced(topology, server)) {
    if (!server.hosts.includes(address)) continue;
    const isOldPrimary = each.type === 'RSPrimary' && address !== server.address;
    servers.set(
      address,
      isOldPrimary ? unknownServer(address, server.lastUpdateMicros, 'a new primary was seen') : each,
    );
  }
  addHosts(servers, server);
  return withServers(seen, servers);
}

function isStalePrimary({ maxElectionId, maxSetVersion }: TopologyDescription, server: ServerDescription): boolean {
  const electionId = server.electionId ?? '';
  const newest = maxElectionId ?? '';
  if (electionId !== newest) return electionId < newest;
  return (server.setVersion ?? 0) < (maxSetVersion ?? 0);
}

/** Whoever is no primary can only make others known, and only while nobody knows a primary. */
function fromMember(topology: TopologyDescription, server: ServerDescription): TopologyDescription {
  if (server.setName !== topology.setName) return withServers(topology, without(topology, server.address));
  const servers = replaced(topology, server);
  if (!primaryOf({ ...topology, servers })) addHosts(servers, server);
  // It is in the set by another name, which it has just said. Source: SDAM, updateRSWithoutPrimary.
  if (server.me !== undefined && server.me !== server.address) servers.delete(server.address);
  return withServers(topology, servers);
}

function addHosts(servers: Map<string, ServerDescription>, { hosts, lastUpdateMicros }: ServerDescription): void {
  for (const address of hosts)
    if (!servers.has(address)) servers.set(address, unknownServer(address, lastUpdateMicros));
}

function replaced(topology: TopologyDescription, server: ServerDescription): Map<string, ServerDescription> {
  return new Map([...topology.servers, [server.address, server]]);
}

function without(topology: TopologyDescription, address: string): Map<string, ServerDescription> {
  return new Map([...topology.servers].filter(([each]) => each !== address));
}

function withServers(
  topology: TopologyDescription,
  servers: ReadonlyMap<string, ServerDescription>,
): TopologyDescription {
  const type = primaryOf({ ...topology, servers }) ? 'ReplicaSetWithPrimary' : 'ReplicaSetNoPrimary';
  return { ...topology, type, servers };
}
