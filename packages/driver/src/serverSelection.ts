import type { ReadPreference, TagSet } from './readPreference.ts';
import type { ServerDescription } from './serverDescription.ts';
import { primaryOf, type TopologyDescription } from './topology.ts';

/** The intervals that enter into the choice of a server. */
export interface SelectionSettings {
  readonly heartbeatFrequencyMS: number;
  /** How much slower than the fastest a server may be. */
  readonly localThresholdMS: number;
}

/** The drivers' defaults. */
export const DEFAULT_SELECTION: SelectionSettings = { heartbeatFrequencyMS: 10_000, localThresholdMS: 15 };

/**
 * The servers among which a client may choose for a read preference; empty when none fits.
 * Upstream: the server selection specification, the algorithm for multi-threaded drivers.
 */
export function suitableServers(
  topology: TopologyDescription,
  preference: ReadPreference,
  settings: SelectionSettings,
): readonly ServerDescription[] {
  return withinLatencyWindow(byMode(topology, preference, settings), settings.localThresholdMS);
}

function byMode(
  topology: TopologyDescription,
  preference: ReadPreference,
  settings: SelectionSettings,
): readonly ServerDescription[] {
  const primaries = [primaryOf(topology) ?? []].flat();
  const all = [...topology.servers.values()];
  const eligible = (servers: readonly ServerDescription[]) =>
    withTags(freshEnough(servers, topology, preference, settings), preference.tags ?? []);
  const secondaries = () => eligible(all.filter(({ type }) => type === 'RSSecondary'));
  switch (preference.mode) {
    case 'primary':
      return primaries;
    case 'primaryPreferred':
      return primaries.length > 0 ? primaries : secondaries();
    case 'secondary':
      return secondaries();
    case 'secondaryPreferred': {
      const found = secondaries();
      return found.length > 0 ? found : primaries;
    }
    case 'nearest':
      return eligible(all.filter(({ type }) => type === 'RSSecondary' || type === 'RSPrimary'));
  }
}

function freshEnough(
  servers: readonly ServerDescription[],
  topology: TopologyDescription,
  { maxStalenessSeconds = -1 }: ReadPreference,
  { heartbeatFrequencyMS }: SelectionSettings,
): readonly ServerDescription[] {
  if (maxStalenessSeconds < 0) return servers;
  return servers.filter((server) => stalenessMs(server, topology, heartbeatFrequencyMS) <= maxStalenessSeconds * 1000);
}

/**
 * How far a server lags behind, at most, as far as a client can tell: it compares last writes, and what it knows of each
 * is as old as its last hello; one heartbeat interval is added for what it does not know yet.
 * Without a primary the freshest secondary stands for it. Unit: ms. Upstream: the max staleness specification.
 */
export function stalenessMs(
  server: ServerDescription,
  topology: TopologyDescription,
  heartbeatFrequencyMS: number,
): number {
  if (server.type === 'RSPrimary') return 0;
  const lastWriteMs = server.lastWriteMs ?? 0;
  const primary = primaryOf(topology);
  if (primary) {
    const behind = server.lastUpdateMicros / 1000 - lastWriteMs;
    const primaryBehind = primary.lastUpdateMicros / 1000 - (primary.lastWriteMs ?? 0);
    return behind - primaryBehind + heartbeatFrequencyMS;
  }
  const secondaries = [...topology.servers.values()].filter(({ type }) => type === 'RSSecondary');
  const freshest = Math.max(lastWriteMs, ...secondaries.map((each) => each.lastWriteMs ?? 0));
  return freshest - lastWriteMs + heartbeatFrequencyMS;
}

function withTags(servers: readonly ServerDescription[], tagSets: readonly TagSet[]): readonly ServerDescription[] {
  if (tagSets.length === 0) return servers;
  for (const tagSet of tagSets) {
    const fitting = servers.filter(({ tags }) => Object.entries(tagSet).every(([name, value]) => tags[name] === value));
    if (fitting.length > 0) return fitting;
  }
  return [];
}

function withinLatencyWindow(
  servers: readonly ServerDescription[],
  localThresholdMS: number,
): readonly ServerDescription[] {
  const trip = ({ roundTripMicros = 0 }: ServerDescription) => roundTripMicros;
  const fastest = Math.min(...servers.map(trip));
  return servers.filter((server) => trip(server) <= fastest + localThresholdMS * 1000);
}
