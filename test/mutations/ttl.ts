import type { Mongod } from '@replsim/node';
import { decodeDocument, encodeDocument } from '@replsim/protocol';
import { dateKey } from '@replsim/storage';
import type { Mutation } from './mutation.ts';

const EXPIRING = `
  - createIndex: { on: primary, in: app.c, keys: { at: 1 }, options: { expireAfterSeconds: 60 } }
  - insert: { into: app.c, count: 5, document: { _id: $i, at: { $now: -30s } }, writeConcern: { w: 1 } }`;

const CLUSTERED = `
  - run:
      on: primary
      db: app
      command: { create: c, clusteredIndex: { key: { _id: 1 }, unique: true }, expireAfterSeconds: 60 }`;

const LED_BY_N1 = `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
parameters: { ttlMonitorSleepSecs: 5 }
steps:
  - eventually: { within: 60s, primary: n1 }
  - advance: 5s`;

export const ttl: readonly Mutation[] = [
  {
    name: 'a secondary that deletes what has expired',
    fires: ['onlyPrimaryDeletes', 'secondaryShrinksOnlyThroughOplog', 'writesOnlyWhenAccepting'],
    members: ['n3'],
    change: (mongod) => {
      mongod.acceptsWrites = () => true;
    },
    scenario: `${LED_BY_N1}${EXPIRING}
  - hold: { on: n1, part: ttl }
  - advance: 60s
`,
  },
  {
    name: 'a secondary that lets a client delete',
    fires: ['secondaryShrinksOnlyThroughOplog', 'writesOnlyWhenAccepting'],
    members: ['n3'],
    change: (mongod) => {
      mongod.acceptsWrites = () => true;
    },
    scenario: `${LED_BY_N1}
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 3 } }
  - run: { on: n3, db: app, command: { delete: c, deletes: [{ q: { _id: 1 }, limit: 1 }] }, error: NotWritablePrimary }
`,
  },
  {
    name: 'a monitor that deletes before the time',
    fires: ['neverEarly'],
    clocks: (now, event) =>
      event.type === 'timer' && event.key === 'ttl' ? { ...now, wallMs: now.wallMs + 45_000 } : now,
    // Its sleep does not go by the clock that is wrong here.
    scenario: `
version: "3.2"${LED_BY_N1}${EXPIRING}
  - advance: 20s
`,
  },
  {
    name: "a standalone that serves a set's TTL indexes",
    fires: ['standaloneNeverDeletes'],
    change(mongod) {
      const start = mongod.ttl.start.bind(mongod.ttl);
      mongod.ttl.start = () => start(false);
    },
    scenario: `${LED_BY_N1}${EXPIRING}
  - advance: 2s
  - shutdown: n3
  - start: { member: n3, as: standalone }
  - advance: 90s
`,
  },
  {
    name: 'a monitor that begins at the first record of a clustered collection, not at 1970',
    fires: ['neverEarly'],
    members: ['n1'],
    after: (mongod) => readFrom(mongod, ''),
    scenario: `${LED_BY_N1}${CLUSTERED}
  - insert: { into: app.c, documents: [{ _id: an ancient string }, { _id: { $now: -2m } }], writeConcern: { w: 1 } }
  - advance: 20s
`,
  },
  {
    name: 'a monitor that takes dates before 1970 for due in a clustered collection',
    fires: ['neverEarly'],
    members: ['n1'],
    after: (mongod) => readFrom(mongod, dateKey(Number.NEGATIVE_INFINITY)),
    scenario: `${LED_BY_N1}${CLUSTERED}
  - insert: { into: app.c, documents: [{ _id: { $date: "1969-07-20T20:17:40Z" } }], writeConcern: { w: 1 } }
  - advance: 20s
`,
  },
  {
    name: 'a secondary that lets go of the oldest in a capped collection by itself',
    fires: ['dataEqualAtSameOpTime'],
    members: ['n3'],
    after({ core: { engine } }) {
      const log = engine.collection('app.log');
      const records = log?.records();
      if (log && log.count > 2 && records?.next()) engine.delete('app.log', records.recordId);
    },
    scenario: `${LED_BY_N1}
  - run: { on: n1, db: app, command: { create: log, capped: true, size: 4096, max: 10 } }
  - insert: { into: app.log, count: 3, document: { _id: $i }, writeConcern: { w: 3 } }
  - insert: { into: app.log, documents: [{ _id: 4 }], writeConcern: { w: 3 } }
  - advance: 5s
`,
  },
  {
    name: 'a monitor that goes on deleting when fsync locks',
    fires: ['nothingWrittenWhileLocked'],
    members: ['n1'],
    change({ fsyncLock }) {
      fsyncLock.stop = (operation) => operation;
    },
    scenario: `
costs: { deleteMicros: 500000 }${LED_BY_N1}${EXPIRING}
  - eventually: { within: 60s, on: n1, count: app.c, is: 4 }
  - run: { on: n1, db: admin, command: { fsync: 1, lock: true } }
  - advance: 60s
  - expect: { on: n1, count: app.c, is: 4 }
`,
  },
  {
    name: 'a secondary that applies under the fsync lock',
    fires: ['nothingWrittenWhileLocked'],
    members: ['n3'],
    change({ fsyncLock }) {
      fsyncLock.whenUnlocked = (work) => work();
    },
    scenario: `${LED_BY_N1}
  - run: { on: n3, db: admin, command: { fsync: 1, lock: true } }
  - insert: { into: app.c, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - advance: 5s
`,
  },
  {
    name: 'a primary whose TTL monitor passes by the block of user writes',
    fires: ['blockedUsersWriteNothing'],
    members: ['n1'],
    change({ userWriteBlock }) {
      userWriteBlock.check = () => {};
    },
    scenario: `${LED_BY_N1}${EXPIRING}
  - run: { on: n1, db: admin, command: { setUserWriteBlockMode: 1, global: true } }
  - advance: 60s
`,
  },
  {
    name: 'a monitor that does not wait for the span of a bucket',
    fires: ['neverEarly'],
    members: ['n1'],
    after({ core: { engine } }) {
      const buckets = engine.collection('app.system.buckets.c');
      if (!buckets || buckets.count === 0) return;
      const options = decodeDocument(buckets.options) as { timeseries: object };
      const timeseries = { ...options.timeseries, bucketMaxSpanSeconds: 1 };
      engine.setOptions(buckets.ns, encodeDocument({ ...options, timeseries }));
    },
    scenario: `${LED_BY_N1}
  - run: { on: n1, db: app, command: { create: c, timeseries: { timeField: at }, expireAfterSeconds: 3600 } }
  - insert: { into: app.c, documents: [{ at: { $now: -65m } }, { at: { $now: -20m } }], writeConcern: { w: 1 } }
  - advance: 20s
`,
  },
  {
    name: 'a primary that puts measurements into buckets whose span is over',
    fires: ['neverEarly'],
    members: ['n1'],
    change({ bucketCatalog }) {
      const { bucketFor } = bucketCatalog;
      bucketCatalog.bucketFor = (buckets, options, measurement, ids) =>
        bucketFor.call(bucketCatalog, buckets, { ...options, bucketMaxSpanSeconds: 1e9 }, measurement, ids);
    },
    scenario: `${LED_BY_N1}
  - hold: { on: n1, part: ttl }
  - run: { on: n1, db: app, command: { create: c, timeseries: { timeField: at }, expireAfterSeconds: 3600 } }
  - insert: { into: app.c, documents: [{ at: { $now: -3h } }], writeConcern: { w: 1 } }
  - insert: { into: app.c, documents: [{ at: { $now: -10m } }], writeConcern: { w: 1 } }
  - release: { on: n1, part: ttl }
  - advance: 20s
`,
  },
];

/** From now on every range of the records of `app.c` begins at a key. */
function readFrom(mongod: Mongod, lower: string): void {
  const index = mongod.core.engine.collection('app.c')?.clusteredIndex;
  if (!index || Object.hasOwn(index, 'range')) return;
  const range = index.range.bind(index);
  Object.assign(index, { range: (bounds: Parameters<typeof range>[0]) => range({ ...bounds, lower }) });
}
