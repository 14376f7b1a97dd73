import type { Random } from '@replsim/kernel';
import { EXPIRING, SCRATCH } from './clients.ts';
import type { DrawnSet, Fields } from './set.ts';

/** Something that somebody does at an instant, whether or not it can be done by then. */
export interface Act {
  readonly atMicros: number;
  readonly does: Fields;
}

interface Scene {
  readonly set: DrawnSet;
  readonly random: Random;
}

const SECOND = 1_000_000;
const IMAGES = { changeStreamPreAndPostImages: { enabled: true } };
const NO_IMAGES = { changeStreamPreAndPostImages: { enabled: false } };
const [, SESSIONS = ''] = EXPIRING.split('.');
const [, TORN = ''] = SCRATCH.split('.');
/** Collections that transactions make. */
const MADE = ['made1', 'made2', 'made3'];
const CONCERNS: readonly Fields[] = [{ w: 1 }, { w: 'majority', wtimeout: 5000 }, { w: 2, wtimeout: 5000 }];
const LEVELS: readonly Fields[] = [
  { level: 'local' },
  { level: 'majority' },
  { level: 'linearizable' },
  { level: 'available' },
];

/** What one client asks at one instant. */
type Deed = (scene: Scene) => Fields | undefined;

const some = (random: Random) => ({ _id: { $gte: random.int(0, 200) } });
const onPrimary = (command: Fields, db = 'app'): Fields => ({ run: { on: 'primary', db, command } });

/** What clients do beside the workloads; the numbers are weights. */
const DEEDS: readonly (readonly [weight: number, deed: Deed])[] = [
  [3, ({ random }) => onPrimary(findAndModify(random))],
  [3, bulkWrite],
  [2, ({ random }) => onPrimary(manyWrites(random))],
  [2, ({ random }) => onPrimary({ delete: SESSIONS, deletes: [{ q: some(random), limit: random.int(0, 2) }] })],
  [4, readSomewhere],
  [2, ({ random }) => onPrimary({ drop: random.pick([TORN, TORN, TORN, ...MADE]) })],
  [2, ({ set, random }) => onPrimary({ create: TORN, ...(set.release !== '4.4' && random.chance(0.5) && IMAGES) })],
  [2, rename],
  [1, () => onPrimary({ insert: 'things', documents: [{ n: 1 }, { n: 2 }] }, 'other')],
  [1, () => onPrimary({ dropDatabase: 1 }, 'other')],
  [4, createIndex],
  [2, ({ random }) => onPrimary({ dropIndexes: random.pick([SESSIONS, 'kept']), index: random.pick(['n_1', 'm_1']) })],
  [1, ({ random }) => onPrimary({ dropIndexes: SESSIONS, index: random.pick(['n_1', '*']) })],
  [1, ({ random }) => collMod({ index: { name: 'at_1', expireAfterSeconds: random.int(5, 30) } })],
  [2, ({ set, random }) => (set.release === '4.4' ? undefined : collMod(random.chance(0.7) ? IMAGES : NO_IMAGES))],
  [1, () => onPrimary({ killAllSessions: [] }, 'admin')],
  [1, ({ random }) => onPrimary({ setParameter: 1, ttlMonitorSleepSecs: random.int(1, 9) }, 'admin')],
  [1, ({ random }) => onPrimary({ convertToCapped: TORN, size: random.int(1000, 9000) })],
  [1, imagesExpire],
  [1, anotherRelease],
  [2, ({ set, random }) => (set.voteless.length === 0 ? undefined : emptied(random.pick(set.voteless)))],
];
const TOTAL = DEEDS.reduce((sum, [weight]) => sum + weight, 0);

/** What clients and operators do between two instants, in the order of time. */
export function drawActs(set: DrawnSet, [from, to]: readonly [number, number], random: Random): readonly Act[] {
  const scene = { set, random };
  const deeds = Array.from({ length: random.int(5, 40) }, (): Act[] => {
    const does = drawn(random.int(0, TOTAL))(scene);
    return does ? [{ atMicros: random.int(from, to), does }] : [];
  });
  const transactions = Array.from({ length: random.int(0, 8) }, (_, i) =>
    drawTransaction(i, random.int(from, to), random.split('transaction', i)),
  );
  const builds = Array.from({ length: random.int(0, 4) }, () => builtAndDropped(random.int(from, to), random));
  const configs = random.chance(0.3) ? twoVotes(set, random.int(from, to), random) : [];
  return [...deeds.flat(), ...transactions.flat(), ...builds.flat(), ...configs].sort(
    (a, b) => a.atMicros - b.atMicros,
  );
}

function drawn(at: number): Deed {
  let upTo = 0;
  for (const [weight, deed] of DEEDS) {
    upTo += weight;
    if (at < upTo) return deed;
  }
  throw new RangeError(`there is no deed number ${at}`);
}

// --- data ---

function findAndModify(random: Random): Fields {
  return {
    findAndModify: SESSIONS,
    query: some(random),
    ...random.pick<Fields>([
      { remove: true },
      { update: { $set: { at: { $now: '100s' } } }, new: true },
      { update: { $inc: { n: 1 } }, upsert: true },
      { update: [{ $set: { n: { $add: ['$n', 1] } } }] },
    ]),
    writeConcern: random.pick(CONCERNS),
  };
}

function manyWrites(random: Random): Fields {
  const count = random.int(2, 40);
  const at = { $now: `-${random.int(0, 30)}s` };
  const _id = random.int(1000, 100_000);
  return {
    insert: SESSIONS,
    documents: Array.from({ length: count }, (_, i) => ({ _id: `${_id} ${i}`, at, n: 0 })),
    ordered: random.chance(0.5),
    writeConcern: random.pick(CONCERNS),
  };
}

function bulkWrite({ set, random }: Scene): Fields | undefined {
  if (set.release !== '8.0' && set.release !== '8.2') return undefined;
  const ops = Array.from({ length: random.int(2, 8) }, (_, i) =>
    random.pick<Fields>([
      { insert: random.int(0, 2), document: { _id: `b${random.int(0, 1000)} ${i}`, at: { $now: '-5s' }, n: 0 } },
      { update: random.int(0, 2), filter: some(random), updateMods: { $inc: { n: 1 } }, multi: random.chance(0.3) },
      { delete: random.int(0, 2), filter: some(random), multi: false },
    ]),
  );
  return onPrimary(
    {
      bulkWrite: 1,
      ops,
      nsInfo: [{ ns: EXPIRING }, { ns: SCRATCH }],
      ordered: random.chance(0.5),
      writeConcern: random.pick(CONCERNS),
    },
    'admin',
  );
}

function readSomewhere({ set, random }: Scene): Fields {
  const collection = random.pick(['kept', 'counters', SESSIONS, TORN, 'words']);
  const readConcern = random.pick([...LEVELS, ...(set.release === '4.4' ? [] : [{ level: 'snapshot' }])]);
  const command = random.pick<Fields>([
    { find: collection, limit: 5, sort: { _id: -1 } },
    { count: collection },
    { distinct: collection, key: 'n' },
    { aggregate: collection, pipeline: [{ $group: { _id: '$n', count: { $sum: 1 } } }], cursor: {} },
  ]);
  // It holds for these two alone.
  const concern =
    readConcern.level === 'snapshot' && ('count' in command || 'distinct' in command) ? {} : { readConcern };
  const on = random.pick(set.withData);
  return {
    run: { on, db: 'app', readPreference: 'secondaryPreferred', command: { ...command, ...concern, maxTimeMS: 5000 } },
  };
}

// --- collections and indexes ---

function rename({ random }: Scene): Fields {
  const [from = TORN, to = TORN] = random.shuffle([TORN, ...MADE]);
  return onPrimary({ renameCollection: `app.${from}`, to: `app.${to}`, dropTarget: random.chance(0.5) }, 'admin');
}

function createIndex({ random }: Scene): Fields {
  const [field, options] = random.pick<[string, Fields]>([
    ['n', {}],
    ['m', { unique: true, sparse: true }],
    ['touched', { sparse: true }],
  ]);
  return onPrimary({
    createIndexes: random.pick([SESSIONS, SESSIONS, 'kept', TORN]),
    indexes: [{ key: { [field]: 1 }, name: `${field}_1`, ...options }],
    commitQuorum: random.pick(['votingMembers', 'votingMembers', 'majority', 1, 0]),
  });
}

/** Somebody drops an index while it is being built. */
function builtAndDropped(at: number, random: Random): readonly Act[] {
  const create = { createIndexes: SESSIONS, indexes: [{ key: { dropped: 1 }, name: 'dropped_1' }] };
  const drop = { dropIndexes: SESSIONS, index: 'dropped_1' };
  return [
    { atMicros: at, does: onPrimary(create) },
    { atMicros: at + random.int(1000, SECOND / 2), does: onPrimary(drop) },
  ];
}

function collMod(change: Fields): Fields {
  return onPrimary({ collMod: SESSIONS, ...change });
}

function imagesExpire({ set, random }: Scene): Fields | undefined {
  if (set.release === '4.4') return undefined;
  const expireAfterSeconds = random.pick(['off', 5, 20]);
  return onPrimary(
    { setClusterParameter: { changeStreamOptions: { preAndPostImages: { expireAfterSeconds } } } },
    'admin',
  );
}

// --- members ---

/** A member goes on as another release, of those next to each other. */
function anotherRelease({ set, random }: Scene): Fields | undefined {
  const other =
    set.release === '8.0' ? '8.2' : set.release === '7.0' ? '8.0' : set.release === '6.0' ? '7.0' : undefined;
  return other && { restart: { member: random.pick(set.names), version: random.pick([set.release, other]) } };
}

function emptied(member: string): Fields {
  return { restart: { member, wipe: true } };
}

/** Two changes of who votes, so close that the second meets the first. */
function twoVotes({ spares }: DrawnSet, at: number, random: Random): readonly Act[] {
  return spares.map((name, i) => ({
    atMicros: at + i * random.int(0, 3 * SECOND),
    does: { addMember: { on: 'primary', name } },
  }));
}

// --- transactions, statement by statement ---

const SESSION_COUNT = 4;

/** One transaction: it writes beside what others write, meets TTL, index builds and changes of the catalog, and ends or is forgotten. */
function drawTransaction(number: number, from: number, random: Random): readonly Act[] {
  const session = String(number % SESSION_COUNT).padStart(12, '0');
  const lsid = { id: { $uuid: `00000000-0000-4000-8000-${session}` } };
  const fields = { lsid, txnNumber: { $numberLong: String(number + 1) }, autocommit: false };
  const count = random.int(2, 6);
  let at = from;
  const statements = Array.from({ length: count }, (_, i) => {
    const level = random.pick(['local', 'majority', 'snapshot']);
    const first = i === 0 ? { startTransaction: true, ...(random.chance(0.6) && { readConcern: { level } }) } : {};
    const [command, db] = statement(random, `t${number} ${i}`);
    const act = { atMicros: at, does: onPrimary({ ...command, ...fields, ...first }, db) };
    at += random.chance(0.15) ? random.int(0, 4 * SECOND) : random.int(10_000, SECOND / 2);
    return act;
  });
  const ends = random.pick(['commit', 'commit', 'commit', 'twice', 'abort', 'never']);
  const writeConcern = random.pick([undefined, ...CONCERNS]);
  const end = (command: string) =>
    onPrimary({ [command]: 1, ...fields, ...(writeConcern && { writeConcern }) }, 'admin');
  if (ends === 'never') return statements;
  const ending = { atMicros: at, does: end(ends === 'abort' ? 'abortTransaction' : 'commitTransaction') };
  const again = { atMicros: at + random.int(1000, 5 * SECOND), does: end('commitTransaction') };
  return [...statements, ending, ...(ends === 'twice' ? [again] : [])];
}

/** @returns a command, and its database */
function statement(random: Random, name: string): readonly [Fields, string] {
  if (random.chance(0.15)) {
    const updates = [{ q: { _id: random.int(1, 4) }, u: { $inc: { touched: 1 } } }];
    return [{ update: 'accounts', updates }, 'bank'];
  }
  return [statementOnApp(random, name), 'app'];
}

function statementOnApp(random: Random, name: string): Fields {
  switch (random.int(0, 10)) {
    case 0:
      return { insert: SESSIONS, documents: [{ _id: name, at: { $now: '-300s' }, n: 0 }] };
    case 1:
      return { update: SESSIONS, updates: [{ q: some(random), u: { $inc: { n: 1 } }, multi: true }] };
    case 2:
      return { delete: SESSIONS, deletes: [{ q: some(random), limit: random.int(0, 2) }] };
    case 3:
      return { findAndModify: SESSIONS, query: some(random), update: { $set: { at: { $now: '100s' } } }, new: true };
    case 4:
      return { findAndModify: SESSIONS, query: some(random), remove: true };
    case 5:
      return { aggregate: SESSIONS, pipeline: [{ $group: { _id: null, n: { $sum: 1 } } }], cursor: {} };
    case 6:
      return { create: random.pick(MADE) };
    case 7:
      return { insert: random.pick(MADE), documents: [{ _id: name }, { _id: `${name} too` }] };
    case 8:
      return { update: TORN, updates: [{ q: { _id: random.int(0, 5) }, u: { $inc: { n: 1 } }, upsert: true }] };
    default:
      return { insert: TORN, documents: [{ _id: name }] };
  }
}
