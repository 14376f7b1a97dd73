import { type OplogEntry, type OpTime, sameOpTime, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { expect, test } from 'vitest';
import { ACTIONS, type Action } from './kinds.ts';
import { RaftMongoReader } from './reader.ts';

// For each action (and each of the specification's invariants) a trace in which it is broken, and the reader says so. All
// are made of one honest trace, which it accepts: an election, a failover by partition, a rollback, a restart.

const SCENARIO = `
name: A failover with a rollback
replicaSet:
  members: [n1, { name: n2, priority: 0.9 }, { name: n3, priority: 0 }]
  settings: { chainingAllowed: false }
steps:
  - eventually: { within: 30s, primary: n1 }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - advance: 3s
  - hold: { on: n3, part: fetch }
  - insert: { into: app.c, documents: [{ _id: 2 }], writeConcern: { w: majority } }
  - release: { on: n3, part: fetch }
  - advance: 3s
  - partition: [[n1], [n2, n3]]
  - insert: { into: app.c, documents: [{ _id: 'lost' }], writeConcern: { w: 1 } }
  - eventually: { within: 30s, primary: n2 }
  - advance: 5s
  - insert: { into: app.c, documents: [{ _id: 3 }], writeConcern: { w: majority } }
  - heal: all
  - eventually: { within: 30s, same: all }
  - shutdown: n3
  - start: n3
  - advance: 5s
`;

type Type = TraceEvent['type'];
type Of<T extends Type> = Extract<TraceEvent, { type: T }>;
type Change<T extends Type> = (event: Of<T>) => TraceEvent[];

const honest: TraceEvent[] = [];
await playScenario(parseScenario(SCENARIO, 'mutated.yaml'), (options) => ReplSet.create(options), {
  onTrace: (event) => honest.push(event),
});

/** The first event of that type for which `fits` is true is replaced by what `change` makes of it. */
function replacing<T extends Type>(type: T, fits: (event: Of<T>) => boolean, change: Change<T>): TraceEvent[] {
  const at = honest.findIndex((event) => event.type === type && fits(event as Of<T>));
  expect(at, `the trace has such a ${type}`).toBeGreaterThan(-1);
  return honest.toSpliced(at, 1, ...change(honest[at] as Of<T>));
}

function dropping<T extends Type>(type: T, fits: (event: Of<T>) => boolean): TraceEvent[] {
  return honest.filter((event) => event.type !== type || !fits(event as Of<T>));
}

function find<T extends Type>(type: T, fits: (event: Of<T>) => boolean): Of<T> {
  return honest.find((event) => event.type === type && fits(event as Of<T>)) as Of<T>;
}

const is =
  (name: string) =>
  ({ member }: { readonly member: string }) =>
    member === name;
const holdsIn = (entries: readonly OplogEntry[], opTime: OpTime) =>
  entries.some((entry) => sameOpTime(entry.opTime, opTime));
/** That a member gets an entry from another, as the last of a batch. */
const takes =
  (name: string, opTime: OpTime) =>
  ({ member, origin, entries }: Of<'oplogWritten'>) =>
    member === name && origin === 'fetched' && sameOpTime(entries.at(-1)!.opTime, opTime);
const writes =
  (name: string, opTime: OpTime) =>
  ({ member, origin, entries }: Of<'oplogWritten'>) =>
    member === name && origin === 'self' && holdsIn(entries, opTime);
const isTerm1 = ({ entries }: Of<'oplogWritten'>) => entries[0]!.opTime.t === 1;
const nextTerm = ({ ts, t }: OpTime): OpTime => ({ ts, t: t + 1 });
const placeOf = ({ atMicros, member }: { readonly atMicros: number; readonly member: string }) => ({
  atMicros,
  member,
});

const rollback = find('rolledBack', () => true);
const lost = rollback.removedEntries;
const lastOfTerm1 = rollback.commonPoint;
const firstOfTerm2 = find('oplogWritten', ({ member, origin }) => member === 'n2' && origin === 'self').entries[0]!
  .opTime;
/** The second insert, which n2 gets before it is committed, and the entry before it. */
const insert = find(
  'oplogWritten',
  ({ member, origin, entries: [entry], atMicros }) =>
    member === 'n1' &&
    origin === 'self' &&
    entry!.operation.op === 'i' &&
    entry!.operation.ns === 'app.c' &&
    atMicros > find('step', ({ text }) => text.startsWith('hold')).atMicros,
);
const uncommitted = insert.entries[0]!.opTime;
const beforeUncommitted = honest
  .filter((event) => event.type === 'oplogWritten')
  .filter(({ member, atMicros }) => member === 'n1' && atMicros < insert.atMicros)
  .at(-1)!.entries[0]!.opTime;

const FROM_N2 = { origin: 'fetched', source: 'n2:27017' } as const;
const BY_HEARTBEAT_OF_N1 = { learned: true, toldBy: 'n1:27017', how: 'heartbeat' } as const;
const BY_HEARTBEAT_OF_N2 = { ...BY_HEARTBEAT_OF_N1, toldBy: 'n2:27017' } as const;
const FROM_SOURCE_N2 = { ...BY_HEARTBEAT_OF_N2, how: 'sync source' } as const;
const saysToHave = (memberId: number, opTime: OpTime) => ({
  memberId,
  cfgver: 1,
  durableOpTime: opTime,
  durableWallTimeMs: 0,
  appliedOpTime: opTime,
  appliedWallTimeMs: 0,
  writtenOpTime: opTime,
  writtenWallTimeMs: 0,
});

interface Row {
  readonly action: Action | 'invariant' | 'restart';
  readonly what: string;
  readonly trace: () => TraceEvent[];
  readonly fires: RegExp;
}

const ROWS: readonly Row[] = [
  {
    action: 'BecomePrimaryByMagic',
    what: 'the votes of the others are missing',
    trace: () => dropping('votePersisted', ({ member, term }) => term === 1 && member !== 'n1'),
    fires: /n1: BecomePrimaryByMagic: n1 voted for it, which is no majority/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'a voter has more than the candidate',
    trace: () =>
      replacing(
        'voteAnswered',
        ({ member, term, dryRun }) => term === 2 && !dryRun && member === 'n3',
        (event) => [{ ...event, claim: { ...event.claim, lastWritten: beforeUncommitted } }],
      ),
    fires: /n3: BecomePrimaryByMagic: it votes for n2 with entry \d+ of t1, and n2 claims entry \d+ of t1/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'a candidate claims what it does not have',
    trace: () =>
      replacing(
        'voteAnswered',
        ({ member, term, dryRun }) => term === 2 && !dryRun && member === 'n3',
        (event) => [{ ...event, claim: { ...event.claim, lastWritten: lost.at(-1)!.opTime } }],
      ),
    fires: /n3: BecomePrimaryByMagic: n2 claims entry \d+ of t1, which it never had/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'a voter judges by what it does not have',
    trace: () =>
      replacing(
        'voteAnswered',
        ({ member, term, dryRun }) => term === 2 && !dryRun && member === 'n3',
        (event) => [{ ...event, own: { ...event.own, lastWritten: lost.at(-1)!.opTime } }],
      ),
    fires: /n3: BecomePrimaryByMagic: it judges by entry \d+ of t1, which it never had/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'a member raises its term and does not stand',
    trace: () =>
      replacing(
        'termChanged',
        ({ member, to }) => member === 'n3' && to === 2,
        ({ toldBy: _, ...event }) => [event],
      ),
    fires: /n3: BecomePrimaryByMagic: it raises its t1 to t2/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'a member votes twice in a term',
    trace: () =>
      replacing(
        'votePersisted',
        ({ member, term }) => term === 2 && member === 'n3',
        (event) => [event, { ...event, candidate: 'n1:27017' }],
      ),
    fires: /n3: BecomePrimaryByMagic: it votes for n1 in t2, and has voted for n2/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'a primary votes for another and goes on',
    trace: () =>
      replacing(
        'votePersisted',
        ({ member, term }) => term === 2 && member === 'n3',
        (event) => [event, { ...event, member: 'n1' }],
      ),
    fires: /n1: BecomePrimaryByMagic: it votes in t2 while it leads t1/,
  },
  {
    action: 'BecomePrimaryByMagic',
    what: 'it is elected in a term in which it is not',
    trace: () =>
      replacing(
        'electionWon',
        ({ term }) => term === 2,
        (event) => [{ ...event, term: 3 }],
      ),
    fires: /n2: BecomePrimaryByMagic: it is elected in t3 and its term is t2/,
  },
  {
    action: 'invariant',
    what: 'two lead in one term',
    trace: () =>
      replacing(
        'electionWon',
        ({ term }) => term === 2,
        (event) => [event, { ...event, member: 'n3' }],
      ),
    fires: /n3: NoTwoPrimariesInSameTerm: n2 leads t2 too/,
  },
  {
    action: 'UpdateTermThroughHeartbeat',
    what: 'a term that nobody has been in',
    trace: () => replacing('termChanged', is('n3'), (event) => [{ ...event, to: 9 }]),
    fires: /n3: UpdateTermThroughHeartbeat: n1 has not been in t9/,
  },
  {
    action: 'UpdateTermThroughHeartbeat',
    what: 'it hears of a term from itself',
    trace: () => replacing('termChanged', is('n3'), (event) => [{ ...event, toldBy: 'n3:27017' }]),
    fires: /n3: it has that from itself/,
  },
  {
    action: 'UpdateTermThroughHeartbeat',
    what: 'a term goes back',
    trace: () =>
      replacing(
        'termChanged',
        ({ member, to }) => member === 'n3' && to === 2,
        (event) => [{ ...event, to: 1 }],
      ),
    fires: /n3: UpdateTermThroughHeartbeat: t1 is no later than its t1/,
  },
  {
    action: 'UpdateTermThroughHeartbeat',
    what: 'a primary hears of a later term and stays primary',
    trace: () =>
      replacing(
        'electionWon',
        ({ term }) => term === 2,
        (event) => [event, { atMicros: event.atMicros, member: 'n1', type: 'termChanged', from: 1, to: 2 }],
      ),
    fires: /n1: UpdateTermThroughHeartbeat: it leads t1 and hears of t2 without a step-down/,
  },
  {
    action: 'Stepdown',
    what: 'a secondary steps down',
    trace: () => replacing('steppedDown', is('n1'), (event) => [event, event]),
    fires: /n1: Stepdown: it does not lead/,
  },
  {
    action: 'ClientWrite',
    what: 'a secondary writes',
    trace: () =>
      replacing(
        'oplogWritten',
        (event) => is('n3')(event) && isTerm1(event),
        (event) => [{ ...event, origin: 'self' }],
      ),
    fires: /n3: ClientWrite: it does not lead/,
  },
  {
    action: 'ClientWrite',
    what: 'a primary writes in another term than its own',
    trace: () =>
      replacing(
        'oplogWritten',
        (event) => is('n1')(event) && isTerm1(event),
        (event) => [
          {
            ...event,
            entries: event.entries.map((entry) => ({ ...entry, opTime: nextTerm(entry.opTime) }) as typeof entry),
          },
        ],
      ),
    fires: /n1: ClientWrite: an entry of t2 in its t1/,
  },
  {
    action: 'ClientWrite',
    what: 'an entry is written twice',
    trace: () =>
      replacing(
        'oplogWritten',
        (event) => is('n1')(event) && isTerm1(event),
        (event) => [event, event],
      ),
    fires: /n1: ClientWrite: an entry that was written before/,
  },
  {
    action: 'AppendOplog',
    what: 'an entry that nobody wrote',
    trace: () => replacing('oplogWritten', writes('n1', uncommitted), () => []),
    fires: /AppendOplog: an entry of t1 that nobody wrote/,
  },
  {
    action: 'AppendOplog',
    what: 'an entry is left out',
    // Nor may it have judged a candidate by it.
    trace: () =>
      replacing('oplogWritten', takes('n3', uncommitted), () => []).filter(({ type }) => type !== 'voteAnswered'),
    fires: /n3: AppendOplog: entry \d+ of t2 follows entry \d+ of t1, not entry \d+ of t1/,
  },
  {
    action: 'AppendOplog',
    what: 'the trace does not say from whom',
    trace: () => replacing('oplogWritten', takes('n3', uncommitted), ({ source: _, ...event }) => [event]),
    fires: /n3: the trace does not say from whom it has that/,
  },
  {
    action: 'AppendOplog',
    what: 'from a member that does not have it, though another does',
    trace: () => replacing('oplogWritten', takes('n2', uncommitted), (event) => [{ ...event, source: 'n3:27017' }]),
    fires: /n2: AppendOplog: n3 has not had entry \d+ of t1/,
  },
  {
    action: 'AppendOplog',
    what: 'a source would have to have what it has never had',
    trace: () =>
      replacing(
        'rolledBack',
        () => true,
        (event) => [event, { ...event, ...FROM_N2, type: 'oplogWritten', entries: lost, acceptsWrites: false }],
      ),
    fires: /n1: AppendOplog: n2 has not had entry \d+ of t1/,
  },
  {
    action: 'RollbackOplog',
    what: 'no log of a later term asks for it',
    trace: () =>
      replacing('oplogWritten', takes('n2', uncommitted), (event) => [
        event,
        { ...placeOf(event), type: 'rollbackStarted', source: 'n1:27017' },
        { ...rollback, ...placeOf(event), from: uncommitted, commonPoint: beforeUncommitted },
      ]),
    fires: /n2: RollbackOplog: n1 has had no log of a later term that lacks entry \d+ of t1/,
  },
  {
    action: 'RollbackOplog',
    what: 'from an end that the log does not have',
    trace: () =>
      replacing(
        'rolledBack',
        () => true,
        (event) => [{ ...event, from: lastOfTerm1 }],
      ),
    fires: /n1: RollbackOplog: its log does not end where it says/,
  },
  {
    action: 'RollbackOplog',
    what: 'to a point that the log does not hold',
    trace: () =>
      replacing(
        'rolledBack',
        () => true,
        (event) => [{ ...event, commonPoint: firstOfTerm2 }],
      ),
    fires: /n1: RollbackOplog: its log does not hold the common point/,
  },
  {
    action: 'invariant',
    what: 'what is committed is rolled back',
    trace: () =>
      replacing(
        'rolledBack',
        () => true,
        (event) => [{ ...event, commonPoint: beforeUncommitted }],
      ),
    fires: /n1: NeverRollbackCommitted: entry \d+ of t1 is committed/,
  },
  {
    action: 'AdvanceCommitPoint',
    what: 'beyond what a majority has',
    trace: () =>
      replacing(
        'electionWon',
        ({ term }) => term === 2,
        (event) => [
          {
            ...placeOf(event),
            member: 'n1',
            type: 'commitPoint',
            opTime: lost.at(-1)!.opTime,
            learned: false,
            term: 1,
          },
          event,
        ],
      ),
    fires: /n1: AdvanceCommitPoint: it knows of n1 to have entry \d+ of t1, which is no majority/,
  },
  {
    action: 'AdvanceCommitPoint',
    what: 'by what a majority has and has not told',
    trace: () => dropping('positionsReceived', ({ atMicros }) => atMicros > insert.atMicros),
    fires: /n1: AdvanceCommitPoint: it knows of n1 to have entry \d+ of t1, which is no majority/,
  },
  {
    action: 'AdvanceCommitPoint',
    what: 'by what a member says and does not have',
    trace: () =>
      replacing('oplogWritten', takes('n2', uncommitted), (event) => [
        {
          ...placeOf(event),
          member: 'n1',
          type: 'positionsReceived',
          from: 'n2:27017',
          how: 'updatePosition',
          optimes: [saysToHave(1, uncommitted)],
        },
        { ...placeOf(event), member: 'n1', type: 'commitPoint', opTime: uncommitted, learned: false, term: 1 },
        event,
      ]),
    fires: /n1: AdvanceCommitPoint: n2 says that it has entry \d+ of t1, which it never had/,
  },
  {
    action: 'AdvanceCommitPoint',
    what: 'by an entry of an older term',
    trace: () =>
      replacing('oplogWritten', writes('n2', firstOfTerm2), (event) => [
        { ...placeOf(event), type: 'commitPoint', opTime: lastOfTerm1, learned: false, term: 2 },
        event,
      ]).filter((event) => event.type !== 'commitPoint' || !event.learned || !sameOpTime(event.opTime, lastOfTerm1)),
    fires: /n2: AdvanceCommitPoint: entry \d+ of t1 is not of its own t2/,
  },
  {
    action: 'AdvanceCommitPoint',
    what: 'back',
    trace: () =>
      replacing(
        'commitPoint',
        ({ member, learned, opTime }) => member === 'n1' && !learned && opTime.t > 0,
        (event) => [event, event],
      ),
    fires: /n1: AdvanceCommitPoint: entry \d+ of t1 is not behind its commit point/,
  },
  {
    action: 'AdvanceCommitPoint',
    what: 'by a secondary',
    trace: () =>
      replacing(
        'commitPoint',
        ({ member, opTime }) => member === 'n3' && opTime.t > 0,
        (event) => [{ ...event, learned: false }],
      ),
    fires: /n3: AdvanceCommitPoint: it does not lead/,
  },
  {
    action: 'LearnCommitPointWithTermCheck',
    what: 'a commit point that nobody has had',
    trace: () =>
      replacing('oplogWritten', takes('n2', uncommitted), (event) => [
        event,
        { ...placeOf(event), ...BY_HEARTBEAT_OF_N1, type: 'commitPoint', opTime: uncommitted, term: 1 },
      ]),
    fires: /n2: LearnCommitPoint: n1 could not tell it entry \d+ of t1; its log is entry \d+ of t1/,
  },
  {
    action: 'LearnCommitPointWithTermCheck',
    what: 'one of a later term than the own log, which may be on another branch',
    trace: () =>
      replacing(
        'rolledBack',
        () => true,
        (event) => [
          { ...placeOf(event), ...BY_HEARTBEAT_OF_N2, type: 'commitPoint', opTime: firstOfTerm2, term: 2 },
          event,
        ],
      ),
    fires: /n1: LearnCommitPoint: n2 could not tell it entry \d+ of t2; its log is entry \d+ of t1/,
  },
  {
    action: 'LearnCommitPointFromSyncSource',
    what: 'the end of the own log, which is not the beginning of any source',
    trace: () =>
      replacing(
        'rolledBack',
        () => true,
        (event) => [
          { ...placeOf(event), ...FROM_SOURCE_N2, type: 'commitPoint', opTime: lost.at(-1)!.opTime, term: 2 },
          event,
        ],
      ),
    fires: /n1: LearnCommitPoint: n2 could not tell it entry \d+ of t1/,
  },
  {
    action: 'LearnCommitPointFromSyncSource',
    what: 'back',
    trace: () =>
      replacing(
        'commitPoint',
        ({ learned, opTime }) => learned && opTime.t > 0,
        (event) => [event, event],
      ),
    fires: /LearnCommitPoint: entry \d+ of t1 is not later than entry \d+ of t1/,
  },
  {
    action: 'restart',
    what: 'a log comes back with what it did not hold',
    trace: () =>
      replacing(
        'processStarted',
        ({ member, atMicros }) => member === 'n3' && atMicros > 0,
        (event) => [{ ...event, lastApplied: lost.at(-1)!.opTime }],
      ),
    fires: /n3: its log came back with an end that it did not have/,
  },
];

function read(trace: readonly TraceEvent[]): RaftMongoReader {
  const reader = new RaftMongoReader();
  for (const event of trace) reader.observe(event);
  reader.end();
  return reader;
}

test('the honest trace is a behaviour of RaftMongo, to its end', () => {
  const reader = read(honest);
  expect(reader.unfit).toBeUndefined();
  const counts = Object.fromEntries(reader.tally);
  expect(counts).toMatchObject({ BecomePrimaryByMagic: 3, RollbackOplog: 1 });
  expect(ACTIONS.filter((action) => counts[action] === undefined)).toEqual([]);
});

test.for(ROWS)('$action: $what', ({ trace, fires }) => {
  expect(() => read(trace())).toThrow(fires);
});

test('each action has a mutation', () => {
  expect(ACTIONS.filter((name) => !ROWS.some(({ action }) => action === name))).toEqual([]);
});

test.for<[what: string, trace: () => TraceEvent[], why: RegExp]>([
  [
    'a forced config',
    () => replacing('configInstalled', is('n3'), (event) => [{ ...event, forced: true }]),
    /a config is forced/,
  ],
  [
    'two arbiters of three',
    () =>
      replacing('configInstalled', is('n3'), (event) => {
        const members = event.config.members.map((each, i) => ({ ...each, arbiterOnly: i > 0 }));
        return [{ ...event, config: { ...event.config, members } }];
      }),
    /arbiters leave fewer voters with data/,
  ],
  [
    'a kill where nothing need be journalled',
    () =>
      honest.map((event) => {
        if (event.type === 'processStopped') return { ...event, how: 'killed' } as const;
        if (event.type !== 'configInstalled') return event;
        return { ...event, config: { ...event.config, writeConcernMajorityJournalDefault: false } };
      }),
    /a process dies while a majority acknowledges what is in no journal/,
  ],
])('a run leaves RaftMongo with %s, and is read so far', ([, trace, why]) => {
  expect(read(trace()).unfit?.why).toMatch(why);
});
