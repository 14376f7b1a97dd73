import { expect, test } from 'vitest';
import type { ReadPreference } from '../src/readPreference.ts';
import { type ServerDescription, type ServerType, unknownServer } from '../src/serverDescription.ts';
import { DEFAULT_SELECTION, stalenessMs, suitableServers } from '../src/serverSelection.ts';
import type { TopologyDescription } from '../src/topology.ts';

const server = (address: string, type: ServerType, more: Partial<ServerDescription> = {}): ServerDescription => ({
  ...unknownServer(address, 0),
  type,
  ...more,
});
const topologyOf = (...servers: ServerDescription[]): TopologyDescription => ({
  type: servers.some(({ type }) => type === 'RSPrimary') ? 'ReplicaSetWithPrimary' : 'ReplicaSetNoPrimary',
  setName: 'rs',
  servers: new Map(servers.map((each) => [each.address, each])),
});
const chosen = (topology: TopologyDescription, preference: ReadPreference, settings = DEFAULT_SELECTION) =>
  suitableServers(topology, preference, settings).map(({ address }) => address);

const p = server('p', 'RSPrimary', { tags: { dc: 'west' } });
const s = server('s', 'RSSecondary', { tags: { dc: 'west', disk: 'ssd' } });
const t = server('t', 'RSSecondary', { tags: { dc: 'east' } });
const others = [
  server('arbiter', 'RSArbiter'),
  server('hidden', 'RSOther'),
  server('ghost', 'RSGhost'),
  server('?', 'Unknown'),
];

test.for([
  ['primary', ['p'], []],
  ['primaryPreferred', ['p'], ['s', 't']],
  ['secondary', ['s', 't'], ['s', 't']],
  ['secondaryPreferred', ['s', 't'], ['s', 't']],
  ['nearest', ['p', 's', 't'], ['s', 't']],
] as const)('%s: with a primary %o, without one %o', ([mode, withPrimary, without]) => {
  expect(chosen(topologyOf(p, s, t, ...others), { mode })).toEqual(withPrimary);
  expect(chosen(topologyOf(s, t, ...others), { mode })).toEqual(without);
});

test.for([
  ['primary', ['p']],
  ['primaryPreferred', ['p']],
  ['secondary', []],
  ['secondaryPreferred', ['p']],
  ['nearest', ['p']],
] as const)('%s: where there is only a primary, %o', ([mode, servers]) => {
  expect(chosen(topologyOf(p, ...others), { mode })).toEqual(servers);
});

test.for([
  ['every tag must be there', [{ dc: 'west', disk: 'ssd' }], ['s']],
  ['the first set that fits anybody decides', [{ dc: 'north' }, { dc: 'east' }, { dc: 'west' }], ['t']],
  ['no set fits anybody', [{ dc: 'north' }], []],
  ['the empty set fits everybody', [{ dc: 'north' }, {}], ['s', 't']],
  ['an empty list asks for nothing', [], ['s', 't']],
] as const)('tags: %s', ([, tags, servers]) => {
  expect(chosen(topologyOf(p, s, t), { mode: 'secondary', tags })).toEqual(servers);
});

test('secondaryPreferred falls back to the primary whatever its tags, nearest does not', () => {
  const tags = [{ dc: 'north' }];
  expect(chosen(topologyOf(p, s, t), { mode: 'secondaryPreferred', tags })).toEqual(['p']);
  expect(chosen(topologyOf(p, s, t), { mode: 'nearest', tags })).toEqual([]);
  expect(chosen(topologyOf(p, s, t), { mode: 'nearest', tags: [{ dc: 'west' }] })).toEqual(['p', 's']);
});

test('servers that are more than localThresholdMS slower than the fastest are left out, the fastest of those that fit', () => {
  const slow = (each: ServerDescription, roundTripMicros: number) => ({ ...each, roundTripMicros });
  const topology = topologyOf(slow(p, 1_000), slow(s, 20_000), slow(t, 35_001));
  expect(chosen(topology, { mode: 'secondary' })).toEqual(['s']);
  expect(chosen(topology, { mode: 'nearest' })).toEqual(['p']);
  expect(chosen(topology, { mode: 'secondary' }, { ...DEFAULT_SELECTION, localThresholdMS: 16 })).toEqual(['s', 't']);
});

// --- maxStalenessSeconds ----------------------------------------------------------------------------------------------

/** Updated at this second, last written at that one. */
const seen = (each: ServerDescription, updateSecs: number, writeSecs: number): ServerDescription => ({
  ...each,
  lastUpdateMicros: updateSecs * 1e6,
  lastWriteMs: writeSecs * 1e3,
});

test.for([
  ['level', seen(p, 100, 100), seen(s, 100, 100), 10],
  ['70 s behind, both heard of at the same time', seen(p, 100, 100), seen(s, 100, 30), 80],
  // Nobody writes: the primary is as old as its secondary, and that is no lag.
  ['an idle set', seen(p, 100, 20), seen(s, 100, 20), 10],
  // What the client knows of the secondary is five seconds older than what it knows of the primary.
  ['an older hello', seen(p, 105, 105), seen(s, 100, 100), 10],
  ['a lead, as clocks may differ', seen(p, 100, 90), seen(s, 100, 95), 5],
] as const)('with a primary: %s', ([, primary, secondary, seconds]) => {
  expect(stalenessMs(secondary, topologyOf(primary, secondary), 10_000)).toBe(seconds * 1000);
});

test('without a primary the secondary that wrote last stands for it', () => {
  const topology = topologyOf(seen(s, 100, 95), seen(t, 50, 30));
  expect(stalenessMs(topology.servers.get('s')!, topology, 10_000)).toBe(10_000);
  expect(stalenessMs(topology.servers.get('t')!, topology, 10_000)).toBe(75_000);
});

test('who lags further is left out; a primary never lags; -1 is no limit', () => {
  const topology = topologyOf(seen(p, 100, 100), seen(s, 100, 20), seen(t, 100, 19));
  const maxStalenessSeconds = 90;
  expect(chosen(topology, { mode: 'secondary', maxStalenessSeconds })).toEqual(['s']);
  expect(chosen(topology, { mode: 'nearest', maxStalenessSeconds })).toEqual(['p', 's']);
  expect(chosen(topology, { mode: 'secondary', maxStalenessSeconds: -1 })).toEqual(['s', 't']);
  const rarely = { ...DEFAULT_SELECTION, heartbeatFrequencyMS: 20_000 };
  expect(chosen(topology, { mode: 'secondary', maxStalenessSeconds }, rarely)).toEqual([]);
});
