import type { Random } from '@replsim/kernel';
import type { DrawnSet, Fields } from './set.ts';

/** Clients that work beside the steps, and what must be true of them in the end. */
export interface DrawnClients {
  /** What makes their collections. */
  readonly setup: readonly Fields[];
  readonly starts: readonly Fields[];
  /** Of those that write and read. */
  readonly names: readonly string[];
  readonly claims: readonly Fields[];
  /** Streams that must show what is written in the end. */
  readonly streams: readonly string[];
}

/** Documents with dates, which TTL deletes. */
export const EXPIRING = 'app.sessions';
/** Collections that operators drop, rename and make again. */
export const SCRATCH = 'app.scratch';
export const SESSION_SECONDS = 20;
const MAJORITY = { w: 'majority', wtimeout: 10_000 };
const CONCERNS: readonly Fields[] = [{ w: 1 }, MAJORITY, MAJORITY, { w: 'majority', j: true }, { w: 1, j: true }];
const READS: readonly Fields[] = [
  { readConcern: { level: 'local' }, readPreference: 'secondaryPreferred' },
  { readConcern: { level: 'majority' }, readPreference: 'secondary' },
  { readConcern: { level: 'majority' }, readPreference: 'nearest' },
  { readConcern: { level: 'linearizable' }, maxTimeMS: 5000 },
  { readConcern: { level: 'available' }, readPreference: 'nearest' },
];

/** One kind of client: what makes its collection, and how it works; a claim goes with it. */
interface Work {
  /** What it is called, perhaps with a number: traces tell it by this. */
  readonly name: string;
  readonly setup?: readonly Fields[];
  readonly does: Fields;
  readonly claim?: Fields;
}

const command = (as: string, does: Fields): Fields => ({ run: { db: 'app', command: does, as } });

export function drawClients(set: DrawnSet, random: Random): DrawnClients {
  const works = [...drawWriters(set, random.split('writers')), ...drawBank(set, random.split('bank'))];
  const named = works.map((work, i) => {
    const earlier = works.slice(0, i).filter(({ name }) => name === work.name).length;
    return { ...work, name: earlier === 0 ? work.name : `${work.name}${earlier + 1}` };
  });
  const streams = drawStreams(set, random.split('streams'));
  return {
    setup: named.flatMap(({ setup = [] }) => setup),
    starts: [
      ...named.map(({ name, does }) => ({ workload: { name, ...drawPace(set, random), ...does } })),
      ...streams.map(({ watch }) => ({ watch })),
    ],
    names: named.map(({ name }) => name),
    claims: [
      ...named.flatMap(({ name, claim }) => (claim ? [{ expect: { workload: name, ...claim } }] : [])),
      // It may end: what it would show next may be cut off everybody's oplog.
      ...streams
        .filter(({ mayEnd }) => mayEnd)
        .map(({ watch }) => ({ sometimes: { stream: watch.name, error: 'any' } })),
    ],
    streams: streams.filter(({ showsTheLast }) => showsTheLast).map(({ watch }) => watch.name),
  };
}

function drawPace({ withData }: DrawnSet, random: Random): Fields {
  const options = {
    ...(random.chance(0.2) && { retryWrites: false }),
    ...(random.chance(0.5) && { socketTimeoutMS: 15_000 }),
  };
  return {
    every: `${random.pick([2000, 3000, 6000])}ms`,
    ...(random.chance(0.5) && { near: random.pick(withData) }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

/** Nothing may be gone that a majority has acknowledged; nobody says that anything was. */
function kept({ isUnsafe }: DrawnSet): { readonly claim?: Fields } {
  return isUnsafe ? {} : { claim: { lost: 0, acknowledged: { $gte: 0 } } };
}

function drawWriters(set: DrawnSet, random: Random): readonly Work[] {
  const pad = 'x'.repeat(random.int(0, 40));
  const always: readonly Work[] = [
    {
      name: 'kept',
      does: { insert: { into: 'app.kept', document: { _id: '$i', pad } }, writeConcern: MAJORITY },
      ...kept(set),
    },
    {
      name: 'sessions',
      setup: [
        {
          createIndex: {
            in: EXPIRING,
            keys: { at: 1 },
            options: { name: 'at_1', expireAfterSeconds: SESSION_SECONDS },
            as: 'begins',
          },
        },
      ],
      does: {
        insert: { into: EXPIRING, document: { _id: '$i', at: { $now: `-${random.int(0, 20)}s` }, n: 0 } },
        writeConcern: random.pick(CONCERNS),
      },
    },
    // It is from these that a rollback takes something away.
    {
      name: 'quick',
      does: { every: '1s', insert: { into: 'app.quick', document: { _id: '$i' } }, writeConcern: { w: 1 } },
    },
  ];
  const others = random.shuffle(MENU).flatMap(([name, draw]): Work[] => {
    const work = draw(set, random);
    return work ? [{ ...work, name }] : [];
  });
  return [...always, ...others.slice(0, random.int(1, 3))];
}

type Unnamed = Omit<Work, 'name'>;

const MENU: readonly (readonly [name: string, draw: (set: DrawnSet, random: Random) => Unnamed | undefined])[] = [
  [
    'counters',
    (set) => ({
      does: {
        update: { in: 'app.counters', filter: { _id: { $rand: [1, 3] } }, update: { $inc: { n: 1 } }, upsert: true },
        writeConcern: MAJORITY,
      },
      ...kept(set),
    }),
  ],
  ['everybody', () => ({ does: { update: { in: EXPIRING, filter: {}, update: { $inc: { n: 1 } }, multi: true } } })],
  ['finds', (_, random) => ({ does: { find: { in: 'app.kept', limit: 5 }, ...random.pick(READS) } })],
  [
    'scratch',
    (_, random) => ({
      does: { insert: { into: SCRATCH, document: { _id: '$i' } }, writeConcern: random.pick(CONCERNS) },
    }),
  ],
  ['register', register],
  ['register', register],
  ['causal', causal],
  [
    'ring',
    () => ({
      setup: [command('ring', { create: 'ring', capped: true, size: 4096, max: 20 })],
      does: { insert: { into: 'app.ring', document: { _id: '$i' } } },
    }),
  ],
  ['clustered', ({ release }) => (release === '4.4' ? undefined : CLUSTERED)],
  ['metrics', ({ release }) => (release === '4.4' ? undefined : METRICS)],
  ['words', words],
];

const CLUSTERED: Unnamed = {
  setup: [
    command('clustered', {
      create: 'clustered',
      clusteredIndex: { key: { _id: 1 }, unique: true },
      expireAfterSeconds: SESSION_SECONDS,
    }),
  ],
  does: { insert: { into: 'app.clustered', document: { _id: { $now: '-10s' }, n: '$i' } } },
};

const METRICS: Unnamed = {
  setup: [
    command('metrics', {
      create: 'metrics',
      timeseries: { timeField: 't', metaField: 'm', granularity: 'seconds' },
      expireAfterSeconds: SESSION_SECONDS,
    }),
  ],
  does: { insert: { into: 'app.metrics', document: { t: { $now: '-5s' }, m: { $rand: [1, 3] }, n: '$i' } } },
};

function words(_: DrawnSet, random: Random): Unnamed {
  const collation = { locale: 'fr', strength: 2 };
  return {
    setup: [
      command('words', { create: 'words', collation: { locale: random.pick(['fr', 'de']), strength: 1 } }),
      { createIndex: { in: 'app.words', keys: { word: 1 }, options: { unique: true, collation }, as: 'spelt' } },
    ],
    does: {
      update: {
        in: 'app.words',
        filter: { word: random.pick(['cote', 'Côté', 'COTE']) },
        update: { $inc: { n: 1 } },
        upsert: true,
      },
      writeConcern: random.pick(CONCERNS),
    },
  };
}

/** Reads of one session, on whichever members. */
function causal(_: DrawnSet, random: Random): Unnamed {
  return {
    does: {
      update: {
        in: 'app.causal',
        filter: { _id: { $rand: [1, 3] } },
        update: { $set: { value: '$i' } },
        upsert: true,
      },
      writeConcern: MAJORITY,
      reads: {
        every: random.pick(['write', '1s']),
        causalConsistency: true,
        readConcern: { level: 'majority' },
        readPreference: random.pick(['secondary', 'nearest', 'secondaryPreferred']),
      },
    },
  };
}

/** Documents that are written and read, the history of which is judged. */
function register(_: DrawnSet, random: Random): Unnamed {
  const collection = `app.registers${random.int(1, 100)}`;
  const level = random.pick(['local', 'majority', 'linearizable']);
  return {
    does: {
      update: {
        in: collection,
        filter: { _id: { $rand: [1, 3] } },
        update: { $set: { value: '$i' } },
        upsert: true,
      },
      writeConcern: random.pick([MAJORITY, { w: 1 }]),
      reads: {
        every: random.pick(['write', '1s']),
        readConcern: { level },
        ...(level !== 'linearizable' && { readPreference: random.pick(['primary', 'secondaryPreferred', 'nearest']) }),
        ...(level === 'linearizable' && { maxTimeMS: 5000 }),
      },
    },
  };
}

/** Money that transactions move, somebody who adds it up, and lists to which transactions append. */
function drawBank({ isUnsafe, withData }: DrawnSet, random: Random): readonly Work[] {
  const sum = { accounts: 4, initial: 100 };
  const concern = () => (random.chance(0.3) ? {} : { writeConcern: random.pick([MAJORITY, MAJORITY, { w: 1 }]) });
  const claim = isUnsafe ? {} : { claim: { tornSums: 0, sums: { $gte: 0 } } };
  const transfers = Array.from(
    { length: random.pick([0, 1, 1, 2]) },
    (): Work => ({ name: 'transfers', does: { transfer: { in: 'bank.accounts', ...sum }, ...concern() }, ...claim }),
  );
  const auditors: readonly Work[] =
    transfers.length > 0 && random.chance(0.6)
      ? [
          {
            name: 'auditor',
            does: {
              sum: { in: 'bank.accounts', of: 'balance', is: sum.accounts * sum.initial },
              readPreference: withData.length > 1 ? random.pick(['primary', 'secondary', 'nearest']) : 'primary',
            },
            ...claim,
          },
        ]
      : [];
  const appends = random.chance(0.3)
    ? [1, 2].map(
        (): Work => ({ name: 'appends', does: { append: { in: 'app.lists', lists: 3 }, writeConcern: MAJORITY } }),
      )
    : [];
  return [...transfers, ...auditors, ...appends];
}

interface DrawnStream {
  readonly watch: Fields & { readonly name: string };
  readonly mayEnd: boolean;
  readonly showsTheLast: boolean;
}

/** What the last write of a run is called. */
export const LAST = 'the last';

function drawStreams({ release, cutsOplogs, isUnsafe, withData }: DrawnSet, random: Random): readonly DrawnStream[] {
  return Array.from({ length: random.int(0, 3) }, (_, i): DrawnStream => {
    const name = `s${i + 1}`;
    const on = random.pick(withData.length > 1 ? ['primary', 'secondaries', 'any'] : ['primary', 'any']);
    const place = random.pick<Fields>([
      { in: 'app.kept' },
      { in: EXPIRING },
      { in: SCRATCH },
      { in: 'bank.accounts' },
      { db: 'app' },
      {},
    ]);
    const images = release !== '4.4';
    const options = {
      ...(random.chance(0.4) && {
        fullDocument: random.pick(['updateLookup', ...(images ? ['whenAvailable', 'required'] : [])]),
      }),
      ...(images && random.chance(0.3) && { fullDocumentBeforeChange: random.pick(['whenAvailable', 'required']) }),
      ...(release === '8.0' && random.chance(0.3) && { showExpandedEvents: true }),
    };
    const showsTheLast = !cutsOplogs && !isUnsafe && random.chance(0.5);
    if (showsTheLast)
      return {
        watch: { name, on: 'any', in: 'app.kept', pipeline: [{ $match: { 'documentKey._id': LAST } }] },
        mayEnd: false,
        showsTheLast,
      };
    return {
      watch: { name, on, ...place, ...(Object.keys(options).length > 0 && { options }) },
      mayEnd: true,
      showsTheLast,
    };
  });
}
