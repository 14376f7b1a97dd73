import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';

// What a member acts on came from somebody: the trace says from whom, and what was said. That each of these is true is held
// against RaftMongo in test/specifications.

const SCENARIO = `
name: A failover, a chain and an initial sync
replicaSet:
  members: [n1, { name: n2, priority: 0.9 }, { name: n3, priority: 0 }]
  spares: [n4]
steps:
  - eventually: { within: 30s, primary: n1 }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - addMember: { name: n4, priority: 0 }
  - eventually: { within: 30s, state: { n4: SECONDARY } }
  - run: { on: n3, command: { replSetSyncFrom: "n2:27017" } }
  - advance: 10s
  - insert: { into: app.c, documents: [{ _id: 2 }], writeConcern: { w: 3 } }
  - kill: n1
  - eventually: { within: 30s, primary: n2 }
  - insert: { into: app.c, documents: [{ _id: 3 }], writeConcern: { w: majority } }
`;

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;
const trace: TraceEvent[] = [];
await playScenario(parseScenario(SCENARIO, 'sources.yaml'), (options) => ReplSet.create(options), {
  onTrace: (event) => trace.push(event),
});
const all = <T extends TraceEvent['type']>(type: T) => trace.filter((event) => event.type === type) as Of<T>[];

test('entries come from the sync source of the moment', () => {
  const sourcesOfN3 = all('oplogWritten')
    .filter(({ member, origin }) => member === 'n3' && origin === 'fetched')
    .map(({ source }) => source);
  expect(sourcesOfN3).toEqual(expect.arrayContaining(['n1:27017', 'n2:27017']));
  for (const { origin, source } of all('oplogWritten')) expect(source === undefined).toBe(origin === 'self');
});

test('a term is heard by a message, but for a candidate’s own', () => {
  expect(
    all('termChanged')
      .filter(({ toldBy }) => toldBy === undefined)
      .map(({ member, to }) => [member, to]),
  ).toEqual([
    ['n1', 1],
    ['n2', 2],
  ]);
  expect(all('termChanged')).toContainEqual(
    expect.objectContaining({ member: 'n3', to: 2, toldBy: 'n2:27017', how: 'vote request' }),
  );
});

test('a commit point is learned from somebody, by a heartbeat or with entries', () => {
  const learned = all('commitPoint').filter((event) => event.learned);
  expect(new Set(learned.map(({ how }) => how))).toEqual(new Set(['heartbeat', 'sync source']));
  expect(learned.filter(({ member, toldBy }) => toldBy === undefined || toldBy === `${member}:27017`)).toEqual([]);
});

test('a vote is decided by what was claimed', () => {
  const { claim } = all('votesRequested').find(({ term, dryRun }) => term === 2 && !dryRun)!;
  const answers = all('voteAnswered').filter(({ term, dryRun }) => term === 2 && !dryRun);
  expect(answers.map(({ member }) => member).sort()).toEqual(['n3', 'n4']);
  for (const answer of answers) expect(answer.claim).toEqual(claim);
  const [{ own, ownTerm }] = answers as [Of<'voteAnswered'>];
  expect(ownTerm).toBe(2);
  expect(own).toMatchObject({ configVersion: claim.configVersion, configTerm: 1, lastWritten: claim.lastWritten });
});

test('a primary hears of positions, those behind its source’s among them, by reports and heartbeats', () => {
  const chained = all('positionsReceived').filter(
    ({ member, from, optimes }) =>
      member === 'n1' && from === 'n2:27017' && optimes.some(({ memberId }) => memberId === 2),
  );
  expect(chained.length).toBeGreaterThan(0);
  expect(all('positionsReceived').some(({ how, optimes }) => how === 'heartbeat' && optimes.length === 1)).toBe(true);
});

test('an initial sync ends at an opTime', () => {
  const [started, cloned, done] = all('initialSync').filter(({ member }) => member === 'n4') as [
    Of<'initialSync'>,
    Of<'initialSync'>,
    Of<'initialSync'>,
  ];
  expect([started.source, cloned.source, done.source]).toEqual([
    undefined,
    done.source,
    expect.stringMatching(/^n[123]:/),
  ]);
  const before = all('applied').filter(({ member, atMicros }) => member === 'n4' && atMicros <= done.atMicros);
  expect(done.opTime).toEqual(before.at(-1)!.opTime);
});
