import type { Mode } from '@replsim/explore';
import { clients } from './clients.ts';
import { commitPoints } from './commitPoints.ts';
import { configs } from './configs.ts';
import { elections } from './elections.ts';
import { indexes } from './indexes.ts';
import type { Mutation } from './mutation.ts';
import { oplogs } from './oplogs.ts';
import { ttl } from './ttl.ts';

// An everyday scenario holds with each of these mutants, until an exploration finds the fault that shows it.

const SET = 'replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }';
const LED = 'begin: with a primary';

/** What a set does on any day, with nothing going wrong. */
export const DAYS = {
  writes: `
${SET}
${LED}
steps:
  - workload: { name: w, every: 1s, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 20s
  - eventually: { within: 60s, same: all }
`,
  majorityReads: `
${SET}
${LED}
steps:
  - workload:
      name: w
      every: 1s
      near: n1
      update: { in: app.c, filter: { _id: 1 }, update: { $set: { value: $i } }, upsert: true }
      writeConcern: { w: 1 }
      reads: { every: 500ms, near: n1, readConcern: { level: majority } }
  - advance: 15s
  - eventually: { within: 60s, same: all }
`,
  expiry: `
${SET}
parameters: { ttlMonitorSleepSecs: 2 }
${LED}
steps:
  - createIndex: { on: primary, in: app.c, keys: { at: 1 }, options: { expireAfterSeconds: 5 } }
  - workload: { name: w, every: 1s, insert: { into: app.c, document: { _id: $i, at: $now } }, writeConcern: { w: 1 } }
  - advance: 20s
  - eventually: { within: 60s, same: all }
`,
  indexBuild: `
${SET}
costs: { indexBuildMicrosPerDocument: 20000 }
${LED}
steps:
  - insert: { into: app.c, count: 50, document: { _id: $i, a: $i }, writeConcern: { w: 3 } }
  - createIndex: { on: n1, in: app.c, keys: { a: 1 }, options: { name: a } }
  - advance: 1s
  - eventually: { within: 10s, same: all }
`,
  /** Many writes, each of which takes a while to reach the others. */
  farAway: `
${SET}
network: { latencyMs: [300, 300] }
${LED}
steps:
  - workload: { name: w, every: 70ms, near: n1, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 15s
  - eventually: { within: 60s, primary: any }
`,
  /** Nothing is said of the data in the end: a fault may leave a member without it. */
  leftAlone: `
${SET}
parameters: { ttlMonitorSleepSecs: 2 }
${LED}
steps:
  - workload: { name: w, every: 1s, insert: { into: app.c, document: { _id: $i } }, writeConcern: { w: 1 } }
  - advance: 10s
  - eventually: { within: 60s, primary: any }
`,
} as const;

/** A mutant, the day on which it does not show, and the exploration that finds it. */
export interface Explored {
  readonly mutation: Mutation;
  readonly day: keyof typeof DAYS;
  readonly mode: Mode;
  /** The invariant that an exploration finds broken. */
  readonly breaks: string;
}

const ALL = [...elections, ...commitPoints, ...oplogs, ...clients, ...configs, ...ttl, ...indexes];

function named(name: string): Mutation {
  const found = ALL.find((each) => each.name === name);
  if (!found) throw new Error(`no mutation is called ${name}`);
  return found;
}

type Row = (name: string, day: Explored['day'], breaks: string) => Explored;

/** By faults of these kinds. */
function drawn(kinds: readonly string[], more: { members?: readonly string[] } = {}): Row {
  return (name, day, breaks) => ({ mutation: named(name), day, breaks, mode: { kind: 'faults', kinds, ...more } });
}

/** By one thing, done at each instant of the day at which something happens. */
function anytime(fault: Readonly<Record<string, unknown>>): Row {
  return (name, day, breaks) => ({
    mutation: named(name),
    day,
    breaks,
    mode: { kind: 'everywhere', faults: [{ fault }] },
  });
}

/** The same, of a command. */
function asked(on: string, command: object, db = 'admin'): Row {
  return anytime({ run: { on, db, command, as: 'asked' } });
}

const insert = (collection: string, documents: readonly object[], options = {}) =>
  asked('n1', { insert: collection, documents, ...options }, 'app');
const forced = (update: object) => anytime({ reconfig: { on: 'n1', force: true, update, as: 'asked' } });

const MAJORITY = { writeConcern: { w: 'majority' } };
const SOME = Array.from({ length: 5 }, (_, i) => ({ _id: `some ${i}` }));

export const EXPLORED: readonly Explored[] = [
  drawn(['partition'])('a member that learns a commit point without looking at its term', 'writes', 'commitPointSound'),
  drawn(['partition'])('a member that rolls back behind its commit point', 'writes', 'committedNeverRolledBack'),
  drawn(['partition'])('a member that rolls back and does not count it', 'writes', 'rollbackIdCounts'),
  drawn(['stepUp', 'cut', 'kill'])('a candidate that takes each answer for a yes', 'writes', 'leaderCompleteness'),
  drawn(['stepUp', 'cut', 'kill'])('a voter that votes twice in a term', 'writes', 'oneVotePerTerm'),
  drawn(['stepUp', 'kill', 'hold'])(
    'a voter whose vote is not on its disk when it starts again',
    'writes',
    'oneVotePerTerm',
  ),
  drawn(['stepUp', 'hold', 'cut'])(
    'a voter that does not look how far the candidate is',
    'writes',
    'leaderCompleteness',
  ),
  anytime({ hold: { on: 'n2', part: 'fetch' } })(
    'a member that takes each commit point it hears of, higher or not',
    'leftAlone',
    'monotonicCommitPoint',
  ),
  drawn(['kill'])("a primary that commits an older term's entry by counting members", 'farAway', 'commitNeedsMajority'),
  drawn(['kill'], { members: ['n1'] })(
    'a member that reports as durable what it has only written',
    'farAway',
    'durableSurvives',
  ),
  drawn(['forceReconfig'])('a secondary that makes a config', 'writes', 'reconfigOnlyOnPrimary'),
  forced({ $pull: { members: { _id: { $gt: 0 } } } })(
    'a primary that makes configs whose majorities do not overlap',
    'leftAlone',
    'activeConfigsOverlap',
  ),
  drawn(['partition'])(
    'a member whose majority reads see what nobody has committed',
    'majorityReads',
    'readsKeepTheirPromise',
  ),
  insert('other', [{ _id: 1 }], MAJORITY)(
    'a primary that acknowledges before a majority has it',
    'writes',
    'acknowledgedMajorityIsCommitted',
  ),
  insert('c', SOME)('a secondary that does not carry out each entry', 'majorityReads', 'dataEqualAtSameOpTime'),
  insert('log', SOME)(
    'a secondary that lets go of the oldest in a capped collection by itself',
    'writes',
    'dataEqualAtSameOpTime',
  ),
  asked('n3', { delete: 'c', deletes: [{ q: {}, limit: 0 }] }, 'app')(
    'a secondary that lets a client delete',
    'leftAlone',
    'secondaryShrinksOnlyThroughOplog',
  ),
  asked('n1', { fsync: 1, lock: true })(
    'a monitor that goes on deleting when fsync locks',
    'expiry',
    'nothingWrittenWhileLocked',
  ),
  asked('n3', { fsync: 1, lock: true })(
    'a secondary that applies under the fsync lock',
    'leftAlone',
    'nothingWrittenWhileLocked',
  ),
  asked('n1', { setUserWriteBlockMode: 1, global: true })(
    'a primary whose TTL monitor passes by the block of user writes',
    'expiry',
    'blockedUsersWriteNothing',
  ),
  insert('c', [{ _id: 'late', a: 5 }])(
    'a member that forgets what is written while it builds an index',
    'indexBuild',
    'readyIndexesComplete',
  ),
];
