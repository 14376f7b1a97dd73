import { ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { describeServer, isStale, unknownServer } from '../src/serverDescription.ts';
import { primaryOf, seedTopology, type TopologyDescription, updateTopology } from '../src/topology.ts';

const HOSTS = ['a:1', 'b:1', 'c:1'];
const electionId = (term: number) => new ObjectId(`7fffffff${term.toString(16).padStart(16, '0')}`);
const member = { ok: 1, setName: 'rs', hosts: HOSTS, setVersion: 1, logicalSessionTimeoutMinutes: 30 };
const secondary = (address: string) => ({ ...member, secondary: true, isWritablePrimary: false, me: address });
const primary = (address: string, term: number, more: object = {}) => ({
  ...member,
  isWritablePrimary: true,
  secondary: false,
  me: address,
  electionId: electionId(term),
  ...more,
});

const empty = seedTopology('rs', HOSTS, 0);
/** What a client knows after these hellos, each with who sent it. */
const after = (...hellos: [address: string, reply: Record<string, unknown>][]): TopologyDescription =>
  hellos.reduce(
    (topology, [address, reply], index) => updateTopology(topology, describeServer(address, reply, index)),
    empty,
  );
const typesOf = ({ servers }: TopologyDescription) =>
  Object.fromEntries([...servers].map(([address, { type }]) => [address, type]));

// --- one hello --------------------------------------------------------------------------------------------------------

test.for([
  ['RSPrimary', primary('a:1', 1)],
  ['RSSecondary', secondary('a:1')],
  ['RSArbiter', { ...member, arbiterOnly: true }],
  // Hidden members are not for applications, whatever their state.
  ['RSOther', { ...secondary('a:1'), hidden: true }],
  // RECOVERING and the like.
  ['RSOther', { ...member, isWritablePrimary: false, secondary: false }],
  ['RSGhost', { ok: 1, isreplicaset: true, isWritablePrimary: false, secondary: false }],
  ['Standalone', { ok: 1, isWritablePrimary: true }],
  ['Unknown', { ok: 0, errmsg: 'the server is in quiesce mode', code: 91 }],
] as const)('%s', ([type, reply]) => {
  expect(describeServer('a:1', reply, 5).type).toBe(type);
});

test('what a hello says that choices depend on', () => {
  const lastWriteDate = new Date(1_700_000_000_000);
  const topologyVersion = { processId: new ObjectId('00112233445566778899aabb'), counter: 6 };
  const reply = {
    ...primary('a:1', 3),
    tags: { dc: 'east' },
    arbiters: ['d:1'],
    passives: ['e:1'],
    lastWrite: { lastWriteDate },
  };
  expect(describeServer('a:1', { ...reply, topologyVersion }, 5, 700)).toEqual({
    address: 'a:1',
    type: 'RSPrimary',
    setName: 'rs',
    setVersion: 1,
    electionId: '7fffffff0000000000000003',
    hosts: ['a:1', 'b:1', 'c:1', 'e:1', 'd:1'],
    me: 'a:1',
    tags: { dc: 'east' },
    lastWriteMs: 1_700_000_000_000,
    topologyVersion: { processId: '00112233445566778899aabb', counter: 6n },
    lastUpdateMicros: 5,
    roundTripMicros: 700,
    logicalSessions: true,
  });
});

test.for([
  ['another process is always news', { processId: 'y', counter: 1n }, false, false],
  ['more is news', { processId: 'x', counter: 6n }, false, false],
  ['as much is news in a hello, not in an error', { processId: 'x', counter: 5n }, false, true],
  ['less is not', { processId: 'x', counter: 4n }, true, true],
] as const)('topologyVersion: %s', ([, given, inHello, inError]) => {
  const known = { processId: 'x', counter: 5n };
  expect(isStale(given, known, { orEqual: false })).toBe(inHello);
  expect(isStale(given, known, { orEqual: true })).toBe(inError);
  expect(isStale(undefined, known, { orEqual: true })).toBe(false);
});

// --- the set ----------------------------------------------------------------------------------------------------------

test('a client with a set’s name begins with its seeds, and knows nothing of them', () => {
  expect(empty.type).toBe('ReplicaSetNoPrimary');
  expect(typesOf(empty)).toEqual({ 'a:1': 'Unknown', 'b:1': 'Unknown', 'c:1': 'Unknown' });
});

test('a new primary makes the old one Unknown at once', () => {
  const topology = after(['a:1', primary('a:1', 1)], ['b:1', primary('b:1', 2)]);
  expect(typesOf(topology)).toEqual({ 'a:1': 'Unknown', 'b:1': 'RSPrimary', 'c:1': 'Unknown' });
  expect(topology).toMatchObject({ type: 'ReplicaSetWithPrimary', maxElectionId: '7fffffff0000000000000002' });
});

test.for([
  ['an older election', 2, 9, 1, 9, 'stale'],
  ['the same election, an older config', 2, 9, 2, 8, 'stale'],
  ['a later election with an older config', 2, 9, 3, 1, 'accepted'],
  ['the same election, a later config', 2, 9, 2, 10, 'accepted'],
] as const)(
  '%s: of two who call themselves primary, (electionId, setVersion) decides',
  ([, term, version, otherTerm, otherVersion, verdict]) => {
    const topology = after(
      ['a:1', primary('a:1', term, { setVersion: version })],
      ['b:1', primary('b:1', otherTerm, { setVersion: otherVersion })],
    );
    expect(primaryOf(topology)?.address).toBe(verdict === 'stale' ? 'a:1' : 'b:1');
    if (verdict === 'stale') expect(topology.servers.get('b:1')?.error).toMatch(/primary marked stale/);
  },
);

test('a stale primary stays rejected after the newer one has gone', () => {
  const newer = after(['a:1', primary('a:1', 2)]);
  const gone = updateTopology(newer, unknownServer('a:1', 9, 'connection closed'));
  expect(gone.type).toBe('ReplicaSetNoPrimary');
  const stale = updateTopology(gone, describeServer('b:1', primary('b:1', 1), 10));
  expect(primaryOf(stale)).toBeUndefined();
});

test('a primary says who belongs to the set: others are forgotten, new ones are Unknown', () => {
  const topology = after(['a:1', primary('a:1', 1, { hosts: ['a:1', 'd:1'], arbiters: ['e:1'] })]);
  expect(typesOf(topology)).toEqual({ 'a:1': 'RSPrimary', 'd:1': 'Unknown', 'e:1': 'Unknown' });
  const removed = after(['a:1', primary('a:1', 1, { hosts: ['b:1', 'c:1'] })]);
  expect(typesOf(removed)).toEqual({ 'b:1': 'Unknown', 'c:1': 'Unknown' });
});

test('a secondary makes others known, but forgets nobody, and says nothing while a primary is known', () => {
  const withD = { ...secondary('b:1'), hosts: ['b:1', 'd:1'] };
  expect(Object.keys(typesOf(after(['b:1', withD])))).toEqual(['a:1', 'b:1', 'c:1', 'd:1']);
  expect(Object.keys(typesOf(after(['a:1', primary('a:1', 1)], ['b:1', withD])))).toEqual(['a:1', 'b:1', 'c:1']);
});

test.for([
  ['a standalone', { ok: 1, isWritablePrimary: true }],
  ['a member of another set', { ...secondary('b:1'), setName: 'other' }],
  ['a primary of another set', primary('b:1', 1, { setName: 'other' })],
  ['who calls itself by another address', { ...secondary('b:1'), me: 'b.local:1' }],
] as const)('forgotten: %s', ([, reply]) => {
  expect(Object.keys(typesOf(after(['b:1', reply])))).toEqual(['a:1', 'c:1']);
});

test('a primary that steps down is a secondary, and there is none', () => {
  const topology = after(['a:1', primary('a:1', 1)], ['a:1', secondary('a:1')]);
  expect(topology.type).toBe('ReplicaSetNoPrimary');
  expect(typesOf(topology)['a:1']).toBe('RSSecondary');
});

test.for([
  ['a stranger', 'x:1', secondary('x:1')],
  ['an older hello', 'a:1', { ...secondary('a:1'), topologyVersion: { processId: 'p', counter: 4 } }],
] as const)('no news: %s', ([, address, reply]) => {
  const known = after(['a:1', { ...primary('a:1', 1), topologyVersion: { processId: 'p', counter: 5 } }]);
  expect(updateTopology(known, describeServer(address, reply, 9))).toBe(known);
});
